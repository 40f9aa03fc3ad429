"""A report as the results.json of a PrairieLearn external grader."""

from __future__ import annotations

from attncalc.features.packs.report_gradescope import explain_step
from attncalc.marking.report.report import Report, Reports
from attncalc.marking.report.words import say_verdict
from attncalc.pages import Page
from attncalc.pages.data import json

SINGLE = True
ENDING = "json"


def render(reports: Reports, page: Page) -> str:
    """The result of one submission."""
    (report,) = reports
    return json.render(result(report), page)


def result(report: Report) -> dict[str, object]:
    """One submission; an unreadable one is not graded."""
    return {
        "gradable": report.is_read,
        "score": report.score / report.max_score if report.max_score else 0.0,
        "message": say_verdict(report),
        "output": "\n".join(report.errors),
        "format_errors": report.errors,
        "tests": [
            {
                "name": step.symbol,
                "points": step.score,
                "max_points": step.max_score,
                "message": explain_step(step),
            }
            for step in report.steps
        ],
    }
