"""The report on answers, step by step: verdict, points, reasons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import fsum
from typing import TYPE_CHECKING

import numpy as np

from attncalc.core.fields import Floats
from attncalc.core.graph.graph import Step
from attncalc.core.graph.references import Reference
from attncalc.core.record import replace
from attncalc.core.terms.turned import turn_text
from attncalc.marking.answers.answer import TRANSPOSED, AnsweredStep, compare_shapes, misfit
from attncalc.marking.answers.files import Answers
from attncalc.marking.answers.names import words_of
from attncalc.marking.follow.judge import Judged, Mark, is_vague, meets
from attncalc.marking.follow.walk import NO_CHANGES, Walk, carry_written
from attncalc.marking.policy import LIMITS, POLICY
from attncalc.marking.report.describe_credit import describe_credit
from attncalc.marking.report.effort import find_copied, is_alike
from attncalc.marking.report.points import Credit, Credits, find_sources
from attncalc.marking.report.report import (
    GIVEN_MISTAKE,
    SAME_MISTAKE,
    Report,
    StepReport,
    find_first_wrong,
    is_flawed,
    overall,
)
from attncalc.marking.rounding.excuse import distance
from attncalc.marking.verdicts import OverallVerdict, StepVerdict
from attncalc.marking.why.evidence import disagrees
from attncalc.marking.why.explain import Explained, Reasons
from attncalc.marking.why.match import list_cells

if TYPE_CHECKING:
    from attncalc.marking.prepared import Prepared

NO_CREDIT = Credit(np.zeros(()))
MOST_BLURRED = 0.1
"""The widest range that a number may stand for, as a share of a step's largest value, to show the step."""
ALIKE = "All entries are the same number, so the right ones among them earn nothing."
TRIVIAL = "no credit is carried over: {} makes this step trivial"
COPIED = "These are the numbers of {}, so the right ones among them earn nothing."


def report_steps(
    prepared: Prepared,
    answered: Mapping[str, AnsweredStep],
    walk: Walk,
    explained: Explained,
    credits: Credits,
) -> tuple[StepReport, ...]:
    """The reports on all steps that are answered or asked for."""
    marks = prepared.marks
    steps = (
        report_step(prepared, walk, step, explained, credits.get(step.name, NO_CREDIT))
        if step.name in answered
        else blank(prepared, step)
        for step in prepared.graph.steps
        if step.name in answered or step.name in marks.worth
    )
    return marks.with_implied(tuple(steps))


def to_report(
    prepared: Prepared, answers: Answers, answered: Mapping[str, AnsweredStep], steps: tuple[StepReport, ...]
) -> Report:
    """The report on answers, from the reports on their steps."""
    faults = [*answers.faults, *(fault for step in answered.values() for fault in step.faults)]
    errors = tuple(map(str, faults))
    is_read = bool(answered) or not errors
    return Report(
        problem=prepared.problem.name,
        answers=answers.name,
        student=answers.student,
        verdict=overall(steps, bool(errors)) if is_read else OverallVerdict.UNREAD,
        score=fsum(step.score for step in steps),
        max_score=prepared.marks.most,
        first_wrong=find_first_wrong(steps),
        steps=steps,
        errors=errors,
        notes=tuple(map(str, answers.notes)),
        is_read=is_read,
        is_flawed=is_flawed(steps, errors),
    )


def blank(prepared: Prepared, step: Step) -> StepReport:
    """The report on a step that is asked for and not answered."""
    symbol, points = prepared.symbols[step.name], prepared.marks.of(step.name)
    return StepReport(step.name, symbol, StepVerdict.BLANK, (), 0.0, points, missing=True)


def report_step(
    prepared: Prepared, walk: Walk, step: Step, explained: Explained, credit: Credit
) -> StepReport:
    """The verdict, points and reasons of an answered step."""
    judged, marks = credit.judged or walk.judged[step.name], prepared.marks
    points = marks.of(step.name)
    reasons = Reasons() if credit.judged else explained.reasons[step.name]
    reasons = in_columns(reasons) if prepared.graph.in_columns else reasons
    is_against = credit.judged is not None or contradicts(prepared, walk, judged)
    follows = Mark.FOLLOWS in judged.present or (not is_against and is_carried(prepared, judged))
    before = find_sources(prepared, walk, step) if follows or is_against else []
    sources = (before or list(explained.sources)) if follows else []
    habit = judged.habit
    said, credited = describe_credit(prepared, judged, credit)
    return StepReport(
        step=step.name,
        symbol=prepared.symbols[step.name],
        verdict=find_verdict(judged),
        wrong_cells=list_cells(judged.wrong) if judged.is_wrong else (),
        score=points and points * marks.share(step.name, credit.cells),
        max_score=points,
        diagnoses=reasons.diagnoses,
        remarks=(
            *say_misfits(judged, prepared.symbols[step.name], bool(reasons.diagnoses)),
            *(() if reasons.diagnoses else say_of_another(prepared, judged)),
            *reasons.remarks,
            *say_guessed(prepared, walk, judged, credit),
        ),
        trivial=TRIVIAL.format(credit.effortless) if credit.effortless else "",
        credit=said,
        credited=credited,
        earned=marks.earned(step.name, credit) if step.name in marks.wanted else None,
        rounding=habit.sentence if habit and not judged.is_wrong else "",
        follows_from=tuple(sources),
        given=tuple(prepared.symbols[source] for source in sources),
        shares="" if before else say_shared(prepared, step, sources),
        judged=judged,
        mistaken=reasons.result,
        carried=carry_on(prepared, walk, step) if judged.is_wrong else None,
        missing=marks.is_missing(judged),
        is_all_wrong=judged.is_wrong and bool(judged.wrong.all()),
        has_few_before=has_few_before(prepared, judged),
        is_doubtful=is_doubtful(prepared, judged),
        misshapen=tuple(compare_shapes(answer, step) for answer, _ in judged.answer.misshapen),
        against=tuple(prepared.symbols[source] for source in before) if is_against else (),
    )


