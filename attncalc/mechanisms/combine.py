"""After the heads: their outputs combined, and the output projection."""

from __future__ import annotations

from attncalc.inputs.readers import choice, matrix
from attncalc.mechanisms.base import Building, Mechanism, Stage
from attncalc.ops.base import Operation, turned
from attncalc.ops.heads import Concatenation, HeadSum
from attncalc.ops.projection import Copy, Projection


def build(building: Building) -> None:
    """Adds H for several heads, and Y for an output matrix or bias."""
    outputs = [roles["output"] for roles in building.heads if "output" in roles]
    if not outputs:
        return
    latest = outputs[0]
    if len(outputs) > 1:
        how = building.setting("combine", "concat")
        op: Operation = Concatenation() if how == "concat" else HeadSum(how == "mean")
        latest = building.step("H", "Heads combined", op, outputs, "id")
    weight, bias = building.give("W_O"), building.give("b_O")
    if weight or bias:
        columns, out_in = building.setting("vectors") == "columns", building.setting("weights") == "out-in"
        op = turned(Projection(columns), (1,), out_in) if weight else Copy()
        inputs = [name for name in (latest, weight, bias) if name]
        latest = building.step("Y", "Output projection", op, inputs, "id")
    building.heads[0]["latest"] = latest


mechanism = Mechanism(
    stage=Stage.COMBINE,
    keys={"combine": choice("concat", "mean", "sum"), "W_O": matrix, "b_O": matrix},
    build=build,
)
