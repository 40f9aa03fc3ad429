"""How several heads are computed and joined."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attncalc.core.terms.formulas import Name, Shape, sentence
from attncalc.exercise.solve.solution import Solution
from attncalc.features.topics.base import Topic, example, laws_of, refuse, show_example
from attncalc.worked.blocks import Block, Heading, Paragraph

TWO: dict[str, Any] = {
    "X": [[1, 0, 1, 0], [0, 1, 0, 1], [1, 1, 0, 0]],
    "W_Q": "identity(4)", "W_K": "identity(4)", "W_V": "identity(4)",
    "W_O": [[1, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 1]], "heads": 2, "mode": "numeric",
}  # fmt: skip


def explain(solution: Solution | None) -> Iterator[Block]:
    """The heads side by side, what joins them, and their matrices."""
    if solution and solution.steps and len(solution.graph.heads) < 2:
        raise refuse(solution, "it has one head")
    found = solution if solution and solution.steps else example(**TWO)
    steps = [step for step in found.steps if not step.step.label.limit and not step.step.label.of]
    heads = len(found.graph.heads)
    yield Paragraph(
        f"There are {heads} heads. Each has its own {whose(found)}, its own scores, and its own softmax over "
        "its own row of scores; no head sees the weights of another. Their outputs are then joined."
    )
    common = [step for step in steps if not step.step.head]
    before = [step for step in common if step.step.kind.stage in ("queries", "keys", "values")]
    if before:
        yield Paragraph(
            "One product makes the queries, keys or values of all heads, which share its columns:"
        )
        yield from laws_of(found, before)
    for head in range(1, heads + 1):
        yield Heading(f"Head {head}", 3)
        own = [step for step in steps if step.step.head == head]
        yield from laws_of(found, own)
        shown = [step for step in own if step.step.kind.is_weights or step.step.kind.stage == "output"]
        yield show_example(found, *(step.name for step in shown))
    after = [step for step in common if step.step.kind.stage in ("combined", "projected")]
    if after:
        yield Heading("Joined", 3)
        yield from laws_of(found, after)
        yield show_example(found, *(step.name for step in after))
        last = after[-1]
        yield Paragraph(
            sentence("{} is {}: one row for each token.", Name(last.symbol), Shape(last.shape[-2:]))
        )


def whose(solution: Solution) -> str:
    """What every head has alone: with grouped queries only its queries."""
    keys = {head["K"] for head in solution.graph.heads}
    return "queries, keys and values" if len(keys) == len(solution.graph.heads) else "queries"


topic = Topic(
    "Multi-head attention, step by step",
    explain,
    answer="Every head does attention with its own queries and its own weights; the outputs "
    "are put side by side, or added up or averaged, and may be mixed by one more matrix.",
)
