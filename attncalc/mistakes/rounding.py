"""Digits dropped too early."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.graph.graph import Graph, Step
from attncalc.mistakes.base import Rounding, Variation

EARLY_PLACES = (3, 2, 1, 0)


class RoundedEarly(Rounding):
    """A result was rounded to fewer digits than the answer needs."""

    code = "rounded-early"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:  # noqa: ARG002
        for places in EARLY_PLACES:
            decimals = f"{places} decimal{'' if places == 1 else 's'}" if places else "whole numbers"
            said = f"{step.name} was rounded to {decimals}, fewer than the answer needs."
            yield Variation(step, places=places, message=said)
