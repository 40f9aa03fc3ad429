"""Judge every answered value against the correct one, and against the student's own earlier ones.

For a cell x with unit u and box B, and T the range of its rule over the working sets W of its inputs:

    correct   the correct value lies in B
    rounded   B meets T, and no answer before it is wrong
    follows   B meets T, and an answer before it is wrong
    coarse    as before, but T is wider than five units and x is not what the numbers written before give;
              or u is more than a quarter of the spread of the step's correct values: too few digits
    wrong     otherwise

The student continued with the written value, or with a finer one that rounds to it:
    W = hull of x and (T ∩ B widened by u/20) widened by u/20;  in a wrong step, B
If T is the point x itself (2.5 for 5/2), there is no finer value, and W is that point.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from attncalc.core.fields import Array, Floats
from attncalc.core.fields.interval import EPSILON, Intervals
from attncalc.core.record import record
from attncalc.marking.answers.answer import AnsweredStep, State
from attncalc.marking.answers.intervals import contains
from attncalc.marking.follow.truth import Truth
from attncalc.marking.policy import LIMITS, POLICY
from attncalc.marking.verdicts import StepVerdict

if TYPE_CHECKING:
    from attncalc.marking.rounding.plans import Plan

EDGE = 8 * EPSILON
"""So near to the end of a box, as a share, floats cannot decide inside from outside."""


class Mark:
    """The mark of one cell is the gravity of its verdict; plain integers, which arrays hold fastest."""

    UNANSWERED = 0
    BLANK = StepVerdict.BLANK.gravity
    CORRECT = StepVerdict.CORRECT.gravity
    ROUNDED = StepVerdict.ROUNDED.gravity
    FOLLOWS = StepVerdict.FOLLOWS.gravity
    COARSE = StepVerdict.COARSE.gravity
    WRONG = StepVerdict.WRONG.gravity
    UNREADABLE = StepVerdict.UNREADABLE.gravity


WHERE_CORRECT = np.array([Mark.UNANSWERED, Mark.BLANK, Mark.UNREADABLE, Mark.CORRECT])
"""The marks of a step whose answered cells are all correct, by the states of its cells."""


@record
class Judged:
    """A judged step: the marks of its cells, and the range that the student's earlier values allow."""

    answer: AnsweredStep
    marks: NDArray[np.int_]
    allowed: Intervals
    habit: Plan | None = None
    """How the student rounded, if that explains the answer."""

    @cached_property
    def wrong(self) -> NDArray[np.bool_]:
        """Which cells are wrong."""
        return np.asarray(self.marks == Mark.WRONG)

    @cached_property
    def present(self) -> frozenset[int]:
        """The marks that occur."""
        return frozenset(self.marks.ravel().tolist())

    @property
    def is_right(self) -> bool:
        """Whether all cells are right, but for rounding."""
        return max(self.present) <= Mark.ROUNDED

    @property
    def is_wrong(self) -> bool:
        """Whether any cell is wrong."""
        return Mark.WRONG in self.present


def judge(answer: AnsweredStep, allowed: Intervals, truth: Truth, tainted: bool) -> Judged:
    """Mark every answered cell of a step; `tainted` says that a step before it is wrong."""
    expected = truth.range(answer.step.name)
    # Without powers of e, 0 hides a key as well.
    answer.take_for_hidden(np.isneginf(expected.high), by_zero=not truth.has_exponentials)
    correct = is_correct(answer, expected, truth.trace.values[answer.step.name])
    few = answer.short | is_vague(answer, truth)
    few &= ~drops_zeros(answer, allowed, ~few)
    if not few.any() and bool(np.all(correct | ~answer.is_answered)):
        return mark_all_correct(answer, allowed)
    accepted = meets(answer, allowed)
    own_width = allowed.high - allowed.low - truth.looseness(answer.step.name)
    wide = (answer.unit > 0) & (own_width > POLICY.coarse_units * answer.unit * (1 + EPSILON))
    passed = np.where(wide, Mark.COARSE, Mark.FOLLOWS if tainted else Mark.ROUNDED)
    marks = np.where(correct, Mark.CORRECT, np.where(accepted, passed, Mark.WRONG))
    exactly = (answer.low <= expected.high) & (answer.high >= expected.low)
    # Whole numbers without decimals beside them may be cut off as well as rounded; but no number is cut to 0.
    near = is_within_unit(answer, expected) | is_within_unit(answer, allowed)
    cut = answer.short & (answer.unit >= 1) & near & (answer.low != 0) & (not answer.step.kind.is_weights)
    marks = np.where(few & ((marks != Mark.WRONG) | cut) & ~exactly, Mark.COARSE, marks)
    for state, mark in (
        (State.UNANSWERED, Mark.UNANSWERED), (State.BLANK, Mark.BLANK), (State.UNREADABLE, Mark.UNREADABLE),
    ):  # fmt: skip
        marks = np.where(answer.state == state, mark, marks)
    return Judged(answer, marks, allowed)


