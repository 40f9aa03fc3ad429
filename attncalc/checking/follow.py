"""Follow-through: every told value judged against the right one, and against the student's own earlier ones.

For a told cell x with unit u and box B, and T the range of its rule over the working sets W of what it uses:

    correct   the right value lies in B
    rounded   B meets T, and nothing wrong that was told before has moved T off the right value
    follows   B meets T, and an earlier wrong value has
    coarse    as before, but T is wider than five units: too few digits to tell; after something wrong,
              whose working set is its whole box, not if x is just what the numbers written come to
    wrong     otherwise

The student went on with the value written, or with a finer one that is written so:
    W = hull of x and (T ∩ B widened by u/20) widened by u/20;  in a wrong step, B
where T is the point x itself (2.5 for 5/2), there is nothing finer to go on with, and W is that point.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from attncalc.checking.boxes import Yardstick, contains, enclosures
from attncalc.checking.told import State, ToldStep
from attncalc.checking.verdicts import StepVerdict
from attncalc.fields import Array
from attncalc.fields.exact import Exact
from attncalc.fields.interval import EPSILON, Interval, Intervals, points
from attncalc.graph.graph import Graph, Step, Trace, numbers_of
from attncalc.mistakes.base import Variation
from attncalc.ops.base import Operation
from attncalc.record import record
from attncalc.terms import Constant

SLACK = 20
COARSE_UNITS = 5
FLOAT_ERROR = 1e-12
SINGLE, MOST_NOISE = 2.0**-23, 1e-4
"""How far single precision is off, as a share; and what is too much to be noise."""
NO_CHANGES: Mapping[str, Variation] = {}


class Mark:
    """The judgement of one cell: the gravity of its verdict; plain integers, which arrays hold fastest."""

    UNTOLD = 0
    BLANK = StepVerdict.BLANK.gravity
    CORRECT = StepVerdict.CORRECT.gravity
    ROUNDED = StepVerdict.ROUNDED.gravity
    FOLLOWS = StepVerdict.FOLLOWS.gravity
    COARSE = StepVerdict.COARSE.gravity
    WRONG = StepVerdict.WRONG.gravity
    UNREADABLE = StepVerdict.UNREADABLE.gravity


WHERE_CORRECT = np.array([Mark.UNTOLD, Mark.BLANK, Mark.UNREADABLE, Mark.CORRECT])
"""The marks of a step that is right wherever it is told, by the states of its cells."""


@record
class Judged:
    """A told step: its cells' marks, and the range that its own earlier values allow."""

    told: ToldStep
    marks: NDArray[np.int_]
    allowed: Intervals

    @cached_property
    def wrong(self) -> NDArray[np.bool_]:
        """Which cells are wrong."""
        return np.asarray(self.marks == Mark.WRONG)

    @cached_property
    def present(self) -> frozenset[int]:
        """The marks that occur."""
        return frozenset(self.marks.ravel().tolist())

    @property
    def is_wrong(self) -> bool:
        """Whether any cell is wrong."""
        return Mark.WRONG in self.present


@record
class Walk:
    """One student's way through the graph: the working sets, and the judgement of what is told."""

    values: dict[str, Intervals]
    judged: dict[str, Judged]


