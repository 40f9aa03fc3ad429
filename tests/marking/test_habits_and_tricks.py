"""What a marker is trusted for: honest habits pass, and what is said of the others is true."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import attncalc
from attncalc.core.fields import Array
from attncalc.marking.checker import Checker
from attncalc.marking.report.words import points, verdict_text
from attncalc.marking.rounding.plans import HABITS, to_unit, unit_of_digits
from attncalc.worked.prose import to_words
from tests.helpers.quick_and_slow import SLOW
from tests.helpers.random_students import marked

pytestmark = SLOW

Q = np.array([[1.0, 2], [0, 1], [2, -1]])
K = np.array([[1.0, 0], [2, 1], [-1, 1]])
V = np.array([[3.0, 1, -2], [0, 2, 5], [1, -4, 2]])
CHECKER = Checker(attncalc.problem(Q=Q.tolist(), K=K.tolist(), V=V.tolist()))


def to_digits(digits: int, x: Array) -> Array:
    """Numbers rounded to significant digits."""
    return to_unit(x, unit_of_digits(x, digits))


def texts(matrix: Array, places: int) -> list[list[str]]:
    """A matrix as the student writes it."""
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
REST = np.round(A, 3)
REST[:, -1] = 1 - REST[:, :-1].sum(axis=1)
HONEST: list[tuple[str, dict[str, Any]]] = [
    ("hidden-rounding", {"O": texts(attention(rounded=lambda a: np.round(a, 2)), 4)}),
    ("hidden-rounding", {"O": texts(attention(rounded=lambda a: np.round(a, 3)), 5)}),
    ("hidden-rounding", {"O": texts(to_digits(3, weights(to_digits(3, Q @ K.T / np.sqrt(2)))) @ V, 4)}),
    ("root-rounded", {"O": texts(attention(root=1.41), 5)}),
    ("e-rounded", {"O": texts(attention(e=2.72), 5)}),
    ("hidden-rounding", {"A": texts(np.trunc(A * 1000) / 1000, 3)}),
    ("truncated", {"O": texts(np.trunc(attention() * 1000) / 1000, 3)}),
    ("last-weight", {"A": texts(REST, 3)}),
    ("percent", {"A": texts(100 * A, 1)}),
]


@pytest.mark.parametrize(("code", "answers"), HONEST)
def test_a_habit_is_no_mistake(code: str, answers: dict[str, Any]) -> None:
    """The right method with another rounding passes, and the habit is said."""
    step, *_ = marked(CHECKER, answers).steps
    assert (step.verdict, [remark.partition(":")[0] for remark in step.remarks]) == ("rounded", [code])


def test_every_habit_is_tried() -> None:
    """The table above has a row for each."""
    assert {habit.code for habit in HABITS} == {code for code, _ in HONEST}


NORMED = np.array([[1.0, 2, 4], [3, -1, 2]])
BACK = np.array([[0.3, -1.2, 0.7], [1.1, 0.4, -0.8]])
BLOCK: dict[str, Any] = {"block": [{"layer_norm": {"eps": 0}}], "backward": {"N1": BACK.tolist()}}
NORM_CHECKER = Checker(attncalc.problem(S=[[0, "-inf"], ["-inf", 0]], V=NORMED.tolist(), **BLOCK))


def to_places(places: int, x: Array) -> Array:
    """Numbers to some decimals."""
    return np.asarray(np.round(x, places))


def norm_back(taken: Callable[[Array], Array]) -> Array:
    """The gradient through a layer norm, with every number on the way."""
    mean = taken(NORMED.mean(axis=1, keepdims=True))
    spread = taken(taken(taken((NORMED - mean) ** 2).mean(axis=1, keepdims=True)) ** 0.5)
    own = taken((NORMED - mean) / spread)
    along = taken(own * taken(taken(BACK * own).mean(axis=1, keepdims=True)))
    return taken((BACK - taken(BACK.mean(axis=1, keepdims=True)) - along) / spread)


@pytest.mark.parametrize("digits", [3, 4, 5])
@pytest.mark.parametrize(("factor", "is_wrong"), [(1, False), (1.1, True)])
def test_rounding_at_every_turn(digits: int, factor: float, is_wrong: bool) -> None:
    """It passes however it is done, and excuses no more than it can do."""
    for taken in (partial(to_digits, digits), partial(to_places, digits)):
        found = taken(factor * norm_back(taken))
        *_, step = marked(NORM_CHECKER, {"dV": [[f"{x:.{digits}g}" for x in row] for row in found]}).steps
        assert (step.verdict == "wrong", step.score < 0.5) == (is_wrong, is_wrong)


def test_a_problem_that_asks_for_places_is_strict() -> None:
    """There a habit is the reason of what is wrong, not an excuse."""
    strict = attncalc.problem(Q=Q.tolist(), K=K.tolist(), V=V.tolist(), places=4)
    (step,) = attncalc.check(strict, HONEST[0][1]).steps
    assert (step.verdict, [one.mistake for one in step.diagnoses]) == ("wrong", ["rounded-early"])


CONCEPTS = ("slip", "term-missing")


def concepts(answers: dict[str, Any]) -> list[str]:
    """The mistakes that are more than slips."""
    return [code for code in marked(CHECKER, answers).mistakes if not code.endswith(CONCEPTS)]


def test_a_slip_does_not_hide_a_mistake() -> None:
    """A mistake that explains most of the wrong cells is named, the other cell is said besides."""
    wrong = np.round(weights(Q @ K.T), 3)
    wrong[2, 1] += 0.05
    step, _ = marked(CHECKER, {"A": texts(wrong, 3)}).steps
    (found,) = [one for one in step.diagnoses if one.mistake == "scale-missing"]
    assert found.besides == ((3, 2),)
    assert found.cells == len(step.wrong_cells) - 1


def said(answers: dict[str, Any]) -> list[str]:
    """The remarks on the last answered step."""
    *_, step = [step for step in marked(CHECKER, answers).steps if step.verdict != "blank"]
    return [*(one.message for one in step.diagnoses), *step.remarks, to_words(verdict_text(step))]


SLIPPED = Q @ K.T
SLIPPED[1, 1] += 2
BEYOND: list[tuple[dict[str, Any], str]] = [
    # One slip in an entry that is not told.
    ({"O": texts(weights(SLIPPED / np.sqrt(2)) @ V, 3)}, "O would be right if S[2,2] were 3."),
    # Another scale than any that has a name.
    ({"A": texts(weights(Q @ K.T / 1.9), 4)}, "Scores divided by 1.9 give these numbers."),
    # What no weights can give; what does not follow; what to tell next.
    (
        {"O[1]": ["2.17", "7.25", "1.51"]},
        "O[1,2] is outside the range of column 2 of V, of which every output is a weighted mean: no weights give it.",
    ),
    (
        {"A": texts(A[::-1] * 0.7 + 0.1, 2), "O": texts(attention(), 3)},
        "right, but it does not follow from your A",
    ),
    ({"O[1]": ["1.17", "0.25", "2.51"]}, "Add S and A to your answers to find the first wrong step."),
    # Terms as mathematics.
    ({"S[1,2]": "2"}, "In S[1,2] the term Q₁₁·K₂₁ may have been left out."),
]


@pytest.mark.parametrize(("answers", "sentence"), BEYOND)
def test_remarks_beyond_the_catalogue(answers: dict[str, Any], sentence: str) -> None:
    """One true sentence that helps on."""
    assert sentence in said(answers)


def test_right_final_answers_imply_the_rest_if_the_scheme_says_so() -> None:
    """Untold steps have their points if the last one is right, and only then."""
    keys = {"Q": Q.tolist(), "K": K.tolist(), "V": V.tolist()}
    right, wrong = texts(attention(), 3), texts(attention() + 1, 3)
    part = [right[0], ["_"] * 3, ["_"] * 3]
    for implied, told, score in (
        ("full", right, 4),
        ("none", right, 2),
        ("full", wrong, 0),
        ("full", part, 2 / 3),
    ):
        problem = attncalc.problem(**keys, marks={"S": 1, "A": 1, "O": 2, "implied": implied})
        report = attncalc.check(problem, {"O": told})
        assert (round(report.score, 9), report.max_score) == (round(score, 9), 4)
        assert (report.verdict == "correct") == (score == 4)


def test_too_few_digits_are_not_called_missing() -> None:
    """What is there is not missing."""
    report = marked(CHECKER, {"O": texts(attention(), 3), "A": [[f"{x:.0f}." for x in row] for row in A]})
    assert report.verdict == "correct"
    assert points(report).startswith("All points, but some numbers have too few digits to tell.")


@pytest.mark.parametrize("keys", [{"scale": "3/2"}, {"softcap": "3/2"}, {"scale": "none"}])
def test_habits_of_rules_with_fractions(keys: dict[str, Any]) -> None:
    """Numbers that a rule has in common for all habits are no reason to stumble."""
    problem = attncalc.problem(Q=Q.tolist(), K=K.tolist(), V=V.tolist(), **keys)
    right = np.array(attncalc.solve(problem)["O"].value, float)
    assert attncalc.check(problem, {"O": texts(right + 0.02, 3)}).verdict == "incorrect"


@pytest.mark.parametrize("places", [2, 3])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_arrays_that_were_rounded(places: int, dtype: type) -> None:
    """They are read as they would be written."""
    assert marked(CHECKER, {"O": np.round(attention(), places).astype(dtype)}).verdict == "correct"


@pytest.mark.parametrize(("factor", "verdict"), [(1, "correct"), (1.02, "incorrect")])
def test_arrays_of_half_precision(factor: float, verdict: str) -> None:
    """Three digits of them are judged, not six."""
    told = {"A": A, "O": factor * attention()}
    halves = {name: matrix.astype(np.float16) for name, matrix in told.items()}
    assert marked(CHECKER, halves).verdict == verdict


ONE: dict[str, Any] = {"parts": [{"show": ["E[1,1]"]}]}


@pytest.mark.parametrize(
    ("told", "verdict"), [("8.89e6", "correct"), ("8.886e6", "correct"), ("8.83e6", "incorrect")]
)
def test_powers_of_ten(told: str, verdict: str) -> None:
    """8.89e6 is rounded as 8890000 is."""
    problem = attncalc.problem(Q=[[4, 3]], K=[[4, 0], [1, 0]], V=[[1, 0], [0, 1]], scale="none", **ONE)
    assert attncalc.check(problem, {"E[1,1]": told}).verdict == verdict


@pytest.mark.parametrize(
    "told", [[["0"] * 3] * 3, [["1"] * 3] * 3, [["1", "0", "0"], ["0", "1", "0"], ["1", "1", "0"]]]
)
@pytest.mark.parametrize("step", ["S", "E", "Z", "O"])
def test_guesses_are_not_accused(step: str, told: list[list[str]]) -> None:
    """Zeros and ones can be written without any work."""
    assert not concepts({step: told}) and not concepts({f"{step}[1,2]": told[0][1]})
    assert not any("comes of scores" in sentence for sentence in said({step: told}))
