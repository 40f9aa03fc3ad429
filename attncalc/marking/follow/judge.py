"""Every told value judged against the right one, and against the student's own earlier ones.

For a told cell x with unit u and box B, and T the range of its rule over the working sets W of what it uses:

    correct   the right value lies in B
    rounded   B meets T, and nothing that was told before is wrong
    follows   B meets T, and something is
    coarse    as before, but T is wider than five units and x is not just what the numbers written before come
              to; or u is more than a quarter of the spread of the step's right values: too few digits to tell
    wrong     otherwise

The student went on with the value written, or with a finer one that is written so:
    W = hull of x and (T ∩ B widened by u/20) widened by u/20;  in a wrong step, B
where T is the point x itself (2.5 for 5/2), there is nothing finer to go on with, and W is that point.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from attncalc.core.fields import Array, Floats
from attncalc.core.fields.interval import EPSILON, Intervals
from attncalc.core.record import record
from attncalc.marking.answers.answer import State, ToldStep
from attncalc.marking.answers.boxes import contains
from attncalc.marking.follow.truth import Right
from attncalc.marking.policy import POLICY
from attncalc.marking.verdicts import StepVerdict

if TYPE_CHECKING:
    from attncalc.marking.rounding.habit_list import Habit

EDGE = 8 * EPSILON
"""How close to the end of a box, as a share, floats cannot tell inside from outside."""


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
    habit: Habit | None = None
    """How the student rounded, where that explains what is told."""

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


def judge(told: ToldStep, allowed: Intervals, right: Right, tainted: bool) -> Judged:
    """Marks every told cell of a step; `tainted` says that something before it is wrong."""
    truth = right.range(told.step.name)
    # Who takes no powers of e hides a key as well by 0.
    told.take_for_hidden(np.isneginf(truth.high), by_zero=not right.has_exponentials)
    correct = is_correct(told, truth, right.trace.values[told.step.name])
    vague = is_vague(told, right)
    if not told.short.any() and not vague.any() and bool(np.all(correct | ~told.is_told)):
        return all_correct(told, allowed)
    accepted = meets(told, allowed)
    own_width = allowed.high - allowed.low - right.looseness(told.step.name)
    wide = (told.unit > 0) & (own_width > POLICY.coarse_units * told.unit * (1 + EPSILON))
    passed = np.where(wide, Mark.COARSE, Mark.FOLLOWS if tainted else Mark.ROUNDED)
    marks = np.where(correct, Mark.CORRECT, np.where(accepted, passed, Mark.WRONG))
    exactly = (told.low <= truth.high) & (told.high >= truth.low)
    marks = np.where((told.short | vague) & (marks != Mark.WRONG) & ~exactly, Mark.COARSE, marks)
    for state, mark in (
        (State.UNTOLD, Mark.UNTOLD), (State.BLANK, Mark.BLANK), (State.UNREADABLE, Mark.UNREADABLE),
    ):  # fmt: skip
        marks = np.where(told.state == state, mark, marks)
    return Judged(told, marks, allowed)


def all_correct(told: ToldStep, allowed: Intervals) -> Judged:
    """A step that is right wherever it is told."""
    return Judged(told, WHERE_CORRECT[told.state], allowed)


def is_vague(told: ToldStep, right: Right) -> NDArray[np.bool_]:
    """Where a number is written so coarsely that it says nothing: 0. for every weight."""
    return np.asarray(told.is_told & (told.unit > right.coarsest(told.step.name)))


def meets(told: ToldStep, allowed: Intervals) -> NDArray[np.bool_]:
    """Where the box of a told cell meets a range."""
    return np.asarray((told.box_low <= allowed.high) & (told.box_high >= allowed.low))


def is_correct(told: ToldStep, truth: Intervals, exact: Array) -> NDArray[np.bool_]:
    """Where the right value is written so: by floats where they decide, else exactly."""
    if not told.unit.any() and np.array_equal(told.low, truth.low) and np.array_equal(told.high, truth.high):
        return np.ones(told.low.shape, dtype=bool)
    edge = EDGE * np.maximum(np.abs(told.box_low), np.abs(told.box_high))
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
    if judged.habit is not None and judged.habit.code == "percent":
        return Intervals(told.box_low / 100, told.box_high / 100)
    if judged.is_wrong or judged.habit is not None:
        # A cell that looks right may be so by rounding only: any value in its box will do.
        chosen_low, chosen_high = told.box_low, told.box_high
    else:
        chosen_low, chosen_high = finer_values(told, allowed, right.range(told.step.name))
    if told.is_told.all():
        return Intervals(chosen_low, chosen_high)
    is_told = told.is_told
    return Intervals(np.where(is_told, chosen_low, allowed.low), np.where(is_told, chosen_high, allowed.high))


def finer_values(told: ToldStep, allowed: Intervals, truth: Intervals) -> tuple[Floats, Floats]:
    """What is written, and the finer values that are written so, cell by cell."""
    slack = told.unit / POLICY.slack
    low, high = told.box_low - slack, told.box_high + slack
    reached = (low <= allowed.high) & (high >= allowed.low)
    reach_low = np.where(reached, allowed.low, truth.low)
    reach_high = np.where(reached, allowed.high, truth.high)
    fine_low = np.minimum(told.low, np.maximum(reach_low, low) - slack)
    fine_high = np.maximum(told.high, np.minimum(reach_high, high) + slack)
    near = POLICY.float_error * np.abs(told.low)
    exactly = (allowed.low >= told.low - near) & (allowed.high <= told.high + near)
    unit = (told.unit > 0) & ~exactly
    return np.where(unit, fine_low, told.low), np.where(unit, fine_high, told.high)
