"""Mistakes with the heat."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.core.graph.graph import Graph, Step
from attncalc.core.ops.projection import Copy
from attncalc.mistakes.base import Mistake, Variation, vary


class HeatMissing(Mistake):
    """The scores were not divided by the heat."""

    code = "heat-missing"
    question = "By what are the scores divided before the softmax, besides the root?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if step.role == "W":
            yield from vary(step, graph, Copy(), *step.inputs)
