"""From scores to weights: softmax, shares of the row's sum, or nothing."""

from __future__ import annotations

from attncalc.mechanisms.base import Building, Mechanism, Stage
from attncalc.ops.weights import Exponentials, RowTotals, Shares, Unnormalised
from attncalc.readers import choice


def build(building: Building) -> None:
    """Adds E, T and A."""
    scores = building.roles["scores"]
    how = building.setting("normalize", "softmax")
    zero = building.zero_rows
    if how == "none":
        building.roles["weights"] = building.step("A", "Weights", Unnormalised(), [scores], "ij")
        return
    softmax = how == "softmax"
    notes = ["A row with every key hidden has the weights 0."] if zero else []
    if softmax:
        scores = building.step("E", "Exponentials", Exponentials(), [scores], "ij")
    totals = RowTotals(None if softmax else "visible")
    building.step("T", "Row totals", totals, [scores], "i")
    shares = Shares(visible_only=not softmax, zero_rows=zero)
    building.roles["weights"] = building.step("A", "Attention weights", shares, [scores, "T"], "ij", *notes)


mechanism = Mechanism(
    stage=Stage.NORMALIZE, keys={"normalize": choice("softmax", "sum", "none")}, build=build
)