def mark_all_correct(answer: AnsweredStep, allowed: Intervals) -> Judged:
    """Judge a step whose answered cells are all correct."""
    return Judged(answer, WHERE_CORRECT[answer.state], allowed)


def is_vague(answer: AnsweredStep, truth: Truth) -> NDArray[np.bool_]:
    """Which numbers have so few digits that they say nothing, and fewer than the asked places."""
    asked = 0.0 if answer.yard.places is None else (1 + EPSILON) * 10.0**-answer.yard.places
    return np.asarray(answer.is_answered & (answer.unit > max(truth.coarsest(answer.step.name), asked)))


def drops_zeros(answer: AnsweredStep, allowed: Intervals, neighbours: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which numbers are what the student's values give to the places of their neighbours: 0.15 for 0.150."""
    units = answer.unit[answer.is_answered & (answer.unit > 0) & neighbours]
    half = units.min() / 2 if units.size else -np.inf
    return np.asarray((answer.low - half <= allowed.high) & (answer.high + half >= allowed.low))


def is_within_unit(answer: AnsweredStep, values: Intervals) -> NDArray[np.bool_]:
    """Which numbers are off by less than one unit: 0 is not 1 cut off."""
    reach = answer.unit * (1 - LIMITS.tie_error)
    return np.asarray((answer.low - reach <= values.high) & (answer.high + reach >= values.low))


def meets(answer: AnsweredStep, allowed: Intervals) -> NDArray[np.bool_]:
    """Which boxes of answered cells meet a range."""
    return np.asarray((answer.box_low <= allowed.high) & (answer.box_high >= allowed.low))


def is_correct(answer: AnsweredStep, expected: Intervals, exact: Array) -> NDArray[np.bool_]:
    """Which boxes contain the correct value: decided by floats if possible, else exactly."""
    if (
        not answer.unit.any()
        and np.array_equal(answer.low, expected.low)
        and np.array_equal(answer.high, expected.high)
    ):
        return np.ones(answer.low.shape, dtype=bool)
    edge = EDGE * np.maximum(np.abs(answer.box_low), np.abs(answer.box_high))
    edge = np.where(np.isfinite(edge), edge, 0)
    inside = (expected.low > answer.box_low + edge) & (expected.high < answer.box_high - edge)
    outside = (expected.high < answer.box_low) | (expected.low > answer.box_high)
    undecided = answer.is_answered & ~inside & ~outside & ~answer.is_nan
    for at in zip(*np.nonzero(undecided), strict=True):
        cell, hidden = answer.cells[at], np.isneginf(expected.high[at])
        sure = cell is None or hidden or exact.dtype != object
        inside[at] = sure or contains(cell, answer.unit[at], answer.reach(at), exact[at])
    return np.asarray(inside & ~outside)


def working_set(judged: Judged, truth: Truth) -> Intervals:
    """The values with which the student may have continued."""
    answer, allowed = judged.answer, judged.allowed
    if not judged.is_wrong and not answer.unit.any() and bool(answer.is_answered.all()):
        return Intervals(answer.low, answer.high)
    if judged.habit is not None and judged.habit.code == "percent":
        return Intervals(answer.box_low / 100, answer.box_high / 100)
    if judged.is_wrong or judged.habit is not None:
        # A cell may look right only because of rounding: any value in its box is possible.
        chosen_low, chosen_high = answer.box_low, answer.box_high
    else:
        chosen_low, chosen_high = finer_values(answer, allowed, truth.range(answer.step.name))
    is_answered = answer.is_answered & ~answer.is_nan
    if is_answered.all():
        return Intervals(chosen_low, chosen_high)
    return Intervals(
        np.where(is_answered, chosen_low, allowed.low), np.where(is_answered, chosen_high, allowed.high)
    )


def finer_values(answer: AnsweredStep, allowed: Intervals, expected: Intervals) -> tuple[Floats, Floats]:
    """For each cell, the range of the written value and of the finer values that round to it."""
    slack = answer.unit / POLICY.slack
    low, high = answer.box_low - slack, answer.box_high + slack
    reached = (low <= allowed.high) & (high >= allowed.low)
    reach_low = np.where(reached, allowed.low, expected.low)
    reach_high = np.where(reached, allowed.high, expected.high)
    fine_low = np.minimum(answer.low, np.maximum(reach_low, low) - slack)
    fine_high = np.maximum(answer.high, np.minimum(reach_high, high) + slack)
    near = LIMITS.float_error * np.abs(answer.low)
    exactly = (allowed.low >= answer.low - near) & (allowed.high <= answer.high + near)
    unit = (answer.unit > 0) & ~exactly
    return np.where(unit, fine_low, answer.low), np.where(unit, fine_high, answer.high)
