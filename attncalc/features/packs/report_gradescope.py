"""A report as the results.json of a Gradescope autograder."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.marking.report.report import Report, Reports, StepReport
from attncalc.pages import Page
from attncalc.pages.data import json
from attncalc.pages.step_lines import explain_step

SINGLE = True
ENDING = "json"


def render(reports: Reports, page: Page) -> str:
    """The result of one submission."""
    (report,) = reports
    return json.render(result(report), page)


def result(report: Report) -> dict[str, object]:
    """One submission."""
    return {
        "score": report.score,
        "output": "\n".join([report.verdict.words, *report.errors]),
        "output_format": "text",
        "extra_data": {
            "answers": report.answers,
            "student": report.student,
            "mistakes": report.mistakes,
        },
        "tests": [*map(test, report.steps), *untold(report)],
    }


def untold(report: Report) -> Iterator[dict[str, object]]:
    """The points without a step, so that the maximum is the same for all submissions."""
    if not report.steps:
        yield {"name": "all", "score": report.score, "max_score": report.max_score}
    elif report.unanswered > 0:
        yield {"name": "not answered", "score": 0.0, "max_score": report.unanswered}


def test(step: StepReport) -> dict[str, object]:
    """One step."""
    return {
        "name": step.symbol,
        "score": step.score,
        "max_score": step.max_score,
        "status": "passed" if step.verdict.passes else "failed",
        "output": explain_step(step),
        "output_format": "text",
    }
