"""Attention without a softmax: feature maps of queries and keys."""

from __future__ import annotations

from attncalc.core.ops.base import Operand, Operation, Piece, Shape, agree
from attncalc.core.record import record
from attncalc.core.terms import ONE, Apply, Axis, Entry, Term
from attncalc.core.terms.formulas import Call, Formula, Stacked, Text, sentence

X = Entry("x")
MAPS: dict[str, Text] = {
    "elu+1": sentence(
        "Every entry becomes {}: {} above 0, {} below, so that none is negative.",
        *(Apply("elu", X) + ONE, X + ONE, Apply("exp", X)),
    ),
    "relu": "Every entry that is negative becomes 0.",
    "exp": "e to the power of every entry.",
}
"""The feature maps, with their sentences."""


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
            rule = self.map_entry(x[Axis(i.letter, x.rows), d])
            found.append(Piece((Axis(i.letter, x.rows, start), d), rule))
            start += x.rows
        return found

    def map_entry(self, x: Term) -> Term:
        """The function of one entry."""
        return Apply("elu", x) + ONE if self.kind == "elu+1" else Apply(self.kind, x)

    def formula(self, *operands: Formula) -> Formula:
        x = Stacked(operands, below=True) if len(operands) > 1 else operands[0]
        return Call("elu", x) + ONE if self.kind == "elu+1" else Call(self.kind, x)
