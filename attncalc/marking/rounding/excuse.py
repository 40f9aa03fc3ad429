"""The ladder of excuses for cells that rounding on the way has moved."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from attncalc.core.fields import Floats
from attncalc.core.fields.interval import Intervals, points
from attncalc.core.record import replace
from attncalc.marking.answers.answer import ToldStep
from attncalc.marking.follow.judge import Judged, Mark, is_vague, meets
from attncalc.marking.follow.truth import Right
from attncalc.marking.follow.walk import Changes, written_on
from attncalc.marking.policy import POLICY
from attncalc.marking.rounding.habit_list import SCATTERED
from attncalc.marking.rounding.habits import find_habit
from attncalc.marking.rounding.scatter import scatter


def excuse(
    found: Judged,
    right: Right,
    judged: Mapping[str, Judged],
    changes: Changes,
    tainted: bool,
) -> Judged:
    """A step whose coarse cells pass where they are just what the numbers written before come to.

    Wrong cells pass where a habit of rounding gives all that is told, unless the problem asks for places.
    """
    told, passed = found.told, Mark.FOLLOWS if tainted else Mark.ROUNDED
    vague = is_vague(told, right) | told.short
    if Mark.COARSE in found.present and not vague.all():
        just = meets(told, points(written_on(right, judged, changes, told.step)))
        found = replace(
            found, marks=np.where((found.marks == Mark.COARSE) & just & ~vague, passed, found.marks)
        )
    doubtful = found.wrong if tainted else found.wrong | ((found.marks == Mark.COARSE) & ~vague)
    if not doubtful.any():
        return found
    before = {name: one.told for name, one in judged.items() if one.told is not told}
    habit = None if changes else find_habit(right, before, told, tainted)
    if told.yard.places is not None:
        return replace(found, habit=habit if found.is_wrong else None)
    if habit is None:
        return within_scatter(found, right, before, passed) if found.is_wrong else found
    return replace(found, marks=np.where(doubtful, passed, found.marks), habit=habit)


def within_scatter(found: Judged, right: Right, before: Mapping[str, ToldStep], passed: int) -> Judged:
    """A step whose wrong cells pass where rounding may take them so far, and are coarse where that is far.

    Where most are off by more than that, something else is the matter, and all stay wrong.
    """
    told, off = found.told, scatter(right, before, found.told)
    if off is None:
        return found
    # One number among right ones, off by two units, is a slip sooner than rounded worse than anybody's.
    is_alone = bool(found.wrong.sum() == 1 < told.is_told.sum())
    off = off if is_alone else POLICY.further * off
    reached = found.wrong & meets(told, widened(found.allowed, off))
    if 2 * reached.sum() <= found.wrong.sum():
        return found
    units = POLICY.one_unit if is_alone else POLICY.coarse_units / 2
    most = min(units * told.unit.max(), right.coarsest(told.step.name) / POLICY.telling_part)
    near = reached & meets(told, widened(found.allowed, np.minimum(off, most)))
    marks = np.where(near, passed, np.where(reached, Mark.COARSE, found.marks))
    return replace(found, marks=marks, habit=None if (marks == Mark.WRONG).any() else SCATTERED)


def widened(allowed: Intervals, off: Floats) -> Intervals:
    """A range that reaches so much further on each side."""
    return Intervals(allowed.low - off, allowed.high + off)
