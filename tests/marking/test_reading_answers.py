"""Answers as students write them: which cells of which steps are read, and what is said of the rest."""

from __future__ import annotations

import re
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import attncalc
from attncalc.api.check import as_mapping
from attncalc.core.errors import AttncalcError, Place
from attncalc.core.terms import Constant
from attncalc.exercise.yaml.reader import read_yaml
from attncalc.exercise.yaml.tree import Scalar
from attncalc.marking.answers.files import Answers, Unreadable
from attncalc.marking.answers.names import words_of
from attncalc.marking.checker import Checker
from attncalc.worked.blocks import BLANK
from tests.helpers.bundled import FEW, PROBLEMS, WORKED, checker_of
from tests.helpers.quick_and_slow import each, examples
from tests.helpers.solutions import verdicts

PS4, TWO_HEADS, COLUMNS = "problem-set-4-q3", "two-heads-by-hand", "discussion-10-q1"


def read(problem: str, text: str) -> Answers:
    """Answers to a bundled problem."""
    return checker_of(problem).prepared[0].reader.read(read_yaml(text.encode(), "a.yaml"), "a.yaml")


def plain(cells: Any) -> Any:
    """Cells as texts: a blank is _, what cannot be read is !."""
    if isinstance(cells, list):
        return [plain(cell) for cell in cells]
    match cells:
        case str():
            return cells
        case Unreadable():
            return "!"
        case Constant(float() as value) if value != value:
            return "NaN"
        case Constant(int() | Fraction() as value, places):
            shown = Decimal(Fraction(value).numerator) / Decimal(Fraction(value).denominator)
            return f"{shown:.{places or 0}f}"
    return "_" if cells == BLANK else "expression"


WEIGHTS = "[[0, 0, 1], [0, 0, 1], [0.62, 0.38, 0]]"
ROWS = [["0", "0", "1"], ["0", "0", "1"], ["0.62", "0.38", "0"]]
NOTHING = [["_"] * 3] * 3

