"""Mistakes in any product of matrices."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.core.graph.graph import Graph, Step
from attncalc.core.ops.base import Operand, Piece
from attncalc.core.ops.output import Output
from attncalc.core.ops.projection import Projection
from attncalc.core.ops.scores import Scores
from attncalc.core.record import record
from attncalc.core.terms import Axis
from attncalc.mistakes.base import Mistake, Variation, Wrapped, vary


@record
class LastTermCut(Wrapped):
    """An operation that sees all columns of its first operand but the last."""

    def pieces(self, axes: tuple[Axis, Axis], *operands: Operand) -> list[Piece]:
        first, *others = operands
        narrow = Operand(first.name, (*first.shape[:-1], first.cols - 1))
        return self.op.pieces(axes, narrow, *others)


class TermsCut(Mistake):
    """The last term of every dot product was left out."""

    code = "terms-cut"
    question = "How many products does each entry add up?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        # These sum over the columns of their first operand.
        if isinstance(step.op.core, Scores | Projection | Output) and graph.shapes[step.inputs[0]][-1] > 1:
            yield from vary(step, graph, LastTermCut(step.op), *step.inputs)
