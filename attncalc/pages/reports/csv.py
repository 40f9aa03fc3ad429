"""Reports as a table, one line a file."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator

from attncalc.marking.report.report import Reports
from attncalc.pages import Page

HEADS = (
    "answers",
    "student",
    "id",
    "late",
    "verdict",
    "score",
    "max_score",
    "first_wrong",
    "mistakes",
    "errors",
    "notes",
)


def pieces(reports: Reports, _: Page) -> Iterator[str]:
    """A header and one line for each report, with the points of every step, without correct values."""
    steps = list(dict.fromkeys(step.step for report in reports for step in report.steps if step.max_score))
    yield line((*HEADS, *steps))
    for report in reports:
        points = {step.step: round_points(step.score) for step in report.steps}
        yield line(
            (
                harmless(report.answers),
                harmless(report.student),
                harmless(report.person.id),
                "late" if report.is_late else "",
                report.verdict,
                round_points(report.score),
                round_points(report.max_score),
                report.first_wrong.step if report.first_wrong else "",
                " ".join(report.mistakes),
                harmless(" | ".join(report.errors)),
                harmless("; ".join((*report.handed_in, *report.notes))),
                *(points.get(step, "") for step in steps),
            )
        )


def round_points(points: float) -> str:
    """Points as gradebooks take them, with at most two decimals.

    >>> round_points(8.33333), round_points(10.0), round_points(1234567.0)
    ('8.33', '10', '1234567')
    """
    return f"{points:.2f}".rstrip("0").rstrip(".")


def line(cells: Iterable[str]) -> str:
    """One line, quoted if necessary."""
    written = io.StringIO()
    csv.writer(written, lineterminator="\r\n").writerow(cells)
    return written.getvalue()


def harmless(text: str) -> str:
    """Text that a spreadsheet does not take for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@") else text
