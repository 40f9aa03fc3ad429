"""From scores to weights: softmax, shares of the row's sum, or nothing."""

from __future__ import annotations

from attncalc.graph.labels import Kind
from attncalc.inputs.help import Help
from attncalc.inputs.readers import choice
from attncalc.mechanisms.base import Building, Mechanism
from attncalc.ops.weights import Exponentials, RowTotals, Shares, Unnormalised


def build(building: Building) -> None:
    """Adds E, T and A."""
    scores, how = building.roles["scores"], building.setting("normalize", "softmax")
    if how == "none":
        building.roles["weights"] = building.step("A", Unnormalised(), [scores], title="Weights")
        return
    softmax = how == "softmax"
    if softmax:
        scores = building.step("E", Exponentials(), [scores])
    total = building.step("T", RowTotals(None if softmax else "visible"), [scores])
    notes = ["A row with every key hidden has the weights 0."] if building.zero_rows else []
    shares = Shares(visible_only=not softmax, zero_rows=building.zero_rows)
    building.roles["weights"] = building.step("A", shares, [scores, total], *notes)


mechanism = Mechanism(
    "normalize",
    keys={"normalize": choice("softmax", "sum", "none")},
    build=build,
    steps=(
        Kind("E", "Exponentials", "ij", inner=True, words=("exponentials", "exp")),
        Kind("T", "Row totals", "i", inner=True, words=("totals", "sums", "row sums", "denominators")),
        Kind("A", "Attention weights", "ij", words=("weights", "attention", "softmax")),
    ),
    after=("mask",),
    each_head=True,
    help={"normalize": Help("How scores become weights.", "normalize: sum")},
)
