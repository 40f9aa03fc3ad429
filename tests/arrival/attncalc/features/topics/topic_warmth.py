"""What a heat does to the weights."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.core.terms import Apply, Entry
from attncalc.exercise.solve.solution import Solution
from attncalc.features.topics.base import Topic, equal, example, show_example
from attncalc.worked.blocks import Block, Equations, Paragraph


def explain(solution: Solution | None) -> Iterator[Block]:
    """The ratio of two weights, an example, and the problem's own."""
    z, tau = Entry("z"), Entry("tau")
    yield Paragraph("Divided by a heat, the difference z of two scores makes the ratio of their weights")
    yield Equations((equal("r", Apply("exp", z / tau)),))
    yield Paragraph("With twice the heat the weights of two scores are nearer to each other:")
    yield show_example(example(S=[["ln(4)", "0"]], heat=2), "W", "A")
    if solution and "W" in solution:
        yield Paragraph("The tempered scores of this problem:")
        yield show_example(solution, "W")


topic = Topic("Warmth", explain)
