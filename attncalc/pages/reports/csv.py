"""Reports as a table, one line a file."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator

from attncalc.marking.report.report import Reports
from attncalc.pages import Page

HEADS = ("answers", "student", "verdict", "score", "max_score", "first_wrong", "mistakes", "errors")


def pieces(reports: Reports, _: Page) -> Iterator[str]:
    """A header and one line for each report, with the points of every step, without correct values."""
    steps = list(dict.fromkeys(step.step for report in reports for step in report.steps if step.max_score))
    yield line((*HEADS, *steps))
    for report in reports:
        points = {step.step: f"{step.score:g}" for step in report.steps}
        yield line(
            (
                harmless(report.answers),
                harmless(report.student),
                report.verdict,
                f"{report.score:g}",
                f"{report.max_score:g}",
                report.first_wrong.step if report.first_wrong else "",
                " ".join(report.mistakes),
                harmless(" | ".join(report.errors)),
                *(points.get(step, "") for step in steps),
            )
        )


def line(cells: Iterable[str]) -> str:
    """One line, quoted if necessary."""
    written = io.StringIO()
    csv.writer(written, lineterminator="\r\n").writerow(cells)
    return written.getvalue()


def harmless(text: str) -> str:
    """Text that a spreadsheet does not take for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@") else text
