"""Reports as the results.json of a Gradescope autograder."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from attncalc.checking.report import Report, StepReport


def render(reports: Sequence[Report]) -> str:
    """One result, or a list of them."""
    found = [result(report) for report in reports]
    return json.dumps(found[0] if len(found) == 1 else found, ensure_ascii=False, indent=1)


def result(report: Report) -> dict[str, Any]:
    """One submission."""
    return {
        "score": report.score,
        "output": "\n".join([report.verdict, *report.errors]),
        "output_format": "text",
        "extra_data": {"answers": report.answers, "mistakes": list(report.mistakes)},
        "tests": [
            {
                "name": step.step,
                "score": step.score,
                "max_score": step.max_score,
                "status": "failed" if step.verdict in ("wrong", "shape", "unreadable", "blank") else "passed",
                "output": explained(step),
                "output_format": "text",
                "tags": [diagnosis.mistake for diagnosis in step.diagnoses],
            }
            for step in report.steps
        ],
    }


def explained(step: StepReport) -> str:
    """A step's verdict and reasons, a line each."""
    source = [f"follows from {step.follows_from}"] if step.follows_from else []
    reasons = dict.fromkeys(diagnosis.message for diagnosis in step.diagnoses)
    return "\n".join([step.verdict, *source, *reasons, *step.remarks])
