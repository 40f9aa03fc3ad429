"""One answers file marked by `check`; several are marked by a feature."""

from __future__ import annotations

from functools import cached_property

from attncalc.cli.printer import Printer
from attncalc.core.record import record
from attncalc.exercise.problem import Problem
from attncalc.exercise.solve.solution import Solution
from attncalc.marking.checker import Checker, mark_file
from attncalc.marking.report.feedback import feedback
from attncalc.marking.report.levels import Level, show
from attncalc.marking.report.report import Report, Reports
from attncalc.worked.blocks import Document


@record
class Marking:
    """A problem, the files of answers to it, the level of detail, and the seconds for each file."""

    file: str
    problem: Problem
    answers: list[str]
    output: Printer
    level: Level
    seconds: float

    @cached_property
    def checker(self) -> Checker:
        """The checker for single files, with the correct values."""
        return Checker(self.problem)

    @cached_property
    def reports(self) -> Reports:
        """The reports on the file, or on the problem's own answer key if there is none."""
        return [*map(self.mark, self.answers)] or [self.checker.check_key()]

    def mark(self, file: str) -> Report:
        """The report on one file."""
        return mark_file(self.checker, file, self.seconds)

    def solution_of(self, report: Report) -> Solution:  # noqa: ARG002  a class may have variants
        """The solution of the problem that a report is about."""
        return self.checker.solution

    @property
    def exit_code(self) -> int:
        """The highest exit code of all files."""
        return max(report.exit_code for report in self.reports)

    @property
    def last_words(self) -> str:
        """What is said at the end, on standard error; nothing about a single file."""
        return ""

    def to_gradebook(self) -> object:
        """The points for a gradebook: of a class."""
        raise NotImplementedError

    def to_reports(self) -> Reports:
        """The reports on all files at the level of detail."""
        return [*map(self.reduce_to_level, self.reports)]

    def reduce_to_level(self, report: Report) -> Report:
        """The report on one file at the level of detail."""
        return show(report, self.level, lambda: self.solution_of(report))

    def to_document(self) -> Document:
        """The feedback on the file."""
        return self.feedback(next(iter(self.reports)))

    def feedback(self, report: Report) -> Document:
        """The feedback for a student."""
        return feedback(report, self.solution_of(report), self.level, self.output.format.is_pointed)
