"""Rotary positions: queries and keys turned before they meet."""

from __future__ import annotations

from attncalc.mechanisms.base import Building, Mechanism, Stage
from attncalc.mechanisms.position import Position
from attncalc.ops.position import Encoding, Rotation


def build(building: Building) -> None:
    """Adds Q_R and K_R; cached keys are taken as rotated already, so new positions come after them."""
    chosen: Position | None = building.setting("position")
    if chosen is None or chosen.kind != "rope" or "Q" not in building.roles:
        return
    past = building.rows(building.roles.get("past_K"))
    encoding = Encoding(**{**vars(chosen.encoding), "offset": chosen.encoding.offset + past})
    for role, letters in (("Q", "id"), ("K", "jd")):
        source = building.roles[role]
        number = source.removeprefix(role)
        name = f"{role}_R{number}"
        if name not in building.shapes:
            title = f"Rotated {'queries' if role == 'Q' else 'keys'}"
            building.step(name, title, Rotation(encoding), [source], letters)
        building.roles[role] = name


mechanism = Mechanism(stage=Stage.ROTATE, keys={}, build=build)