READ: list[tuple[str, str, dict[str, Any]]] = [
    # A comma that separates no thousands shows that all are decimal commas.
    (PS4, 'S[3]: ["8,500", "8,0", "-20"]\nO[3]: ["0,62", "1,414"]', {"S[3]": ["8.500", "8.0", "-20"], "O[3]": ["0.62", "1.414"]}),
    # Steps by the contract's names, by the course's, in words.
    (PS4, f"A: {WEIGHTS}", {"A": ROWS}),
    (PS4, f"weights: {WEIGHTS}", {"A": ROWS}),
    (PS4, f"Attention Weights: {WEIGHTS}", {"A": ROWS}),
    (PS4, "attention[3]: [0.62, 0.38, 0]", {"A[3]": ROWS[2]}),
    (PS4, "Scores[3, 1]: 8.5", {"S[3,1]": "8.5"}),
    (PS4, "exponentials[1]: [1, 2, 3]\ntotals[1]: [6]", {"E[1]": ["1", "2", "3"], "T[1]": ["6"]}),
    (PS4, "queries[1]: [1, 3]\nKEYS[1]: [3, -0.5]\nvalues[1]: [2.5, -1.5]",
     {"Q[1]": ["1", "3"], "K[1]": ["3", "-0.5"], "V[1]": ["2.5", "-1.5"]}),
    (PS4, "output[1]: [-2, -3]\ncontext[2]: [-2, -3]", {"O[1]": ["-2", "-3"], "O[2]": ["-2", "-3"]}),
    ("the-cat-sat", "scaled[1]: [0.577, 0.577, 0.000]", {"Z[1]": ["0.577", "0.577", "0.000"]}),
    ("exact-causal", "masked[1,1]: 1", {"M[1,1]": "1"}),
    ("softcap", "capped: [[0, 3.81, 4.82]]", {"C": [["0", "3.81", "4.82"]]}),
    ("encoder-layer", "residual1[1]: [3, 1, 3, 1]\nfeed-forward[1,1]: 0\nNorm 2[1,1]: 1",
     {"R1[1]": ["3", "1", "3", "1"], "F1[1,1]": "0", "N2[1,1]": "1"}),
    ("attention-exploration-e1", "weights in the limit[2]: [0, 1, 0]\nalpha_limit[1,1]: 1",
     {"A_limit[2]": ["0", "1", "0"], "A_limit[1,1]": "1"}),
    (TWO_HEADS, "weights_2[1,1]: 1", {"A_2[1,1]": "1"}),
    # Small letters with one head.
    (PS4, "q_1: [1, 3]\ns_31: 8.5\ns_{3,2}: 8\na_3: [0.62, 0.38, 0]\no_2: [-2, -3]",
     {"Q[1]": ["1", "3"], "S[3,1]": "8.5", "S[3,2]": "8", "A[3]": ROWS[2], "O[2]": ["-2", "-3"]}),
    (COLUMNS, "z_31: 2\nz_{3,2}: 8\na_{3}: [0, 1, 0]",
     {"S[3,1]": "2", "S[3,2]": "8", "A[3]": ["0", "1", "0"]}),
    ("dot-product-1", "alpha_1: [0.88, 0.12, 0]\nα₁₂: 0.12\nc_1: [1, 2, 2.76]",
     {"A[1]": ["0.88", "0.12", "0"], "A[1,2]": "0.12", "O[1]": ["1", "2", "2.76"]}),
    ("cross-attention-3x4", "o_112: 0.46\no_31: 0.47", {"O[1,12]": "0.46", "O[3,1]": "0.47"}),
    # One row where one row is asked.
    (COLUMNS, "S: [2, 8, -20]\na: [[0, 1, 0]]", {"S[3]": ["2", "8", "-20"], "A[3]": [["0", "1", "0"]]}),
    # Stacked heads.
    (TWO_HEADS, f"A: [{WEIGHTS}, {WEIGHTS}]", {"A_1": ROWS, "A_2": ROWS}),
    (TWO_HEADS, f"weights: [{WEIGHTS}, {WEIGHTS}]", {"A_1": ROWS, "A_2": ROWS}),
    ("split-and-join", "Q: [[[1, 0], [0, 2], [1, 1]], [[1, 1], [1, 0], [1, 1]]]",
     {"Q_1": [["1", "0"], ["0", "2"], ["1", "1"]], "Q_2": [["1", "1"], ["1", "0"], ["1", "1"]]}),
    ("grouped-queries", "output: [[20, 24, 15, 20], [15, 20, 20, 24]]",
     {"H": [["20", "24", "15", "20"], ["15", "20", "20", "24"]]}),
    # Under one key.
    (PS4, "student: 7\nanswers:\n  a_3: [0.62, 0.38, 0]\n  S[1,1]: 1.5", {"A[3]": ROWS[2], "S[1,1]": "1.5"}),
    (PS4, "answers:", {}),
    (PS4, "A[3]: ['0.62', \"0.38\", 0]", {"A[3]": ROWS[2]}),
    # Signs round a number.
    (PS4, "A[3]: [62%, 37.8 %, 0%]", {"A[3]": ["0.62", "0.378", "0.00"]}),
    (PS4, "A[3,1]: ≈0.62\nA[3,2]: ~0.38\nA[3,3]: = 0\nS[3,1]: $8.5$\nS[3,2]: $\\approx$",
     {"A[3,1]": "0.62", "A[3,2]": "0.38", "A[3,3]": "0", "S[3,1]": "8.5", "S[3,2]": "!"}),
    (PS4, "A[3]: '[≈0.62 ~0.38 $0$]'", {"A[3]": ["0.62", "0.38", "0"]}),
    # Decimal commas.
    (PS4, "A[3,1]: 0,62\nS[3,3]: -13,25\nA[3,2]: 37,8%", {"A[3,1]": "0.62", "S[3,3]": "-13.25", "A[3,2]": "0.378"}),
    (PS4, "A[3]: [0,62; 0,38; 0,00]", {"A[3]": ["0.62", "0.38", "0.00"]}),
    (PS4, "A[3]: [0,62, 0,38, 0,00]", {"A[3]": ["0.62", "0.38", "0.00"]}),
    (PS4, "O: [-2,0 -3,0; -2,0 -3,0; 1,17 0,21]", {"O": [["-2.0", "-3.0"]] * 2 + [["1.17", "0.21"]]}),
    (PS4, "Q: [[1,0, 3,0], [-1, 1], [2,5, -2]]", {"Q": [["1.0", "3.0"], ["-1", "1"], ["2.5", "-2"]]}),
    (PS4, "O:\n- [-2,0; -3,0]\n- [-2,0; -3,0]\n- [1,17; 0,21]", {"O": [["-2.0", "-3.0"]] * 2 + [["1.17", "0.21"]]}),
    # A comma before three digits is a decimal comma if no correct value of the step is a thousand.
    (PS4, "S[1]: ['1,500', '-2,500', '8,000']", {"S[1]": ["1.500", "-2.500", "8.000"]}),
    (PS4, "S[1,1]: 1,020\nE[3,1]: '4,915'", {"S[1,1]": "1.020", "E[3,1]": "4.915"}),
    (PS4, "E[3,1]: 1,020", {"E[3,1]": "!"}),
    (PS4, "V[1]: [1,2]", {"V[1]": ["1", "2"]}),
    (PS4, "O: [1,2; 3,4; 5,]", {"O": [["!"] * 2] * 3}),
    (PS4, "V[1]: [1,2; 3,4; 5,6]", {"V[1]": [["1", "2"], ["3", "4"], ["5", "6"]]}),
    # Blanks.
    (PS4, "A:", {"A": NOTHING}),
    (PS4, "A: ~\nS: _\nA[3]: ''", {"A": NOTHING, "S": NOTHING, "A[3]": ["_"] * 3}),
    (PS4, "A: []\nS: [[], []]", {"A": NOTHING, "S": NOTHING}),
    (PS4, "A[3]: [~, _, null]", {"A[3]": ["_"] * 3}),
    # NaN is an answer.
    (PS4, "A[3]: [nan, .NaN, 0]\nO[3]: '[NaN 0.2]'", {"A[3]": ["NaN", "NaN", "0"], "O[3]": ["NaN", "0.2"]}),
    # What is no number.
    (PS4, "A[3]: [-_, _ + 1, exp(_)]", {"A[3]": ["!"] * 3}),
    (PS4, "A[3]: '[-_ 0.38 1/_]'", {"A[3]": ["!", "0.38", "!"]}),
    (PS4, "S[1,1]: dot([1 3], [3 -1/2])\nS[1,2]: '[1 3]*[2; -3/2]'", {"S[1,1]": "!", "S[1,2]": "!"}),
    (PS4, "Q[1]: '[1 1] + [0 2]'\nQ[2]: 'transpose([-1 1])'", {"Q[1]": ["!"] * 2, "Q[2]": ["!"] * 2}),
    (PS4, "A[3]: [2.689*10^-1, e^2/(1+e^2), 0]", {"A[3]": ["expression", "expression", "0"]}),
    (PS4, "Q[1]: 1/2*[2 6]", {"Q[1]": ["expression"] * 2}),
    # A token a column.
    (COLUMNS, "V: [[16, -8, 8], [27, 0, -18]]", {"V": [["16", "27"], ["-8", "0"], ["8", "-18"]]}),
    (COLUMNS, "O[3]: [[-7.94], [0.07]]", {"O[3]": [["-7.94", "0.07"]]}),
    (PS4, "V: [[1, 2, 3], [4, 5, 6]]", {"V": [["1", "2", "3"], ["4", "5", "6"]]}),
]  # fmt: skip


