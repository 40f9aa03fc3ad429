"""From scores to weights: softmax, shares of the row's sum, or nothing."""

from __future__ import annotations

from attncalc.core.errors import fault
from attncalc.core.graph.labels import Kind
from attncalc.core.ops.base import Operation
from attncalc.core.ops.weights import Exponentials, RowTotals, Shares, SinkTotals, Unnormalised
from attncalc.exercise.keys.key import Key
from attncalc.exercise.keys.readers import choice
from attncalc.exercise.mechanisms.base import Building, Mechanism
from attncalc.exercise.mechanisms.sink import own_sink


def way_of(building: Building) -> str:
    """Return how scores become weights; by default a softmax, or shares of the sum with a feature map."""
    usual = "softmax" if building.setting("feature_map") is None else "sum"
    return str(building.setting("normalize", usual))


def build(building: Building) -> None:
    """Add E, T and A."""
    scores, how = building.roles["scores"], way_of(building)
    sinks = [building.roles["sink"]] if "sink" in building.roles else []
    if sinks and how != "softmax":
        raise fault("a sink takes part in a softmax, so it needs normalize: softmax", building.place("sink"))
    if how == "none":
        building.roles["weights"] = building.step("A", Unnormalised(), [scores], title="Weights")
        return
    added: Operation = RowTotals(None if how == "softmax" else "visible")
    shared = scores
    if how == "softmax":
        sink = own_sink(building) if sinks else None
        shared = building.step("E", Exponentials(sink), [scores, *sinks])
        added = added if sink is None else SinkTotals(sink)
    total = building.step("T", added, [shared, *([scores, *sinks] if sinks else [])])
    zero_rows = building.zero_rows and not sinks
    shares = Shares(visible_only=how != "softmax", zero_rows=zero_rows, has_sink=bool(sinks))
    notes = ["A row with every key hidden has the weights 0."] if building.zero_rows else []
    building.roles["weights"] = building.step("A", shares, [shared, total], *notes)


mechanism = Mechanism(
    "normalize",
    keys=(
        Key(
            "normalize",
            choice("softmax", "sum", "none"),
            "How scores become weights.",
            "normalize: sum",
            default="softmax; sum with a feature map",
        ),
    ),
    build=build,
    steps=(
        Kind(
            "E",
            "Exponentials",
            "ij",
            part_of="softmax",
            is_searched=False,
            words=("exponentials", "exp"),
            stage="exponentials",
            irrational="e",
        ),
        Kind(
            "T",
            "Row totals",
            "i",
            part_of="softmax",
            is_searched=False,
            words=("totals", "sums", "row sums", "denominators"),
            irrational="none",
        ),
        Kind(
            "A",
            "Attention weights",
            "ij",
            words=("weights", "attention", "softmax"),
            stage="weights",
            irrational="none",
        ),
    ),
    after=("mask",),
    each_head=True,
)