class Right:
    """The right values of a graph, as intervals and exactly, found once for all students."""

    def __init__(self, graph: Graph, trace: Trace, rounded_inputs: bool) -> None:
        self.graph, self.trace = graph, trace
        self.field = Interval()
        self.start: dict[str, Intervals] = {
            name: given_range(matrix, rounded_inputs) for name, matrix in graph.given.items()
        }
        self.start |= {name: self.field.constant(size) for name, size in graph.sizes.items()}
        self.points = not rounded_inputs
        self.ranges: dict[str, Intervals] = {}
        self.whole: dict[str, bool] = {}
        self.yardsticks: dict[str, Yardstick] = {}

    def started(self, changes: Mapping[str, Variation]) -> dict[str, Intervals]:
        """What is known before the first step, with the matrices that changed steps use."""
        values = dict(self.start)
        for change in changes.values():
            values |= {name: points(matrix) for name, matrix in change.given.items()}
        return values

    def range(self, name: str) -> Intervals:
        """The right values of a step, as intervals as thin as floats allow."""
        if name not in self.ranges:
            numbers = self.trace.values[name]
            if numbers.dtype == object:
                low, high = enclosures(numbers)
            else:
                finite = np.where(np.isfinite(numbers), numbers, 0)
                error = FLOAT_ERROR * np.abs(finite).max(initial=0)
                low, high = numbers - error, numbers + error
            self.ranges[name] = Intervals(low, high)
        return self.ranges[name]

    def yardstick(self, name: str, places: int | None) -> Yardstick:
        """What the numbers told of a step are measured by."""
        if name not in self.yardsticks:
            right = self.range(name)
            noise = self.noise[name] if self.noise else np.zeros(right.shape)
            self.yardsticks[name] = Yardstick(right.low, right.high, noise, self.is_whole(name), places)
        return self.yardsticks[name]

    @cached_property
    def noise(self) -> dict[str, NDArray[np.float64]]:
        """How far every step may be off when all of it is computed in single precision."""
        values = {name: shaken(numbers) for name, numbers in self.start.items()}
        found = {}
        for step in self.graph.steps:
            with np.errstate(invalid="ignore"):
                reached = shaken(self.step_range(step, values, self.trace.ops[step.name]))
                right = self.range(step.name)
                off = np.maximum(right.high - reached.low, reached.high - right.low)
            values[step.name] = reached
            largest = np.abs(right.low[np.isfinite(right.low)]).max(initial=0)
            found[step.name] = np.where(np.isfinite(off), np.minimum(off, MOST_NOISE * largest), 0)
        return found

    def is_whole(self, name: str) -> bool:
        """Whether all right values of a step are integers."""
        if name not in self.whole:
            numbers = self.trace.values[name].ravel()
            if numbers.dtype == object:
                self.whole[name] = all(isinstance(number, int) for number in numbers)
            else:
                self.whole[name] = bool(np.all(np.isfinite(numbers)) and np.all(numbers == np.round(numbers)))
        return self.whole[name]

    def step_range(
        self, step: Step, values: Mapping[str, Intervals], op: Operation | None = None
    ) -> Intervals:
        """The range of a step over working sets."""
        return self.graph.evaluate(step, values, self.field, op)

    def changed_range(self, change: Variation, values: Mapping[str, Intervals]) -> Intervals:
        """The range of a step done otherwise."""
        graph = self.graph.with_shapes({name: matrix.shape for name, matrix in change.given.items()})
        found = graph.evaluate(change.step, values, self.field)
        return found if change.places is None else self.rounded(found, change.places)

    def rounded(self, found: Intervals, places: int) -> Intervals:
        """Numbers that were rounded before anybody went on with them."""
        return points(np.round(self.field.floats(found), places))


def shaken(x: Intervals) -> Intervals:
    """Numbers as single precision holds them."""
    off = SINGLE * np.maximum(np.abs(x.low), np.abs(x.high))
    off = np.where(np.isfinite(off), off, 0)
    return Intervals(x.low - off, x.high + off)


def given_range(matrix: Array, rounded: bool) -> Intervals:
    """A given matrix; its decimals may be rounded values themselves."""
    if matrix.dtype != object:
        return points(matrix)
    exact = Intervals(*enclosures(numbers_of(matrix, Exact())))
    if not rounded:
        return exact
    half = np.zeros(matrix.shape)
    for at in np.ndindex(matrix.shape):
        cell = matrix[at]
        if isinstance(cell, Constant) and cell.places is not None:
            half[at] = 0.5 * 10.0**-cell.places
    return Intervals(exact.low - half, exact.high + half)


