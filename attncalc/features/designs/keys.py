"""Questions with many right answers: what a student is to find, and what it must reach."""

from __future__ import annotations

import numpy as np

from attncalc.core.errors import fault, quoted
from attncalc.core.fields import Numeric
from attncalc.core.graph.graph import number_of
from attncalc.core.graph.references import parse_reference
from attncalc.core.terms import Term
from attncalc.exercise.keys.key import Key
from attncalc.exercise.keys.readers import Context, number, read_matrix, reader, value_of
from attncalc.exercise.keys.schema_types import CELL, mapping_of, one_or_list
from attncalc.exercise.problem import Goal
from attncalc.exercise.yaml.tree import Mapped, Node, Scalar, expect, one_or_more, word_of


@reader(one_or_list({"type": "string"}), "names of matrices")
def parse_design(node: Node, _: Context) -> tuple[str, ...]:
    """The names of what a student is to find."""
    names = tuple(dict.fromkeys(word_of(item) for item in one_or_more(node)))
    if not names or "" in names:
        raise fault("must name what is to be found, [W_Q, W_K]", node.place)
    return names


@reader(mapping_of({}), "steps and values")
def parse_goal(node: Node, context: Context) -> tuple[Goal, ...]:
    """{"O_limit[2]": u_b, "A[1]": [1, 0]}"""
    pairs = expect(node, Mapped, 'must map steps to what they must reach, {"A[1]": [1, 0]}').items
    if not pairs:
        raise fault("names nothing to reach", node.place)
    return tuple(one_goal(key, value, context) for key, value in pairs)


def one_goal(key: Scalar, value: Node, context: Context) -> Goal:
    """One step and what it must come to: a number, a vector or a matrix."""
    reference = parse_reference(key.text)
    if reference is None:
        raise fault(f"{quoted(key.text)} does not name a step", key.place)
    found = value_of(value, context, hidden=True) if isinstance(value, Scalar) else None
    if isinstance(found, Term):
        return Goal(reference, np.array([[found]], dtype=object), key.place)
    return Goal(reference, read_matrix(value, context, hidden=True), key.place)


@reader(CELL, "a number")
def parse_within(node: Node, context: Context) -> float:
    """How far off the goal is near enough."""
    found = float(number_of(number(node, context), Numeric()))
    if not found > 0:
        raise fault("must be a positive number", node.place)
    return found


EXAMPLE = 'design: Q, goal: {"A[1]": [0.7, 0.2, 0.1]}, within: 0.5'
keys = (
    Key("design", parse_design, "What a student is to find; the file's own is one solution.", EXAMPLE),
    Key("goal", parse_goal, "What a design must reach.", EXAMPLE),
    Key(
        "within",
        parse_within,
        "How far off a goal is near enough.",
        EXAMPLE,
        default="it is reached exactly",
    ),
)
