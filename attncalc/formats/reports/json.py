"""Reports as JSON, for other programs: one object, or a list of several."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from attncalc.checking.report import Report

SCHEMA = "attncalc/check/1"


def render(reports: Sequence[Report], _: str) -> str:
    """One report, or a list of them."""
    found = [report_object(report) for report in reports]
    content = found[0] if len(found) == 1 else found
    return json.dumps(content, ensure_ascii=False, allow_nan=False, indent=1)


def report_object(report: Report) -> dict[str, Any]:
    """One report."""
    first = report.first_wrong
    return {
        "schema": SCHEMA,
        "problem": report.problem,
        "answers": report.answers,
        "student": report.student,
        "verdict": report.verdict,
        "score": report.score,
        "max_score": report.max_score,
        "first_wrong": {"step": first.step, "cells": [list(at) for at in first.cells]} if first else None,
        "steps": [
            {
                "step": step.step,
                "verdict": step.verdict,
                "wrong_cells": [list(at) for at in step.wrong_cells],
                "score": step.score,
                "max_score": step.max_score,
                "follows_from": list(step.follows_from),
                "diagnoses": [
                    {"mistake": d.mistake, "step": d.step, "message": d.message, "group": d.group}
                    for d in step.diagnoses
                ],
                "remarks": list(step.remarks),
            }
            for step in report.steps
        ],
        "errors": list(report.errors),
    }
