"""The output: weights times values."""

from __future__ import annotations

from attncalc.mechanisms.base import Building, Mechanism, Stage
from attncalc.ops.output import Output


def build(building: Building) -> None:
    """Adds O where there are values."""
    values = building.roles.get("V")
    if values:
        op = Output(building.setting("vectors") == "columns")
        building.step("O", "Output", op, [building.roles["weights"], values], "id")


mechanism = Mechanism(stage=Stage.OUTPUT, keys={}, build=build)
