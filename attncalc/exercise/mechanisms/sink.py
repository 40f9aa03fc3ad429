"""The sink: a score beside those of the keys, which takes weight and has no value."""

from __future__ import annotations

import numpy as np

from attncalc.core.errors import count_of, fault
from attncalc.core.fields import Array
from attncalc.core.graph.labels import Label
from attncalc.core.ops.weights import LARGEST_EXPONENT
from attncalc.core.terms import ONLY, Constant, Index
from attncalc.exercise.keys.key import Key
from attncalc.exercise.keys.readers import Context, matrix, number, reader
from attncalc.exercise.keys.refusals import refuse_word
from attncalc.exercise.keys.schema_types import CELL, one_or_list
from attncalc.exercise.mechanisms.base import Building, Mechanism
from attncalc.exercise.yaml.tree import Node, Scalar, word_of


@reader(one_or_list(CELL), "none, a number, or a list of one for each head")
def sinks(node: Node, context: Context) -> Array | None:
    """One number or one for each head, as a row; None for `none`."""
    if word_of(node) == "none":
        return None
    refuse_word(node, "none")
    if isinstance(node, Scalar) and "[" not in node.text:
        return np.array([[number(node, context)]], dtype=object)
    found = matrix(node, context)
    if found.shape[:-1] != (1,):
        raise fault("is one number, or a list of one for each head", node.place)
    return found


def build(building: Building) -> None:
    """Add the sinks to the graph."""
    chosen: Array | None = building.setting("sink")
    if chosen is None:
        return
    if chosen.size not in (1, len(building.heads)):
        heads = count_of(len(building.heads), "head")
        raise fault(f"sink has {chosen.size} numbers for {heads}", building.problem.place("sink"))
    large = any(isinstance(x, Constant) and x.value > LARGEST_EXPONENT for x in chosen.ravel())
    if large and building.problem.symbols:
        # A softmax of numbers subtracts the largest exponent; one with letters cannot.
        message = f"beside free letters, a sink may be at most {LARGEST_EXPONENT}"
        raise fault(message, building.problem.place("sink"))
    building.roles["sink"] = building.give_matrix(Label("sink"), chosen, learnt=True)


def own_sink(building: Building) -> Index:
    """Return the column of the current head's sink."""
    return (building.head or 1) - 1 if building.shapes["sink"][-1] > 1 else ONLY


mechanism = Mechanism(
    "sink",
    keys=(
        Key(
            "sink",
            sinks,
            "An extra score in every row, after scale and mask, that takes weight and has no value.",
            "sink: 1/2",
            default="none",
        ),
    ),
    build=build,
    after=("scale",),
    each_head=True,
)
