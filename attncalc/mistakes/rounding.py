"""Digits dropped too early."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.core.errors import count_of
from attncalc.core.graph.graph import Graph, Step
from attncalc.mistakes.base import Rounding, Variation

EARLY_PLACES = (3, 2, 1, 0)


class RoundedEarly(Rounding):
    """A result was rounded to fewer digits than the answer needs."""

    code = "rounded-early"
    question = "How many digits are kept on the way?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:  # noqa: ARG002
        for places in EARLY_PLACES:
            decimals = count_of(places, "decimal") if places else "whole numbers"
            said = f"{step.name} was rounded to {decimals}, fewer than the answer needs."
            yield Variation(step, places=places, message=said)
