"""Reports as the results.json of a PrairieLearn external grader."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from attncalc.checking.report import Report
from attncalc.checking.words import OVERALL
from attncalc.formats.reports.gradescope import explained


def render(reports: Sequence[Report], feedback: str) -> str:
    """One result, or a list of them."""
    found = [result(report, feedback) for report in reports]
    return json.dumps(found[0] if len(found) == 1 else found, ensure_ascii=False, indent=1)


def result(report: Report, feedback: str) -> dict[str, Any]:
    """One submission; what cannot be read at all is not graded."""
    return {
        "gradable": report.exit_code != 2,
        "score": report.score / report.max_score if report.max_score else 0.0,
        "message": OVERALL[report.verdict],
        "output": "\n".join(report.errors),
        "format_errors": list(report.errors),
        "tests": [
            {
                "name": step.symbol,
                "points": step.score,
                "max_points": step.max_score,
                "message": explained(step, feedback),
            }
            for step in report.steps
            if feedback != "verdict"
        ],
    }
