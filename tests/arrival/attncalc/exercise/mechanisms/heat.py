"""The heat of the scores: what they are divided by before the softmax."""

from __future__ import annotations

from attncalc.core.errors import fault
from attncalc.core.graph.labels import Kind
from attncalc.core.ops.base import At, Entrywise, Operand
from attncalc.core.readings.magnitude import magnitude
from attncalc.core.readings.subterms import to_decimals
from attncalc.core.record import record
from attncalc.core.terms import Term
from attncalc.core.terms.formulas import Formula
from attncalc.exercise.keys.key import Key
from attncalc.exercise.keys.readers import Context, number, reader
from attncalc.exercise.keys.schema_types import CELL
from attncalc.exercise.mechanisms.base import Building, Mechanism
from attncalc.exercise.yaml.tree import Node


@record
class Tempered(Entrywise):
    """Every score divided by the heat: a high one evens the weights out, a low one sharpens them."""

    heat: Term

    def cell(self, at: At, *operands: Operand) -> Term:
        return operands[0][at] / self.heat

    def formula(self, *operands: Formula) -> Formula:
        return operands[0] / to_decimals(self.heat)


@reader(CELL, "a positive number")
def heat(node: Node, context: Context) -> Tempered:
    """A positive number."""
    read = number(node, context)
    if magnitude(read).value <= 0:
        raise fault("the heat must be positive", node.place)
    return Tempered(read)


def build(building: Building) -> None:
    """Adds W if there is a heat."""
    op: Tempered | None = building.setting("heat")
    if op is not None:
        building.roles["scores"] = building.step("W", op, [building.roles["scores"]])


mechanism = Mechanism(
    "heat",
    keys=(Key("heat", heat, "The scores are divided by it before the softmax.", "heat: 2", default="1"),),
    build=build,
    steps=(Kind("W", "Tempered scores", "ij"),),
    after=("mask",),
    before=("normalize",),
    each_head=True,
)
