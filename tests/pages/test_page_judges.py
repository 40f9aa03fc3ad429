"""Written numbers on a page: it judges by the rules of the checker. Its script runs in node, without a browser."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import attncalc
from attncalc.exercise.solve.solve import solve
from attncalc.marking.checker import Checker
from attncalc.marking.follow.judge import Mark
from attncalc.pages import Page
from attncalc.pages.documents.html import render
from attncalc.pages.documents.html.interactive import interactive
from attncalc.worked.view import View
from tests.helpers.random_students import marked
from tests.marking.test_written_numbers import CASES

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="needs node")
SCRIPT = Path(__file__).parents[1] / "helpers" / "page_without_browser.js"
PASSES = {Mark.CORRECT, Mark.ROUNDED, Mark.FOLLOWS, Mark.COARSE}


def judge_on_page(checker: Checker, answers: dict[str, str]) -> Mapping[str, str]:
    """How the page of a problem judges answers, by the keys of cells."""
    html = render(interactive(solve(checker.problem), View(pointed=True)), Page())
    given = json.dumps({"html": html, "answers": [answers]})
    found = subprocess.run([NODE or "", SCRIPT], input=given, capture_output=True, text=True, check=True)
    (judged,) = json.loads(found.stdout)
    return dict(judged)


def typed(answers: dict[str, Any]) -> dict[str, str] | None:
    """Answers by the keys of cells, if they can be typed: whole matrices of texts."""
    if not all(
        name.isalpha() and isinstance(rows, list) and isinstance(rows[0], list)
        for name, rows in answers.items()
    ):
        return None
    return {
        f"{name}:{i},{j}": str(text)
        for name, rows in answers.items()
        for i, row in enumerate(rows)
        for j, text in enumerate(row)
    }


TYPED = [(problem, answers) for problem, answers, _ in CASES if typed(answers) and "mode" not in problem]


@pytest.mark.parametrize(("problem", "answers"), TYPED)
def test_the_page_judges_as_the_checker(problem: dict[str, Any], answers: dict[str, Any]) -> None:
    """What passes is not wrong on the page, and a wrong or coarse whole number is not right."""
    checker = Checker(attncalc.problem(**problem))
    seen = judge_on_page(checker, typed(answers) or {})
    for step in marked(checker, answers).steps:
        if step.judged is None:
            continue
        for key in (key for key in seen if key.startswith(f"{step.step}:")):
            at = tuple(map(int, key.partition(":")[2].split(",")))
            mark, text = int(step.judged.marks[at]), answers[step.step][at[0]][at[1]]
            assert (mark in PASSES) <= (seen[key] != "wrong"), (key, text)
            if str(text).strip("-.").isdigit() and mark in (Mark.WRONG, Mark.COARSE):
                assert seen[key] not in ("right", "own"), (key, text)
