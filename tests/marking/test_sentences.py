"""Every sentence of a report is true, useful and plain: tables of answers, and what is and is not said of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import attncalc
from attncalc.core.fields import Floats
from attncalc.features.packs.report_gradescope import result
from attncalc.marking.checker import Checker
from attncalc.marking.report.feedback import feedback
from attncalc.marking.report.levels import Level, disclose
from attncalc.marking.report.report import Report
from attncalc.marking.report.words import points, reasons, verdict_text
from attncalc.mistakes import MISTAKES
from attncalc.mistakes.base import Variation
from attncalc.pages import formats_of
from attncalc.worked.prose import to_words
from tests.helpers.bundled import checker_of
from tests.helpers.random_students import Student, classes, marked, written

Answers = Mapping[str, Any]
TEXT = formats_of("documents")["text"]


def text_of(checker: Checker, report: Report, level: Level = Level.MISTAKE) -> str:
    """A report as text on one line."""
    shown = TEXT.render(feedback(report, checker.solution, level))
    return re.sub(r"\s+", " ", shown)


def table(x: Any, places: int) -> list[list[str]]:
    """A matrix as a student writes it."""
    return [[written(float(value), places, half_up=True) for value in row] for row in np.asarray(x, float)]


def softmax(x: Floats) -> Floats:
    """The softmax of every row."""
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def attended(scale: float) -> Answers:
    """The weights of two heads of the problem TWO_HEADS, with another scale."""
    q, k = (np.array(TWO_HEADS["X"]) @ np.array(TWO_HEADS[name]) for name in ("W_Q", "W_K"))
    halves = (slice(0, 2), slice(2, 4))
    return {
        f"A_{n + 1}": table(softmax(q[:, half] @ k[:, half].T / scale), 3) for n, half in enumerate(halves)
    }


TWO_HEADS: dict[str, Any] = {
    "X": [[1, 2, 0, 1], [0, 1, 3, 1], [2, 1, 1, 0]],
    "W_Q": [[0, 1, 2, -1], [-3, 1, 1, 2], [1, -2, 2, -1], [3, -3, -1, 0]],
    "W_K": [[-1, 2, 0, 0], [0, 1, 3, 1], [2, 0, -1, 2], [1, -2, 0, 1]],
    "W_V": [[1, 0, 0, 1], [0, 1, 2, 0], [3, 0, 1, 1], [0, 2, 0, 1]],
    "heads": 2,
}
SCORES = {"S": [[0, 1], [2, 1], [1, 1]], "normalize": "softmax"}
WEIGHTS = [[0.2689, 0.7311], [0.7311, 0.2689], [0.5, 0.5]]
CACHE = {"Q": [[0, -1], [6, 5]], "K": [[1, 2], [4, -1]], "V": [[-1, 1], [5, 4]]}
SINUSOIDAL = {"X": [[1, 0, 0, 1], [0, 1, 0, 2], [1, 1, 2, 0]], "position": "sinusoidal"}
FROM_ONE = [
    ["0.841", "0.540", "0.010", "1.000"],
    ["0.909", "-0.416", "0.020", "1.000"],
    ["0.141", "-0.990", "0.030", "1.000"],
]
MASKED = {"Q": [[1, 2], [2, 1]], "K": [[1, 0], [1, 1]], "mask": "causal", "scale": "none"}
ROUGH = {"Q": [[1, 2], [3, 1]], "K": [[2, 1], [0, 1]], "V": [[1, 2], [5, 3]], "mode": "numeric"}
SAID: list[tuple[str, dict[str, Any] | str, Answers, str, str]] = [
    # Impossible only if it is: cached values count, and weights of either sign or a sink do not.
    ("in the cache", "causal-cache", {**CACHE, "O": [["4.80", "7.60"], ["4.50", "7.90"]]}, "", "outside"),
    (
        "beyond the cache", "causal-cache", {**CACHE, "O": [["9.80", "7.60"], ["4.50", "7.90"]]},
        "O[1,1] is outside the range of column 1 of past_V and V, of which every output", "",
    ),
    ("signed weights", "sum-normalised", {"O": [["22.5", "13.2"], ["1.1", "5.7"]]}, "", "no weights give it"),
    ("a sink", "learned-sink", {"O_1": [["99.5"], ["0.2"]]}, "", "no weights give it"),
    # Positions from 1 are no other order of the rows.
    ("positions", SINUSOIDAL, {"P": FROM_ONE}, "The positions were counted from the wrong number.", "order"),
    # Row sums only of the rows that are off by more than their rounding.
    ("one row", SCORES, {"A": [["0.27", "0.93"], ["0.73", "0.27"], ["0.5", "0.5"]]}, "", "The rows add up"),
    (
        "two rows", SCORES, {"A": [["0.47", "0.93"], ["0.63", "0.87"], ["0.5", "0.5"]]},
        "Rows 1, 2 add up to 1.4, 1.5, not to 1.", "The rows",
    ),
    ("a single row", {"S": [[0, 1]]}, {"A": [["0.47", "0.93"]]}, "The row adds up to 1.4, not to 1.", "rows"),
    ("coarse rows", {"S": [[0, 1, 2, 2, 2, 2, 2, 2]]}, {"A": [["0.2"] * 8]}, "", "adds up"),
    # The sum says the factor; only one row right is seen in the matrix.
    ("a factor", SCORES, {"A": table(1.3 * np.array(WEIGHTS), 4)}, "The rows add up to 1.3, 1.3, 1.3", "times"),
    ("one row right", {"S": np.eye(4, dtype=int) * 3}, {"E": np.arange(16).reshape(4, 4) + 1}, "", "Only row"),
    # Numbers within three units may be rounded; those of exact work, and those further off, may not.
    (
        "near", ROUGH, {"A": [["0.80", "0.22"], ["0.99", "0.01"]]},
        "A[1,2] is about 0.02 from the expected value: rounded or cut on the way?", "work",
    ),
    ("far", SCORES, {"A": [["0.27", "0.63"], ["0.73", "0.27"], ["0.5", "0.5"]]}, "A[1,2] is not 0.63: work that entry out", "cut"),
    ("exact", {"Q": [[1, 2]], "K": [[2, 1], [1, 1]]}, {"S": [["4.02", "3.00"]]}, "S[1,1] is not 4.02: work", "rounded"),
    (
        "whole numbers", {"S": [[0, "1/3", 1, 2]]}, {"E": [[1, 3, 4, 9]]}, "", "rounded or cut",
    ),
    (
        "digits are asked for", {**ROUGH, "places": 4}, {"O": [["1.65", "2.16"], ["1.05", "2.02"]]},
        "", "rounded on the way.",
    ),
    # A copied entry is copied again; a mask hides keys, or does not.
    ("a copy", {"X": [[1, 2], [3, 4]], "heads": 2}, {"Q": [[1, 2], [3, 4]], "Q_1": [[1], [5]]}, "Q_1[2,1] is not 5: copy that entry again.", "work"),
    ("hidden", MASKED, {"M": [[1, 0], [2, 3]]}, "M[1,2] is not 0: the mask hides that key.", "work"),
    ("not hidden", MASKED, {"M": [[1, "-inf"], ["-inf", 3]]}, "M[2,1] is not −∞: no mask hides that key.", "work"),
    # A single number has no index.
    ("one number", "cross-entropy", {"nll": [[0.6931], [1.3863], [2.0794]], "loss": "0.9123"}, "loss is not 0.9123: work", "[1,1]"),
    # One scale, and with no more digits than it needs; said once.
    ("a scale", TWO_HEADS, attended(9), "Scores divided by 9 give these numbers.", "9.0"),
    # Both shapes; that it may be transposed is not asked if that is the reason.
    ("shapes", SCORES, {"A": [WEIGHTS[0]]}, "wrong shape: 1×2 in place of 3×2", "transposed"),
    ("turned", SCORES, {"A": np.array(WEIGHTS).T.tolist()}, "The numbers are right, but the matrix is transposed.", "Is it"),
    ("course names", "dot-product-3", {"C": [[1, 2, 3]]}, "C has the shape 1×3, and should have 2×3.", "O has"),
    # Nothing is wrong only if the correct values round to the numbers.
    ("coarse", "dot-product-3", {"A": [[1, 0, 0], [1, 0, 0]], "C": [[0.87, 1.58, -0.72], [0.99, 1.88, -1.56]]}, "too few digits", "as you rounded: results"),
    # How many digits: the exercise says so.
    ("too few", {**ROUGH, "places": 4}, {"A": [["0.80", "0.20"], ["0.99", "0.01"]]}, "too few digits: the exercise asks for 4 decimals", "show more"),
    # What to add, for the first wrong step and for a later one.
    ("advice", ROUGH, {"O": [["4.11", "2.33"], ["2.72", "2.95"]]}, "Add S and A to your answers to find the first wrong step.", ""),
    (
        "later advice", {"X": [[1, 2], [3, 1]]}, {"S": [[9, 1], [7, 2]], "O": [["1.31", "1.23"], ["2.72", "1.95"]]},
        "to see where this goes wrong.", "Add A to your answers to find the first",
    ),
]  # fmt: skip

HALVES: dict[str, Any] = {
    "Q": [[-0.7, -1.02, 0.72, 0.82], [-0.42, -0.71, 0.58, 0.74], [0.62, 1.19, 1.72, -1.6]],
    "K": [[-0.79, 0.45, 1.65, 0.31], [-0.79, -0.91, 0.2, 0.98], [0.85, 1.23, 1.8, -0.7]],
    "V": [[0.96, 0.22, 0.31], [-0.96, -0.47, 0.48], [0.06, 0.28, -0.26]],
    "position": {"rope": "half"},
    "mode": "numeric",
}
COUNTED_FROM_1: Answers = {
    "Q_R": [["-0.9841", "-1.0281", "-0.2000", "0.8098"], ["-0.3526", "-0.7247", "-0.6233", "0.7257"],
            ["-0.8565", "1.2375", "-1.6153", "-1.5636"]],
    "K_R": [["-1.8153", "0.4469", "0.2267", "0.3145"], ["0.1469", "-0.9294", "-0.8016", "0.9616"],
            ["-1.0955", "1.2504", "-1.6620", "-0.6628"]],
}  # fmt: skip
CROSS: dict[str, Any] = {
    "X_Q": [[-0.9, 0.6, -0.7], [1.5, 0.8, -2.3]],
    "X_KV": [[0, -0.1, -0.9], [-2.9, -1.2, -1.4], [-0.5, 0.7, -1.9], [-0.6, -0.1, 0.3]],
    "W_Q": [[0, 0.8], [-1.3, -1.1], [-1, -0.7]],
    "W_K": [[0.1, 0.4], [0.1, 0.7], [0.5, -0.3]],
    "W_V": [[-0.1, 0.8], [-0.9, -1.4], [0.2, 1.6]],
    "mode": "numeric",
}
SLIP_IN_S: Answers = {
    "Q": [["-0.38", "0.27"], ["-0.92", "1.85"]],
    "S": [
        ["0.228800", "-0.008400", "0.585600", "-0.138400"],
        ["0.793200", "-1.901800", "2.446600", "-0.813600"],
    ],
}
NEARLY = {"Q": [[1, 2], [3, 1]], "K": [[2, 1], [1, 2]], "V": [[100, 250], [120, 203]], "mode": "numeric"}
SAID += [
    # The same mistake twice: the second does not follow from the first.
    ("the same mistake", HALVES, COUNTED_FROM_1, "K_R the same mistake as in your Q_R", "Right, given"),
    ("the same mistake below", HALVES, COUNTED_FROM_1, "The same mistake in: K_R.", "Right, given"),
    # Right numbers beside those that follow from a wrong entry.
    (
        "some follow", NEARLY,
        {"A": [["0.5302", "0.4698"], ["0.6044", "0.3956"]], "O": [["113.395", "218.521"], ["107.912", "231.407"]]},
        "O right, but not all of it follows from your A, which is wrong", "Right, given",
    ),
    # What follows to the digit was not rounded, however near it is.
    (
        "near and carried", NEARLY,
        {"A": [["0.340238", "0.659762"], ["0.804430", "0.195570"]], "O": [["113.19524", "218.991186"], ["103.91140", "240.80821"]]},
        "O right, given your A, which is wrong", "as you rounded",
    ),
    # Six decimals are enough: it is the numbers before that have too few.
    ("digits before", CROSS, SLIP_IN_S, "S too few digits before it to tell", "show more"),
    ("a large number", "cross-entropy", {"nll": [["0.693147"], ["1.386294"], ["2.079442"]], "loss": "13.86", "perplexity": "1047189.12"}, "perplexity too few digits before it", "show more"),
    # Whole numbers for decimals.
    ("whole", CROSS, {"Q": [[0, -1], [-1, 2]], "K": [[0, 0], [-1, -2], [-1, 1], [0, 0]]}, "Rounded to whole numbers, or cut off: show the decimals.", "work that"),
    ("other whole", CROSS, {"Q": [[3, -2], [-4, 5]]}, "", "whole numbers"),
    # Numbers as they were written, but for zeros that no reader counts.
    ("zeros", ROUGH, {"A": [["0.000000", "1.000000"], ["0.99", "0.01"]]}, "0.000000✗", "0e-6"),
    ("too large", ROUGH, {"A": [["1e300", "0.22"], ["0.99", "0.01"]]}, "1e300✗", "10000"),
    # As many queries as keys: both corners give one mask, but it may be shifted.
    ("a shifted mask", {**MASKED, "V": [[1, 2], [3, 4]]}, {"M": [[1, 3], [2, 3]]}, "", "corner"),
    (
        "a shifted mask of three", {"Q": np.eye(3, dtype=int), "K": [[2, 5, 1], [4, 3, 2], [1, 2, 7]], "mask": "causal", "scale": "none"},
        {"M": [[2, 4, "-inf"], [5, 3, 2], [1, 2, 7]]}, "The causal mask was shifted: a query sees 1 key too many.", "corner",
    ),
    ("two corners", "causal-cache", {"A": [[1, 0, 0, 0], ["32/33", "1/33", 0, 0]]}, "The causal mask was aligned to the other corner.", "shifted"),
    # Rows with a sink add up to less than 1.
    ("columns beside a sink", "learned-sink", {"A_1": [["1/3", 0], ["2/3", 1]]}, "down the columns: it is taken along each row.", "add up"),
    ("one of two", ROUGH, {"S": [[5, 5], [5, 10]]}, "Queries were multiplied with queries.", "or keys"),
    ("the other of two", ROUGH, {"S": [[5, 1], [1, 1]]}, "Keys were multiplied with keys.", "or keys"),
    # Nothing that is given, or that the exercise does not have, is to be added.
    ("no weights", "retention", {"S": [[4, 4, 3], [4, 0, 2], [1, 2, 1]], "M": [[4, 0, 0], [2, 0, 0], ["0.25", 1, 1]], "O": [[4, 0], ["3.762", "0.238"], ["1.951", "2.049"]]}, "", "Add A"),
    ("keys given", "journey", {"A[2]": ["0.1498", "0.2048", "0.2024", "0.1404", "0.1298", "0.1616"]}, "Add S to your answers", "K and"),
    ("part of the keys given", "learned-sink", {"A_1": [["0.5", "0"], ["0.3", "0.9"]]}, "Add S_1 to your answers", "K_1 and"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("problem", "answers", "must", "must_not"), [case[1:] for case in SAID], ids=[c[0] for c in SAID]
)
def test_what_is_said(problem: dict[str, Any] | str, answers: Answers, must: str, must_not: str) -> None:
    """Of every kind of wrong answer."""
    checker = checker_of(problem) if isinstance(problem, str) else Checker(attncalc.problem(**problem))
    said = text_of(checker, marked(checker, dict(answers)))
    assert must in said
    assert not must_not or must_not not in said


@pytest.mark.parametrize(
    ("code", "problem", "others"),
    [
        ("heads-interleaved", "split-and-join", "Q_2, K_1, K_2, V_1, V_2"),
        ("heads-strided", "deepml-94-test", "Q_2, K_1, K_2, V_1, V_2"),
        # One or two numbers a head: each alone would be a slip.
        ("heads-interleaved", "grouped-queries", "Q_2, Q_3, Q_4, K_1, K_2"),
    ],
)
def test_one_cause_is_said_once(code: str, problem: str, others: str) -> None:
    """A wrong split into heads is one mistake, though six matrices are wrong."""
    checker = checker_of(problem)
    report = marked(checker, split_wrongly(checker, code))
    assert [step.symbol for step in report.steps if step.is_bad] == ["Q_1", *others.split(", ")]
    assert set(report.mistakes) == {code}
    said = text_of(checker, report)
    assert said.count("First wrong step") == 1
    assert "Also wrong" not in said
    assert f"The same mistake in: {others}." in said


def split_wrongly(checker: Checker, code: str) -> dict[str, Any]:
    """The answers of a student who makes a mistake in the split of queries, keys and values, and goes on."""
    (mistake,) = (one for one in MISTAKES if one.code == code)
    made = [
        variation.step
        for step in checker.graph.steps
        if step.head and step.role in "QKV"
        for variation in [*mistake.variations(step, checker.graph)][:1]
    ]
    student = Student(checker, np.random.default_rng(0), tell=1)
    student.places, student.carry = 2, "full"
    return student.answers(Variation(made[0], others=tuple(made[1:])))


AGAINST: dict[str, Any] = {
    "X": [[1, 2], [3, 4]],
    "W_Q": [["1/2", 0], [0, "1/5"]],
    "W_K": [[1, "1/3"], [-1, "1/2"]],
    "W_V": [[1, 0], [0, 1]],
}


@pytest.mark.parametrize("places", [1, 2, 3, 4])
@pytest.mark.parametrize("carried", ["full", "rounded", "cut"])
@pytest.mark.parametrize("wrong", [[[1, 2], [3, 5]], [[1, 2], [4, 5]]])
def test_right_beside_a_wrong_step(places: int, carried: str, wrong: list[list[int]]) -> None:
    """An output that does not follow from the wrong values is right at every precision, and the report says so."""
    checker = Checker(attncalc.problem(**AGAINST))
    right = {step.name: np.array(step.value, float) for step in checker.solution.steps}
    weights = {
        "full": right["A"],
        "rounded": np.round(right["A"], places),
        "cut": np.floor(right["A"] * 10**places) / 10**places,
    }[carried]
    report = marked(checker, {"V": wrong, "O": table(weights @ right["V"], places)})
    *_, step = report.steps
    assert step.verdict in ("correct", "rounded")
    assert "but it does not follow from your V" in to_words(verdict_text(step))


WORDS = [
    ({"A": [[1, 0, 0], [1, 0, 0]], "O": [["0.86", "1.58", "-0.72"], ["0.99", "1.88", "-1.56"]]}, "All points, but some numbers have too few digits"),
    ({"A": [[1, 0, 0], [1, 0, 0]]}, "Something is missing, and some numbers have too few digits"),
    ({"A": [["1.", "0.", "0."], ["1.", "0.", "0."]], "O": [["0.86", "1.58", "-0.72"], ["0.99", "1.88", "-1.56"]]}, "All points, but some numbers have"),
    ({"S": [[4, 3, 2], [7, 4, 1]]}, "Nothing is wrong, but something is missing."),
]  # fmt: skip


@pytest.mark.parametrize(("answers", "words"), WORDS)
def test_the_verdict_in_words(answers: Answers, words: str) -> None:
    """Few digits are not called right unless the correct values round to them; the same at every level."""
    checker = checker_of("dot-product-3")
    report = marked(checker, dict(answers))
    assert {points(disclose(report, level)) for level in Level} == {points(report)}
    assert points(report).startswith(words)
    assert str(result(report)["output"]).startswith(words)


NUMBER = re.compile(r"−?\d+\.\d+")
LEFT_OVER = ("hidden-rounding", "comes of", "Place(", "Name(", "None", "nan", "{}")


def test_laws_of_all_sentences() -> None:
    """Every message is text; nothing is said twice, nothing is handed over, nothing near is called a slip."""
    rng = np.random.default_rng(24)
    for checker, student in classes(30, 2, rng):
        name = str(rng.choice(sorted(student.told)))
        at = tuple(int(rng.integers(size)) for size in checker.graph.shapes[name])
        by = float(rng.choice([-1, 1, 0.3])) if rng.random() < 0.5 else 2 * 10.0**-student.places
        answers = student.answers(slip={"step": name, "at": at, "by": by})
        report = marked(checker, answers)
        for step in report.steps:
            messages = [one.message for one in step.diagnoses]
            assert all(isinstance(message, str) for message in (*messages, *step.remarks))
            said = [to_words(reason) for reason in reasons(step)]
            assert len(said) == len(set(said))
            assert not any(word in " ".join(said) for word in LEFT_OVER), said
        assert_nothing_is_handed_over(checker, report, answers)


def assert_nothing_is_handed_over(checker: Checker, report: Report, answers: dict[str, Any]) -> None:
    """No correct value of a wrong step stands in a report below `full`."""
    shown = set(NUMBER.findall(text_of(checker, report)))
    known = {text.replace("-", "−") for rows in answers.values() for row in rows for text in row}
    for step in report.steps:
        correct = checker.truth.floats[step.step]
        for cell in step.wrong_cells:
            value = float(correct[tuple(n - 1 for n in cell)])
            written_out = {f"{value:.{places}f}".replace("-", "−") for places in (3, 4, 5)}
            assert not written_out & (shown - known), (step.step, cell)