@pytest.mark.parametrize(("problem", "text", "wanted"), READ)
def test_what_is_read(problem: str, text: str, wanted: dict[str, Any]) -> None:
    """Every way to write answers, and the cells that are read of it."""
    found = read(problem, text)
    assert found.faults == ()
    assert {str(told.reference): plain(told.cells.tolist()) for told in found.entries} == wanted


STEPS_OF_PS4 = "Q queries, K keys, V values, S scores, E exponentials, T totals, A weights, O output"
FAULTS = [
    (
        PS4,
        "S[1,1]: 1\nweihgts: 3",
        "a.yaml:2:1: weihgts: there is no step 'weihgts'; did you mean 'weights'?",
    ),
    (PS4, "answers:\n  AA: 3", "a.yaml:2:3: AA: there is no step 'AA'; did you mean 'A'?"),
    (PS4, "foo bar: 3", f"a.yaml:1:1: foo bar: there is no step 'foo bar'; the steps are {STEPS_OF_PS4}"),
    (PS4, "S[4]: 3", "a.yaml:1:1: S[4]: S[4] is outside S, which is 3×3"),
    (PS4, "s_44: 3", "a.yaml:1:1: s_44: S[4,4] is outside S, which is 3×3"),
    (PS4, "answers: [1, 2]", "a.yaml:1:1: answers: there is no step 'answers'"),
    (PS4, "S: {a: 1}", "a.yaml:1:4: is not a number or a matrix"),
    (PS4, "S[1,1]: 2 $ 3", "a.yaml:1:13: '2 $ 3': '3' is not expected here"),
    (PS4, "O[3]: [1, dot(1, 2)]", "a.yaml:1:11: '[1, dot(1, 2)]': write the numbers"),
    (TWO_HEADS, "A: [[1, 2], [3, 4]]", "a.yaml:1:1: A: answer A_1 to A_2 one by one, or stacked as 2×3×3"),
    (TWO_HEADS, "a_11: 1", "a.yaml:1:1: a_11: there is no step 'a_11'"),
    (TWO_HEADS, "foo: 1", "S_1 to S_2 scores"),
    ("cross-attention-3x4", "o_1: 1\no_111: 1\no_21: 1\nX_9: 1", "there is no step 'X_9'"),
]


