"""The softcap: scores bent below a largest value."""

from __future__ import annotations

from attncalc.mechanisms.base import Building, Mechanism, Stage
from attncalc.nodes import Node, Scalar
from attncalc.ops.scores import Softcap
from attncalc.readers import Context, number
from attncalc.terms import Term


def cap(node: Node, context: Context) -> Term | None:
    """A number, or None for `none`."""
    return None if isinstance(node, Scalar) and node.text == "none" else number(node, context)


def build(building: Building) -> None:
    """Adds C where there is a cap."""
    chosen = building.setting("softcap")
    if chosen is not None:
        scores = building.roles["scores"]
        op = Softcap(chosen)
        building.roles["scores"] = building.step(building.name("C"), "Capped scores", op, [scores], "ij")


mechanism = Mechanism(stage=Stage.CAP, keys={"softcap": cap}, build=build)
