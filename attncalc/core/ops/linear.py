"""Attention without a softmax: feature maps of queries and keys, and the decay of scores."""

from __future__ import annotations

from attncalc.core.ops.base import At, Op, Operand, Operation, Piece, Shape, agree
from attncalc.core.ops.position import position_of
from attncalc.core.readings.parts import to_decimals
from attncalc.core.record import record
from attncalc.core.terms import ONE, ZERO, Apply, Axis, Entry, Ordinal, Power, Term
from attncalc.core.terms.formulas import Call, Formula, Stacked, Text, Words, sentence

X = Entry("x")
MAPS: dict[str, Text] = {
    "elu+1": sentence(
        "Every entry becomes {}: {} above 0, {} below, so that none is negative.",
        *(Apply("elu", X) + ONE, X + ONE, Apply("exp", X)),
    ),
    "relu": "Every entry that is negative becomes 0.",
    "exp": "e to the power of every entry.",
}
"""The feature maps, and what each does."""


@record
class FeatureMap(Operation):
    """A function of every entry; cached rows come before the new ones."""

    kind: str

    @property
    def sentence(self) -> Text:
        return MAPS[self.kind]

    def shape(self, *operands: Operand) -> Shape:
        *cached, x = operands
        for past in cached:
            agree(past.cols, x.cols, past, x, f"{past.name} and {x.name} must be equally wide")
        return sum(operand.rows for operand in operands), x.cols

    def pieces(self, axes: tuple[Axis, Axis], *operands: Operand) -> list[Piece]:
        i, d = axes
        found, start = [], 0
        for x in operands:
            rule = self.mapped(x[Axis(i.letter, x.rows), d])
            found.append(Piece((Axis(i.letter, x.rows, start), d), rule))
            start += x.rows
        return found

    def mapped(self, x: Term) -> Term:
        """The function of one entry."""
        return Apply("elu", x) + ONE if self.kind == "elu+1" else Apply(self.kind, x)

    def formula(self, *operands: Formula) -> Formula:
        x = Stacked(operands, below=True) if len(operands) > 1 else operands[0]
        return Call("elu", x) + ONE if self.kind == "elu+1" else Call(self.kind, x)


@record
class Decay(Op):
    """A number below 1 to the power of the distance back to the key; later keys have 0."""

    rows: int
    cols: int
    before: int
    """How many keys stand before the first query."""
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
