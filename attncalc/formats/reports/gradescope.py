"""Reports as the results.json of a Gradescope autograder."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from attncalc.checking.report import Report, StepReport
from attncalc.checking.words import LEVELS, OVERALL, reasons, verdict_text

FAILED = ("wrong", "shape", "unreadable", "blank", "coarse")


def render(reports: Sequence[Report], feedback: str) -> str:
    """One result, or a list of them."""
    found = [result(report, feedback) for report in reports]
    return json.dumps(found[0] if len(found) == 1 else found, ensure_ascii=False, indent=1)


def result(report: Report, feedback: str) -> dict[str, Any]:
    """One submission."""
    return {
        "score": report.score,
        "output": "\n".join([OVERALL[report.verdict], *report.errors]),
        "output_format": "text",
        "extra_data": {
            "answers": report.answers,
            "student": report.student,
            "mistakes": list(report.mistakes),
        },
        "tests": [
            {
                "name": step.symbol,
                "score": step.score,
                "max_score": step.max_score,
                "status": "failed" if step.verdict in FAILED else "passed",
                "output": explained(step, feedback),
                "output_format": "text",
            }
            for step in report.steps
            if feedback != "verdict"
        ],
    }


def explained(step: StepReport, feedback: str) -> str:
    """A step's verdict, and its reasons where they are told."""
    told = list(reasons(step)) if LEVELS.index(feedback) >= LEVELS.index("mistake") else []
    return "\n".join([verdict_text(step, feedback), *told])
