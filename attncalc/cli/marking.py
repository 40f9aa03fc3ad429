"""Answers marked: one file here, a class by workers, with a progress bar where someone is watching."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from functools import cached_property

from attncalc.checking.checker import Checker
from attncalc.checking.classes import check_many, mark_file
from attncalc.checking.disclosure import disclose, with_right_values
from attncalc.checking.feedback import feedback
from attncalc.checking.levels import Level
from attncalc.checking.report import Report
from attncalc.checking.storing import Record
from attncalc.checking.summary import summary, with_rivals
from attncalc.document.blocks import Document
from attncalc.errors import inert
from attncalc.inputs.problem import Problem
from attncalc.record import record


@record
class Marking:
    """A problem, files of answers to it, by how much help they are marked, and how much is told."""

    file: str
    problem: Problem
    answers: list[str]
    workers: int | None
    seconds: float
    level: Level
    resume: str | None = None

    @cached_property
    def checker(self) -> Checker:
        """Who marks single files, and knows the right values."""
        return Checker(self.problem)

    @cached_property
    def reports(self) -> list[Report]:
        """All that is found: in every file, or in the problem's own key where there is none."""
        if not self.answers:
            return [self.checker.check_key()]
        if len(self.answers) == 1 and not self.resume:
            return [mark_file(self.checker, name, self.seconds) for name in self.answers]
        workers = self.workers or min(os.cpu_count() or 1, 1 + len(self.answers) // 100)
        record = Record(self.resume, self.problem.name) if self.resume else None
        files = record.missing(self.answers) if record else self.answers
        reports = check_many(self.problem, files, workers=workers, seconds=self.seconds)
        if record:
            reports = record.marked(self.answers, reports)
        return with_rivals(watched(reports, len(self.answers)))

    @property
    def exit_code(self) -> int:
        """The highest of all files."""
        return max(report.exit_code for report in self.reports)

    def to_reports(self) -> list[Report]:
        """What is told of every file."""
        told = [disclose(report, self.level) for report in self.reports]
        if not self.level.tells(Level.FULL):
            return told
        return [with_right_values(report, self.checker.solution) for report in told]

    def each(self, pointed: bool) -> Iterator[tuple[str, Report, Document]]:
        """Every file by its own name, with what is told of it."""
        names = [os.path.splitext(os.path.basename(file))[0] for file in self.answers]
        for name, file in zip(names, self.answers, strict=True):
            unique = name if names.count(name) == 1 else inert(file).replace(os.sep, "_")
            report = mark_file(self.checker, file, self.seconds)
            told = disclose(report, self.level)
            if self.level.tells(Level.FULL):
                told = with_right_values(told, self.checker.solution)
            yield inert(unique), told, feedback(report, self.checker.solution, self.level, pointed)

    def to_document(self, pointed: bool) -> Document:
        """What is told of one file, or of a class at a glance."""
        if len(self.reports) > 1:
            told = [disclose(report, self.level) for report in self.reports]
            return summary(self.problem.title or self.file, told)
        return feedback(self.reports[0], self.checker.solution, self.level, pointed)


def watched(reports: Iterator[Report], total: int) -> Iterator[Report]:
    """Reports as they come, with a progress bar where someone is watching."""
    if not sys.stderr.isatty():
        yield from reports
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("marking", total=total)
        for report in reports:
            progress.advance(task)
            yield report
