"""Excuses for cells that are off by rounding on the way: a ladder, tried in this order.

1. A coarse cell passes if it is what the numbers written before it give (`pass_as_written`).
2. Doubtful cells pass if one habit of rounding gives all that is answered (`find_habit`): from the
   numbers written before, or, if nothing is wrong, from finer ones.
3. Wrong cells pass, or are coarse, if rounding by chance moves a result as far (`pass_by_chance`).

If the problem asks for places, a habit is only named: it excuses nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from attncalc.core.fields import Floats
from attncalc.core.fields.interval import Intervals, points
from attncalc.core.record import replace
from attncalc.marking.answers.answer import AnsweredStep
from attncalc.marking.follow.judge import Judged, Mark, is_vague, meets
from attncalc.marking.follow.truth import Truth
from attncalc.marking.follow.walk import Changes, carry_written
from attncalc.marking.policy import POLICY
from attncalc.marking.rounding.habits import find_habit
from attncalc.marking.rounding.known_habits import SCATTERED
from attncalc.marking.rounding.random_rounding import scatter


def excuse(
    found: Judged, truth: Truth, judged: Mapping[str, Judged], changes: Changes, tainted: bool
) -> Judged:
    """Let cells of a step pass that are off by rounding only; `tainted` says that a step before is wrong."""
    answer, passed = found.answer, Mark.FOLLOWS if tainted else Mark.ROUNDED
    vague = is_vague(answer, truth) | answer.short
    if Mark.COARSE in found.present and not vague.all():
        found = pass_as_written(found, carry_written(truth, judged, changes, answer.step), vague, passed)
    doubtful = found.wrong if tainted else found.wrong | ((found.marks == Mark.COARSE) & ~vague)
    if not doubtful.any():
        return found
    before = {name: one.answer for name, one in judged.items() if one.answer is not answer}
    habit = None if changes else find_habit(truth, before, answer, tainted)
    if answer.yard.places is not None:
        return replace(found, habit=habit if found.is_wrong else None)
    if habit is not None:
        return replace(found, marks=np.where(doubtful, passed, found.marks), habit=habit)
    return pass_by_chance(found, truth, before, passed) if found.is_wrong else found


def pass_as_written(found: Judged, written: Floats, vague: NDArray[np.bool_], passed: int) -> Judged:
    """Let coarse cells pass that are what the numbers written before them give."""
    just = meets(found.answer, points(written))
    return replace(found, marks=np.where((found.marks == Mark.COARSE) & just & ~vague, passed, found.marks))


def pass_by_chance(found: Judged, truth: Truth, before: Mapping[str, AnsweredStep], passed: int) -> Judged:
    """Let wrong cells pass if rounding by chance can move them as far; those moved far are coarse.

    If most wrong cells are off by more, rounding is not the reason, and all stay wrong.
    """
    answer, off = found.answer, scatter(truth, before, found.answer)
    if off is None:
        return found
    # One number among right ones, off by two units, is a slip rather than rounded very badly.
    is_alone = bool(found.wrong.sum() == 1 < answer.is_answered.sum())
    off = off if is_alone else POLICY.further * off
    reached = found.wrong & meets(answer, widen(found.allowed, off))
    if 2 * reached.sum() <= found.wrong.sum():
        return found
    units = POLICY.one_unit if is_alone else POLICY.coarse_units / 2
    most = min(units * answer.unit.max(), truth.coarsest(answer.step.name) / POLICY.telling_part)
    near = reached & meets(answer, widen(found.allowed, np.minimum(off, most)))
    marks = np.where(near, passed, np.where(reached, Mark.COARSE, found.marks))
    return replace(found, marks=marks, habit=None if (marks == Mark.WRONG).any() else SCATTERED)


def widen(allowed: Intervals, off: Floats) -> Intervals:
    """A range that reaches further on each side."""
    return Intervals(allowed.low - off, allowed.high + off)
