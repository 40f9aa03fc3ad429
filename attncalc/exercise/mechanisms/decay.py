"""Decay: scores that fade with the distance back to their key, as in retention."""

from __future__ import annotations

from attncalc.core.errors import count_of, fault
from attncalc.core.graph.labels import Kind
from attncalc.core.readings.magnitude import magnitude
from attncalc.core.terms import Term
from attncalc.exercise.keys.key import Key
from attncalc.exercise.keys.readers import Context, numbers_list, reader
from attncalc.exercise.keys.refusals import refuse_word
from attncalc.exercise.keys.schema_types import CELL, one_or_list
from attncalc.exercise.mechanisms.base import Building, Mechanism
from attncalc.exercise.mechanisms.normalize import way_of
from attncalc.exercise.mechanisms.scale import hides
from attncalc.exercise.yaml.tree import Node, word_of

WORDS = ("decay", "decay matrix")


@reader(one_or_list(CELL), "none, a number, or a list of one for each head")
def decay(node: Node, context: Context) -> tuple[Term, ...] | None:
    """One number or one for each head; None for `none`."""
    if word_of(node) == "none":
        return None
    refuse_word(node, "none")
    found = tuple(numbers_list(node, context))
    if any(magnitude(one).value <= 0 for one in found):
        raise fault("a decay must be positive", node.place)
    return found


def build(building: Building) -> None:
    """Add D."""
    chosen: tuple[Term, ...] | None = building.setting("decay")
    if chosen is None:
        return
    from attncalc.core.ops.position import Decay

    place, heads = building.problem.place("decay"), len(building.heads)
    if way_of(building) == "softmax":
        raise fault("a decay does not go with a softmax: write normalize: none or sum", place)
    if len(chosen) not in (1, heads):
        raise fault(f"decay has {len(chosen)} numbers for {count_of(heads, 'head')}", place)
    scores = building.roles["scores"]
    if hides(building):
        raise fault("a decay multiplies the scores, so S may not hold -inf: hide keys by a mask", place)
    base = chosen[(building.head or 1) - 1 if len(chosen) > 1 else 0]
    rows, columns = building.shapes[scores][-2:]
    op = Decay(rows, columns, building.rows(building.roles.get("past_K")), base)
    building.roles["decay"] = building.step("D", op, [])


mechanism = Mechanism(
    "decay",
    keys=(
        Key(
            "decay",
            decay,
            "The factor of a score for every position back to its key; later keys are hidden.",
            "normalize: none, decay: 1/2",
            default="none",
        ),
    ),
    build=build,
    steps=(Kind("D", "Decay", "ij", differentiable=False, words=WORDS, hides_by=0),),
    after=("scale", "softcap"),
    each_head=True,
)
