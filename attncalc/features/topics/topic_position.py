"""The three places where positions come into attention."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attncalc.core.ops.position import Addition, Angles, Decay, DistanceBias, Rotation, Sinusoids
from attncalc.core.terms.formulas import Name
from attncalc.exercise.solve.solution import Solution
from attncalc.features.topics.base import Topic, example, refuse, rules_of, steps_by
from attncalc.worked.blocks import Block, Heading, Paragraph, Table

TOKENS = [[1, 0, 1, 0], [0, 1, 0, 1], [1, 1, 0, 0]]
ADDED: dict[str, Any] = {"X": TOKENS, "position": "sinusoidal", "mode": "numeric"}
BIASED: dict[str, Any] = {"X": TOKENS, "position": "alibi", "mask": "causal", "mode": "numeric"}
PLACES = (
    ("the tokens", "a vector for each position is added, fixed (sinusoidal) or learned", Name("X_P")),
    ("queries and keys", "they are turned by angles that grow with the position (RoPE)", Name("Q_R")),
    ("the scores", "a number that depends on the distance is added (ALiBi)", Name("B")),
)
SINUSOIDS = (
    "In the sinusoidal encoding neighbouring columns are the sine and cosine of one angle; the first pair "
    "turns fastest. A fixed distance is a fixed turn of every pair, wherever the two tokens stand."
)


def explain(solution: Solution | None) -> Iterator[Block]:
    """Why positions are needed and where they come in; the steps of a problem, or of two examples."""
    steps = steps_by(solution, Sinusoids, Angles, Rotation, DistanceBias, Decay) if solution else []
    if solution and solution.steps and not steps:
        raise refuse(solution, "it has no positions (position: sinusoidal, rope or alibi)")
    yield Paragraph(
        "Attention compares vectors and adds up values; neither depends on where a token stands. Positions "
        "enter in one of three places:"
    )
    yield Table(("where", "how", "step"), PLACES)
    if solution and steps:
        yield Paragraph("In this problem:")
        yield from each_of(solution, Sinusoids, Angles, Rotation, DistanceBias, Decay)
        return
    yield Paragraph(SINUSOIDS)
    yield from each_of(example(**ADDED), Sinusoids, Addition)
    yield Paragraph("ALiBi subtracts more from a score the further back the key is:")
    yield from each_of(example(**BIASED), DistanceBias)


def each_of(solution: Solution, *operations: type) -> Iterator[Block]:
    """The steps of these operations, the first of each."""
    for operation in operations:
        for step in steps_by(solution, operation)[:1]:
            yield Heading(step.title, 3, step.symbol)
            yield from rules_of(solution, step)


topic = Topic(
    "How attention learns of positions",
    explain,
    answer="Positions are added to the tokens, turn queries and keys, or change the scores; without them or "
    "a mask attention does not know the order.",
)
