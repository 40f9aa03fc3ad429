"""What workers mark: the files of one submission, the best first."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from attncalc.core.errors import inert
from attncalc.core.record import record
from attncalc.marking.report.report import Report, unread
from attncalc.marking.verdicts import StepVerdict


@record
class Try:
    """One file: its name, its content if it is in an archive, and why it is not read, if so."""

    name: str
    data: bytes | None = None
    reason: str = ""


@record
class Work:
    """The files of a submission, and the names and ids by which its student may be known."""

    tries: tuple[Try, ...]
    names: tuple[str, ...] = ()


def mark_work(problem: str, work: Work, most: float, mark: Callable[[Try], Report]) -> Report:
    """The report on the first file with answers, else on the first that can be read, else on the first."""
    reports: list[Report] = []
    for one in work.tries:
        errors = [f"{inert(one.name)}: {one.reason}"]
        reports.append(unread(problem, one.name, most, errors) if one.reason else mark(one))
        if reports[-1].is_read and any(step.verdict is not StepVerdict.BLANK for step in reports[-1].steps):
            return reports[-1]
    return first_read(reports)


def first_read(reports: Iterable[Report]) -> Report:
    """The first report on a file that could be read, else the first."""
    return min(reports, key=lambda report: not report.is_read)
