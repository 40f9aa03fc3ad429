"""Rotary positions: queries and keys are turned, and scores depend on the distance."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attncalc.core.ops.position import Angles, Rotation
from attncalc.core.terms.formulas import Indexed, Name, sentence
from attncalc.exercise.solve.solution import Solution
from attncalc.features.topics.base import (
    Topic,
    equal,
    example,
    refuse,
    rules_of,
    same,
    show_example,
    steps_by,
)
from attncalc.worked.blocks import Block, Equations, Heading, Paragraph

ALIKE: dict[str, Any] = {
    "Q": [[1, 0]] * 4, "K": [[2, 0]] * 4, "scale": "none",
    "position": {"rope": "interleaved", "angle": "pi/6"},
}  # fmt: skip
"""The same query and the same key at four positions."""


def explain(solution: Solution | None) -> Iterator[Block]:
    """The angles and a turned matrix, why only the distance counts, and an example of it."""
    if solution and solution.steps and not steps_by(solution, Rotation):
        raise refuse(solution, "it has no rotary positions (position: rope)")
    yield Paragraph(
        "Each pair of components of a query or a key is turned in its plane, by an angle proportional to "
        "the position; each pair has its own speed. Lengths stay the same, and values are not turned."
    )
    found = solution if solution and solution.steps else example(**ALIKE)
    for step in (*steps_by(found, Angles), steps_by(found, Rotation)[0]):
        yield Heading(step.title, 3, step.symbol)
        yield from rules_of(found, step)
    i, j, apart = (Indexed(Name("R"), letters) for letters in ("i", "j", "(j-i)"))
    q, k = Name("q"), Name("k")
    yield Heading("Only the distance counts", 3)
    yield Paragraph(
        sentence(
            "Let {} turn by the angle of position i. Turning back, then on, is one turn:",
            i,
        )
    )
    yield Equations((equal((i @ q).T @ (j @ k), q.T @ i.T @ j @ k, q.T @ apart @ k),))
    yield Paragraph("The same query and the same key at four positions have one score for each distance:")
    alike = example(**ALIKE)
    scores = alike["S"].numbers
    assert all(same(alike, scores[m, n], scores[m + 1, n + 1]) for m in range(3) for n in range(3))
    yield show_example(alike, "S")


topic = Topic(
    "Rotary positions (RoPE)",
    explain,
    answer="Queries and keys are turned by angles that grow with their positions, so a score depends on the "
    "two vectors and on how far apart they stand, not on where they stand.",
)
