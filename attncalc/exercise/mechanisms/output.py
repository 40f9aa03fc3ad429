"""The output: weights times values."""

from __future__ import annotations

from attncalc.core.graph.labels import Kind
from attncalc.core.ops.base import Operation
from attncalc.core.ops.output import Output, OutputWithPast
from attncalc.exercise.mechanisms.base import Building, Mechanism

WORDS = ("output", "outputs", "context", "contexts")


def build(building: Building) -> None:
    """Add O if there are values."""
    op = Output(building.setting("vectors") == "columns")
    output = add_weighted_sum(building, building.roles["weights"], op)
    if output:
        building.roles["output"] = output


def add_weighted_sum(building: Building, weights: str, op: Operation, limit: bool = False) -> str | None:
    """Add the sum of the values weighted by some weights, if there are values."""
    values, past = building.roles.get("V"), building.roles.get("past_V")
    if not values:
        return None
    inputs = [each for each in (weights, past, values) if each]
    return building.step("O", OutputWithPast() if past else op, inputs, limit=limit)


mechanism = Mechanism(
    "output",
    keys=(),
    build=build,
    steps=(Kind("O", "Output", "id", words=WORDS, stage="output", irrational="none"),),
    after=("normalize",),
    each_head=True,
)
