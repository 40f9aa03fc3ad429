"""Cross-attention: queries from one sequence, keys and values from another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attncalc.core.ops.projection import Projection
from attncalc.core.terms.formulas import Name, Shape, Words, sentence
from attncalc.exercise.solve.solution import Solution, SolvedStep
from attncalc.features.topics.base import Topic, equal, example, laws_of, refuse, show_example, steps_by
from attncalc.worked.blocks import Block, Equations, Paragraph, Table

TWO: dict[str, Any] = {
    "X_Q": [[1, 0], [0, 1]], "X_KV": [[2, 0], [0, 2], [1, 1]], "mode": "numeric",
    "tokens": ["le", "chat"], "key_tokens": ["the", "black", "cat"],
}  # fmt: skip
LETTERS = (("Q", "X_Q", "d_k"), ("K", "X_KV", "d_k"), ("V", "X_KV", "d_v"))


def explain(solution: Solution | None) -> Iterator[Block]:
    """The products in letters, the shapes, and the weights of a problem or of an example."""
    has_own = bool(solution and solution.steps)
    if solution and has_own and not is_crossed(solution):
        raise refuse(solution, "its queries, keys and values come from the same tokens")
    yield Paragraph(
        "Queries come from the sequence that is written, keys and values from the one that is read:"
    )
    yield Equations(tuple(equal(name, Name(x) @ Name(f"W_{name}")) for name, x, _ in LETTERS))
    yield Paragraph(
        "All else is as in self-attention. The scores have a row for each query and a column for each key, "
        "so they need not be square, and the output has a row for each query. No query has to be kept from "
        "seeing a later key: the whole source is known."
    )
    found = solution if solution and has_own else example(**TWO)
    if found is not solution:
        yield Paragraph("An example, without weight matrices: two French words look at three English ones.")
    yield from laws_of(found, steps_by(found, Projection))
    names = [step for step in found.steps if step.step.kind.is_weights or step.step.kind.stage == "output"]
    names = [step for step in names if not step.step.label.limit and not step.step.label.of]
    yield Table(
        ("matrix", "shape", "here"),
        tuple((Name(step.symbol), letters_of(step), Shape(step.shape[-2:])) for step in names),
    )
    yield show_example(found, *(step.name for step in names))


def letters_of(step: SolvedStep) -> Words:
    """n_q × n_k, or n_q × d_v."""
    return Words((Name("n_q"), " × ", Name("n_k" if step.step.kind.is_weights else "d_v")))


def is_crossed(solution: Solution) -> bool:
    """Whether queries and keys of a problem come from two sequences."""
    problem = solution.problem
    given = problem.settings
    if problem.key_tokens and problem.key_tokens != problem.tokens:
        return True
    if "X_Q" in given or "X_KV" in given:
        return True
    weights = next((step for step in solution.steps if step.step.kind.is_weights), None)
    has_past = any(name.startswith("past") for name in given)
    return bool(weights) and not has_past and weights.shape[-2] not in (1, weights.shape[-1])  # type: ignore[union-attr]


topic = Topic(
    "Cross-attention",
    explain,
    answer=sentence(
        "Q is made of one sequence, K and V of another; the weights are {} × {}, and the output has a row "
        "for each query.",
        Name("n_q"),
        Name("n_k"),
    ),
)
