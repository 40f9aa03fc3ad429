"""Reports as a table, one line a file."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from attncalc.checking.report import Report
from attncalc.formats import Page

HEADS = ("answers", "student", "verdict", "score", "max_score", "first_wrong", "mistakes", "errors")


def render(reports: Sequence[Report], _: Page) -> str:
    """A header and one line a report, with the points of every step; right values have no place in it."""
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\r\n")
    steps = list(dict.fromkeys(step.step for report in reports for step in report.steps if step.max_score))
    writer.writerow([*HEADS, *steps])
    for report in reports:
        points = {step.step: f"{step.score:g}" for step in report.steps}
        writer.writerow(
            [
                harmless(report.answers),
                harmless(report.student),
                report.verdict,
                f"{report.score:g}",
                f"{report.max_score:g}",
                report.first_wrong.step if report.first_wrong else "",
                " ".join(report.mistakes),
                harmless(" | ".join(report.errors)),
                *(points.get(step, "") for step in steps),
            ]
        )
    return table.getvalue()


def harmless(text: str) -> str:
    """Text that a spreadsheet does not take for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@") else text
