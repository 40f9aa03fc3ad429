"""Pastes from books, chats, notebooks and spreadsheets: each gives the intended numbers, or is refused.

A case is a file: what is pasted, and below `=== means` the same as a problem file, or below `=== refused` a part
of the sentence that refuses it.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from attncalc.core.errors import ProblemError
from attncalc.exercise.load import Source, as_meant
from attncalc.exercise.pasted.words import SAYINGS, Said, Saying, find_settings
from attncalc.exercise.problem import Problem
from attncalc.exercise.solve.solution import Solution
from attncalc.exercise.solve.solve import solve
from attncalc.exercise.yaml.tree import Mapped
from attncalc.features.authoring.vary.template import Template
from attncalc.features.authoring.vary.vary import Variation
from tests.helpers.quick_and_slow import each

CASES = sorted((Path(__file__).parent / "pastes").glob("*.txt"))


def parts_of(case: Path) -> tuple[str, str, str]:
    """What is pasted, whether it is read, and what it means or why it is refused."""
    typed, kind, rest = re.split(r"^=== (means|refused)\n", case.read_text("utf-8"), flags=re.MULTILINE)
    return typed, kind, rest


def read(text: str) -> Source:
    """A paste as it is read."""
    return as_meant(Source(text, "paste", "."))


def solved(problem: Problem) -> Solution:
    """The numeric solution of a problem."""
    return solve(problem, "numeric")


def is_read(case: Path) -> bool:
    """Whether a case is read."""
    return parts_of(case)[1] == "means"


@each("case", [case for case in CASES if is_read(case)], quick=[case for case in CASES if is_read(case)][::3])
def test_pastes_are_read(case: Path) -> None:
    """Every number of the solution is the intended one, the lines are said, and the text read is a problem file."""
    typed, _, meant = parts_of(case)
    source, proper = read(typed), read(meant)
    found, wanted = solved(source.problem), solved(proper.problem)
    assert [step.name for step in found.steps] == [step.name for step in wanted.steps]
    for step in wanted.steps:
        np.testing.assert_allclose(
            np.array(found[step.name].value, float), np.array(step.value, float), rtol=1e-12
        )
    assert source.problem.tokens == proper.problem.tokens
    assert isinstance(read(source.text).root, Mapped)


@each("case", [case for case in CASES if not is_read(case)], quick=[])
def test_pastes_are_refused(case: Path) -> None:
    """What may mean several things is refused with a sentence."""
    typed, _, why = parts_of(case)
    with pytest.raises(ProblemError, match=re.escape(why.strip())):
        solved(read(typed).problem)


@pytest.mark.parametrize("saying", SAYINGS, ids=lambda saying: saying.typed)
def test_words_are_taken_or_asked(saying: Saying) -> None:
    """Each row reads its example as a setting, or says what to write."""
    if saying.ask:
        with pytest.raises(Said, match=re.escape(saying.ask)):
            list(find_settings(saying.typed))
    else:
        key = saying.line.partition(":")[0]
        assert [setting for _, setting in find_settings(saying.typed) if setting.startswith(f"{key}: ")]


def test_no_word_is_lost() -> None:
    """Every line that is not read is named."""
    pasted = "Anna wrote this.\nQ = [[1, 0], [0, 1]] and\nK = [[1, 2], [3, 1]]\nGood luck with it!\n"
    said = str(read(pasted).problem.readings[0])
    assert "line 1, 'Anna wrote this.'" in said
    assert "line 4, 'Good luck with it!'" in said


@pytest.mark.parametrize(
    "text",
    [
        "{Q: [[1, 2], [3, 1]], K: [[1, 0], [2, 1]], V: [[2], [3]], answers: {A: [[0.5, 0.5]]}}\n",
        '{"query": [[1, 2], [3, 1]], "keys":[[1,0],[0,1]],\n "values": [[2],\n [3]], "heads": 1}\n',
    ],
    ids=["flow", "json"],
)
def test_one_mapping_in_braces_can_be_varied(text: str) -> None:
    """A variant of a file on one line is read, and has other numbers of the same shapes."""
    (variant,) = Variation(read(text), 0).make_all(["a"])
    found, first = variant.source.problem, read(text).problem
    assert {*found.settings} == {*first.settings}
    for name, given in first.settings.items():
        assert np.shape(found.settings[name]) == np.shape(given)
    assert found.settings["Q"].tolist() != first.settings["Q"].tolist()
    assert found.answers is not None


@pytest.mark.parametrize("name", ["numpy-script", "excel", "given-in-bold", "matlab"])
def test_what_is_read_can_be_varied(name: str) -> None:
    """`vary` finds the numbers of a paste."""
    typed = parts_of(Path(__file__).parent / "pastes" / f"{name}.txt")[0]
    assert Template(read(typed)).has_choice