def all_right(right: Right, told: Mapping[str, ToldStep]) -> Walk | None:
    """The way of a student all of whose numbers are right as they stand; None where one is not."""
    judged: dict[str, Judged] = {}
    for name, one in told.items():
        truth = right.range(name)
        one.take_for_hidden(np.isneginf(truth.high))
        correct = is_correct(one, truth, right.trace.values[name])
        if one.misshapen or one.short.any() or not np.all(correct | ~one.is_told):
            return None
        judged[name] = Judged(one, WHERE_CORRECT[one.state], truth)
    return Walk({}, judged)


def walk(right: Right, told: Mapping[str, ToldStep], changes: Mapping[str, Variation] = NO_CHANGES) -> Walk:
    """Goes through the steps in order, judging what is told and working on with it.

    Untold steps are as they should be, or as the student is known to have done them (`changes`).
    """
    values = right.started(changes)
    judged: dict[str, Judged] = {}
    clean = set(right.start) if right.points else set(right.graph.sizes)
    tainted: set[str] = set()
    for step in right.graph.steps:
        name = step.name
        allowed = own_range(right, step, values, changes, clean, name in told)
        values[name] = allowed
        if not tainted.isdisjoint(step.inputs):
            tainted.add(name)
        if name in told:
            judged[name] = judge(told[name], allowed, right, name in tainted)
            if name in tainted and Mark.COARSE in judged[name].present:
                judged[name] = spared(judged[name], right, judged, changes)
            if judged[name].is_wrong:
                tainted.add(name)
            working = working_set(judged[name], right)
            values[name] = working
            same = working.thin and bool(np.array_equal(working.low, right.range(name).low))
            if not same:
                clean.discard(name)
    return Walk(values, judged)


def spared(
    coarse: Judged,
    right: Right,
    judged: Mapping[str, Judged],
    changes: Mapping[str, Variation],
) -> Judged:
    """A step whose coarse cells pass where they are what the numbers written before come to."""
    found = written_on(right, judged, changes, coarse.told.step.name)
    told = coarse.told
    precise = meets(told, found) & (found.high - found.low <= told.unit)
    marks = np.where((coarse.marks == Mark.COARSE) & precise & ~told.short, Mark.FOLLOWS, coarse.marks)
    return Judged(told, marks, coarse.allowed)


def written_on(
    right: Right, judged: Mapping[str, Judged], changes: Mapping[str, Variation], until: str
) -> Intervals:
    """A step from the numbers written before it, as if each had been carried on just so."""
    values = right.started(changes)
    clean = set(right.start)
    for step in right.graph.steps:
        name = step.name
        found = own_range(right, step, values, changes, clean, name in judged)
        if name == until:
            return found
        if name in judged:
            told = judged[name].told
            low, high = np.where(told.is_told, (told.low, told.high), (found.low, found.high))
            found = Intervals(low, high)
            clean.discard(name)
        values[name] = found
    raise AssertionError(until)


def own_range(
    right: Right,
    step: Step,
    values: Mapping[str, Intervals],
    changes: Mapping[str, Variation],
    clean: set[str],
    told: bool,
) -> Intervals:
    """The range of a step over a student's values; where all before is clean, it is right and clean too."""
    if step.name in changes:
        return right.changed_range(changes[step.name], values)
    if all(operand in clean for operand in step.inputs):
        clean.add(step.name)
        return right.range(step.name)
    return right.step_range(step, values, own_op(right, step, values, told))


def own_op(right: Right, step: Step, values: Mapping[str, Intervals], told: bool) -> Operation:
    """The operation as the right solution has it; untold, as the student's own values need it."""
    op = right.trace.ops[step.name]
    if told or op is not step.op:
        return op
    return step.op.settled(right.field, *(values[name] for name in step.inputs))


