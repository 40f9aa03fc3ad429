"""The output: weights times values."""

from __future__ import annotations

from attncalc.mechanisms.base import Building, Mechanism, Stage
from attncalc.ops.output import Output, OutputWithPast


def build(building: Building) -> None:
    """Adds O where there are values."""
    output = weighted_sum(building, building.roles["weights"], "", "Output")
    if output:
        building.roles["output"] = output


def weighted_sum(building: Building, weights: str, ending: str, title: str) -> str | None:
    """Adds the values weighted by some weights, where there are values."""
    values, past = building.roles.get("V"), building.roles.get("past_V")
    if not values:
        return None
    op = OutputWithPast() if past else Output(building.setting("vectors") == "columns")
    inputs = [name for name in (weights, past, values) if name]
    return building.step(building.name("O") + ending, title, op, inputs, "id")


mechanism = Mechanism(stage=Stage.OUTPUT, keys={}, build=build)
