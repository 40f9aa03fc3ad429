"""Points: what is asked earns, each mistake costs once, and the verdict never contradicts the points."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import attncalc
from attncalc.core.fields import Floats
from attncalc.core.record import replace
from attncalc.exercise.load import load_source
from attncalc.features.classes.summary import say_percent
from attncalc.features.packs.prairielearn_question import Paper
from attncalc.marking.checker import Checker
from attncalc.marking.report.levels import Level
from attncalc.marking.report.report import Report
from attncalc.marking.report.words import count_points, headline, points, say_credit
from attncalc.mistakes import MISTAKES
from attncalc.mistakes.base import Rounding, Slip
from attncalc.worked.prose import to_words
from tests.helpers.bundled import checker_of
from tests.helpers.commands import run
from tests.helpers.quick_and_slow import sizes
from tests.helpers.random_students import Student, marked, variations

Told = dict[str, Any]
Q, K = np.array([[1.0, 2], [0, 1], [2, -1]]), np.array([[1.0, 0], [2, 1], [-1, 1]])
V = np.array([[3.0, 1, -2], [0, 2, 5], [1, -4, 2]])
GIVEN: dict[str, Any] = {"Q": Q.tolist(), "K": K.tolist(), "V": V.tolist()}
S = Q @ K.T


def softmax(scores: Floats) -> Floats:
    """Shares of powers, row by row."""
    powers = np.exp(scores)
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def texts(matrix: Floats) -> list[list[str]]:
    """A matrix to four decimals."""
    return [[f"{x:.4f}" for x in row] for row in matrix]


def answers(z: Floats, which: str) -> Told:
    """What a student with these scaled scores answers."""
    every = {"S": S, "Z": z, "A": softmax(z), "O": softmax(z) @ V}
    return {name: texts(every[name]) for name in which}


SLIPPED_S = np.where(np.arange(9).reshape(3, 3) == 4, S + 1, S)
RIGHT, UNSCALED = S / np.sqrt(2), S
SLIPPED = np.where(np.arange(9).reshape(3, 3) == 4, RIGHT + 1, RIGHT)
LATE = {**answers(RIGHT, "ZA"), "O": texts(softmax(RIGHT).T @ V)}
"""A mistake in the last step."""
BOTH, ASKED_O = {"marks": {"A": 1, "O": 1}}, {"marks": {"O": 3}}
CASES: list[tuple[dict[str, Any], Told, str, float, str]] = [
    ({}, answers(RIGHT, "O"), "correct", 1, "Everything is right."),
    ({}, answers(RIGHT, "SZA"), "incomplete", 0, "Nothing is wrong, but something is missing."),
    ({}, {}, "incomplete", 0, "Nothing is wrong, but something is missing."),
    # A mistake where nothing is asked costs half, whether the step is answered or not.
    ({}, answers(UNSCALED, "SZAO"), "incorrect", 1 / 2, "Not right yet."),
    ({}, answers(UNSCALED, "O"), "incorrect", 1 / 2, "Not right yet."),
    ({}, answers(SLIPPED, "ZO"), "incorrect", 5 / 6, "Not right yet."),
    # Where a step is asked for, its mistake costs there, and only there.
    (BOTH, {**answers(UNSCALED, "AO"), "Z": texts(RIGHT)}, "incorrect", 1.5, "Not right yet."),
    (BOTH, answers(UNSCALED, "AO"), "incorrect", 1.5, "Not right yet."),
    (BOTH, answers(UNSCALED, "ZAO"), "incorrect", 1.5, "Not right yet."),
    (BOTH, answers(UNSCALED, "ZO"), "incorrect", 0.5, "Not right yet."),
    ({}, LATE, "incorrect", 0, "Not right yet."),
    # The share is the problem's.
    ({"marks": {"O": 3, "follow": "1/3"}}, answers(UNSCALED, "ZO"), "incorrect", 1, "Not right yet."),
    ({"marks": {"O": 3, "follow": 0.25}}, answers(UNSCALED, "ZO"), "incorrect", 0.75, "Not right yet."),
    ({"marks": {"O": 3, "follow": "none"}}, answers(UNSCALED, "ZO"), "incorrect", 0, "Not right yet."),
    (
        {"marks": {"O": 3, "follow": "full"}},
        answers(UNSCALED, "ZO"),
        "correct",
        3,
        "All points, but something is wrong.",
    ),
    # What is not asked for costs nothing, and earns nothing.
    (
        {},
        {**answers(RIGHT, "O"), "S": texts(S + 1)},
        "correct",
        1,
        "All points, but something is wrong.",
    ),
    (
        {},
        {**answers(RIGHT, "O"), "S": [["1x", 2, 3]] * 3},
        "correct",
        1,
        "All points, but something is wrong.",
    ),
    ({}, answers(UNSCALED, "Z"), "incomplete", 0, "What is asked for is missing, and something else is wrong."),
    # A right final answer.
    ({"marks": {"A": 1, "O": 1, "implied": "full"}}, answers(RIGHT, "O"), "correct", 2, "Everything is right."),
    (
        {"marks": {"A": 1, "O": 1, "implied": "full"}},
        {**answers(RIGHT, "O"), "A": texts(softmax(S))},
        "correct",
        2,
        "All points, but something is wrong.",
    ),
    ({"marks": {"A": 1, "O": 1, "implied": "full"}}, answers(UNSCALED, "O"), "incorrect", 0.5, "Not right yet."),
    # Numbers that need no work.
    ({}, {"S": texts(0 * S), "O": texts(np.ones((3, 3)) / 3 @ V)}, "incorrect", 0, "Not right yet."),
    ({}, {"A": texts(np.eye(3)), "O": V.tolist()}, "incorrect", 0, "Not right yet."),
    ({}, {"O": V.tolist()}, "incorrect", 0, "Not right yet."),
    ({"mask": "causal"}, {"O": V.tolist()}, "incorrect", 0, "Not right yet."),
    ({"mask": "causal", "marks": {"A": 1}}, {"A": texts(np.eye(3))}, "incorrect", 0, "Not right yet."),
    (
        {"mask": "causal", "marks": {"A": 1}},
        {"A": [[1, 0, 0], ["_", "_", 0], ["_", "_", "_"]]},
        "incomplete",
        0,
        "Nothing is wrong, but something is missing.",
    ),
    ({"V": np.eye(3).tolist()}, {"O": np.eye(3).tolist()}, "incorrect", 0, "Not right yet."),
    ({"marks": {"A": 1}}, {"A": [["0."] * 3] * 3}, "incorrect", 0, "Not right yet."),
]  # fmt: skip


@pytest.mark.parametrize(("keys", "told", "verdict", "score", "said"), CASES)
def test_points(keys: dict[str, Any], told: Told, verdict: str, score: float, said: str) -> None:
    """The verdict, the points and the headline."""
    report = attncalc.check(attncalc.problem(**{**GIVEN, **keys}), told)
    assert (report.verdict, round(report.score, 9)) == (verdict, round(score, 9)), report
    assert headline(report) == said
    # An unscaled Z is wrong where 0 in a coarse step is not.
    assert report.exit_code == int(report.is_flawed)


CREDIT: list[tuple[dict[str, Any], Told, str]] = [
    ({}, answers(UNSCALED, "SZAO"), "Half of the points: right from Z on, given your Z."),
    ({}, answers(UNSCALED, "O"), "Half of the points: right but for one mistake on the way."),
    (BOTH, answers(UNSCALED, "ZAO"), ""),
    (
        {"marks": {"O": 3, "follow": "1/3"}},
        answers(UNSCALED, "ZO"),
        "1/3 of the points: right from Z on, given your Z.",
    ),
    (
        {"marks": {"O": 3, "follow": "full"}},
        answers(UNSCALED, "ZO"),
        "All of the points: right from Z on, given your Z.",
    ),
    (
        {},
        {**answers(UNSCALED, "ZO"), "A": texts(softmax(RIGHT))},
        "Half of the points: right, given your Z alone.",
    ),
    (
        {},
        {**answers(UNSCALED, "O"), "Z": texts(RIGHT)},
        "Half of the points: your other answers left aside, right but for one mistake on the way.",
    ),
    (
        {"marks": {"S": 1, "Z": 1, "A": 1}},
        {"S": texts(SLIPPED_S), "Z": texts(RIGHT), "A": texts(softmax(SLIPPED_S / np.sqrt(2)))},
        "All of the points for 3 of 9 entries: right, given your S alone.",
    ),
    ({}, answers(RIGHT, "ZAO"), ""),
    ({}, LATE, ""),
]


@pytest.mark.parametrize(("keys", "told", "said"), CREDIT)
def test_a_share_of_the_points_is_explained(keys: dict[str, Any], told: Told, said: str) -> None:
    """With the share that the problem sets, the step from which all is right, and no mistake: it is named above."""
    *_, last = attncalc.check(attncalc.problem(**{**GIVEN, **keys}), told).steps
    assert to_words(say_credit(last)) == said


def test_a_slip_costs_the_entries_that_follow() -> None:
    """The others are right."""
    report = attncalc.check(attncalc.problem(**GIVEN), answers(SLIPPED, "ZO"))
    said = to_words(say_credit(report.steps[-1]))
    assert said.startswith("Half of the points for 3 of 9 entries: right from Z on, given your Z.")


def test_a_slip_in_one_row_costs_nothing_in_the_others() -> None:
    """Though these are further from the right ones than one unit, because the weights have two places."""
    weights = np.round(softmax(RIGHT), 2)
    weights[0, 0] += 0.3
    told = {
        name: [[f"{x:.2f}" for x in row] for row in rows]
        for name, rows in (("A", weights), ("O", weights @ V))
    }
    *_, output = attncalc.check(attncalc.problem(**GIVEN), told).steps
    assert output.score == pytest.approx((6 + 3 / 2) / 9)
    assert to_words(say_credit(output)).startswith("Half of the points for 3 of 9 entries")


def test_what_needs_no_work_is_told_from_what_looks_like_it() -> None:
    """An output that equals the values is right if the weights are one-hot, and so is what follows from it."""
    hard = {"S": [[9000, 0], [0, 9000]], "V": [[3, 1], [0, 2]], "scale": "none"}
    assert attncalc.check(attncalc.problem(**hard), {"O": [[3, 1], [0, 2]]}).verdict == "correct"
    # Weights that are as good as one-hot for all: the student's swapped ones are no simpler.
    told = {"A": [["0.00", "1.00"], ["1.00", "0.00"]], "O": [["0.00", "2.00"], ["3.00", "1.00"]]}
    *_, output = attncalc.check(attncalc.problem(**hard), told).steps
    assert (output.verdict, output.trivial, output.score) == ("follows", "", 0.5)
    scores = attncalc.problem(S=[[1, 2], [0, 3]], V=[[3, 1], [0, 2]], block=[{"layer_norm": {"eps": 0}}])
    steps = attncalc.check(
        scores, {"A": [[1, 0], [0, 1]], "O": [[3, 1], [0, 2]], "N1": [[1, -1], [-1, 1]]}
    ).steps
    assert not any(step.trivial for step in steps if step.step != "O")


GRADED = {"marks": {"S": 1, "Z": 1, "A": 1, "O": 1}}
SLIPPED_K = np.where(np.arange(6).reshape(3, 2) == 0, 10, K)
ONE_HOT = {
    "X": [[-2, -3], [-3, 1], [2, 0]],
    "W_Q": [[2, -2], [0, -1]],
    "W_K": [[2, -1], [0, 1]],
    "W_V": [[3, -2], [1, 2]],
}
COPIES: list[tuple[dict[str, Any] | str, Told, str, float]] = [
    # What a later step repeats keeps its points, as do weights that are nearly, but not quite, one-hot.
    ({"X": np.eye(3).tolist(), "W_Q": Q.tolist(), "W_K": K.tolist(), "W_V": V.tolist(), **GRADED},
     {"K": texts(SLIPPED_K), "S": texts(Q @ SLIPPED_K.T), "Z": texts(Q @ SLIPPED_K.T)}, "S", 8 / 9),
    ({**GIVEN, **GRADED}, {"S": texts(SLIPPED_S), "Z": texts(SLIPPED_S)}, "S", 8 / 9),
    ("softcap", {"A": [["0.0000", "0.0067", "0.9933"]], "O": [["0.9933", "1.0000"]]}, "O", 0.5),
    # The right weights are one-hot as they are written: to repeat the rows of V is no short cut.
    (ONE_HOT, {"V": ONE_HOT["X"], "A": [[0, 1, 0], [0, 1, 0], [0, 0, 1]], "O": [[-3, 1], [-3, 1], [2, 0]]}, "O", 0.5),
]  # fmt: skip


@pytest.mark.parametrize(("problem", "told", "name", "score"), COPIES)
def test_only_a_copy_earns_nothing(
    problem: dict[str, Any] | str, told: Told, name: str, score: float
) -> None:
    """The numbers that a later step repeats are as good as others."""
    checker = checker_of(problem) if isinstance(problem, str) else Checker(attncalc.problem(**problem))
    (step,) = (one for one in marked(checker, told).steps if one.step == name)
    assert (round(step.score, 9), step.trivial) == (round(score, 9), "")
    assert not any("earn nothing" in remark for remark in step.remarks)


def test_the_points_name_no_mistake() -> None:
    """It is named above, where all answers are considered; by itself another one may fit."""
    rolled = {"A": texts(softmax(RIGHT)), "O": texts(np.roll(softmax(RIGHT), 1, axis=1) @ V)}
    for told in (rolled, answers(UNSCALED, "O"), answers(UNSCALED, "ZO")):
        problem = attncalc.problem(**GIVEN)
        report = attncalc.check(problem, told)
        said = str(report)
        for message in {one.message for step in report.steps for one in step.diagnoses}:
            assert " ".join(said.split()).count(message) == 1, said


def test_the_limit_is_asked_for() -> None:
    """It earns the point, and is what the answers file asks for."""
    keys = {"Q": [["beta"]], "K": [[1], [2]], "V": [[1], [2]], "limit": "beta -> oo"}
    problem = attncalc.problem(symbols={"beta": "positive"}, **keys)
    for told in ({"O_limit": [[2]]}, {"O": [[2]]}):
        assert (attncalc.check(problem, told).verdict, attncalc.check(problem, told).score) == ("correct", 1)
    assert attncalc.check(problem, {"O_limit": [[1]]}).verdict == "incorrect"


@pytest.mark.parametrize("share", ["half", -1, "3/2", "[1]"])
def test_shares_are_none_full_or_a_number(share: object) -> None:
    """From 0 to 1."""
    with pytest.raises(attncalc.ProblemError):
        attncalc.problem(**GIVEN, marks={"O": 1, "follow": share})


def test_points_are_never_rounded_up_to_all() -> None:
    """And the mean of a class is 0 or 100 % only if it is."""
    one = attncalc.check(attncalc.problem(**GIVEN), answers(RIGHT, "O"))
    nearly = replace(one, score=0.9999, is_flawed=True)
    assert (count_points(one), count_points(nearly)) == ("1", "0.99")
    assert [say_percent(x) for x in (0, 0.0001, 0.5, 0.9999, 1)] == [
        "0 %",
        "less than 1 %",
        "50 %",
        "99 %",
        "100 %",
    ]


FORMATS = ("json", "csv", "gradescope", "prairielearn", "html", "text")


@pytest.mark.parametrize("told", [answers(UNSCALED, "SZAO"), answers(UNSCALED, "O"), answers(SLIPPED, "ZO")])
def test_every_format_has_the_same_points(told: Told, tmp_path: Path) -> None:
    """Files, pages, other systems and Python agree."""
    problem, file = tmp_path / "p.yaml", tmp_path / "a.json"
    problem.write_text(json.dumps({**GIVEN, "marks": {"O": 4}}))
    file.write_text(json.dumps(told))
    report = attncalc.check(str(problem), told)
    found = {
        name: run("check", str(problem), str(file), "-f", name, code=1) for name in FORMATS if name != "text"
    }
    assert json.loads(found["json"])["score"] == report.score
    head, row = (line.split(",") for line in found["csv"].splitlines())
    assert float(dict(zip(head, row, strict=True))["score"]) == pytest.approx(report.score, abs=0.005)
    assert json.loads(found["gradescope"])["score"] == report.score
    assert json.loads(found["prairielearn"])["score"] == report.score / 4
    assert points(report) in found["html"] and points(report) in run("check", str(problem), str(file), code=1)
    paper = Paper(load_source(str(problem)))
    own = {f"O_{n + 1}": cell for n, cell in enumerate(cell for row in told["O"] for cell in row)}
    blanks = [name for field in paper.fields for name in field.blank_names]
    alone = paper.check(dict(zip(blanks, own.values(), strict=True)))
    scores = paper.scores(alone, Level.VERDICT).values()
    mean = sum(one["score"] * one["weight"] for one in scores) / sum(one["weight"] for one in scores)
    assert mean == pytest.approx(alone.score / 4)


MADE = [one for one in MISTAKES if not isinstance(one, Slip | Rounding)]
NAMES = ("dot-product-3", "exact-causal", "four-words", "two-heads-by-hand")


def students(name: str, count: int) -> Iterator[tuple[Checker, Told]]:
    """Students with one mistake or none, who answer some of the steps."""
    rng, checker = np.random.default_rng(len(name)), checker_of(name)
    changes = [change for mistake in MADE for change in variations(mistake, checker.graph)]
    for n in range(count):
        student = Student(checker, rng)
        student.places, student.carry = 4, "full"
        try:
            told = student.answers(changes[rng.integers(len(changes))] if n % 4 else None)
        except ArithmeticError:
            continue
        keep = [step for step in told if rng.random() < 0.7]
        yield checker, {step: told[step] for step in keep} if n % 2 else told


def right_text(checker: Checker, step: str) -> list[list[str]]:
    """The correct values of a step to four decimals."""
    return [[f"{x:.4f}" for x in row] for row in checker.truth.floats[step]]


def check_words(report: Report) -> None:
    """The verdict and the points of a report agree."""
    has_all = report.score >= report.max_score
    asked = [step for step in report.steps if step.max_score]
    assert (report.verdict == "correct") == has_all
    assert not (report.verdict == "incorrect" and has_all)
    if all(step.verdict == "blank" for step in asked):
        assert (report.verdict, report.score) == ("incomplete", 0)
    assert not (points(report).startswith("Not right yet") and has_all)


@sizes(count=(5, 200))
@pytest.mark.parametrize("name", NAMES)
def test_more_answers_never_cost_points(name: str, count: int) -> None:
    """One more right step costs nothing, and leaving out a wrong one earns nothing."""
    for checker, told in students(name, count):
        report = marked(checker, told)
        check_words(report)
        for step in checker.graph.shapes.keys() & {one.name for one in checker.graph.steps} - told.keys():
            more = marked(checker, {**told, step: right_text(checker, step)})
            check_words(more)
            assert more.score >= report.score - 1e-9, (told, step)
        for wrong in [one.step for one in report.steps if one.is_bad]:
            less = marked(checker, {step: rows for step, rows in told.items() if step != wrong})
            check_words(less)
            assert less.score <= report.score + 1e-9, (told, wrong)
