"""From scores to weights: softmax, shares of the row's sum, or nothing."""

from __future__ import annotations

from attncalc.inputs.readers import choice
from attncalc.mechanisms.base import Building, Mechanism, Stage
from attncalc.ops.weights import Exponentials, RowTotals, Shares, Unnormalised


def build(building: Building) -> None:
    """Adds E, T and A."""
    scores, weights = building.roles["scores"], building.name("A")
    how = building.setting("normalize", "softmax")
    building.roles["weights"] = weights
    if how == "none":
        building.step(weights, "Weights", Unnormalised(), [scores], "ij")
        return
    softmax = how == "softmax"
    if softmax:
        scores = building.step(building.name("E"), "Exponentials", Exponentials(), [scores], "ij")
    totals = RowTotals(None if softmax else "visible")
    total = building.step(building.name("T"), "Row totals", totals, [scores], "i")
    notes = ["A row with every key hidden has the weights 0."] if building.zero_rows else []
    shares = Shares(visible_only=not softmax, zero_rows=building.zero_rows)
    building.step(weights, "Attention weights", shares, [scores, total], "ij", *notes)


mechanism = Mechanism(
    stage=Stage.NORMALIZE, keys={"normalize": choice("softmax", "sum", "none")}, build=build
)