@pytest.mark.parametrize(("problem", "text", "wanted"), FAULTS)
def test_faults_and_their_places(problem: str, text: str, wanted: str, tmp_path: Path) -> None:
    """What cannot be read is said with its place, and the rest is marked."""
    file = tmp_path / "a.yaml"
    file.write_text(text)
    report = checker_of(problem).check_file(str(file))
    assert any(wanted in error for error in report.errors), report.errors


def test_a_subscript_of_two_readings_is_refused() -> None:
    """With twelve tokens a_112 may be two cells, and a_12 a row or a cell; a_123 and a_{12,1} are clear."""
    rows = [[str(i * j % 5) for j in range(12)] for i in range(12)]
    names = Checker(attncalc.problem(S=rows)).prepared[0].reader.names
    for key, message in (("a_112", "A[1,12] or A[11,2]"), ("a_12", "A[1,2] or A[12]")):
        with pytest.raises(AttncalcError, match=re.escape(f"may be {message}: write it so")):
            names.find(Scalar(key, Place("a.yaml")))
    found = [names.find(Scalar(key, Place("a.yaml"))) for key in ("a_123", "a_{12,1}")]
    assert [str(reference) for ((reference,),) in found] == ["A[12,3]", "A[12,1]"]


@pytest.mark.parametrize(
    ("said", "accepted"),
    [
        ("problem-set-4-q3", True),
        ("problems/Problem-Set-4-Q3.yaml", True),
        (PROBLEMS[PS4].title, True),
        ("", True),
        ("discussion-10-q1", False),
    ],
)
def test_answers_to_another_problem(said: str, accepted: bool, tmp_path: Path) -> None:
    """A `problem` that names another one is an error; its file and title are fine."""
    file = tmp_path / "a.yaml"
    file.write_text(f"problem: {said!r}\nS[1,1]: 1.5\n")
    report = checker_of(PS4).check_file(str(file))
    assert report.verdict == ("incomplete" if accepted else "unread")
    assert accepted or "a.yaml:1:10: the answers are to 'discussion-10-q1'" in report.errors[0]


