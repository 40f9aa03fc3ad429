"""`attncalc.check`: a report that a notebook can show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attncalc.api.notebook import Notebook
from attncalc.core.errors import fault
from attncalc.core.record import record
from attncalc.exercise.load import as_problem
from attncalc.exercise.problem import Problem
from attncalc.exercise.solve.solution import Solution
from attncalc.exercise.yaml.tree import Mapped, from_python
from attncalc.marking.checker import Checker
from attncalc.marking.report.feedback import feedback
from attncalc.marking.report.levels import Level
from attncalc.marking.report.report import Report
from attncalc.worked.blocks import Document


@record
class ShownReport(Notebook, Report):
    """The report on one answers file, and the solution of its problem."""

    solution: Solution | None = None

    def to_document(self, pointed: bool) -> Document:
        assert self.solution is not None
        return feedback(self, self.solution, Level.MISTAKE, pointed)


def check(problem: Problem | Mapping[str, Any] | str, answers: Any) -> ShownReport:
    """Mark answers: a mapping of steps to values, or the name of a file."""
    checker = Checker(as_problem(problem))
    named = isinstance(answers, str) or hasattr(answers, "__fspath__")
    report = checker.check_file(str(answers)) if named else checker.check(as_mapping(answers), "answers")
    return ShownReport(**vars(report), solution=checker.solution)


def as_mapping(answers: Any) -> Mapped:
    """Answers from Python, or a node that is a mapping already."""
    node = answers if isinstance(answers, Mapped) else from_python(answers, "answers")
    if not isinstance(node, Mapped):
        raise fault("answers must map steps to values", node.place)
    return node
