"""Reports as JSON, for other programs: one object, or a list of several."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.marking.report.report import Report, Reports, StepReport
from attncalc.marking.report.words import say_credit, verdict_text
from attncalc.pages import Page
from attncalc.pages.data import json
from attncalc.pages.step_results import both_results
from attncalc.worked.prose import to_words

SCHEMA = "attncalc/check/1"


def pieces(reports: Reports, page: Page) -> Iterator[str]:
    """One report, or a list of them."""
    objects = map(report_object, reports)
    yield from json.render_all(objects, page) if len(reports) > 1 else (json.render(next(objects), page),)


def report_object(report: Report) -> dict[str, object]:
    """One report."""
    first = report.first_wrong
    return {
        "schema": SCHEMA,
        "problem": report.problem,
        "answers": report.answers,
        "student": report.student,
        "id": report.person.id,
        "late": report.is_late,
        "verdict": report.verdict,
        "score": report.score,
        "max_score": report.max_score,
        "first_wrong": {"step": first.step, "cells": first.cells} if first else None,
        "steps": [step_object(step) for step in report.steps],
        "errors": report.errors,
        "notes": [*report.handed_in, *report.notes],
    }


def step_object(step: StepReport) -> dict[str, object]:
    """One step; with correct values only if the report has them."""
    found: dict[str, object] = {
        "step": step.step,
        "verdict": step.verdict,
        "wrong_cells": step.wrong_cells,
        "score": step.score,
        "max_score": step.max_score,
        "follows_from": step.follows_from,
        "diagnoses": [
            {
                "mistake": one.mistake,
                "step": one.step,
                "message": one.message,
                "group": one.group,
                "cells": one.cells,
                "besides": one.besides,
            }
            for one in step.diagnoses
        ],
        "remarks": [
            *step.remarks,
            *filter(None, (step.trivial, step.waiting, to_words(say_credit(step)))),
            *against(step),
        ],
    }
    if step.reached:
        found["reached"] = step.reached
    return {**found, "right": both_results(step.expected)} if step.expected else found


def against(step: StepReport) -> list[str]:
    """The message that a correct step does not follow from wrong ones."""
    return [to_words(verdict_text(step))] if step.against else []