@each("name", WORKED, quick=FEW)
def test_every_step_has_its_words(name: str) -> None:
    """The words that a mechanism declares name its steps, alone or among those of all heads."""
    names = checker_of(name).prepared[0].reader.names
    for step in checker_of(name).graph.steps:
        number = next((str(n) for n in (step.label.head, step.label.layer) if n is not None), "")
        for word in words_of(step.label):
            targets = names.find(Scalar(f"{word.upper()} {number}".strip(), Place("a.yaml")))
            assert step.name in {reference.step for target in targets for reference in target}


def test_a_question_mark_is_a_blank(tmp_path: Path) -> None:
    """YAML has another use for it, which answers have not."""
    file = tmp_path / "a.yaml"
    file.write_text("S: [[1.5, ?, ? ], [?,?,?], [?, ?, -13.25]]\n")
    report = checker_of(PS4).check_file(str(file))
    assert verdicts(report)["S"] == "correct" and not report.errors


def test_stacked_arrays(tmp_path: Path) -> None:
    """Heads stacked as programs have them, with an axis for the batch or without."""
    solution = checker_of(TWO_HEADS).solution
    weights, outputs = (np.stack([solution[f"{role}_{head}"].value for head in (1, 2)]) for role in "AO")
    np.savez(tmp_path / "a.npz", weights=weights[None].astype(np.float32), O=outputs)
    report = checker_of(TWO_HEADS).check_file(str(tmp_path / "a.npz"))
    told = [step.step for step in report.steps if step.verdict == "correct"]
    assert {*told} == {"A_1", "A_2", "O_1", "O_2"} and not report.errors


def test_null_is_a_blank_in_json(tmp_path: Path) -> None:
    """JSON has a word for nothing."""
    file = tmp_path / "a.json"
    file.write_text('{"A": null, "S": [[1.5, null, 8], [null, null, null], [null, null, null]]}')
    report = checker_of(PS4).check_file(str(file))
    assert verdicts(report)["S"] == "correct" and not report.errors


KEYS = st.sampled_from(
    ["A", "a_3", "S[1,1]", "weights", "q_{1}", "z_31", "T", "O[2]", "answers", "problem", "x", "E_"]
)
PIECES = ["_", "?", "~", "≈", "=", "$", "%", "-", "+", "*", "/", "^", "(", ")", "[", "]", ";", ",", " ", "1", "0.5",
          "2,5", "1/3", "e", "inf", "-inf", "exp(", "sqrt(", "ln(", "dot(", "1e300", "null", "½", "\\frac{", "}", "{"]  # fmt: skip
VALUES = st.lists(st.sampled_from(PIECES), max_size=9).map("".join) | st.text(max_size=20)


@examples(20)
@given(st.lists(st.tuples(KEYS | st.text(max_size=8), VALUES), max_size=4))
def test_no_text_makes_a_traceback(told: list[tuple[str, str]]) -> None:
    """Whatever stands in the cells and keys, there is a report, or an error that says what is wrong."""
    with suppress(AttncalcError):
        assert checker_of(PS4).check(as_mapping(dict(told)), "answers").verdict


@examples(10)
@given(st.lists(VALUES, max_size=4))
def test_no_file_makes_a_traceback(texts: list[str]) -> None:
    """The same for what YAML makes of it."""
    file = "".join(f"A[{n}]: {text}\n" for n, text in enumerate(texts, 1))
    with suppress(AttncalcError):
        assert checker_of(PS4).check(read_yaml(file.encode(), "a.yaml"), "a.yaml").verdict


def test_tokens_in_columns_of_square_matrices() -> None:
    """Where the exercise has tokens in columns, square answers are taken as they fit."""
    q, k, v = [[1, 0], [2, 1]], [[1, 2], [0, 1]], [[3, 0], [1, 2]]
    problem = attncalc.problem(Q=q, K=k, V=v, vectors="columns")
    solution = attncalc.solve(problem)
    rows = {name: np.round(np.array(solution[name].value, float), 3) for name in ("S", "A", "O")}
    for answers in (rows, {name: matrix.T for name, matrix in rows.items()}):
        told = {name: [[f"{x:.3f}" for x in row] for row in matrix] for name, matrix in answers.items()}
        assert attncalc.check(problem, told).verdict == "correct"
