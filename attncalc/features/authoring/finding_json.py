"""Findings for other programs: one object, or a list of several."""

from __future__ import annotations

from collections.abc import Sequence

from attncalc.features.authoring.lint.findings import Finding, Lint
from attncalc.pages import Page
from attncalc.pages.data import json
from attncalc.pages.step_results import one_or_all

SCHEMA = "attncalc/lint/1"


def render(found: Sequence[Lint], page: Page) -> str:
    """The object of one problem, or a list of objects for several."""
    return json.render(one_or_all([lint_object(one) for one in found]), page)


def lint_object(found: Lint) -> dict[str, object]:
    """The findings of one problem as an object."""
    return {
        "schema": SCHEMA,
        "problem": found.problem,
        "applicable": found.applicable,
        "seen": found.seen,
        "apart": found.apart,
        "findings": [finding_object(one) for one in found.findings],
    }


def finding_object(found: Finding) -> dict[str, object]:
    """One finding as an object."""
    return {
        "code": found.code,
        "mistake": found.mistake,
        "kind": found.kind,
        "ask": found.ask,
        "alike": found.alike,
        "message": found.message,
        "line": found.place.line,
        "column": found.place.column,
    }
