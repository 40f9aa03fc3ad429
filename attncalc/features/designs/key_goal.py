"""What a design must reach."""

from __future__ import annotations

import numpy as np

from attncalc.core.errors import fault, quote
from attncalc.core.graph.references import parse_reference
from attncalc.core.terms import Term
from attncalc.exercise.keys.key import Key
from attncalc.exercise.keys.readers import Context, read_matrix, reader, value_of
from attncalc.exercise.keys.schema_types import mapping_of
from attncalc.exercise.problem import Goal
from attncalc.exercise.yaml.tree import Mapped, Node, Scalar, expect
from attncalc.features.designs.key_design import EXAMPLE, require


@reader(mapping_of({}), "steps and values")
def parse_goal(node: Node, context: Context) -> tuple[Goal, ...]:
    """The goals of a mapping such as {"O_limit[2]": u_b, "A[1]": [1, 0]}."""
    require(context, "goal", "design")
    pairs = expect(node, Mapped, 'must map steps to what they must reach, {"A[1]": [1, 0]}').items
    if not pairs:
        raise fault("names nothing to reach", node.place)
    return tuple(one_goal(key, value, context) for key, value in pairs)


def one_goal(key: Scalar, value: Node, context: Context) -> Goal:
    """One step and the value it must have: a number, a vector or a matrix."""
    reference = parse_reference(key.text)
    if reference is None:
        raise fault(f"{quote(key.text)} does not name a step", key.place)
    found = value_of(value, context, hidden=True) if isinstance(value, Scalar) else None
    if isinstance(found, Term):
        return Goal(reference, np.array([[found]], dtype=object), key.place)
    return Goal(reference, read_matrix(value, context, hidden=True), key.place)


key = Key("goal", parse_goal, "What a design must reach.", EXAMPLE)
