"""Follow-through: a student's way through the graph, every told step judged and worked on with."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from attncalc.checking.habits import find_habit
from attncalc.checking.judging import (
    WHERE_CORRECT,
    Judged,
    Mark,
    is_correct,
    is_vague,
    judge,
    meets,
    working_set,
)
from attncalc.checking.right import Right
from attncalc.checking.told import ToldStep
from attncalc.fields.interval import Intervals
from attncalc.graph.graph import Step
from attncalc.mistakes.base import Variation
from attncalc.ops.base import Operation
from attncalc.record import changed, record

NO_CHANGES: Mapping[str, Variation] = {}


@record
class Walk:
    """One student's way through the graph: the working sets, and the judgement of what is told."""

    values: dict[str, Intervals]
    judged: dict[str, Judged]


def all_right(right: Right, told: Mapping[str, ToldStep]) -> Walk | None:
    """The way of a student all of whose numbers are right as they stand; None where one is not."""
    judged: dict[str, Judged] = {}
    for name, one in told.items():
        truth = right.range(name)
        one.take_for_hidden(np.isneginf(truth.high))
        correct = is_correct(one, truth, right.trace.values[name])
        unclear = one.misshapen or one.short.any() or is_vague(one, right).any()
        if unclear or not np.all(correct | ~one.is_told):
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
        if name in changes or not tainted.isdisjoint(step.inputs):
            tainted.add(name)
        if name in told:
            judged[name] = judge(told[name], allowed, right, name in tainted)
            if {Mark.COARSE, Mark.WRONG} & judged[name].present:
                judged[name] = excused(judged[name], right, judged, changes, name in tainted)
            if judged[name].is_wrong:
                tainted.add(name)
            working = working_set(judged[name], right)
            values[name] = working
            same = working.thin and bool(np.array_equal(working.low, right.range(name).low))
            if not same:
                clean.discard(name)
    return Walk(values, judged)


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
    if Mark.COARSE in found.present and not is_vague(told, right).all():
        own = written_on(right, judged, changes, told.step.name)
        just = meets(told, own) & (own.high - own.low <= told.unit) & ~told.short & ~is_vague(told, right)
        found = changed(found, marks=np.where((found.marks == Mark.COARSE) & just, passed, found.marks))
    if not found.is_wrong or changes:
        return found
    before = {name: one.told for name, one in judged.items() if one.told is not told}
    habit = find_habit(right, before, told)
    if habit is None or told.yard.places is not None:
        return changed(found, habit=habit)
    return changed(found, marks=np.where(found.wrong, passed, found.marks), habit=habit)


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
