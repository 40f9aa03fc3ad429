"""Where a token stands: encodings added to it, and rotations of queries and keys."""

from __future__ import annotations

from attncalc.notations.terms import PAIR
from attncalc.ops.base import At, Op, Operand, Operation, Piece, Shape, ShapeError
from attncalc.record import record
from attncalc.terms import Apply, Axis, Constant, Ordinal, Power, Quotient, Term
from attncalc.terms.formulas import Call, Formula, Words


@record
class Encoding:
    """How positions become angles: the pairing of columns, the base, the first position, or one angle."""

    half: bool = False
    base: Term = Constant(10000)
    offset: int = 0
    angle: Term | None = None

    def columns(self, width: int) -> tuple[Axis, Axis]:
        """The columns of sines and of cosines, or the first and the second of every pair."""
        first, second = (width + 1) // 2, width // 2
        if self.half:
            return Axis(PAIR, first), Axis(PAIR, second, first)
        return Axis(PAIR, first, 0, 2), Axis(PAIR, second, 1, 2)

    def of(self, row: Axis, pairs: int, width: int, doubled: bool = True) -> Term:
        """The angle of a position at a pair: position / base^(2p/width)."""
        position: Term = Ordinal(row)
        if self.offset:
            position = position + Constant(self.offset)
        if self.angle is not None:
            return position * self.angle
        pair: Term = Ordinal(Axis(PAIR, pairs))
        exponent = Quotient(Constant(2) * pair if doubled else pair, Constant(width))
        return Quotient(position, Power(self.base, exponent))


@record
class Sinusoids(Operation):
    """Sines and cosines of every position, slower from pair to pair."""

    rows: int
    cols: int
    encoding: Encoding
    doubled: bool = True

    def shape(self, *operands: Operand) -> Shape:  # noqa: ARG002
        return self.rows, self.cols

    def pieces(self, axes: tuple[Axis, Axis], *operands: Operand) -> list[Piece]:  # noqa: ARG002
        i, _ = axes
        sines, cosines = self.encoding.columns(self.cols)
        of = self.encoding.of
        found = [Piece((i, sines), Apply("sin", of(i, sines.size, self.cols, self.doubled)))]
        if cosines.size:
            found.append(Piece((i, cosines), Apply("cos", of(i, cosines.size, self.cols, self.doubled))))
        return found

    def formula(self, *operands: Formula) -> Formula:  # noqa: ARG002
        return Words(("sines and cosines of the positions",))


@record
class Addition(Op):
    """Two matrices added."""

    def shape(self, *operands: Operand) -> Shape:
        a, b = operands
        if a.shape[-2:] != b.shape[-2:]:
            raise ShapeError(f"{a} and {b}: they must have the same shape to be added")
        return a.shape[-2:]

    def cell(self, at: At, *operands: Operand) -> Term:
        a, b = operands
        return a[at] + b[at]

    def formula(self, *operands: Formula) -> Formula:
        a, b = operands
        return a + b


@record
class Rotation(Operation):
    """Every pair of columns turned by an angle that grows with the position."""

    encoding: Encoding
    backwards: bool = False

    def shape(self, *operands: Operand) -> Shape:
        (x,) = operands
        if x.cols % 2:
            raise ShapeError(f"{x}: a rotation needs an even number of columns")
        return x.rows, x.cols

    def pieces(self, axes: tuple[Axis, Axis], *operands: Operand) -> list[Piece]:
        i, _ = axes
        (x,) = operands
        first, second = self.encoding.columns(x.cols)
        angle = self.encoding.of(i, first.size, x.cols)
        cosine, sine = Apply("cos", angle), Apply("sin", angle)
        a, b = x[i, first], x[i, second]
        up, down = (a * cosine - b * sine, b * cosine + a * sine)
        if self.backwards:
            up, down = (a * cosine + b * sine, b * cosine - a * sine)
        return [Piece((i, first), up), Piece((i, second), down)]

    def formula(self, *operands: Formula) -> Formula:
        return Call("rotate", operands[0])
