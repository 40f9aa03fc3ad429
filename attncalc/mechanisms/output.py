"""The output: weights times values."""

from __future__ import annotations

from attncalc.mechanisms.base import Building, Mechanism, Stage
from attncalc.ops.base import Operation
from attncalc.ops.output import Output, OutputWithPast


def build(building: Building) -> None:
    """Adds O where there are values."""
    op = Output(building.setting("vectors") == "columns")
    output = weighted_sum(building, building.roles["weights"], op, building.name("O"), "Output")
    if output:
        building.roles["output"] = output


def weighted_sum(building: Building, weights: str, op: Operation, name: str, title: str) -> str | None:
    """Adds the values weighted by some weights, where there are values."""
    values, past = building.roles.get("V"), building.roles.get("past_V")
    if not values:
        return None
    inputs = [each for each in (weights, past, values) if each]
    return building.step(name, title, OutputWithPast() if past else op, inputs, "id")


mechanism = Mechanism(stage=Stage.OUTPUT, keys={}, build=build)
