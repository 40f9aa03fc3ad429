"""Floats that differ from 0 only by rounding errors: 1.11e-16 where the numbers cancel.

Intervals computed from the given matrices show what floats cannot: whether a result may be exactly 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from attncalc.core.fields import Floats
from attncalc.core.graph.graph import Graph, Step, Trace, name_zero_division
from attncalc.core.terms import Sum, Term, Total, members

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from attncalc.core.fields.interval import Intervals

NO_NOISE_ABOVE = 1e-12
"""The number below which a sum may be nothing but rounding errors."""
MOST_EXAMINED = 100_000
"""The most numbers that are examined."""


def without_noise(graph: Graph, found: Trace) -> Trace:
    """A trace in floats with 0 for noise, and the steps after it evaluated again."""
    if sum(prod(step.shape) for step in graph.steps) > MOST_EXAMINED:
        return found
    small = [step for step in graph.steps if is_small(found.values[step.name]).any()]
    if not any(is_added_up(graph, step) for step in small):
        return found
    reached = ranges(graph, found)
    noise = {step.name: is_noise(found.values[step.name], reached[step.name]) for step in small}
    return clear_noise(graph, found, {name: places for name, places in noise.items() if places.any()})


def is_added_up(graph: Graph, step: Step) -> bool:
    """Whether a step holds a sum, which may cancel."""
    return any(has_sum(piece.rule) for piece in graph.pieces(step))


def is_small(values: Floats) -> NDArray[np.bool_]:
    """Which numbers are almost 0, and not 0."""
    return np.asarray((values != 0) & (np.abs(values) < NO_NOISE_ABOVE))


def has_sum(term: Term) -> bool:
    """Whether a term holds a sum."""
    return isinstance(term, Sum | Total) or any(map(has_sum, members(term)))


def ranges(graph: Graph, found: Trace) -> dict[str, Intervals]:
    """The intervals of all results, from given matrices that may be rounded."""
    from attncalc.core.fields.interval import Interval, outward

    field = Interval()
    known = {name: values for name, values in found.values.items() if name not in found.ops}
    reached = {name: outward(values, values) for name, values in known.items()}
    for step in graph.steps:
        reached[step.name] = graph.evaluate(step, reached, field, found.ops[step.name])
    return reached


def is_noise(values: Floats, reached: Intervals) -> NDArray[np.bool_]:
    """Which numbers are almost 0 and may be 0."""
    return np.asarray(is_small(values) & (reached.low <= 0) & (reached.high >= 0))


def clear_noise(graph: Graph, found: Trace, noise: Mapping[str, NDArray[np.bool_]]) -> Trace:
    """A trace with 0 in place of noise; later steps are evaluated again, and dividing by it raises."""
    values = dict(found.values)
    for step in graph.steps:
        op = found.ops[step.name]
        if any(values[name] is not found.values[name] for name in step.inputs):
            with name_zero_division(step.name):
                op.check_values(found.field, *(values[name] for name in step.inputs))
                values[step.name] = graph.evaluate(step, values, found.field, op)
        if step.name in noise:
            values[step.name] = np.where(noise[step.name], 0.0, values[step.name])
    return Trace(found.field, values, found.ops)
