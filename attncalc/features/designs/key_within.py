"""The accepted distance from a goal."""

from __future__ import annotations

from attncalc.core.errors import fault
from attncalc.core.fields import Numeric
from attncalc.core.graph.graph import number_of
from attncalc.exercise.keys.key import Key
from attncalc.exercise.keys.readers import Context, number, reader
from attncalc.exercise.keys.schema_types import CELL
from attncalc.exercise.yaml.tree import Node
from attncalc.features.designs.key_design import EXAMPLE, require


@reader(CELL, "a number")
def parse_within(node: Node, context: Context) -> float:
    """The distance from a goal that is near enough."""
    require(context, "within", "goal")
    found = float(number_of(number(node, context), Numeric()))
    if not found > 0:
        raise fault("must be a positive number", node.place)
    return found


key = Key(
    "within", parse_within, "How far off a goal is near enough.", EXAMPLE, default="it is reached exactly"
)
