"""Where a token stands: encodings added to it, rotations of queries and keys, a decay of scores."""

from __future__ import annotations

from attncalc.core.notations.terms import PAIR
from attncalc.core.ops.base import At, Op, Operand, Operation, Piece, Shape, ShapeError
from attncalc.core.readings.subterms import to_decimals
from attncalc.core.record import record
from attncalc.core.terms import (
    TWO,
    ZERO,
    Apply,
    Axis,
    Constant,
    Index,
    Negative,
    Ordinal,
    Power,
    Quotient,
    Term,
)
from attncalc.core.terms.formulas import Call, Formula, Text, Words, sentence


@record
class Encoding:
    """How positions become angles: the pairing of columns, the base, the first position, or one angle."""

    half: bool = False
    base: Term = Constant(10000)
    offset: int = 0
    angle: Term | None = None

    def of(self, row: Axis, pairs: Axis, width: int, doubled: bool = True) -> Term:
        """The angle of a position at a pair: position / base^(2p/width)."""
        position = position_of(row, self.offset)
        if self.angle is not None:
            return position * self.angle
        pair: Term = Ordinal(pairs)
        exponent = Quotient(TWO * pair if doubled else pair, Constant(width))
        return Quotient(position, Power(self.base, exponent))


def position_of(index: Index, before: int) -> Term:
    """The position of a row, counted from 0, after `before` others."""
    return Ordinal(index) + Constant(before) if before else Ordinal(index)


def columns_of_pairs(width: int, half: bool) -> tuple[Axis, Axis]:
    """The columns of sines and of cosines, or the first and the second of every pair."""
    first, second = (width + 1) // 2, width // 2
    if half:
        return Axis(PAIR, first), Axis(PAIR, second, first)
    return Axis(PAIR, first, 0, 2), Axis(PAIR, second, 1, 2)


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
        sines, cosines = columns_of_pairs(self.cols, self.encoding.half)
        of = self.encoding.of
        found = [Piece((i, sines), Apply("sin", of(i, Axis(PAIR, sines.size), self.cols, self.doubled)))]
        if cosines.size:
            found.append(
                Piece((i, cosines), Apply("cos", of(i, Axis(PAIR, cosines.size), self.cols, self.doubled)))
            )
        return found

    def formula(self, *operands: Formula) -> Formula:  # noqa: ARG002
        return Words(("sines and cosines of the positions",))


@record
class Addition(Op):
    """Two matrices added."""

    said: str = ""
    """Its description in one sentence, if it has a special one."""

    @property
    def sentence(self) -> Text:
        return self.said or super().sentence

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
class DistanceBias(Op):
    """Minus a slope times the distance between query and key."""

    rows: int
    cols: int
    before: int
    """The number of keys before the first query."""
    slope: Term

    def shape(self, *operands: Operand) -> Shape:  # noqa: ARG002
        return self.rows, self.cols

    def cell(self, at: At, *operands: Operand) -> Term:  # noqa: ARG002
        i, j = at
        return Negative(self.slope * Apply("abs", position_of(i, self.before) - Ordinal(j)))

    def formula(self, *operands: Formula) -> Formula:  # noqa: ARG002
        return Words(("−slope × distance",))


@record
class Angles(Op):
    """By which angle every pair of columns is turned, position by position."""

    rows: int
    pairs: int
    encoding: Encoding
    doubled: bool = True

    @property
    def sentence(self) -> Text:
        return (
            f"By which angle every pair of columns is turned; the first position is {self.encoding.offset}."
        )

    def shape(self, *operands: Operand) -> Shape:  # noqa: ARG002
        return self.rows, self.pairs

    def cell(self, at: At, *operands: Operand) -> Term:  # noqa: ARG002
        i, p = at
        assert isinstance(i, Axis)
        assert isinstance(p, Axis)
        return self.encoding.of(i, p, 2 * self.pairs, self.doubled)

    def formula(self, *operands: Formula) -> Formula:  # noqa: ARG002
        return Words(("angles of the positions",))


@record
class Rotation(Operation):
    """Every pair of columns turned by the angle of its position."""

    half: bool = False
    backwards: bool = False

    def shape(self, *operands: Operand) -> Shape:
        x, _ = operands
        return x.rows, x.cols

    def pieces(self, axes: tuple[Axis, Axis], *operands: Operand) -> list[Piece]:
        i, _ = axes
        x, theta = operands
        first, second = columns_of_pairs(x.cols, self.half)
        angle = theta[i, Axis(PAIR, theta.cols)]
        cosine, sine = Apply("cos", angle), Apply("sin", angle)
        a, b = x[i, first], x[i, second]
        up, down = (a * cosine - b * sine, b * cosine + a * sine)
        if self.backwards:
            up, down = (a * cosine + b * sine, b * cosine - a * sine)
        return [Piece((i, first), up), Piece((i, second), down)]

    def formula(self, *operands: Formula) -> Formula:
        x, theta = operands
        return Call("rotate", Words((x, " by ", theta)))


@record
class Decay(Op):
    """A number below 1 to the power of the distance back to the key; later keys have 0."""

    rows: int
    cols: int
    before: int
    """The number of keys before the first query."""
    base: Term

    @property
    def sentence(self) -> Text:
        return sentence("{} to the power of the distance back to the key; a later key has 0.", self.shown)

    @property
    def shown(self) -> Term:
        """The number as it was written."""
        return to_decimals(self.base)

    def shape(self, *operands: Operand) -> Shape:  # noqa: ARG002
        return self.rows, self.cols

    def cell(self, at: At, *operands: Operand) -> Term:  # noqa: ARG002
        i, j = at
        return Power(self.base, position_of(i, self.before) - Ordinal(j))

    def pieces(self, axes: tuple[Axis, Axis], *operands: Operand) -> list[Piece]:
        i, j = axes
        found = []
        for n in range(self.rows):
            row, seen = Axis(i.letter, 1, n), min(n + self.before + 1, self.cols)
            earlier = Axis(j.letter, seen)
            found.append(Piece((row, earlier), self.cell((row, earlier), *operands)))
            if seen < self.cols:
                found.append(Piece((row, Axis(j.letter, self.cols - seen, seen)), ZERO))
        return found

    def laws(self, axes: tuple[Axis, Axis], *operands: Operand) -> list[Piece]:
        return super().pieces(axes, *operands)

    def formula(self, *operands: Formula) -> Formula:  # noqa: ARG002
        return Words(("powers of ", self.shown, " by distance, 0 for later keys"))
