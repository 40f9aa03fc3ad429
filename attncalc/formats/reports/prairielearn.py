"""Reports as the results.json of a PrairieLearn external grader."""

from __future__ import annotations

from collections.abc import Sequence

from attncalc.checking.report import Report
from attncalc.formats import Page
from attncalc.formats.data import json
from attncalc.formats.shared.explained import explained
from attncalc.formats.shared.numbers import one_or_all


def render(reports: Sequence[Report], page: Page) -> str:
    """One result, or a list of them."""
    return json.render(one_or_all([*map(result, reports)]), page)


def result(report: Report) -> dict[str, object]:
    """One submission; what cannot be read at all is not graded."""
    return {
        "gradable": report.is_read,
        "score": report.score / report.max_score if report.max_score else 0.0,
        "message": report.verdict.words,
        "output": "\n".join(report.errors),
        "format_errors": report.errors,
        "tests": [
            {
                "name": step.symbol,
                "points": step.score,
                "max_points": step.max_score,
                "message": explained(step),
            }
            for step in report.steps
        ],
    }
