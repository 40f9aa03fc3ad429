"""What comes of steps that are done otherwise: in intervals, or quickly in floats."""

from __future__ import annotations

from collections.abc import Mapping

from attncalc.checking.attempts import Attempt
from attncalc.checking.right import Right
from attncalc.fields import Field, Values
from attncalc.graph.graph import Step


def results(
    right: Right,
    known: Mapping[str, Values],
    chain: list[Step],
    attempt: Attempt,
    field: Field[Values],
) -> dict[str, Values]:
    """The steps of a chain that depend on those done otherwise."""
    changes = attempt.changes
    values = dict(known)
    for variation in attempt.variations:
        values |= {name: field.given(matrix) for name, matrix in variation.given.items()}
    found: dict[str, Values] = {}
    for step in chain:
        if step.name in changes or not found.keys().isdisjoint(step.inputs):
            found[step.name] = values[step.name] = right.redone(step, values, field, changes.get(step.name))
    if chain[-1].name not in found:
        found[chain[-1].name] = right.redone(chain[-1], values, field)
    return found
