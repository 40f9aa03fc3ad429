"""Mark a design: try it, report which goals it reaches, and mark the other answers as they follow from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import fsum

from attncalc.core.errors import AttncalcError, Fault
from attncalc.core.graph.graph import Graph
from attncalc.core.record import replace
from attncalc.core.terms.formulas import Text, join_sentences
from attncalc.exercise.problem import Problem
from attncalc.exercise.solve.solution import Solution
from attncalc.exercise.yaml.tree import Mapped
from attncalc.features.designs.answers import ToldDesign, read_design
from attncalc.features.designs.document import equation, say_numbers, say_within
from attncalc.features.designs.goals import GOAL_MISSED, Reached
from attncalc.features.designs.trials import Trial, is_right_transposed, try_design
from attncalc.marking.answers.headings import student_of
from attncalc.marking.checker import Checker
from attncalc.marking.report.report import Report, StepReport, find_first_wrong, is_flawed, overall
from attncalc.marking.verdicts import StepVerdict
from attncalc.marking.why.attempts import Diagnosis
from attncalc.worked.prose import to_words
from attncalc.worked.view import View, rounding_of
from attncalc.worked.writer.steps import Writer

UNJUDGED = "not judged: the design that it comes from is missing or cannot be solved"
TURNED = "With all its matrices transposed, it would reach the goal."
UNTRIED = "the design could not be tried"


def mark(checker: Checker, root: Mapped, name: str, is_key: bool) -> Report:
    """Mark the goals of a design, and the other answers; an answer key has the problem's own design."""
    problem = checker.problem
    answer = read_design(root, problem, checker.graph)
    trial = Trial(checker.solution) if is_key else None
    try:
        trial = try_design(problem, answer) if answer.is_whole else trial
    except AttncalcError as error:
        faults = (Fault(f"with this design: {one.message}", root.place) for one in error.faults)
        answer = replace(answer, faults=tuple(faults))
    if trial and not trial.is_right and is_right_transposed(problem, answer):
        answer = replace(answer, remarks=(*answer.remarks, TURNED))
    own = trial.solution if trial and not trial.number else None
    besides = mark_besides(checker, answer, name, own)
    wrong = find_wrong(checker, answer, name, besides)
    goals = tuple(report_goals(checker.solution, checker.prepared[0].marks.worth, answer, trial, wrong))
    return replace(with_goals(besides, student_of(root), answer, goals), own=own)


def find_wrong(checker: Checker, answer: ToldDesign, name: str, besides: Report) -> dict[str, StepReport]:
    """The answered steps that neither follow from a student's design nor from the file's own."""
    own = {step.step: step for step in besides.steps}
    steps = checker.mark_steps(answer.rest, name).steps if answer.rest.items else ()
    wrong = {step.step: step for step in steps if step.is_bad}
    return {
        name: own[name] if own[name].is_bad else step
        for name, step in wrong.items()
        if name in own and (own[name].is_bad or own[name].waiting)
    }


def mark_besides(checker: Checker, answer: ToldDesign, name: str, own: Solution | None) -> Report:
    """Mark the steps that are answered besides a design, as they follow from it."""
    if own is None:
        return without_designed(checker.mark_steps(answer.rest, name), checker.problem, checker.graph)
    marker = Checker(replace(own.problem, design=())) if answer.rest.items else checker
    return marker.mark_steps(answer.rest, name)


def without_designed(report: Report, problem: Problem, graph: Graph) -> Report:
    """The report with the steps that depend on a design unjudged, if there is no design to judge them by."""
    designed = find_designed_steps(problem, graph)
    steps = (remove_judgement(step) if step.step in designed else step for step in report.steps)
    return replace(report, steps=tuple(steps))


def find_designed_steps(problem: Problem, graph: Graph) -> set[str]:
    """The designs, and the steps that depend on them."""
    found = {*problem.design}
    for step in graph.steps:
        found |= {step.name} if found.intersection(step.inputs) else set()
    return found


def remove_judgement(step: StepReport) -> StepReport:
    """The step without a judgement; that it cannot be read, or has a wrong shape, is still reported."""
    if step.verdict in (StepVerdict.SHAPE, StepVerdict.UNREADABLE):
        return step
    return StepReport(step.step, step.symbol, StepVerdict.BLANK, (), 0.0, step.max_score, waiting=UNJUDGED)