def judge(told: ToldStep, allowed: Intervals, right: Right, tainted: bool) -> Judged:
    """Marks every told cell of a step; `tainted` says that something before it is wrong."""
    truth = right.range(told.step.name)
    told.take_for_hidden(np.isneginf(truth.high))
    correct = is_correct(told, truth, right.trace.values[told.step.name])
    if not told.short.any() and bool(np.all(correct | ~told.is_told)):
        return Judged(told, WHERE_CORRECT[told.state], allowed)
    accepted = meets(told, allowed)
    holds = (truth.low <= allowed.high) & (truth.high >= allowed.low)
    wide = allowed.high - allowed.low > COARSE_UNITS * told.unit * (1 + EPSILON)
    passed = np.where(holds, Mark.ROUNDED, Mark.FOLLOWS if tainted else Mark.ROUNDED)
    passed = np.where(wide & (told.unit > 0), Mark.COARSE, passed)
    marks = np.where(correct, Mark.CORRECT, np.where(accepted, passed, Mark.WRONG))
    exactly = (told.low <= truth.high) & (told.high >= truth.low)
    marks = np.where(told.short & (marks != Mark.WRONG) & ~exactly, Mark.COARSE, marks)
    for state, mark in (
        (State.UNTOLD, Mark.UNTOLD), (State.BLANK, Mark.BLANK), (State.UNREADABLE, Mark.UNREADABLE),
    ):  # fmt: skip
        marks = np.where(told.state == state, mark, marks)
    return Judged(told, marks, allowed)


def meets(told: ToldStep, allowed: Intervals) -> NDArray[np.bool_]:
    """Where the box of a told cell meets a range."""
    return np.asarray((told.box_low <= allowed.high) & (told.box_high >= allowed.low))


def is_correct(told: ToldStep, truth: Intervals, exact: Array) -> NDArray[np.bool_]:
    """Where the right value is written so: by floats where they decide, else exactly."""
    if not told.unit.any() and np.array_equal(told.low, truth.low) and np.array_equal(told.high, truth.high):
        return np.ones(told.low.shape, dtype=bool)
    edge = 8 * EPSILON * np.maximum(np.abs(told.box_low), np.abs(told.box_high))
    edge = np.where(np.isfinite(edge), edge, 0)
    inside = (truth.low > told.box_low + edge) & (truth.high < told.box_high - edge)
    outside = (truth.high < told.box_low) | (truth.low > told.box_high)
    undecided = told.is_told & ~inside & ~outside
    for at in zip(*np.nonzero(undecided), strict=True):
        cell, hidden = told.cells[at], np.isneginf(truth.high[at])
        inside[at] = cell is None or hidden or contains(cell, told.unit[at], told.reach(at), exact[at])
    return np.asarray(inside & ~outside)


def working_set(judged: Judged, right: Right) -> Intervals:
    """The values that the student may have gone on with."""
    told, allowed = judged.told, judged.allowed
    if not judged.is_wrong and not told.unit.any() and bool(told.is_told.all()):
        return Intervals(told.low, told.high)
    truth = right.range(told.step.name)
    slack = told.unit / SLACK
    low, high = told.box_low - slack, told.box_high + slack
    reached = (low <= allowed.high) & (high >= allowed.low)
    reach_low = np.where(reached, allowed.low, truth.low)
    reach_high = np.where(reached, allowed.high, truth.high)
    fine_low = np.minimum(told.low, np.maximum(reach_low, low) - slack)
    fine_high = np.maximum(told.high, np.minimum(reach_high, high) + slack)
    # In a wrong step, a cell that looks right may be so by rounding only: any value in its box will do.
    wrong = np.full(judged.marks.shape, judged.is_wrong)
    near = FLOAT_ERROR * np.abs(told.low)
    exactly = (allowed.low >= told.low - near) & (allowed.high <= told.high + near)
    unit = (told.unit > 0) & ~exactly
    chosen_low = np.where(wrong, told.box_low, np.where(unit, fine_low, told.low))
    chosen_high = np.where(wrong, told.box_high, np.where(unit, fine_high, told.high))
    is_told = told.is_told
    return Intervals(np.where(is_told, chosen_low, allowed.low), np.where(is_told, chosen_high, allowed.high))
