"""The checker of one problem: prepared once, then any number of answers is marked."""

from __future__ import annotations

from collections.abc import Callable

from attncalc.core.errors import AttncalcError, fault, inert
from attncalc.core.graph.graph import Graph
from attncalc.core.record import replace
from attncalc.exercise.mechanisms import build_graph
from attncalc.exercise.mechanisms.limit import Limit
from attncalc.exercise.problem import Problem
from attncalc.exercise.questions import question_of
from attncalc.exercise.solve.letters import Values, replace_letters, values_of
from attncalc.exercise.solve.solution import Solution
from attncalc.exercise.solve.solve import solve
from attncalc.exercise.yaml.tree import Mapped
from attncalc.marking.answers.files import read_answers, read_content
from attncalc.marking.answers.headings import refuse_others
from attncalc.marking.follow.truth import Truth
from attncalc.marking.limits import TookTooLong, limited
from attncalc.marking.mark import mark_as_best_read
from attncalc.marking.prepared import Prepared, solve_for_marking
from attncalc.marking.report.report import Report, unread


class Checker:
    """Mark answers to one problem; with free letters, at two values of each."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        if problem.symbols:
            self.solution: Solution = solve(problem)
            numbers = values_of(problem)
            self.prepared = [Prepared(at_values(self.solution, values), values) for values in numbers]
        else:
            self.prepared = [Prepared(problem)]
            # Goals must be reached in the problem's own mode.
            self.solution = solve(problem) if problem.design else self.prepared[0].solution

    @property
    def graph(self) -> Graph:
        """The steps that are marked."""
        return self.prepared[0].graph

    @property
    def truth(self) -> Truth:
        """The correct values of all steps."""
        return self.prepared[0].truth

    @property
    def most(self) -> float:
        """The points of the whole exercise."""
        return self.prepared[0].marks.most

    def check_file(self, file: str) -> Report:
        """Mark an answers file; the report says if it cannot be read."""
        return self.check_read(file, lambda: read_answers(file))

    def check_content(self, name: str, data: bytes) -> Report:
        """Mark the content of an answers file, such as a member of an archive."""
        return self.check_read(name, lambda: read_content(name, data))

    def check_read(self, name: str, read: Callable[[], Mapped]) -> Report:
        """Mark answers that a function reads; the report says if it cannot."""
        try:
            return self.check(read(), inert(name))
        except AttncalcError as error:
            return unread(self.problem.name, name, self.most, map(str, error.faults))

    def check_key(self) -> Report:
        """Mark the key in the problem file."""
        if self.problem.answers is None:
            raise fault("has no answers to check; name a file with some", self.problem.place("title"))
        return self.mark(self.problem.answers, self.problem.name, is_key=True)

    def check(self, root: Mapped, name: str) -> Report:
        """Mark answers to this problem."""
        refuse_others(root, self.problem)
        return self.mark(root, name, is_key=False)

    def mark(self, root: Mapped, name: str, is_key: bool) -> Report:
        """Mark the answered steps, or what is asked for in their place."""
        question = question_of(self.problem)
        report: Report = question.mark(self, root, name, is_key) if question else self.mark_steps(root, name)
        return report

    def mark_steps(self, root: Mapped, name: str) -> Report:
        """Mark steps; with free letters, at both values of each."""
        report, *others = (mark_as_best_read(prepared, root, name) for prepared in self.prepared)
        for other in others:
            report = merge_reports(report, other)
        return report


def solution_behind(problem: Problem) -> Solution:
    """The solution that reports on a problem refer to, without preparing to mark."""
    if problem.symbols or problem.design:
        return solve(problem)
    return solve_for_marking(problem, build_graph(problem))


def merge_reports(one: Report, other: Report) -> Report:
    """Merge two reports on the same answers: the worse verdicts, and the reasons that both give."""
    worse, better = (one, other) if one.score <= other.score else (other, one)
    known = {step.step: {d.mistake for d in step.diagnoses} for step in better.steps}
    said = {step.step: step.remarks for step in better.steps}
    steps = [
        replace(
            step,
            diagnoses=tuple(one for one in step.diagnoses if one.mistake in known.get(step.step, ())),
            remarks=tuple(remark for remark in step.remarks if remark in said.get(step.step, ())),
        )
        for step in worse.steps
    ]
    return replace(worse, steps=tuple(steps))


def at_values(solution: Solution, values: Values) -> Problem:
    """A solved problem with numbers for its letters, and the limit found with letters."""
    problem = solution.problem
    limit: Limit | None = problem.settings.get("limit")
    if limit is not None:
        known = {step.name: step.terms for step in solution.steps if step.step.label.limit}
        problem = problem.with_settings(limit=Limit(limit.letter, limit.target, limit.place, known))
    numbers = {name: replace_letters(getattr(problem, name), values) for name in ("settings", "let")}
    return replace(problem, **numbers, symbols={})


def mark_file(checker: Checker, file: str, seconds: float, data: bytes | None = None) -> Report:
    """The report on one file, or on its content; whatever goes wrong is an error in it."""
    try:
        with limited(seconds):
            return checker.check_file(file) if data is None else checker.check_content(file, data)
    except TookTooLong:
        message = f"took longer than {seconds:g} seconds"
    except MemoryError:
        message = "takes more memory than there is"
    except Exception as error:
        message = f"could not be checked: {type(error).__name__}"
    return unread(checker.problem.name, file, checker.most, [f"{inert(file)}: {message}"])
