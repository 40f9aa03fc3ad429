"""Rotary positions: queries and keys are rotated before the scores, as the key `position` says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attncalc.core.errors import fault
from attncalc.core.graph.labels import Kind, Label
from attncalc.exercise.mechanisms.base import Building, Mechanism
from attncalc.exercise.mechanisms.position import Position

if TYPE_CHECKING:
    from attncalc.core.ops.position import Encoding


def build(building: Building) -> None:
    """Add theta, Q_R and K_R; cached keys count as rotated, so new positions come after them."""
    chosen: Position | None = building.setting("position")
    if chosen is None or chosen.kind != "rope" or "queries" not in building.roles:
        return
    from attncalc.core.ops.position import Encoding, Rotation

    past = building.rows(building.roles.get("past_K"))
    encoding = Encoding(**{**vars(chosen.encoding), "offset": chosen.encoding.offset + past})
    shapes = {kind: building.shapes[building.roles[kind]][-2:] for kind in ("queries", "keys")}
    angles = {"queries": "theta", "keys": "theta" if shapes["queries"] == shapes["keys"] else "theta_K"}
    for kind, rotated in (("queries", "Q_R"), ("keys", "K_R")):
        source = building.roles[kind]
        label = Label(rotated, building.labels[source].head)
        if label.name not in building.shapes:
            theta = find_angles(building, angles[kind], source, encoding)
            building.step(rotated, Rotation(encoding.half), [source, theta], label=label)
        building.roles[kind] = building.roles[rotated] = label.name


def find_angles(building: Building, role: str, source: str, encoding: Encoding) -> str:
    """Return the name of the angles of all positions; heads of equal width share them."""
    from attncalc.core.ops.position import Angles

    rows, columns = building.shapes[source][-2:]
    if columns % 2:
        message = f"{building.operand(source)}: a rotation needs an even number of columns"
        raise fault(message, building.place(source))
    op = Angles(rows, columns // 2, encoding)
    labels = Label(role), building.label(role)
    label = next(one for one in labels if building.shapes.get(one.name, op.shape()) == op.shape())
    return label.name if label.name in building.shapes else building.step(role, op, [], label=label)


mechanism = Mechanism(
    "rotate",
    keys=(),
    build=build,
    steps=(
        Kind("theta", "Angles", "ip", part_of="positions", differentiable=False, words=("angle",)),
        Kind("theta_K", "Angles of the keys", "jp", part_of="positions", differentiable=False),
        Kind("Q_R", "Rotated queries", "id"),
        Kind("K_R", "Rotated keys", "jd"),
    ),
    after=("projection",),
    each_head=True,
)
