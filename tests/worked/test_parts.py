"""The parts of an exercise: questions in words, one part alone, what is for readers and what is not."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

import attncalc
from attncalc.pages import Page, formats_of
from tests.helpers.bundled import PROBLEMS, solved
from tests.helpers.commands import run
from tests.helpers.solutions import excerpt

PAGES = formats_of("documents")
ASKED: dict[str, Any] = {
    "S": [[1, 2]],
    "parts": [{"part": "a", "show": "A", "ask": "What are the weights of x_1?"}],
}


@pytest.mark.parametrize("label", ["c", "(c)", "C"])
def test_one_part_is_what_the_whole_says_of_it(label: str) -> None:
    """However its label is written, under the title of the exercise and what it works with."""
    name = "discussion-10-q1"
    opening, mark, told = run("solve", name, "--part", label).partition("(c)\n")
    assert PROBLEMS[name].title in opening and "Given" not in opening
    assert re.search(r"From the parts before\n[^)]*V = [^)]*z = ", opening)
    assert mark + told.rstrip() in run("solve", name)
    assert "Attention weights a" in told and "Queries Q" not in told and "(d)" not in told


def test_parts_in_other_formats() -> None:
    """Data and programs have the steps that the part asks for."""
    steps = json.loads(run("solve", "discussion-10-q1", "-f", "json", "--part", "c"))["steps"]
    assert [step["name"] for step in steps] == ["A", "O"]
    script = run("solve", "discussion-10-q1", "-f", "numpy", "--part", "b")
    assert 'check("S"' in script and 'check("Q"' not in script
    sheet = run("solve", "discussion-10-q1", "-f", "worksheet", "--part", "b", "--part", "c")
    assert "(b)" in sheet and "(c)" in sheet and "(a)" not in sheet


@pytest.mark.parametrize("page", PAGES)
def test_a_sheet_and_its_key_ask_alike(page: str) -> None:
    """The question stands in both, on every kind of page, and no other beside it."""
    problem = attncalc.problem(**ASKED)
    solution = attncalc.solve(problem)
    key = PAGES[page].render(solution.to_document(pointed=False))
    sheet = formats_of("solutions")["worksheet"].render(excerpt(solution))
    for text in (key, sheet):
        assert "What are the weights of" in text and "Find" not in text
    plain = attncalc.problem(**{**ASKED, "parts": [{"part": "a", "show": "A"}]})
    assert "Find" in formats_of("solutions")["worksheet"].render(excerpt(attncalc.solve(plain)))


def test_a_part_in_words_gives_no_numbers() -> None:
    """What is given stands only above parts that work with it; the note of the exercise above all."""
    assert "Given" in run("solve", "discussion-10-q1", "--part", "a")
    assert "Given" not in run("solve", "discussion-10-q1", "--part", "e")
    assert "C = softmax" in run("solve", "dot-product-2", "--part", "b")


@pytest.mark.parametrize("page", PAGES)
def test_the_note_of_a_part_ends_it(page: str) -> None:
    """In the key it follows the results; the sheet does not tell it."""
    problem = attncalc.problem(**{**ASKED, "parts": [{**ASKED["parts"][0], "note": "More for the second."}]})
    solution = attncalc.solve(problem)
    assert "More for the second." in PAGES[page].render(solution.to_document(pointed=False))
    for flavor in ("", "latex", "html"):
        sheet = formats_of("solutions")["worksheet"].render(excerpt(solution), Page(flavor=flavor))
        assert "More for" not in sheet


@pytest.mark.parametrize("page", PAGES)
def test_a_remark_is_for_the_author(page: str) -> None:
    """A note is shown, a remark nowhere."""
    problem = attncalc.problem(
        S=[[1, 2]], note="for readers", remark="for nobody else", answers={"A": [[1, 0]]}
    )
    for shown in (attncalc.solve(problem), attncalc.check(problem, {"A": [[1, 0]]})):
        assert "nobody" not in PAGES[page].render(shown.to_document(pointed=True))
    assert "for readers" in str(attncalc.solve(problem))


def test_digits_as_the_key_has_them() -> None:
    """Results in the key, to its places; all others as usual, and all of them if the user asks."""
    shown = run("solve", "dot-product-1")
    assert "α ≈ [ 0.88  0.12  0.00 ]" in shown and "E₂ = e^z₂ = e^6 ≈ 403.4288" in shown
    assert "α ≈ [ 0.8801  0.1191  0.0008 ]" in run("solve", "dot-product-1", "--places", "4")
    with pytest.raises(attncalc.ProblemError, match="must be a whole number from 1 to 100"):
        attncalc.problem(S=[[1]], digits="keys")


def test_a_row_as_a_sum_of_vectors() -> None:
    """Where vectors are columns the output is also added up as vectors; exact numbers are equal to it."""
    assert "0.00247·(16, 27) + 0.99753·(−8, 0) + 6.90e-13·(8, −18) ≈ (−7.94, 0.067)" in run(
        "solve", "discussion-10-q1"
    )
    told = str(attncalc.solve(attncalc.problem(S=[[0, 0]], V=[[1, 2], [3, 4]], vectors="columns")))
    assert "o = A₁·v₁ + A₂·v₂ = 1/2·(1, 2) + 1/2·(3, 4) = (2, 3)" in told
    assert "c₁ = " not in str(solved("dot-product-3"))


def test_unused_names_are_free() -> None:
    """C is a step only where scores are capped, and v_a a key only where scores are additive."""
    assert "C₁₁ = A₁₁·V₁₁" in run("solve", "dot-product-3")
    problem = attncalc.problem(
        S=[[1, 2]], V="stack(v_a, p)", let={"v_a": [1, 2], "p": [3, 4]}, names={"O": "C"}
    )
    assert attncalc.solve(problem)["C"].name == "O"
