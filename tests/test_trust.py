"""What a marker is trusted for: honest habits pass, tricks do not pay, and nobody is accused by chance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import attncalc
from attncalc.checking.checker import Checker
from attncalc.fields import Array
from attncalc.mistakes.habits import HABITS
from tests.samples import sizes
from tests.students import marked

Q = np.array([[1.0, 2], [0, 1], [2, -1]])
K = np.array([[1.0, 0], [2, 1], [-1, 1]])
V = np.array([[3.0, 1, -2], [0, 2, 5], [1, -4, 2]])
CHECKER = Checker(attncalc.problem(Q=Q.tolist(), K=K.tolist(), V=V.tolist()))


def texts(matrix: Array, places: int) -> list[list[str]]:
    """A matrix as it is put down."""
    return [[f"{x:.{places}f}" for x in row] for row in matrix]


def weights(scores: Array, e: float = np.e) -> Array:
    """Shares of powers, row by row."""
    powers = e**scores
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def attention(
    root: float = np.sqrt(2), e: float = np.e, rounded: Callable[[Array], Array] = np.asarray
) -> Array:
    """The output, with a root, an e and a rounding of the weights of one's own."""
    return np.asarray(rounded(weights(Q @ K.T / root, e)) @ V)


A = weights(Q @ K.T / np.sqrt(2))
REST = np.round(A, 2)
REST[:, -1] = 1 - REST[:, :-1].sum(axis=1)
HONEST: list[tuple[str, dict[str, Any]]] = [
    ("hidden-rounding", {"O": texts(attention(rounded=lambda a: np.round(a, 2)), 4)}),
    ("hidden-rounding", {"O": texts(attention(rounded=lambda a: np.round(a, 3)), 5)}),
    ("root-rounded", {"O": texts(attention(root=1.41), 5)}),
    ("e-rounded", {"O": texts(attention(e=2.72), 5)}),
    ("truncated", {"A": texts(np.trunc(A * 1000) / 1000, 3)}),
    ("last-weight", {"A": texts(REST, 2)}),
    ("percent", {"A": texts(100 * A, 1)}),
]


@pytest.mark.parametrize(("code", "answers"), HONEST)
def test_a_habit_is_no_mistake(code: str, answers: dict[str, Any]) -> None:
    """The right method with another rounding passes, and the habit is said."""
    (step,) = marked(CHECKER, answers).steps
    assert (step.verdict, [remark.partition(":")[0] for remark in step.remarks]) == ("rounded", [code])


def test_every_habit_is_tried() -> None:
    """The table above has a row for each."""
    assert {habit.code for habit in HABITS} == {code for code, _ in HONEST}


def test_a_problem_that_asks_for_places_is_strict() -> None:
    """There a habit is the reason of what is wrong, not an excuse."""
    strict = attncalc.problem(Q=Q.tolist(), K=K.tolist(), V=V.tolist(), places=4)
    (step,) = attncalc.check(strict, HONEST[0][1]).steps
    assert (step.verdict, [one.mistake for one in step.diagnoses]) == ("wrong", ["hidden-rounding"])


ONE_HOT = [[100, 0, 0], [0, 100, 0], [0, 0, 100]]
TRICKS: list[tuple[dict[str, Any], float]] = [
    # Numbers without digits.
    ({"A": [["0."] * 3] * 3}, 0),
    ({"O": [["0."] * 3] * 3}, 1 / 9),
    ({"O": [["1."] * 3] * 3}, 3 / 9),
    # A step that makes the rest trivial.
    ({"S": ONE_HOT, "A": np.eye(3).tolist(), "O": V.tolist()}, 1 / 9),
    (
        {"S": np.zeros((3, 3)).tolist(), "A": [["1/3"] * 3] * 3, "O": [V.mean(axis=0).round(4).tolist()] * 3},
        0,
    ),
    # Steps that nobody asked for.
    ({"S": (Q @ K.T).tolist()}, 0),
    # One cell for the whole.
    ({"O[1,1]": float(attention()[0, 0])}, 1 / 9),
    # One large number among arrays does not make the others coarse.
    ({"O": np.where(np.eye(3) == 1, 1e300, 0.0)}, 0),
    # The work left to the program.
    ({"O": "[1 2 0; 0 1 0; 2 0 1]*transpose([1 0 0; 0 1 0; 0 0 1])"}, 0),
]


@pytest.mark.parametrize(("answers", "most"), TRICKS)
def test_tricks_do_not_pay(answers: dict[str, Any], most: float) -> None:
    """None gets more than what is right in it by chance."""
    report = marked(CHECKER, answers)
    assert report.max_score == 1
    assert report.score <= most + 1e-9


def test_a_number_does_not_stand_for_a_letter() -> None:
    """What depends on a letter is not answered by a number."""
    problem = attncalc.problem(S=[["beta", 0]], symbols={"beta": "positive"})
    for told in ("0.8", "0.78", "4/5"):
        assert attncalc.check(problem, {"A[1,1]": told}).verdict == "incorrect"
    assert attncalc.check(problem, {"A[1,1]": "e^beta/(1+e^beta)"}).verdict == "correct"


CONCEPTS = ("slip", "term-missing")


def concepts(answers: dict[str, Any]) -> list[str]:
    """The mistakes that are more than slips."""
    return [code for code in marked(CHECKER, answers).mistakes if not code.endswith(CONCEPTS)]


@sizes(students=(4, 40))
def test_nobody_is_accused_by_chance(students: int) -> None:
    """Neither for random numbers, nor for one number that is off by a unit or two."""
    rng = np.random.default_rng(5)
    right = attention()
    for _ in range(students):
        assert not concepts({"O": texts(rng.uniform(-4, 5, (3, 3)), 2)})
        off = np.round(right, 2)
        off[rng.integers(3), rng.integers(3)] += rng.choice([-0.02, -0.01, 0.01, 0.02])
        assert not concepts({"O": texts(off, 2)})


def test_a_slip_does_not_hide_a_mistake() -> None:
    """A mistake that explains most of the wrong cells is named, the other cell is said besides."""
    wrong = np.round(weights(Q @ K.T), 3)
    wrong[2, 1] += 0.05
    (step,) = marked(CHECKER, {"A": texts(wrong, 3)}).steps
    (found,) = [one for one in step.diagnoses if one.mistake == "scale-missing"]
    assert found.besides == ((3, 2),)
    assert found.cells == len(step.wrong_cells) - 1
