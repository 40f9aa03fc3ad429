"""The softcap: scores bent below a largest value."""

from __future__ import annotations

from attncalc.core.errors import fault
from attncalc.core.graph.labels import Kind
from attncalc.core.ops.base import At, Entrywise, Operand
from attncalc.core.readings.magnitude import magnitude
from attncalc.core.readings.subterms import to_decimals
from attncalc.core.record import record
from attncalc.core.terms import Apply, Term
from attncalc.core.terms.formulas import Beside, Call, Formula, Text
from attncalc.core.terms.functions import FUNCTIONS
from attncalc.exercise.keys.key import Key
from attncalc.exercise.keys.readers import Context, number, reader
from attncalc.exercise.keys.refusals import refuse_word
from attncalc.exercise.keys.schema_types import CELL
from attncalc.exercise.mechanisms.base import Building, Mechanism
from attncalc.exercise.mechanisms.scale import hides
from attncalc.exercise.yaml.tree import Node, word_of


@record
class Softcap(Entrywise):
    """Every score bent so that none is larger than the cap."""

    cap: Term
    function: str = "tanh"

    @property
    def sentence(self) -> Text:
        """The usual sentence, with the meaning of a function that needs one."""
        meaning = FUNCTIONS[self.function].meaning
        return f"{super().sentence}{f' Here {self.function}(x) is {meaning}.' if meaning else ''}"

    def cell(self, at: At, *operands: Operand) -> Term:
        return self.cap * Apply(self.function, operands[0][at] / self.cap)

    def formula(self, *operands: Formula) -> Formula:
        cap = to_decimals(self.cap)
        return Beside((cap, Call(self.function, operands[0] / cap)))


@reader(CELL, "none, or c")
def cap(node: Node, context: Context) -> Softcap | None:
    """A number, or None for `none`."""
    if word_of(node) == "none":
        return None
    refuse_word(node, "none")
    cap = number(node, context)
    if magnitude(cap).value <= 0:
        raise fault("the softcap must be positive", node.place)
    return Softcap(cap)


def build(building: Building) -> None:
    """Add C if there is a cap; tanh alone would let a query see the keys that −∞ hides."""
    op: Softcap | None = building.setting("softcap")
    if op is None:
        return
    if hides(building):
        op = Softcap(op.cap, "bend")
    building.roles["scores"] = building.step("C", op, [building.roles["scores"]])


mechanism = Mechanism(
    "softcap",
    keys=(Key("softcap", cap, "Scores become c tanh(score/c).", "softcap: 5", default="none"),),
    build=build,
    steps=(Kind("C", "Capped scores", "ij", words=("capped scores", "capped")),),
    after=("scale",),
    before=("mask",),
    each_head=True,
)
