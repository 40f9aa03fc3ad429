"""Reports as the results.json of a Gradescope autograder."""

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
        "tests": [
            {
                "name": step.symbol,
                "score": step.score,
                "max_score": step.max_score,
                "status": "passed" if step.verdict.passes else "failed",
                "output": explained(step),
                "output_format": "text",
            }
            for step in report.steps
        ],
    }
