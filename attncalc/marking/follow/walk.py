"""Follow-through: walk through the graph, judge every answered step and continue with its values."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Protocol, TypeAlias

import numpy as np

from attncalc.core.fields import Floats
from attncalc.core.fields.interval import Intervals
from attncalc.core.graph.graph import Step
from attncalc.core.record import record, replace
from attncalc.marking.answers.answer import AnsweredStep, State
from attncalc.marking.follow.judge import EDGE, Judged, Mark, judge, mark_all_correct, working_set
from attncalc.marking.follow.replay import chain_to, replay
from attncalc.marking.follow.truth import ROUGH, Truth
from attncalc.mistakes.base import Variation

Changes: TypeAlias = Mapping[str, Variation]
"""Steps that the student is known to have changed, by name."""
NO_CHANGES: Changes = {}


@record
class Walk:
    """One walk through the graph: the values carried on, and the judged steps."""

    values: dict[str, Intervals]
    judged: dict[str, Judged]

    @cached_property
    def wrong(self) -> list[str]:
        """The wrong steps, in order."""
        return [name for name, judged in self.judged.items() if judged.is_wrong]


class Excuse(Protocol):
    """Lets cells of a judged step pass that are off by rounding only."""

    def __call__(
        self, found: Judged, truth: Truth, judged: Mapping[str, Judged], changes: Changes, tainted: bool
    ) -> Judged:
        """The step with the marks of these cells changed; `tainted` says that a step before it is wrong."""


def find_sure(truth: Truth, answered: Mapping[str, AnsweredStep]) -> set[str]:
    """The steps whose answered cells are all correct, as far as one comparison of floats decides."""
    if not answered:
        return set()
    low, high, finest = truth.together(tuple(answered))
    boxes = np.concatenate([one.boxes.reshape(len(one.boxes), -1) for one in answered.values()], axis=1)
    state = np.concatenate([one.state.ravel() for one in answered.values()])
    _, _, box_low, box_high, unit, short = boxes
    edge = EDGE * np.maximum(np.abs(box_low), np.abs(box_high))
    inside = (low > box_low + edge) & (high < box_high - edge) & (unit <= finest) & (short == 0)
    just = (box_low == low) & (box_high == high)
    sure = inside | just | (state != State.ANSWERED)
    starts = np.cumsum([0, *(one.state.size for one in answered.values())])[:-1]
    return {name for name, good in zip(answered, np.logical_and.reduceat(sure, starts), strict=True) if good}


def follow(truth: Truth, answered: Mapping[str, AnsweredStep], excuse: Excuse) -> Walk:
    """Walk through the graph; if all answers are surely correct, nothing is evaluated."""
    sure = find_sure(truth, answered)
    if len(sure) < len(answered) or any(one.misshapen for one in answered.values()):
        return walk(truth, answered, sure, excuse)
    return Walk({}, {name: mark_all_correct(one, truth.range(name)) for name, one in answered.items()})


def walk(
    truth: Truth,
    answered: Mapping[str, AnsweredStep],
    sure: set[str],
    excuse: Excuse,
    changes: Changes = NO_CHANGES,
) -> Walk:
    """Walk through the steps in order, judge the answers that are not surely correct, and continue with them.

    Unanswered steps are evaluated by their rule, or as the student is known to have changed them (`changes`).
    """
    values = truth.start_with(changes)
    judged: dict[str, Judged] = {}
    clean = set(truth.start) if truth.points else set(truth.graph.sizes)
    tainted: set[str] = set()
    unsure: set[str] = set()
    for step in truth.graph.steps:
        name = step.name
        allowed = find_range(truth, step, values, changes, clean, name in answered)
        values[name] = allowed
        if name in changes or not tainted.isdisjoint(step.inputs):
            tainted.add(name)
        from_unsure = not unsure.isdisjoint(step.inputs)
        if name not in answered:
            unsure |= {name} if from_unsure else set()
            continue
        found = mark_all_correct(answered[name], allowed)
        if name not in sure:
            found = judge(answered[name], allowed, truth, name in tainted)
        if max(found.present) >= Mark.FOLLOWS:
            found = excuse(found, truth, judged, changes, name in tainted)
        if from_unsure:
            found = withhold_credit(found)
        judged[name], values[name] = found, working_set(found, truth)
        tainted |= {name} if found.is_wrong else set()
        unsure |= {name} if Mark.COARSE in found.present else set()
        if not is_just(values[name], truth.range(name)):
            clean.discard(name)
    return Walk(values, judged)


def is_just(working: Intervals, expected: Intervals) -> bool:
    """Whether a student continued with exactly the correct values."""
    return working.thin and bool(np.array_equal(working.low, expected.low))


def withhold_credit(found: Judged) -> Judged:
    """Make a step coarse that passes only because a step before it has too few digits."""
    return replace(found, marks=np.where(found.marks == Mark.ROUNDED, Mark.COARSE, found.marks))


def carry_written(truth: Truth, judged: Mapping[str, Judged], changes: Changes, last: Step) -> Floats:
    """Evaluate a step from the numbers as they are written before it."""
    start = dict(truth.floats)
    for change in changes.values():
        start |= change.given
    before = {name: one.answer for name, one in judged.items() if name != last.name}
    start |= {name: one.middle for name, one in before.items()}

    def evaluate(step: Step, values: Mapping[str, Floats]) -> Floats:
        found = truth.evaluate(step, values, ROUGH, changes.get(step.name))
        return (
            np.where(before[step.name].is_answered, start[step.name], found) if step.name in before else found
        )

    return replay(chain_to(truth, before, last), start, evaluate)[last.name]


def find_range(
    truth: Truth,
    step: Step,
    values: Mapping[str, Intervals],
    changes: Changes,
    clean: set[str],
    answered: bool,
) -> Intervals:
    """The range of a step over a student's values; if all inputs are clean, it is correct and clean."""
    if step.name in changes:
        return truth.evaluate(step, values, truth.field, changes[step.name])
    if all(operand in clean for operand in step.inputs):
        clean.add(step.name)
        return truth.range(step.name)
    if answered:
        return truth.evaluate_range(step, values, truth.trace.ops[step.name])
    return truth.evaluate(step, values, truth.field)
