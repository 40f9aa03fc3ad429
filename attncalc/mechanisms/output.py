"""The output: weights times values."""

from __future__ import annotations

from attncalc.mechanisms.base import Building, Mechanism, Stage
from attncalc.ops.output import Output, OutputWithPast


def build(building: Building) -> None:
    """Adds O where there are values."""
    values, past = building.roles.get("V"), building.roles.get("past_V")
    if values:
        columns = building.setting("vectors") == "columns"
        op = OutputWithPast() if past else Output(columns)
        inputs = [name for name in (building.roles["weights"], past, values) if name]
        building.roles["output"] = building.step(building.name("O"), "Output", op, inputs, "id")


mechanism = Mechanism(stage=Stage.OUTPUT, keys={}, build=build)