def in_columns(reasons: Reasons) -> Reasons:
    """The reasons with columns in place of rows."""
    diagnoses = tuple(replace(one, text=turn_text(one.text)) for one in reasons.diagnoses)
    return replace(reasons, diagnoses=diagnoses, remarks=tuple(map(turn_text, reasons.remarks)))


def find_verdict(judged: Judged) -> StepVerdict:
    """The gravest verdict of a step's cells; a step is blank only if nothing else is answered of it."""
    return StepVerdict.SHAPE if judged.answer.misshapen else StepVerdict.of_gravity(max(judged.present))


def say_misfits(judged: Judged, symbol: str, is_explained: bool) -> Iterator[str]:
    """The wrong shapes; that a matrix may be transposed is not asked if a mistake explains it."""
    for answer, _ in judged.answer.misshapen:
        at = answer.reference.at
        named = replace(answer, reference=Reference(symbol, at))
        message = misfit(named, judged.answer.step.shape[len(at) :])
        yield message.removesuffix(TRANSPOSED) if is_explained else message


def is_doubtful(prepared: Prepared, judged: Judged) -> bool:
    """Whether a number with too few digits is not one that the correct value rounds to."""
    expected = prepared.truth.range(judged.answer.step.name)
    return bool(np.any((judged.marks == Mark.COARSE) & ~meets(judged.answer, expected)))


def contradicts(prepared: Prepared, walk: Walk, judged: Judged) -> bool:
    """Whether a step passes, and some of it does not follow from the steps before it.

    What follows from wrong steps may also not do so because of one with too few digits.
    """
    before = {step.name for step in prepared.graph.chain(judged.answer.step.name, ())}
    has_coarse = any(Mark.COARSE in one.present for name, one in walk.judged.items() if name in before)
    passes = judged.is_right or (max(judged.present) == Mark.FOLLOWS and not has_coarse)
    return passes and disagrees(judged)


def is_carried(prepared: Prepared, judged: Judged) -> bool:
    """Whether a number that passes as rounded is what wrong numbers before it give, and far from right."""
    answer, expected = judged.answer, prepared.truth.range(judged.answer.step.name)
    far = distance(answer, expected) > POLICY.near_units * answer.unit * (1 + LIMITS.tie_error)
    own = (judged.marks == Mark.ROUNDED) & meets(answer, judged.allowed)
    return judged.is_right and bool(np.any(own & far))


def say_shared(prepared: Prepared, step: Step, sources: list[str]) -> str:
    """How a step shares the mistake of others: it is the same there, or a gradient belongs to it."""
    is_same = any(bool(prepared.graph.labels[one].of) is bool(step.label.of) for one in sources)
    return SAME_MISTAKE if is_same else GIVEN_MISTAKE if sources else ""


def has_few_before(prepared: Prepared, judged: Judged) -> bool:
    """Whether only the numbers before a step have too few digits to judge it."""
    answer, coarse = judged.answer, judged.marks == Mark.COARSE
    is_cut = answer.unit > np.abs(answer.middle) * 10.0 ** (1 - POLICY.judged_digits)
    few = answer.short | (is_vague(answer, prepared.truth) & is_cut)
    return bool(coarse.any()) and not np.any(coarse & few)


def say_guessed(prepared: Prepared, walk: Walk, judged: Judged, credit: Credit) -> Iterator[str]:
    """Say that the right ones among numbers that need no work earn nothing, if there are some."""
    has_right = not judged.present.isdisjoint((Mark.CORRECT, Mark.ROUNDED, Mark.FOLLOWS))
    is_asked = judged.answer.step.name in prepared.marks.worth
    if not is_asked or not judged.is_wrong or not has_right or credit.cells.any():
        return
    copied = find_copied(prepared.truth, walk, judged)
    if is_alike(judged):
        yield ALIKE
    elif copied:
        yield COPIED.format(prepared.symbols.get(copied, copied))


def say_of_another(prepared: Prepared, judged: Judged) -> Iterator[str]:
    """Say of which other step the values of a wrong step are, if of exactly one and to some digits."""
    answer, truth = judged.answer, prepared.truth
    if not judged.is_wrong or not answer.is_answered.all() or answer.middle.size < 2 or is_alike(judged):
        return
    width = np.max(answer.box_high - answer.box_low, initial=0, where=np.isfinite(answer.box_high))
    own, steps = answer.step, prepared.graph.steps
    same = [
        step
        for step in steps
        if step is not own
        and step.shape == own.shape
        and meets(answer, truth.range(step.name)).all()
        and (
            width <= MOST_BLURRED * truth.largest(step.name)
            or np.array_equal(answer.middle, truth.floats[step.name])
        )
    ]
    if len(same) == 1:
        words = words_of(same[0].label)
        called = words[0] if words else same[0].title.lower()
        yield f"These are the {called} {prepared.symbols[same[0].name]}."


def carry_on(prepared: Prepared, walk: Walk, step: Step) -> Floats | None:
    """A step from the numbers written before it; the numbers that stand for free letters are not shown."""
    return None if prepared.letters else carry_written(prepared.truth, walk.judged, NO_CHANGES, step)
