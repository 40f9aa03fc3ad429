"""Follow-through: a student's way through the graph, every told step judged and worked on with."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from attncalc.core.fields import Floats
from attncalc.core.fields.interval import Intervals, points
from attncalc.core.graph.graph import Step
from attncalc.core.record import record, replace
from attncalc.marking.answers.answer import State, ToldStep
from attncalc.marking.follow.judge import EDGE, Judged, Mark, all_correct, is_vague, judge, meets, working_set
from attncalc.marking.follow.truth import ROUGH, Right
from attncalc.marking.policy import POLICY
from attncalc.marking.rounding.habit_list import SCATTERED
from attncalc.marking.rounding.habits import chain_to, find_habit
from attncalc.marking.rounding.scatter import scatter
from attncalc.mistakes.base import Variation

NO_CHANGES: Mapping[str, Variation] = {}


@record
class Walk:
    """One student's way through the graph: the working sets, and the judgement of what is told."""

    values: dict[str, Intervals]
    judged: dict[str, Judged]

    @cached_property
    def wrong(self) -> list[str]:
        """The wrong steps, in order."""
        return [name for name, judged in self.judged.items() if judged.is_wrong]


def right_at_sight(right: Right, told: Mapping[str, ToldStep]) -> set[str]:
    """The steps all of whose told cells are right, as floats tell at one look."""
    if not told:
        return set()
    low, high, finest = right.together(tuple(told))
    boxes = np.concatenate([one.boxes.reshape(len(one.boxes), -1) for one in told.values()], axis=1)
    state = np.concatenate([one.state.ravel() for one in told.values()])
    _, _, box_low, box_high, unit, short = boxes
    edge = EDGE * np.maximum(np.abs(box_low), np.abs(box_high))
    inside = (low > box_low + edge) & (high < box_high - edge) & (unit <= finest) & (short == 0)
    just = (box_low == low) & (box_high == high)
    sure = inside | just | (state != State.TOLD)
    starts = np.cumsum([0, *(one.state.size for one in told.values())])[:-1]
    return {name for name, good in zip(told, np.logical_and.reduceat(sure, starts), strict=True) if good}


def follow(right: Right, told: Mapping[str, ToldStep]) -> Walk:
    """A student's way; where all is right at sight, nothing is worked out."""
    sure = right_at_sight(right, told)
    if len(sure) < len(told) or any(one.misshapen for one in told.values()):
        return walk(right, told, sure)
    return Walk({}, {name: all_correct(one, right.range(name)) for name, one in told.items()})


def walk(
    right: Right, told: Mapping[str, ToldStep], sure: set[str], changes: Mapping[str, Variation] = NO_CHANGES
) -> Walk:
    """Goes through the steps in order, judging what is told and not surely right, and working on with it.

    Untold steps are as they should be, or as the student is known to have done them (`changes`).
    """
    values = right.started(changes)
    judged: dict[str, Judged] = {}
    clean = set(right.start) if right.points else set(right.graph.sizes)
    tainted: set[str] = set()
    unsure: set[str] = set()
    for step in right.graph.steps:
        name = step.name
        allowed = own_range(right, step, values, changes, clean, name in told)
        values[name] = allowed
        if name in changes or not tainted.isdisjoint(step.inputs):
            tainted.add(name)
        from_unsure = not unsure.isdisjoint(step.inputs)
        if name not in told:
            unsure |= {name} if from_unsure else set()
            continue
        found = all_correct(told[name], allowed)
        if name not in sure:
            found = judge(told[name], allowed, right, name in tainted)
        if {Mark.COARSE, Mark.WRONG} & found.present:
            found = excused(found, right, judged, changes, name in tainted)
        if from_unsure:
            found = uncredited(found)
        judged[name], values[name] = found, working_set(found, right)
        tainted |= {name} if found.is_wrong else set()
        unsure |= {name} if Mark.COARSE in found.present else set()
        if not is_just(values[name], right.range(name)):
            clean.discard(name)
    return Walk(values, judged)


def is_just(working: Intervals, truth: Intervals) -> bool:
    """Whether a student went on with the right values themselves."""
    return working.thin and bool(np.array_equal(working.low, truth.low))


def uncredited(found: Judged) -> Judged:
    """A step that passes only because what it comes from has too few digits."""
    return replace(found, marks=np.where(found.marks == Mark.ROUNDED, Mark.COARSE, found.marks))


def excused(
    found: Judged,
    right: Right,
    judged: Mapping[str, Judged],
    changes: Mapping[str, Variation],
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


def written_on(
    right: Right, judged: Mapping[str, Judged], changes: Mapping[str, Variation], last: Step
) -> Floats:
    """A step from the numbers written before it, as if each had been carried on just so."""
    values = dict(right.floats)
    for change in changes.values():
        values |= change.given
    before = {name: one.told for name, one in judged.items() if name != last.name}
    values |= {name: one.middle for name, one in before.items()}
    for step in chain_to(right, before, last):
        found = right.redone(step, values, ROUGH, changes.get(step.name))
        if step.name in before:
            found = np.where(before[step.name].is_told, values[step.name], found)
        values[step.name] = found
    return values[last.name]


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
        return right.redone(step, values, right.field, changes[step.name])
    if all(operand in clean for operand in step.inputs):
        clean.add(step.name)
        return right.range(step.name)
    if told:
        return right.step_range(step, values, right.trace.ops[step.name])
    return right.redone(step, values, right.field)
