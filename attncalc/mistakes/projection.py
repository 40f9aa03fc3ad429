"""Mistakes in the projections."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.graph.graph import Graph, Step
from attncalc.mistakes.base import Mistake, Variation, exchanged, instead
from attncalc.ops.base import turned_round
from attncalc.ops.projection import Copy, Projection


def is_projection(step: Step) -> bool:
    """Whether a step projects tokens to queries, keys or values."""
    return step.role in ("Q", "K", "V") and isinstance(step.op.core, Projection)


class WeightsTransposed(Mistake):
    """The weight matrix was transposed."""

    code = "weights-transposed"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if is_projection(step):
            yield from instead(step, graph, turned_round(step.op), *step.inputs)


class ProjectionMissing(Mistake):
    """The tokens themselves were used, without the weight matrix."""

    code = "projection-missing"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if is_projection(step):
            yield from instead(step, graph, Copy(), step.inputs[0], *step.inputs[2:])


class ProjectionSwapped(Mistake):
    """The weight matrix of another projection was used."""

    code = "projection-swapped"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if is_projection(step):
            own = step.inputs[1]
            others = {other.inputs[1] for other in graph.steps if isinstance(other.op.core, Projection)}
            for other in sorted(others - {own}):
                yield from exchanged(step, graph, {own: other})


class BiasMissing(Mistake):
    """The bias was left out."""

    code = "bias-missing"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op.core, Projection) and len(step.inputs) > 2:
            yield from instead(step, graph, step.op, *step.inputs[:2])
        if isinstance(step.op, Copy) and len(step.inputs) > 1:
            yield from instead(step, graph, step.op, step.inputs[0])
