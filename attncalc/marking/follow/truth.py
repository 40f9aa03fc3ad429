"""The correct values of a graph, as intervals and exactly, found once for all students."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, partial

import numpy as np

from attncalc.core.fields import Array, Field, Floats, Numeric, Values
from attncalc.core.fields.exact import Exact
from attncalc.core.fields.interval import EPSILON, Interval, Intervals, points
from attncalc.core.graph.graph import Graph, Step, Trace, half_units, numbers_of
from attncalc.core.graph.labels import Kind
from attncalc.core.ops.base import Operation
from attncalc.marking.answers.formats import SINGLE, Computed, Format
from attncalc.marking.answers.intervals import Yardstick, enclosures
from attncalc.marking.policy import LIMITS, POLICY
from attncalc.mistakes.base import Variation


class Rough(Numeric):
    """Floats that allow division by 0: the result explains nothing."""

    def divide(self, over: Array, under: Array) -> Array:
        return self.array(over / under)


ROUGH = Rough()


class Truth:
    """The correct values of a graph, as intervals and exactly, found once for all students."""

    def __init__(self, graph: Graph, trace: Trace, rounded_inputs: bool) -> None:
        self.graph, self.trace = graph, trace
        self.field = Interval()
        self.start: dict[str, Intervals] = {
            name: given_range(matrix, rounded_inputs) for name, matrix in graph.given.items()
        }
        self.start |= {name: self.field.constant(size) for name, size in graph.sizes.items()}
        self.points = not rounded_inputs
        self.ranges: dict[str, Intervals] = {}
        self.noises: dict[Format, dict[str, Floats]] = {}
        self.yardsticks: dict[str, Yardstick] = {}
        self.spreads: dict[str, float] = {}
        self.joined: dict[tuple[str, ...], tuple[Floats, Floats, Floats]] = {}
        self.reaches: dict[str, Intervals] = {}
        """The range of each step under all ways of rounding."""
        self.deviations: dict[tuple[str, ...], Floats] = {}
        """The noise of the last of some steps, for each precision."""
        self.graphs: dict[int, tuple[Step, Graph]] = {}

    @cached_property
    def values(self) -> dict[str, Intervals]:
        """The given values, and the correct values of all steps."""
        return {**self.start, **{step.name: self.range(step.name) for step in self.graph.steps}}

    @cached_property
    def floats(self) -> dict[str, Floats]:
        """The same values as floats."""
        return {name: self.field.floats(numbers) for name, numbers in self.values.items()}

    @cached_property
    def kinds(self) -> frozenset[Kind]:
        """The kinds of the steps of the exercise."""
        return frozenset(step.kind for step in self.graph.steps)

    @cached_property
    def has_exponentials(self) -> bool:
        """Whether powers of e are taken, in which a key is hidden by −∞ alone."""
        return any(kind.stage == "exponentials" for kind in self.kinds)

    def start_with(self, changes: Mapping[str, Variation]) -> dict[str, Intervals]:
        """The given values, with the matrices that changed steps use."""
        values = dict(self.start)
        for change in changes.values():
            values |= {name: points(matrix) for name, matrix in change.given.items()}
        return values

    def range(self, name: str) -> Intervals:
        """The correct values of a step, as intervals as thin as floats allow."""
        if name not in self.ranges:
            numbers = self.trace.values[name]
            if numbers.dtype == object:
                low, high = enclosures(numbers)
            else:
                finite = np.where(np.isfinite(numbers), numbers, 0)
                error = LIMITS.float_error * np.abs(finite).max(initial=0)
                low, high = numbers - error, numbers + error
            self.ranges[name] = Intervals(low, high)
        return self.ranges[name]

    def yardstick(self, name: str, places: int | None) -> Yardstick:
        """The yardstick for the answer to a step."""
        if name not in self.yardsticks:
            expected, find_noise = self.range(name), partial(self.noise_of, name)
            whole, short = self.is_whole(name), self.is_decimal(name, POLICY.short_places)
            self.yardsticks[name] = Yardstick(
                expected.low, expected.high, find_noise(SINGLE), whole, short, places, find_noise
            )
        return self.yardsticks[name]

    def noise_of(self, name: str, format_: Format) -> Floats:
        """The error of a step if everything is computed in some format."""
        if format_ not in self.noises:
            self.noises[format_] = self.find_noise(format_)
        return self.noises[format_][name]

    def find_noise(self, format_: Format) -> dict[str, Floats]:
        """The error of every step if everything is computed in some format."""
        field, found = Computed(format_), {}
        values = {name: field.store(numbers) for name, numbers in self.start.items()}
        for step in self.graph.steps:
            with np.errstate(invalid="ignore"):
                reached = self.graph.evaluate(step, values, field, self.trace.ops[step.name])
                expected = self.range(step.name)
                off = np.maximum(expected.high - reached.low, reached.high - expected.low)
            values[step.name] = reached
            most = format_.most * largest_of(expected.low)
            noise = np.maximum(np.where(off < most, off, most), format_.smallest)
            found[step.name] = np.where(np.isfinite(expected.low), noise, 0)
        return found

    def largest(self, name: str) -> float:
        """The size of the largest correct value of a step."""
        return largest_of(self.range(name).low)

    def spread(self, name: str) -> float:
        """The spread of the correct values of a step; their size if they are all equal."""
        if name not in self.spreads:
            self.spreads[name] = spread_of(self.range(name).low)
        return self.spreads[name]

    def coarsest(self, name: str) -> float:
        """The largest unit in which the correct values of a step can be told apart."""
        return coarsest_unit(self.range(name).low)

    def together(self, names: tuple[str, ...]) -> tuple[Floats, Floats, Floats]:
        """The bounds of the correct values of some steps in one row, and the coarsest unit of each."""
        if names not in self.joined:
            ranges = [self.range(name) for name in names]
            low, high = (
                np.concatenate([bound.ravel() for bound in bounds])
                for bounds in zip(*((one.low, one.high) for one in ranges), strict=True)
            )
            units = [
                np.full(one.low.size, self.coarsest(name)) for name, one in zip(names, ranges, strict=True)
            ]
            self.joined[names] = low, high, np.concatenate(units)
        return self.joined[names]

    @cached_property
    def loose(self) -> dict[str, Intervals]:
        """The range of every step if the given numbers are rounded."""
        values = dict(self.start)
        for step in self.graph.steps:
            values[step.name] = self.evaluate_range(step, values, self.trace.ops[step.name])
        return values

    def looseness(self, name: str) -> Floats | float:
        """The width of a step that comes from rounded given numbers alone."""
        return 0.0 if self.points else self.loose[name].high - self.loose[name].low

    def is_whole(self, name: str) -> bool:
        """Whether all correct values of a step are integers, or −∞."""
        numbers = self.trace.values[name].ravel()
        if numbers.dtype == object:
            return all(isinstance(number, int) or number == -np.inf for number in numbers)
        return self.is_decimal(name, 0)

    def is_decimal(self, name: str, places: int) -> bool:
        """Whether floats show all correct values of a step as decimals of at most n places, or −∞."""
        numbers = self.range(name)
        finite = numbers.low[np.isfinite(numbers.low)]
        off = 2 * LIMITS.float_error * largest_of(finite)
        # Beyond this, every float is such a decimal.
        return off * 10**places < 1 and bool(np.all(np.abs(finite - np.round(finite, places)) <= off))

    def evaluate_range(
        self, step: Step, values: Mapping[str, Intervals], op: Operation | None = None
    ) -> Intervals:
        """The range of a step over ranges of its inputs."""
        return self.graph.evaluate(step, values, self.field, op)

    def evaluate(
        self, step: Step, values: Mapping[str, Values], field: Field[Values], change: Variation | None = None
    ) -> Values:
        """Evaluate a step, or its changed version, on some values."""
        if change is None:
            return self.graph.evaluate(step, values, field, self.own_op(step, values, field))
        found = self.graph_of(change).evaluate(change.step, values, field)
        if len(found.shape) < len(step.shape):  # a mistake may lose the axis of the batch
            found = field.broadcast(found, (*step.shape[:-2], *found.shape[-2:]))
        return found if change.places is None else rounded(found, change.places, field)

    def own_op(self, step: Step, values: Mapping[str, Values], field: Field[Values]) -> Operation:
        """The operation of the correct solution, or the one that a student's own values need."""
        op = self.trace.ops[step.name]
        return op if op is not step.op else op.settle(field, *(values[name] for name in step.inputs))

    def graph_of(self, change: Variation) -> Graph:
        """The graph with the shapes of matrices that only a changed step uses, built once."""
        if not change.given:
            return self.graph
        key = id(change.step)
        if key not in self.graphs:
            shapes = {name: matrix.shape for name, matrix in change.given.items()}
            self.graphs[key] = change.step, self.graph.with_shapes(shapes)
        return self.graphs[key][1]


