"""Splitting among heads, and joining them again."""

from __future__ import annotations

from attncalc.core.ops.base import At, Op, Operand, Operation, Piece, Shape, ShapeError
from attncalc.core.record import record
from attncalc.core.terms import Axis, Constant, Quotient, Sum, Term
from attncalc.core.terms.formulas import Formula, Plus, Stacked, Text, Words


@record
class HeadColumns(Op):
    """The columns that belong to one head."""

    start: int
    width: int

    def shape(self, *operands: Operand) -> Shape:
        return operands[0].rows, self.width

    def cell(self, at: At, *operands: Operand) -> Term:
        i, d = at
        assert isinstance(d, Axis)
        return operands[0][i, Axis(d.letter, d.size, self.start)]

    def formula(self, *operands: Formula) -> Formula:
        return columns_of(operands[0], Axis("", self.width, self.start))


def columns_of(matrix: Formula, axis: Axis) -> Formula:
    """Some columns of a matrix, in words."""
    last = axis.start + axis.size
    columns = f"column {last}" if axis.size == 1 else f"columns {axis.start + 1} to {last}"
    return Words((f"{columns} of ", matrix))


@record
class Concatenation(Operation):
    """The outputs of all heads side by side."""

    def shape(self, *operands: Operand) -> Shape:
        if len({operand.rows for operand in operands}) > 1:
            raise ShapeError("the heads differ in rows, so they cannot stand side by side")
        return operands[0].rows, sum(operand.cols for operand in operands)

    def pieces(self, axes: tuple[Axis, Axis], *operands: Operand) -> list[Piece]:
        i, d = axes
        found, start = [], 0
        for head in operands:
            column = Axis(d.letter, head.cols)
            found.append(Piece((i, Axis(d.letter, head.cols, start)), head[i, column]))
            start += head.cols
        return found

    def formula(self, *operands: Formula) -> Formula:
        return Stacked(operands)


@record
class HeadSum(Op):
    """The outputs of all heads added up."""

    mean: bool

    @property
    def sentence(self) -> Text:
        return "The mean of the outputs of all heads." if self.mean else super().sentence

    def shape(self, *operands: Operand) -> Shape:
        if len({operand.shape[-2:] for operand in operands}) > 1:
            raise ShapeError("the heads differ in shape, so they cannot be added")
        return operands[0].shape[-2:]

    def cell(self, at: At, *operands: Operand) -> Term:
        summed = Sum(tuple(operand[at] for operand in operands))
        return Quotient(summed, Constant(len(operands))) if self.mean else summed

    def formula(self, *operands: Formula) -> Formula:
        summed = Plus(operands)
        return summed / Constant(len(operands)) if self.mean else summed
