"""A class at a glance: one line a file, then how many are right, where they first went wrong, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from attncalc.checking.report import Report
from attncalc.checking.words import LEVELS
from attncalc.document.blocks import Bars, Block, Document, Heading, Paragraph, Verdict

SIGNS = {"correct": "correct", "incorrect": "wrong", "incomplete": "coarse", "unreadable": "unreadable"}


def summary(title: str, reports: Sequence[Report], feedback: str) -> Document:
    """The whole class."""
    return Document((Heading(title, 1), *blocks(reports, LEVELS.index(feedback))))


def blocks(reports: Sequence[Report], level: int) -> Iterator[Block]:
    """One line a file, then the numbers, as much of them as may be told."""
    width = max(len(report.answers) for report in reports)
    for report in reports:
        yield Verdict(SIGNS[report.verdict], report.answers.ljust(width), line(report, level))
    yield Heading("Class", 3)
    verdicts = Counter(report.verdict for report in reports)
    counts = ", ".join(f"{verdicts[verdict]} {verdict}" for verdict in SIGNS if verdicts[verdict])
    yield Paragraph(f"{len(reports)} files: {counts}.")
    scores = [report.score / report.max_score for report in reports if report.max_score]
    if scores:
        yield Paragraph(f"On average {100 * sum(scores) / len(scores):.0f} % of the points.")
    first = Counter(report.first_wrong.step for report in reports if report.first_wrong)
    if first and level >= LEVELS.index("step"):
        yield Bars("First wrong step", tuple(first.most_common()))
    mistakes = Counter(code for report in reports for code in report.mistakes)
    if mistakes and level >= LEVELS.index("mistake"):
        yield Bars("Mistakes", tuple(sorted(mistakes.items(), key=lambda item: (-item[1], item[0]))))


def line(report: Report, level: int) -> str:
    """One file in one line."""
    parts = [report.student, f"{round(report.score, 2):g}/{round(report.max_score, 2):g}"]
    if report.first_wrong and level >= LEVELS.index("step"):
        parts.append(f"first wrong: {report.first_wrong.step}")
    if level >= LEVELS.index("mistake"):
        parts.append(", ".join(report.mistakes))
    parts += report.errors[:1]
    return "  ".join(part for part in parts if part)