def extent_of(numbers: Floats) -> float:
    """The spread of the finite ones among some numbers."""
    finite = numbers[np.isfinite(numbers)]
    return float(np.ptp(finite)) if finite.size else 0.0


def largest_of(numbers: Floats) -> float:
    """The size of the largest finite one among some numbers."""
    return float(np.abs(numbers[np.isfinite(numbers)]).max(initial=0))


def spread_of(numbers: Floats) -> float:
    """The spread of numbers; their size if they are all equal."""
    return extent_of(numbers) or largest_of(numbers)


def coarsest_unit(numbers: Floats) -> float:
    """The largest unit in which numbers can be told apart."""
    return max(spread_of(numbers) * (1 + EPSILON) / POLICY.vague, POLICY.fine * largest_of(numbers)) or np.inf


def rounded(found: Values, places: int, field: Field[Values]) -> Values:
    """Values rounded to some places."""
    return field.from_floats(np.round(field.floats(found), places))


def given_range(matrix: Array, rounded: bool) -> Intervals:
    """The range of a given matrix, whose decimals may be rounded."""
    if matrix.dtype != object:
        return points(matrix)
    exact = Intervals(*enclosures(numbers_of(matrix, Exact())))
    if not rounded:
        return exact
    half = half_units(matrix)
    return Intervals(exact.low - half, exact.high + half)
