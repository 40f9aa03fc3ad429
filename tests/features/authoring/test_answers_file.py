"""`attncalc answers`: a blank for all that is asked, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

import attncalc
from attncalc.core.graph.references import parse_reference
from attncalc.core.notations.unicode import Ascii, write
from attncalc.exercise.mechanisms.base import parse_key
from attncalc.marking.answers.questions import write_answers
from attncalc.marking.verdicts import OverallVerdict
from tests.helpers.bundled import NAMES, PROBLEMS, WORKED, checker_of, solved
from tests.helpers.commands import run, run_fault
from tests.helpers.quick_and_slow import each

PLACES = 4


def read(name: str) -> dict[str, Any]:
    """The blanks of a problem by key."""
    found = yaml.safe_load(write_answers(solved(name)))
    assert found.pop("problem") == name and found.pop("student") is None
    return dict(found)


def filled(name: str, key: str) -> Any:
    """The right numbers for a blank: rounded, or with letters."""
    reference = parse_reference(key)
    assert reference
    at = tuple(n - 1 for n in reference.at)
    problem = PROBLEMS[name]
    designs = {parse_key(design).to_course_name(problem.names): design for design in problem.design}
    if reference.step in designs:
        matrix = problem.settings[designs[reference.step]]
        return np.frompyfunc(lambda term: write(term, Ascii()), 1, 1)(matrix).tolist()
    step = solved(name)[reference.step]
    if PROBLEMS[name].symbols:
        return np.array(step.exact, dtype=str)[at].tolist()
    places = max(PLACES, PROBLEMS[name].places or 0)
    return np.vectorize(lambda value: f"{value:.{places}f}")(step.value[at]).tolist()


def shape(cells: Any) -> tuple[int, ...]:
    """The shape of nested lists."""
    return np.array(cells).shape


@each("name", WORKED, quick=["dot-product-1", "attention-exploration-b", "rope"])
def test_filled_with_the_solution_it_is_right(name: str) -> None:
    """Rounded numbers are all right, and the blanks have their shapes."""
    blanks = read(name)
    told = {key: filled(name, key) for key in blanks}
    assert {key: shape(cells) for key, cells in told.items()} == {key: shape(blanks[key]) for key in blanks}
    report = attncalc.check(PROBLEMS[name], told)
    assert report.verdict is OverallVerdict.CORRECT, report
    assert report.score == report.max_score


@each("name", WORKED, quick=["dot-product-1", "attention-exploration-b", "rope"])
def test_left_blank_it_is_incomplete(name: str, tmp_path: Path) -> None:
    """Nothing is wrong, and nothing is there."""
    file = tmp_path / "blank.yaml"
    file.write_text(run("answers", name), "utf-8")
    report = checker_of(name).check_file(str(file))
    assert (report.verdict, report.score, report.errors) == (OverallVerdict.INCOMPLETE, 0, ())


def test_everything_asked_is_there_once() -> None:
    """In the course's names, part by part; a row that a whole step covers is not asked again."""
    assert list(read("discussion-10-q1")) == ["Q", "K", "V", "z[3]", "a[3]", "O[3]"]
    problem = attncalc.problem(
        Q=[[1, 2]], K=[[1, 0], [0, 1]], parts=[{"show": "A[1, 2]"}, {"show": ["S[1]", "A"]}], marks={"Z": 2}
    )
    found = yaml.safe_load(write_answers(attncalc.solve(problem)))
    assert list(found) == ["student", "S[1]", "A", "Z"]


def test_names_that_mean_something_else() -> None:
    """A step that a course calls like a key of the file goes by its own name."""
    problem = attncalc.problem(Q=[[1]], K=[[1]], V=[[2]], names={"O": "student"})
    assert yaml.safe_load(write_answers(attncalc.solve(problem)))["O"] == [["_"]]


@pytest.mark.parametrize("name", [name for name in NAMES if name not in WORKED])
def test_derivations_have_no_blanks(name: str) -> None:
    """A problem without numbers is refused in a sentence."""
    assert "there are no numbers to fill in" in run_fault("answers", name)


def test_what_is_printed() -> None:
    """Comments say the shapes; a row stands on a line."""
    assert run("answers", "dot-product-3") == (
        "# Scaled dot-product attention by hand: a number in place of every _\n"
        "problem: dot-product-3\n"
        "student:\n"
        "\n"
        "# part 3\n"
        "C: [[_, _, _],  # 2 x 3\n"
        "    [_, _, _]]\n"
    )
