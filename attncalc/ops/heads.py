"""Splitting among heads, and joining them again."""

from __future__ import annotations

from attncalc.ops.base import At, Op, Operand, Piece, Shape, ShapeError
from attncalc.record import record
from attncalc.terms import Axis, Constant, Quotient, Sum, Term


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

    def formula(self, *names: str) -> str:
        if self.width == 1:
            return f"column {self.start + 1} of {names[0]}"
        return f"columns {self.start + 1} to {self.start + self.width} of {names[0]}"


@record
class Concatenation(Op):
    """The outputs of all heads side by side."""

    def shape(self, *operands: Operand) -> Shape:
        return operands[0].rows, sum(operand.cols for operand in operands)

    def cell(self, at: At, *operands: Operand) -> Term:
        raise NotImplementedError

    def pieces(self, axes: tuple[Axis, Axis], *operands: Operand) -> list[Piece]:
        i, d = axes
        found, start = [], 0
        for head in operands:
            column = Axis(d.letter, head.cols)
            found.append(Piece((i, Axis(d.letter, head.cols, start)), head[i, column]))
            start += head.cols
        return found

    def formula(self, *names: str) -> str:
        return f"[{', '.join(names)}]"


@record
class HeadSum(Op):
    """The outputs of all heads added up, or their mean."""

    mean: bool

    def shape(self, *operands: Operand) -> Shape:
        if len({operand.shape[-2:] for operand in operands}) > 1:
            raise ShapeError("the heads differ in shape, so they cannot be added")
        return operands[0].shape[-2:]

    def cell(self, at: At, *operands: Operand) -> Term:
        summed = Sum(tuple(operand[at] for operand in operands))
        return Quotient(summed, Constant(len(operands))) if self.mean else summed

    def formula(self, *names: str) -> str:
        summed = " + ".join(names)
        return f"({summed}) / {len(names)}" if self.mean else summed
