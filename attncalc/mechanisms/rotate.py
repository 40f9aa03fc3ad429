"""Rotary positions: queries and keys turned before they meet."""

from __future__ import annotations

from attncalc.graph.labels import Kind, Label
from attncalc.mechanisms.base import Building, Mechanism
from attncalc.mechanisms.position import Position
from attncalc.ops.position import Encoding, Rotation


def build(building: Building) -> None:
    """Adds Q_R and K_R; cached keys are taken as rotated already, so new positions come after them."""
    chosen: Position | None = building.setting("position")
    if chosen is None or chosen.kind != "rope" or "queries" not in building.roles:
        return
    past = building.rows(building.roles.get("past_K"))
    encoding = Encoding(**{**vars(chosen.encoding), "offset": chosen.encoding.offset + past})
    for kind, rotated in (("queries", "Q_R"), ("keys", "K_R")):
        source = building.roles[kind]
        label = Label(rotated, building.labels[source].head)
        if label.name not in building.shapes:
            building.step(rotated, Rotation(encoding), [source], head=label.head)
        building.roles[kind] = building.roles[rotated] = label.name


mechanism = Mechanism(
    "rotate",
    keys={},
    build=build,
    steps=(Kind("Q_R", "Rotated queries", "id"), Kind("K_R", "Rotated keys", "jd")),
    after=("projection",),
    each_head=True,
)
