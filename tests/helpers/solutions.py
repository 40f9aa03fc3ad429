"""Solve problems given by their keys, and compare or render what comes out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import attncalc
from attncalc.core.errors import ProblemError
from attncalc.core.graph.references import Reference
from attncalc.exercise.solve.solution import Solution
from attncalc.marking.report.report import Report
from attncalc.pages import Page
from attncalc.pages.documents import text
from attncalc.worked.blocks import Document
from attncalc.worked.view import Excerpt, View


def solve_keys(mode: str | None = None, /, **keys: Any) -> Solution:
    """Solve the problem with these keys."""
    return attncalc.solve(attncalc.problem(**keys), mode)


def refusal(**keys: Any) -> str:
    """Return why the problem with these keys is refused."""
    with pytest.raises(ProblemError) as error:
        solve_keys(**keys)
    return str(error.value)


def verdicts(report: Report) -> dict[str, str]:
    """Return the verdict of every answered step, without those that are asked for and missing."""
    missing = {step.step for step in report.steps if step.verdict == "blank" and step.missing}
    return {step.step: step.verdict for step in report.steps if step.step not in missing}


def printed(document: Document, width: int | None = None, ascii_only: bool = False) -> str:
    """Return a document as text."""
    return text.render(document, Page(width=width, ascii=ascii_only)) + "\n"


def excerpt(solution: Solution, *names: str) -> Excerpt:
    """Return a solution, or some of its steps, as page formats take it."""
    return Excerpt(solution, View(references=tuple(map(Reference, names))))


def same_steps(exact: Solution, numeric: Solution, within: float = 1e-12) -> None:
    """Fail if two solutions of one problem differ."""
    for a, b in zip(exact.steps, numeric.steps, strict=True):
        np.testing.assert_allclose(b.value, a.value, rtol=within, atol=1e-12, err_msg=a.name)
