"""The scores: dot products of queries and keys, or given."""

from __future__ import annotations

from attncalc.errors import fault
from attncalc.mechanisms.base import Building, Mechanism, Stage
from attncalc.ops.scores import Scores
from attncalc.readers import scores


def build(building: Building) -> None:
    """Adds S."""
    queries, keys = building.roles.get("Q"), building.roles.get("K")
    given = building.give("S")
    if given and queries:
        raise fault("S is given, so Q and K are not wanted beside it", building.place("S"))
    if given:
        building.sizes |= {"n_q": building.shapes[given][-2], "n_k": building.shapes[given][-1]}
        building.roles["scores"] = given
    elif queries and keys:
        op = Scores(building.setting("vectors") == "columns")
        building.roles["scores"] = building.step("S", "Scores", op, [queries, keys], "ij")
    else:
        raise fault("nothing to compute: give Q and K, or X, or S", building.problem.place())


mechanism = Mechanism(stage=Stage.SCORE, keys={"S": scores}, build=build)
