"""A class at a glance: one line a file, then how many are right, where they first went wrong, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from attncalc.checking.report import Report
from attncalc.checking.verdicts import OverallVerdict
from attncalc.document.blocks import Bars, Block, Document, Heading, Paragraph, Verdict
from attncalc.mistakes import MISTAKES
from attncalc.mistakes.habits import HABITS
from attncalc.notations.columns import flush_left, width_of
from attncalc.record import changed

SENTENCES = {
    **{habit.code: habit.sentence for habit in reversed(HABITS)},
    **{mistake.code: mistake.sentence for mistake in reversed(MISTAKES)},
}
"""What every code means."""


def summary(title: str, reports: Sequence[Report]) -> Document:
    """The whole class, as much as the reports tell."""
    return Document((Heading(title, 1), *blocks(reports)))


def blocks(reports: Sequence[Report]) -> Iterator[Block]:
    """One line a file, then the numbers."""
    width = max(width_of(report.answers) for report in reports)
    for report in reports:
        yield Verdict(report.verdict.sign, flush_left(report.answers, width), line(report))
    yield Heading("Class", 3)
    verdicts = Counter(report.verdict for report in reports)
    counts = ", ".join(f"{verdicts[verdict]} {verdict}" for verdict in OverallVerdict if verdicts[verdict])
    yield Paragraph(f"{len(reports)} files: {counts}.")
    most = max(report.max_score for report in reports)
    if most:
        mean = sum(report.score for report in reports) / len(reports) / most
        yield Paragraph(f"On average {100 * mean:.0f} % of the points.")
    first = Counter(report.first_wrong.step for report in reports if report.first_wrong)
    if first:
        yield Bars("First wrong step", tuple(first.most_common()))
    mistakes = Counter(code for report in reports for code in report.mistakes)
    if mistakes:
        yield Bars("Mistakes", tuple(sorted(mistakes.items(), key=lambda item: (-item[1], item[0]))))
    for code, _ in sorted(mistakes.items(), key=lambda item: (-item[1], item[0])):
        example = next(report.answers for report in reports if code in report.mistakes)
        yield Paragraph(f"{code}: {SENTENCES[code]} For example in {example}.")


def line(report: Report) -> str:
    """One file in one line."""
    points = f"{round(report.score, 2):g}/{round(report.max_score, 2):g}"
    first = f"first wrong: {report.first_wrong.step}" if report.first_wrong else ""
    parts = (report.student, points, first, ", ".join(report.mistakes), *report.errors[:1])
    return "  ".join(part for part in parts if part)


def with_rivals(reports: Iterable[Report]) -> list[Report]:
    """The reports, in which two files that claim one student say so."""
    found = list(reports)
    claims: dict[str, list[str]] = {}
    for report in found:
        if report.student:
            claims.setdefault(report.student, []).append(report.answers)
    return [changed(report, errors=(*report.errors, *rivals(report, claims))) for report in found]


def rivals(report: Report, claims: Mapping[str, list[str]]) -> Iterator[str]:
    """That others claim the same student."""
    others = [answers for answers in claims.get(report.student, ()) if answers != report.answers]
    if others:
        yield f"{report.answers}: the student {report.student} is claimed by {', '.join(others[:3])} too"
