"""Mark a design: try it, mark what it reaches, and mark the other answers as they follow from it."""

from __future__ import annotations

from attncalc.core.errors import AttncalcError, Fault
from attncalc.core.record import replace
from attncalc.exercise.solve.solution import Solution
from attncalc.exercise.yaml.tree import Mapped
from attncalc.features.designs.answers import ToldDesign, read_design
from attncalc.features.designs.report import TURNED, report_goals, with_goals, without_designed
from attncalc.features.designs.trials import Trial, is_right_transposed, try_design
from attncalc.marking.answers.reader import student_of
from attncalc.marking.checker import Checker
from attncalc.marking.report.report import Report, StepReport


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
