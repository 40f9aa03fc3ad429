"""Checking: verdicts, rounding, follow-through, diagnosis, reports."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

import attncalc
from attncalc.core.record import replace
from attncalc.exercise.yaml.reader import read_yaml
from attncalc.marking.checker import Checker
from attncalc.marking.report.feedback import feedback
from attncalc.marking.report.levels import Level
from attncalc.marking.report.report import FirstWrong, Report
from attncalc.pages import formats_of
from tests.helpers.bundled import (
    FEW,
    KEYED,
    NUMERIC,
    STATED,
    WORKED,
    checker_of,
    key_report,
    solved,
)
from tests.helpers.commands import run
from tests.helpers.quick_and_slow import SLOW, each
from tests.helpers.solutions import excerpt, printed, verdicts


def verdicts_on(problem: dict[str, Any], answers: dict[str, Any]) -> dict[str, str]:
    """Return the verdict of every answered step."""
    return verdicts(attncalc.check(attncalc.problem(**problem), answers))


def mistakes(problem: dict[str, Any], answers: dict[str, Any]) -> set[str]:
    """The codes of all mistakes that are named."""
    return set(attncalc.check(attncalc.problem(**problem), answers).mistakes)


TWO = {"Q": [[1, 0]], "K": [[1, 0], [0, 1]], "V": [[1, 2], [3, 4]], "scale": "none"}
EIGHTH = {"S": [[0, 0, 0, 0, 0, 0, 0, 0]], "normalize": "softmax"}
TABLE = {"Q": [["0.50"]], "K": [["9.0"]], "V": [["1.0"]], "scale": "none", "inputs": "rounded"}
PS4 = {
    "X": [[1, -1, 0, 2], [0, -1, 2, 1], [-2, 2, -1, 0]],
    "W_Q": [[0, 1], [1, 0], ["-1/2", 0], [1, 1]],
    "W_K": [[1, "-1/2"], [0, 1], ["1/2", "-1/2"], [1, "1/2"]],
    "W_V": [[1, "1/2"], ["-1/2", 0], [-1, 2], ["1/2", -1]],
    "scale": "none",
}
MAP, OUTPUTS = [[0, 0, 1], [0, 0, 1], [0.62, 0.38, 0]], [[-2, -3], [-2, -3], [1.17, 0.21]]
VERDICTS: list[tuple[dict[str, Any], dict[str, Any], dict[str, str]]] = [
    # Problem set 4 as it was handed in: 0 beside 0.62 means 0.00, the outputs come from rounded weights.
    (PS4, {"A": MAP, "O": OUTPUTS}, {"A": "correct", "O": "rounded"}),
    (
        PS4,
        {"Q": [[1, 3], [-1, 1], [2.5, -2]], "A": MAP, "O": OUTPUTS},
        {"Q": "correct", "A": "correct", "O": "rounded"},
    ),
    # Half a unit either way is right; what binary floats make of 2.675 does not matter.
    (EIGHTH, {"A": [[0.12] * 8]}, {"A": "correct"}),
    (EIGHTH, {"A": [[0.13] * 8]}, {"A": "correct"}),
    (EIGHTH, {"A": [["1/8"] * 8]}, {"A": "correct"}),
    (EIGHTH, {"A": [["1/7"] * 8]}, {"A": "wrong"}),
    ({"S": [[2.675]], "normalize": "none"}, {"A": [[2.67]]}, {"A": "correct"}),
    ({"S": [[2.675]], "normalize": "none"}, {"A": [[2.68]]}, {"A": "correct"}),
    # Exact answers are compared exactly.
    (TWO, {"A": [["e/(e+1)", "1/(1+e)"]]}, {"A": "correct"}),
    (TWO, {"A": [["e^2/(e^2+e)", "e/(e+e^2)"]]}, {"A": "correct"}),
    (TWO, {"A": [["e/(e+2)", "2/(e+2)"]]}, {"A": "wrong"}),
    # Integers must be equal where all right values are integers.
    (TWO, {"S": [[1, 0]]}, {"S": "correct"}),
    (TWO, {"S": [[2, 0]]}, {"S": "wrong"}),
    # A wrong weight, and an output that follows from it, or does not.
    (TWO, {"A": [[0.83, 0.17]], "O": [[1.34, 2.34]]}, {"A": "wrong", "O": "follows"}),
    (TWO, {"A": [[0.83, 0.17]], "O": [[1.54, 2.54]]}, {"A": "wrong", "O": "correct"}),
    (TWO, {"A": [[0.83, 0.17]], "O": [[1.44, 2.54]]}, {"A": "wrong", "O": "wrong"}),
    # Numbers with more decimals than a float has are numbers.
    ({"S": [[1, 0, -9]]}, {"A": [["0.731", "0.269", "1.0e-308"]]}, {"A": "wrong"}),
    # Shapes are never stretched; parts, blanks and unreadable cells are what they are.
    (TWO, {"A": [[0.73], [0.27]]}, {"A": "shape"}),
    (TWO, {"A": 0.73}, {"A": "shape"}),
    (TWO, {"A[1]": [0.73, 0.27]}, {"A": "correct"}),
    (TWO, {"A[1, 2]": 0.27}, {"A": "correct"}),
    (TWO, {"A": [["_", 0.27]]}, {"A": "correct"}),
    (TWO, {"A": [["_", "?"]]}, {"A": "blank"}),
    (TWO, {"A": [["0.7x", 0.27]], "O": [[1.54, 2.54]]}, {"A": "unreadable", "O": "correct"}),
    (TWO, {"T": [3.72], "E": [[2.72, 1]]}, {"E": "correct", "T": "correct"}),
    # The problem asks for two places: more are judged at that unit, fewer do not pass.
    ({**TWO, "places": 2}, {"A": [[0.731059, 0.268941]]}, {"A": "correct"}),
    # One unit of the places asked for is rounded on the way, two are not.
    ({**TWO, "places": 2}, {"A": [[0.7399, 0.2601]]}, {"A": "rounded"}),
    ({**TWO, "places": 2}, {"A": [[0.7499, 0.2501]]}, {"A": "wrong"}),
    ({**TWO, "places": 2}, {"A": [[0.7, 0.3]]}, {"A": "coarse"}),
    # A program drops zeros at the end: 0.8006 and 0.1994 are 0.80 and 0.20.
    ({"S": [["139/100", 0]], "places": 2}, {"A": [[0.8, 0.2]]}, {"A": "correct"}),
    ({"S": [["139/100", 0]], "places": 3}, {"A": [[0.8, 0.2]]}, {"A": "coarse"}),
    # Decimals that are given may be rounded themselves: 0.50 · 9.0 is from 4.43 to 4.57; 1/2 and 9 are what they are.
    (TABLE, {"S": [["4.4"]]}, {"S": "rounded"}),
    (TABLE, {"S": [["4.6"]]}, {"S": "rounded"}),
    (TABLE, {"S": [["4.5"]]}, {"S": "correct"}),
    (TABLE, {"S": [["4.3"]]}, {"S": "wrong"}),
    (TABLE, {"S": [["4.40"]]}, {"S": "wrong"}),
    (TABLE, {"S": [["9/2"]], "A": [["1"]]}, {"S": "correct", "A": "correct"}),
    (TABLE, {"S": [["4.6"]], "O": [["1.00"]]}, {"S": "rounded", "O": "correct"}),
    ({**TABLE, "inputs": "exact"}, {"S": [["4.4"]]}, {"S": "wrong"}),
    ({**TABLE, "Q": [["1/2"]], "K": [["9"]]}, {"S": [["4.4"]]}, {"S": "wrong"}),
    # What single precision prints is not held against its author.
    (TWO, {"A": np.array([[0.7310586, 0.26894143]], dtype=np.float32)}, {"A": "correct"}),
    (TWO, {"A": [[0.73105860, 0.26894145]]}, {"A": "correct"}),
    # Nor what half precision holds, which has three digits.
    (TWO, {"A": np.array([[0.7310586, 0.26894143]], dtype=np.float16)}, {"A": "correct"}),
    (TWO, {"A": np.array([[0.7331, 0.2669]], dtype=np.float16)}, {"A": "wrong"}),
]


@pytest.mark.parametrize(("problem", "answers", "wanted"), VERDICTS)
def test_verdicts(problem: dict[str, Any], answers: dict[str, Any], wanted: dict[str, str]) -> None:
    """Every kind of answer and its verdict."""
    assert verdicts_on(problem, answers) == wanted


def test_mistakes_that_coincide_are_both_named() -> None:
    """With symmetric scores, a softmax down the columns and transposed weights give the same output."""
    keys = {"Q": [[1, 0], [0, 2]], "K": [[1, 0], [0, 2]], "V": [[1, 2], [3, 5]], "scale": "none"}
    weights = np.exp(np.array([[1.0, 0], [0, 4]]))
    weights /= weights.sum(axis=0)
    told = {"O": np.round(weights @ [[1, 2], [3, 5]], 5).tolist()}
    assert {"softmax-columns", "output-transposed-weights"} <= mistakes(keys, told)


def test_a_pair_of_mistakes_is_found() -> None:
    """Not scaled, and normalised down the columns."""
    keys = {"Q": [[1, 2], [3, 1]], "K": [[2, 1], [0, 1]], "V": [[1, 2], [5, 3]]}
    e = np.exp(np.array(keys["Q"]) @ np.array(keys["K"]).T)
    told = {"O": np.round(e / e.sum(axis=0) @ keys["V"], 4).tolist()}
    report = attncalc.check(attncalc.problem(**keys), told)
    assert {"scale-missing", "softmax-columns"} <= {*report.mistakes}
    assert "Two mistakes together give just these numbers:" in str(report)


SLIPS = [
    ({"S": [[-1, 0]]}, "sign-slip"),
    ({"O": [["15.38", "2.54"]]}, "decimal-slip"),
    ({"O": [["0.73", "2.54"]]}, "term-missing"),
    ({"O": [["1.23", "2.54"]]}, "cell-slip"),
]


@pytest.mark.parametrize(("answers", "code"), SLIPS)
def test_slips(answers: dict[str, Any], code: str) -> None:
    """One cell that is off, and why."""
    assert code in mistakes(TWO, answers)


def test_misplaced_and_early_rounded_numbers() -> None:
    """Right numbers, transposed or in another order; weights rounded too early."""
    keys = {"Q": [[1, 0], [2, 1]], "K": [[1, 3], [0, 1]], "V": [[1, 2], [3, 4]], "scale": "none"}
    scores = np.array([[1, 0], [5, 1]])
    assert "scores-swapped" in mistakes(keys, {"S": scores.T.tolist()})
    assert "rows-permuted" in mistakes(keys, {"S": scores[::-1].tolist()})
    e = np.exp(scores)
    early = np.round(e / e.sum(axis=1, keepdims=True), 2) @ np.array([[1.0, 2], [3, 4]])
    told = {"O": [[f"{x:.4f}" for x in row] for row in early]}
    assert verdicts_on(keys, told) == {"O": "rounded"}
    assert "rounded-early" in mistakes({**keys, "places": 4}, told)


def test_misshapen_matrices_are_looked_into() -> None:
    """A transposed matrix and a mean of heads are named though their shape is wrong."""
    problem = attncalc.problem(
        Q=[[1, 0, 2, 1]], K=[[1, 2, 0, 1], [0, 1, 1, 1]], V=[[1, 2, 3, 4], [5, 6, 7, 9]], heads=2
    )
    solution = attncalc.solve(problem)
    mean = (solution["O_1"].value + solution["O_2"].value) / 2
    report = attncalc.check(problem, {"H": np.round(mean, 3).tolist(), "S_1": [[1], [0]]})
    assert {(s.step, s.verdict, d.mistake) for s in report.steps for d in s.diagnoses} == {
        ("S_1", "shape", "scores-swapped"),
        ("H", "shape", "heads-averaged"),
    }


CONFORMANCE: list[tuple[dict[str, Any], dict[str, Any], dict[str, str], str]] = [
    # A row with nothing to see, however it is written.
    (
        {"S": [[1, 2], [3, 4]], "V": [[1], [2]], "mask": "causal"},
        {"M": [["-inf", "-inf"], [3, "-inf"]]},
        {"M": "wrong"},
        "causal-strict",
    ),
    (
        {"S": [[1, 2], [3, 4]], "V": [[1], [2]], "mask": "causal"},
        {"A": [[0, 0], [1, 0]]},
        {"A": "wrong"},
        "causal-strict",
    ),
    # The weighted rows of one query, not added up.
    (TWO, {"O": [[0.731, 1.462], [0.807, 1.076]]}, {"O": "shape"}, "output-elementwise"),
    # Ragged rows and what is no number at all cannot be read, and are not forgotten.
    (TWO, {"A": [[0.62, 0.38], [1]]}, {"A": "unreadable"}, ""),
    (TWO, {"A": [[0.73, {"a": 1}]]}, {"A": "unreadable"}, ""),
    # Few digits, but just what the rounded weights come to.
    (
        {**TWO, "V": [[1000, 0], [-1000, 0]]},
        {"A": [[0.73, 0.27]], "O": [["460.00", 0]]},
        {"A": "correct", "O": "rounded"},
        "",
    ),
    # Digits beyond the sixth are not judged; a column is not a row.
    (TWO, {"A[1,1]": "0.7310592"}, {"A": "correct"}, ""),
    (TWO, {"A[1,1]": "0.731058578630004879" + "2" * 400}, {"A": "correct"}, ""),
    (TWO, {"A[1]": [[0.73], [0.27]]}, {"A": "shape"}, ""),
]


@pytest.mark.parametrize(("problem", "answers", "wanted", "code"), CONFORMANCE)
def test_harder_answers(
    problem: dict[str, Any], answers: dict[str, Any], wanted: dict[str, str], code: str
) -> None:
    """Answers that are easily misjudged, and the mistake they show."""
    report = attncalc.check(attncalc.problem(**problem), answers)
    assert verdicts(report) == wanted
    assert code in {*report.mistakes, ""}


SQUARE = {"Q": np.eye(4, dtype=int), "K": np.arange(16).reshape(4, 4), "scale": "none"}
WIDE = {"S": [list(range(20))], "normalize": "none"}
SAID: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    (SQUARE, {"S": np.arange(16).reshape(4, 4) ** 2 + 1}, "wrong in all entries"),
    (SQUARE, {"S": 1.7 * np.arange(16).reshape(4, 4).T}, "Every entry is about 1.7 times what it should be."),
    ({**SQUARE, "normalize": "none"}, {"A": np.arange(16).reshape(4, 4).T * 1.003}, "within about 0.3 % of the expected values"),
    ({"S": [[1, 2], [3, 1]]}, {"A": [[0.9, 0.3], [0.1, 0.7]]}, "The columns add up to 1, where the rows should."),
    ({"S": [[1, 2], [3, 1]]}, {"A": [[0.9, 0.3], [0.5, 0.7]]}, "The rows add up to 1.2, 1.2, not to 1."),
    (TWO, {"A": [["0.7x", 0.9]]}, "your A = 1 [ ?   0.9✗ ]"),
    (TWO, {"A": [["_", 0.9]]}, "your A = 1 [ _   0.9✗ ]"),
    (TWO, {"O": [[1.54, 2.54, 3]]}, "O has the shape 1×3, and should have 1×2."),
    (WIDE, {"A": [[n + 5 * (n == 15) for n in range(20)]]}, "your A = 1 [ 20✗  …  ]"),
    (
        {"Q": np.ones((2, 1, 1)), "K": np.ones((2, 2, 1)), "scale": "none"},
        {"S": np.array([[[1.0, 1.0]], [[1.0, 3.0]]])},
        "wrong in S[2,1,2]",
    ),
    ({"S": [["x", 0]], "symbols": {"x": "real"}, "normalize": "none"}, {"A": [["x", "2x"]]}, "your A = 1 [ x   2·x✗ ]"),
]  # fmt: skip


@pytest.mark.parametrize(("problem", "answers", "sentence"), SAID)
def test_what_is_said_of_wrong_answers(
    problem: dict[str, Any], answers: dict[str, Any], sentence: str
) -> None:
    """What can be said of numbers that no mistake explains, of many, of few, and of other shapes."""
    assert sentence in str(attncalc.check(attncalc.problem(**problem), answers))


@pytest.mark.parametrize("points", [*permutations(("0.1", "0.2", "0.3"))])
def test_points_add_up_in_any_order(points: tuple[str, ...]) -> None:
    """Complete answers earn all points, and no step is reported as missing."""
    problem = attncalc.problem(**TWO, marks=dict(zip("SAO", points, strict=True)))
    solution = attncalc.solve(problem)
    report = attncalc.check(problem, {name: solution[name].value.tolist() for name in "SAO"})
    assert (report.score, report.unanswered) == (report.max_score, 0)


def test_no_credit_through_a_trivial_step() -> None:
    """All-equal scores make everything after them trivial: it follows, but earns nothing."""
    told = {"S": [[0, 0]], "A": [["1/2", "1/2"]]}
    report = attncalc.check(attncalc.problem(**{**TWO, "marks": {"A": 3}}), told)
    assert [(s.verdict, s.score, s.max_score) for s in report.steps] == [
        ("wrong", 0.0, 0.0),
        ("follows", 0.0, 3.0),
    ]


def test_no_credit_for_one_number_everywhere() -> None:
    """Some of its entries may be right by chance."""
    problem = attncalc.problem(S=[[1, 2], [0, 3]], mask="causal")
    (report,) = attncalc.check(problem, {"A": [[0, 0], [0, 0]]}).steps
    assert (report.verdict, report.score) == ("wrong", 0.0)
    assert "All entries are the same number, so the right ones among them earn nothing." in report.remarks


MODES = [
    (name, mode)
    for name in WORKED
    for mode in (None, "exact", "numeric")
    if (mode != "numeric" or name in NUMERIC) and (mode != "exact" or STATED[name].get("mode") != "numeric")
]
"""Not those in exact numbers whose file says that they are too long."""


@each(("name", "mode"), MODES, quick=[(name, None) for name in FEW])
def test_our_own_solution_is_right(name: str, mode: str | None, tmp_path: Path) -> None:
    """What `solve --format json` writes passes `check`, in the mode of the file and in both."""
    solution = solved(name, mode)
    file = tmp_path / "mine.json"
    file.write_text(formats_of("solutions")["json"].render(excerpt(solution)))
    report = checker_of(name).check_file(str(file))
    assert report.verdict == "correct", report


@pytest.mark.parametrize(
    ("tokens", "width", "precision"),
    [
        (6, 8, np.float32),
        pytest.param(64, 64, np.float64, marks=SLOW),
        pytest.param(256, 64, np.float64, marks=SLOW),
        pytest.param(256, 64, np.float32, marks=SLOW),
    ],
)
def test_an_engineers_arrays(
    tokens: int, width: int, precision: type[np.floating[Any]], tmp_path: Path
) -> None:
    """The first tensor that differs is found in an .npz file, its precision forgiven, the mistake or cell named."""
    rng = np.random.default_rng(5)
    q, k, v = (rng.standard_normal((tokens, width)).astype(precision) for _ in range(3))
    np.savez(tmp_path / "inputs.npz", q=q, k=k, v=v)
    keys = "".join(f"{name.upper()}: {{file: inputs.npz, key: {name}}}\n" for name in "qkv")
    (tmp_path / "problem.yaml").write_text(keys)
    checker = Checker(attncalc.load(tmp_path / "problem.yaml"))

    def reported(scale: float, slip: float = 0) -> Report:
        e = np.exp(q @ k.T * precision(scale))
        a = e / e.sum(axis=1, keepdims=True)
        o = a @ v
        o[-1, 2] += slip
        np.savez(tmp_path / "answers.npz", S=q @ k.T, A=a, O=o)
        return checker.check_file(str(tmp_path / "answers.npz"))

    assert reported(width**-0.5).verdict == "correct"
    report = reported(1 / width)
    assert report.first_wrong is not None and report.first_wrong.step == "A"
    assert "scale-d-k" in report.mistakes
    assert [step.verdict for step in report.steps] == ["correct", "wrong", "follows"]
    assert reported(width**-0.5, slip=0.01).first_wrong == FirstWrong("O", ((tokens, 3),))


def test_faults_of_an_answers_file(tmp_path: Path) -> None:
    """An unknown step is a fault with its place and the nearest name; the rest is still marked."""
    file = tmp_path / "answers.yaml"
    file.write_text("student: 31415\nwieghts: [[0.73, 0.27]]\nA[1]: [0.73, 0.27]\nA[1,1]: 0.74\nAA: 3\n")
    checker = Checker(attncalc.problem(**TWO))
    report = checker.check_file(str(file))
    assert report.student == "31415"
    assert "31415" in printed(feedback(report, checker.solution, Level.VERDICT))
    assert verdicts(report)["A"] == "unreadable"
    assert any("answers.yaml:2:1: " in error for error in report.errors)
    assert any("A[1,1] is given twice" in error for error in report.errors)
    assert any("did you mean 'A'" in error for error in report.errors)


@each("name", KEYED, quick=FEW)
def test_published_keys(name: str, golden: SnapshotAssertion) -> None:
    """What `attncalc check NAME` says of every published key, its errors included."""
    report = replace(key_report(name), problem=name, answers=name)
    assert printed(feedback(report, checker_of(name).solution, Level.MISTAKE), 100) == golden


@pytest.mark.parametrize("level", Level)
def test_feedback_levels(level: Level, golden: SnapshotAssertion, tmp_path: Path) -> None:
    """How much each level tells; only the last one shows the right output."""
    file = tmp_path / "answers.yaml"
    file.write_text(
        "S: [[4, 3, 2], [7, 4, 1]]\nA: [[0.67, 0.24, 0.09], [0.95, 0.05, 0.00]]\nO: [[0.91, 1.67, -0.95], [1.00, 1.95, -1.80]]\n"
    )
    shown = run("check", "dot-product-3", str(file), "--feedback", str(level), code=1)
    assert shown == golden
    assert ("0.8816" in shown) == (level is Level.FULL)


@pytest.mark.parametrize("format_", formats_of("reports"))
def test_report_formats(format_: str, tmp_path: Path, golden: SnapshotAssertion) -> None:
    """Reports for other programs."""
    file = tmp_path / "answers.yaml"
    file.write_text("student: '=a,b\"c'\nO: [[0.86, 1.58, -0.79], [0.99, 1.88, -1.56]]\n")
    shown = run("check", "dot-product-3", str(file), "-f", format_, code=1)
    assert shown.replace(str(tmp_path), "") == golden


@pytest.mark.parametrize("told", [np.float32(np.exp(-99.5)), 0.0])
def test_what_single_precision_cannot_hold_is_not_judged(told: float) -> None:
    """e^−99.5 has two digits left in single precision, or none."""
    problem = attncalc.problem(S=[["-99.5"]], V=[[2]])
    report = attncalc.check(problem, {"E": np.array([[told]]), "O": np.array([[2.0]])})
    assert [step.verdict for step in report.steps] == ["coarse", "correct"], report


def test_many_answers_leave_nothing_behind() -> None:
    """A worker marks a class of any size: what the graph keeps does not grow with the number of answers."""
    checker = Checker(attncalc.load("dot-product-3"))
    generator, sizes = np.random.default_rng(1), []
    for number in range(20):
        told = {
            "S": generator.normal(size=(3, 3)),
            "A": generator.random((3, 3)),
            "O": generator.random((2, 3)),
        }
        text = json.dumps({name: matrix.round(2).tolist() for name, matrix in told.items()})
        checker.check(read_yaml(text.encode(), "a.json"), f"{number}")
        sizes.append((len(checker.graph.plan_cache), len(checker.graph.piece_cache)))
    plans, pieces = zip(*sizes, strict=True)
    assert pieces[0] == pieces[-1]
    # At most a plan in floats, one in intervals, and one that rounds.
    assert plans[-1] <= 3 * pieces[-1]


@pytest.mark.parametrize(
    ("told", "message"),
    [
        (5, "In S[1,1] the term Q₁·K₁₁ "),
        (12, "S[1,1] "),
        (0.6, ""),
    ],
)
def test_messages_are_words(told: float, message: str) -> None:
    """What a diagnosis says is text in Python, too, also where mathematics is part of it."""
    problem = attncalc.problem(Q=[[1, 2]], K=[[3, 4], [5, 6]], scale="none")
    step, _ = attncalc.check(problem, {"S[1,1]": told}).steps
    messages = [diagnosis.message for diagnosis in step.diagnoses]
    assert all(isinstance(one, str) for one in messages) and "".join(messages).startswith(message)
