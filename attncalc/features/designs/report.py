"""Answers to a question with many right answers: a student's design is tried, and what it reaches marked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import fsum

from attncalc.core.graph.graph import Graph
from attncalc.core.record import replace
from attncalc.core.terms.formulas import Text, join_sentences
from attncalc.exercise.problem import Problem
from attncalc.exercise.solve.solution import Solution
from attncalc.features.designs.answers import ToldDesign
from attncalc.features.designs.document import equation, say_numbers, say_within
from attncalc.features.designs.goals import GOAL_MISSED, Reached
from attncalc.features.designs.trials import Trial
from attncalc.marking.report.report import Report, StepReport, find_first_wrong, overall
from attncalc.marking.verdicts import StepVerdict
from attncalc.marking.why.attempts import Diagnosis
from attncalc.worked.prose import to_words
from attncalc.worked.view import View, rounding_of
from attncalc.worked.writer.steps import Writer

UNJUDGED = "not judged: the design that it comes from is missing or cannot be solved"
TURNED = "With all its matrices transposed, it would reach the goal."
UNTRIED = "the design could not be tried"


def without_designed(report: Report, problem: Problem, graph: Graph) -> Report:
    """A report in which no step is judged that comes from a design, for there is none to judge it by."""
    designed = find_designed_steps(problem, graph)
    steps = (unjudged(step) if step.step in designed else step for step in report.steps)
    return replace(report, steps=tuple(steps))


def find_designed_steps(problem: Problem, graph: Graph) -> set[str]:
    """The steps that come from a design."""
    found = {*problem.design}
    for step in graph.steps:
        found |= {step.name} if found.intersection(step.inputs) else set()
    return found


def unjudged(step: StepReport) -> StepReport:
    """A step of which nothing can be said but that it cannot be read, or has a wrong shape."""
    if step.verdict in (StepVerdict.SHAPE, StepVerdict.UNREADABLE):
        return step
    return StepReport(step.step, step.symbol, StepVerdict.BLANK, (), 0.0, step.max_score, waiting=UNJUDGED)


def with_goals(report: Report, student: str, told: ToldDesign, goals: tuple[StepReport, ...]) -> Report:
    """The report on what is told besides a design, with the steps that it had to reach."""
    marked = {goal.step for goal in goals}
    steps = (*(step for step in report.steps if step.step not in marked), *goals)
    errors = (*map(str, told.faults), *report.errors)
    return replace(
        report,
        student=student,
        verdict=overall(steps, bool(errors)),
        score=fsum(step.score for step in steps),
        first_wrong=find_first_wrong(steps),
        steps=steps,
        errors=errors,
    )


def report_goals(
    key: Solution, worth: Mapping[str, float], told: ToldDesign, trial: Trial | None, besides: Report
) -> Iterator[StepReport]:
    """Every step that goals are about: what a design reaches, or why it cannot be tried."""
    told_besides = {step.step: step for step in besides.steps if step.is_bad}
    steps = [key.resolved(goal.reference).step for goal in key.problem.goal]
    for name in dict.fromkeys(steps):
        blank = StepReport(name, key[name].symbol, StepVerdict.BLANK, (), 0.0, worth[name], missing=True)
        if trial is None:
            yield untried(blank, told)
        else:
            reached = [each for step, each in zip(steps, trial.reached, strict=True) if step == name]
            judged = judge(blank, reached, trial, told)
            is_contradicted = name in told_besides and trial.is_exact
            yield contradicted(judged, told_besides[name]) if is_contradicted else judged


def contradicted(goal: StepReport, besides: StepReport) -> StepReport:
    """A goal told otherwise than a design reaches it, which is wrong; the design has earned its points."""
    return replace(besides, score=goal.score, max_score=goal.max_score, reached=goal.reached)


def untried(blank: StepReport, told: ToldDesign) -> StepReport:
    """A step whose design is missing, of a wrong shape, or not to be read."""
    if told.misfits:
        return replace(blank, verdict=StepVerdict.SHAPE, remarks=told.misfits, missing=False)
    if told.faults:
        return replace(blank, verdict=StepVerdict.UNREADABLE, missing=False, waiting=UNTRIED)
    *others, last = told.missing
    named = f"{', '.join(others)} and {last} are" if others else f"{last} is"
    return replace(blank, waiting=f"{named} missing")


def judge(blank: StepReport, goals: list[Reached], trial: Trial, told: ToldDesign) -> StepReport:
    """A step of a design that was tried: the share of its goals that is reached, and what it comes to."""
    writer = Writer(trial.solution, View(rounding=rounding_of(trial.solution.problem)))
    missed = [goal for goal in goals if not goal.is_reached]
    cells = tuple(at for goal in missed for at in goal.missed)
    message = join_sentences(say_missed(writer, goal, trial) for goal in missed) if missed else ""
    how = f"with {trial.number}, " if trial.number else ""
    notes = "" if missed else "".join(f" ({remark})" for remark in told.remarks)
    return replace(
        blank,
        verdict=StepVerdict.WRONG if missed else StepVerdict.CORRECT,
        wrong_cells=cells,
        score=blank.max_score * (1 - len(missed) / len(goals)),
        diagnoses=(Diagnosis(GOAL_MISSED, blank.step, message, cells=len(cells)),) if missed else (),
        remarks=told.remarks,
        missing=False,
        reached=how + ", ".join(say_equation(writer, goal) for goal in goals) + notes,
    )


def say_equation(writer: Writer, goal: Reached) -> str:
    """What a design reaches, and how near that is where it is not quite the goal."""
    near = say_within(goal.within) if goal.is_reached and not goal.is_equal else ""
    return to_words(equation(writer, goal)) + (near and f", the goal{near}")


def say_missed(writer: Writer, goal: Reached, trial: Trial) -> Text:
    """What a design reaches, and what it should."""
    wanted, near = say_numbers(writer, goal.wanted), say_within(goal.within)
    how = f"With {trial.number}, your" if trial.number else "Your"
    return (f"{how} design gives ", *equation(writer, goal), ", and should give ", wanted, f"{near}.")
