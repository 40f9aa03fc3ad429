"""Floats that differ from 0 only by rounding errors: 1.11e-16 where the numbers cancel.

Intervals from what is given onward say what the floats cannot: whether a result may be 0 itself.
"""

from __future__ import annotations

from math import prod

import numpy as np
from numpy.typing import NDArray

from attncalc.fields import Floats
from attncalc.fields.interval import Interval, Intervals, outward
from attncalc.graph.graph import Graph, Step, Trace
from attncalc.terms import Sum, Term, Total, members

SMALLEST = 1e-12
"""The number below which a sum may be nothing but rounding errors."""
MOST_NUMBERS = 100_000
"""How many numbers are looked at."""


def without_noise(graph: Graph, found: Trace) -> Trace:
    """A trace in floats with 0 for what may be 0."""
    if sum(prod(step.shape) for step in graph.steps) > MOST_NUMBERS:
        return found
    small = [step for step in graph.steps if is_small(found.values[step.name]).any()]
    if not any(is_added_up(graph, step) for step in small):
        return found
    reached = ranges(graph, found)
    cleared = {step.name: cleared_of_noise(found.values[step.name], reached[step.name]) for step in small}
    return Trace(found.field, {**found.values, **cleared}, found.ops)


def is_added_up(graph: Graph, step: Step) -> bool:
    """Whether a step adds something up, so that it can cancel."""
    return any(has_sum(piece.rule) for piece in graph.pieces(step))


def is_small(values: Floats) -> NDArray[np.bool_]:
    """Which numbers are almost 0, and not 0."""
    return np.asarray((values != 0) & (np.abs(values) < SMALLEST))


def has_sum(term: Term) -> bool:
    """Whether something is added up in a term."""
    return isinstance(term, Sum | Total) or any(map(has_sum, members(term)))


def ranges(graph: Graph, found: Trace) -> dict[str, Intervals]:
    """Where every result lies, from what is given, which may be rounded itself."""
    field = Interval()
    known = {name: values for name, values in found.values.items() if name not in found.ops}
    reached = {name: outward(values, values) for name, values in known.items()}
    for step in graph.steps:
        reached[step.name] = graph.evaluate(step, reached, field, found.ops[step.name])
    return reached


def cleared_of_noise(values: Floats, reached: Intervals) -> Floats:
    """Numbers with 0 for those that are almost 0 and may be 0."""
    may_be = is_small(values) & (reached.low <= 0) & (reached.high >= 0)
    return np.where(may_be, 0.0, values)
