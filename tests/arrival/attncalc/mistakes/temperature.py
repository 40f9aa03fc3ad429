"""Mistakes with the temperature."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.graph.graph import Graph, Step
from attncalc.mistakes.base import Mistake, Variation, instead
from attncalc.ops.projection import Copy


class TemperatureMissing(Mistake):
    """The scores were not divided by the temperature."""

    code = "temperature-missing"
    question = "By what are the scores divided before the softmax, besides the root?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if step.role == "W":
            yield from instead(step, graph, Copy(), *step.inputs)
