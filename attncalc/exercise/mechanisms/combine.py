"""After the heads: their outputs combined, and the output projection."""

from __future__ import annotations

from attncalc.core.graph.labels import Kind
from attncalc.core.ops.base import Operation, transpose_stored
from attncalc.core.ops.heads import Concatenation, HeadSum
from attncalc.core.ops.projection import Copy, Projection
from attncalc.core.record import replace
from attncalc.exercise.keys.key import Key
from attncalc.exercise.keys.readers import choice, matrix
from attncalc.exercise.mechanisms.base import Building, Mechanism

HEADS, PROJECTED = ("heads", "concat", "combined", "output"), ("output projection", "projected", "output")


def build(building: Building) -> None:
    """Add H for several heads, and Y for an output matrix or bias."""
    outputs = [roles["output"] for roles in building.heads if "output" in roles]
    if not outputs:
        return
    latest = outputs[0]
    if len(outputs) > 1:
        how = building.setting("combine", "concat")
        op: Operation = Concatenation() if how == "concat" else HeadSum(how == "mean")
        latest = building.step("H", op, outputs)
        limits = [replace(building.labels[name], limit=True).name for name in outputs]
        if all(name in building.shapes for name in limits):
            building.step("H", op, limits, limit=True)
    weight, bias = (building.give(role, learnt=True) for role in ("W_O", "b_O"))
    if weight or bias:
        columns, out_in = building.setting("vectors") == "columns", building.setting("weights") == "out-in"
        op = transpose_stored(Projection(columns), (1,), out_in) if weight else Copy()
        inputs = [name for name in (latest, weight, bias) if name]
        latest = building.step("Y", op, inputs)
    building.latest = latest


mechanism = Mechanism(
    "combine",
    keys=(
        Key(
            "combine",
            choice("concat", "mean", "sum"),
            "How the outputs of the heads are combined.",
            "heads: 2, combine: mean",
            "X",
        ),
        Key("W_O", matrix, "The output projection, after the heads are combined.", "W_O: [[1, 0], [2, 1]]"),
        Key("b_O", matrix, "A bias, added to every row of the output.", "b_O: [1, 2]"),
    ),
    build=build,
    steps=(
        Kind("H", "Heads combined", "id", words=HEADS, stage="combined"),
        Kind("H", "Heads combined in the limit", "id", limit=True, stage="combined"),
        Kind("Y", "Output projection", "id", words=PROJECTED, stage="projected"),
    ),
    after=("output", "limit"),
)
