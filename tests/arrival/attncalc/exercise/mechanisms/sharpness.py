"""The sharpness of the weights: the power that they are raised to before they are shared out again."""

from __future__ import annotations

from attncalc.core.graph.labels import Kind
from attncalc.core.ops.base import At, Entrywise, Operand
from attncalc.core.record import record
from attncalc.core.terms import Constant, Index, Power, Term, total
from attncalc.exercise.keys.key import Key
from attncalc.exercise.keys.readers import whole
from attncalc.exercise.mechanisms.base import Building, Mechanism


@record
class Sharpened(Entrywise):
    """A power of every weight as a share of its row, so that large weights grow and a row adds up to 1."""

    power: int

    @property
    def adds_up(self) -> bool:
        return True

    def cell(self, at: At, *operands: Operand) -> Term:
        (a,) = operands

        def powered(column: Index) -> Term:
            return Power(a[at[0], column], Constant(self.power))

        return powered(at[1]) / total("l", a.cols, powered)


def build(building: Building) -> None:
    """Adds A_P if there is a sharpness."""
    power: int | None = building.setting("sharpness")
    if power is not None:
        building.roles["weights"] = building.step("A_P", Sharpened(power), [building.roles["weights"]])


mechanism = Mechanism(
    "sharpness",
    keys=(Key("sharpness", whole(2, 4), "The power that the weights are raised to.", "sharpness: 2"),),
    build=build,
    steps=(Kind("A_P", "Sharpened weights", "ij", words=("sharp",), stage="weights", irrational="none"),),
    after=("normalize",),
    before=("output",),
    each_head=True,
)
