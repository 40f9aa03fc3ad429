"""Checks of the published key: wrong entries, and entries that are impossible for any numbers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from attncalc.core.errors import Place
from attncalc.core.fields import Floats
from attncalc.core.graph.graph import Step
from attncalc.core.graph.references import Reference
from attncalc.core.ops.output import Output, OutputWithPast
from attncalc.features.authoring.lint.findings import Finding
from attncalc.features.authoring.lint.wrong_answers import Exercise
from attncalc.marking.answers.answer import AnsweredStep
from attncalc.marking.checker import Checker
from attncalc.marking.report.report import StepReport
from attncalc.mistakes.softmax_base import exponentials_of

NOISE = 1e-9
HUNDRED = 100
"""The sum of weights in percent."""


def look_at_key(checker: Checker, exercise: Exercise) -> Iterator[Finding]:
    """The findings on the key of a problem, if it has one."""
    problem = checker.problem
    if problem.answers is None:
        return
    impossible = {} if problem.design else dict(find_impossible(exercise))
    report = checker.check_key()
    for step in report.steps:
        place = place_of(exercise, step.step) or problem.place("answers")
        if step.step in impossible:
            yield Finding("key-impossible", impossible[step.step], place)
        if step.is_bad and (step.diagnoses or step.step not in impossible):
            mistake = step.diagnoses[0].mistake if step.diagnoses else ""
            yield Finding("key-wrong", say_wrong(step), place, mistake)
    for error in report.errors:
        yield Finding("key-wrong", f"the key cannot be read: {error}", problem.place("answers"))


def say_wrong(step: StepReport) -> str:
    """The message on a wrong step of the key: its wrong cells, and why."""
    cells = [str(Reference(step.symbol, at)) for at in step.wrong_cells]
    where = step.symbol if step.is_all_wrong or not cells else ", ".join(cells)
    reasons = say_reasons(step) or "".join(step.remarks[:1])
    return f"the key is wrong in {where}" + (f": {reasons}" if reasons else "")


def say_reasons(step: StepReport) -> str:
    """Why a step is wrong: groups of reasons, which are alternatives if each explains all wrong cells."""
    groups: dict[int, list[str]] = {}
    for one in step.diagnoses:
        groups.setdefault(one.group, []).append(one.message)
    is_enough = all(one.cells >= len(step.wrong_cells) for one in step.diagnoses)
    return (" Or: " if is_enough else " ").join(dict.fromkeys(" ".join(group) for group in groups.values()))


def place_of(exercise: Exercise, name: str) -> Place | None:
    """The place of a step in the key."""
    assert exercise.problem.answers is not None
    entries = exercise.prepared.reader.read(exercise.problem.answers, exercise.problem.name).entries
    return next((one.place for one in entries if one.reference.step == name), None)


def find_impossible(exercise: Exercise) -> Iterator[tuple[str, str]]:
    """The steps of a key that no numbers can give, each with the reason."""
    for step in exercise.graph.steps:
        answer = exercise.key.get(step.name)
        if answer is None or answer.misshapen:
            continue
        symbol = exercise.graph.symbol(step.name, exercise.problem.names)
        exponentials = exponentials_of(step, exercise.graph)
        if exponentials and step.op.core.adds_up and not is_whole(answer):
            yield step.name, f"the key's weights {symbol} do not add up to 1 in every row"
        elif exponentials and not keeps_order(exercise, answer, exponentials.inputs[0]):
            yield (
                step.name,
                f"the key's weights {symbol} are out of order: a larger score has the smaller weight",
            )
        elif is_weighted_sum(exercise, step) and not is_inside(exercise, step, answer):
            yield step.name, f"the key's {symbol} lies outside the range of the values: no weights give it"


def is_whole(answer: AnsweredStep) -> bool:
    """Whether every complete row adds up to 1 or to 100 percent, within its rounding."""
    full = answer.is_answered.all(axis=-1)
    sums = answer.middle.sum(axis=-1)[full]
    slack = (answer.unit.sum(axis=-1)[full] / 2) * (1 + NOISE) + NOISE
    return bool(np.all((np.abs(sums - 1) <= slack) | (np.abs(sums - HUNDRED) <= HUNDRED * slack)))


def keeps_order(exercise: Exercise, answer: AnsweredStep, scores: str) -> bool:
    """Whether no key with a larger score (from the answer key, else correct) has a clearly smaller weight."""
    own = exercise.key.get(scores)
    numbers = own.middle if own is not None and own.is_answered.all() else exercise.right.floats[scores]
    larger = numbers[..., :, None] > numbers[..., None, :] + NOISE
    smaller = answer.box_high[..., :, None] < answer.box_low[..., None, :] - NOISE
    both = answer.is_answered[..., :, None] & answer.is_answered[..., None, :]
    return not bool((larger & smaller & both).any())


def is_weighted_sum(exercise: Exercise, step: Step) -> bool:
    """Whether a step is a mean of values, weighted by a softmax."""
    weights = exercise.graph.step(step.inputs[0]) if step.inputs else None
    is_output = isinstance(step.op, Output | OutputWithPast)
    return (
        is_output
        and weights is not None
        and exponentials_of(weights, exercise.graph) is not None
        and weights.op.core.adds_up
    )


def is_inside(exercise: Exercise, step: Step, answer: AnsweredStep) -> bool:
    """Whether every answered cell lies between the smallest and the largest value of its column."""
    values: list[Floats] = [value_of(exercise, name) for name in step.inputs[1:]]
    smallest = np.min([value.min(axis=-2, keepdims=True) for value in values], axis=0)
    largest = np.max([value.max(axis=-2, keepdims=True) for value in values], axis=0)
    inside = (answer.box_high >= smallest - NOISE) & (answer.box_low <= largest + NOISE)
    return bool((inside | ~answer.is_answered).all())


def value_of(exercise: Exercise, name: str) -> Floats:
    """A matrix from the key, else its correct values."""
    answer = exercise.key.get(name)
    return answer.middle if answer is not None and answer.is_answered.all() else exercise.right.floats[name]