def with_goals(report: Report, student: str, answer: ToldDesign, goals: tuple[StepReport, ...]) -> Report:
    """The report on the other answers, with the steps that the design must reach."""
    marked = {goal.step for goal in goals}
    steps = (*(step for step in report.steps if step.step not in marked), *goals)
    errors = (*map(str, answer.faults), *report.errors)
    return replace(
        report,
        student=student,
        verdict=overall(steps, bool(errors)),
        score=fsum(step.score for step in steps),
        first_wrong=find_first_wrong(steps),
        steps=steps,
        errors=errors,
        is_read=report.is_read or bool(answer.matrices or answer.misfits),
        is_flawed=is_flawed(steps, errors),
    )


def report_goals(
    key: Solution,
    worth: Mapping[str, float],
    answer: ToldDesign,
    trial: Trial | None,
    wrong: Mapping[str, StepReport],
) -> Iterator[StepReport]:
    """Every step that has goals: what a design reaches, or why it cannot be tried.

    `wrong` are the goals that are answered too, and that neither the design nor the file's own gives.
    """
    steps = [key.resolve(goal.reference).step for goal in key.problem.goal]
    for name in dict.fromkeys(steps):
        blank = StepReport(name, key[name].symbol, StepVerdict.BLANK, (), 0.0, worth[name], missing=True)
        if trial is None:
            yield report_untried(blank, answer)
        else:
            reached = [each for step, each in zip(steps, trial.reached, strict=True) if step == name]
            judged = judge(blank, reached, trial, answer)
            is_contradicted = name in wrong and judged.verdict.is_right
            yield contradict(judged, wrong[name]) if is_contradicted else judged


def contradict(goal: StepReport, besides: StepReport) -> StepReport:
    """A goal step whose answer contradicts the design: it is wrong, but the design has earned its points."""
    return replace(besides, score=goal.score, max_score=goal.max_score, reached=goal.reached)


def report_untried(blank: StepReport, answer: ToldDesign) -> StepReport:
    """A step whose design is missing, has a wrong shape, or cannot be read."""
    if answer.misfits:
        return replace(blank, verdict=StepVerdict.SHAPE, remarks=answer.misfits, missing=False)
    if answer.faults:
        return replace(blank, verdict=StepVerdict.UNREADABLE, missing=False, waiting=UNTRIED)
    names = answer.unfinished or answer.missing
    are = "are" if len(names) > 1 else "is"
    return replace(blank, waiting=f"{list_names(names)} {are} missing")


def list_names(names: tuple[str, ...]) -> str:
    """Names, the last after an and."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def judge(blank: StepReport, goals: list[Reached], trial: Trial, answer: ToldDesign) -> StepReport:
    """A step of a design that was tried: its points, by the share of goals that it reaches, and its value."""
    writer = Writer(trial.solution, View(rounding=rounding_of(trial.solution.problem)))
    missed = [goal for goal in goals if not goal.is_reached]
    cells = tuple(at for goal in missed for at in goal.missed)
    message = join_sentences(say_missed(writer, goal, trial) for goal in missed) if missed else ""
    how = f"with {trial.number}, " if trial.number else ""
    notes = "" if missed else "".join(f" ({remark})" for remark in answer.remarks)
    own = (
        f", with {list_names(answer.missing)} of the exercise's own design"
        if answer.matrices and answer.missing
        else ""
    )
    return replace(
        blank,
        verdict=StepVerdict.WRONG if missed else StepVerdict.CORRECT,
        wrong_cells=cells,
        score=blank.max_score * (1 - len(missed) / len(goals)),
        diagnoses=(Diagnosis(GOAL_MISSED, blank.step, message, cells=len(cells)),) if missed else (),
        remarks=answer.remarks,
        missing=False,
        reached=how + ", ".join(say_equation(writer, goal) for goal in goals) + own + notes,
    )


def say_equation(writer: Writer, goal: Reached) -> str:
    """What a design reaches, and the accepted distance if it only comes near the goal."""
    near = say_within(goal.within) if goal.is_reached and not goal.is_equal else ""
    return to_words(equation(writer, goal)) + (near and f", the goal{near}")


def say_missed(writer: Writer, goal: Reached, trial: Trial) -> Text:
    """What a design reaches, and what it should reach."""
    wanted, near = say_numbers(writer, goal.wanted), say_within(goal.within)
    how = f"With {trial.number}, your" if trial.number else "Your"
    return (f"{how} design gives ", *equation(writer, goal), ", and should give ", wanted, f"{near}.")
