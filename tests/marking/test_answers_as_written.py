"""Answers as students write, paste and save them: the numbers that are read are the intended ones, or it is asked."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from attncalc.core.record import replace
from attncalc.marking.answers.files import read_content
from attncalc.marking.report.report import Report
from tests.helpers.bundled import checker_of
from tests.marking.test_reading_answers import plain

DOT, PS4, ONE_QUERY, TWO_HEADS = "dot-product-3", "problem-set-4-q3", "dot-product-1", "two-heads-by-hand"
CASES = "attention-exploration-e1"
S, A, O = "[[4, 3, 2], [7, 4, 1]]", "[[0.57, 0.28, 0.14], [0.88, 0.11, 0.01]]", "[[0.86, 1.58, -0.72], [0.99, 1.88, -1.56]]"  # fmt: skip  # noqa: E741
Z = "[[2.83, 2.12, 1.41], [4.95, 2.83, 0.71]]"
WEIGHTS = "[[0, 0, 1], [0, 0, 1], [0.62, 0.38, 0]]"


@cache
def read(problem: str, name: str, text: str) -> tuple[dict[str, Any], str, list[str], list[str]]:
    """The cells read of a file, the student, the faults, and the notes."""
    found = checker_of(problem).prepared[0].reader.read(read_content(name, text.encode()), name)
    cells = {str(one.reference): plain(one.cells.tolist()) for one in found.entries}
    return cells, found.student, [*map(str, found.faults)], [*map(str, found.notes)]


NAMES = [
    # What is typed, and the same under the names of the steps.
    (DOT, f"alpha: {A}", f"A: {A}"),
    (DOT, f"attn: {A}", f"A: {A}"),
    (DOT, f"attn_weights: {A}", f"A: {A}"),
    (DOT, f"out: {O}", f"O: {O}"),
    (DOT, f"result: {O}", f"O: {O}"),
    (DOT, f"attention output: {O}", f"O: {O}"),
    (DOT, f"QK^T: {S}", f"S: {S}"),
    (DOT, f"QK^T/sqrt(d_k): {Z}", f"Z: {Z}"),
    (DOT, f"softmax(QK^T): {A}", f"A: {A}"),
    (PS4, "Q_11: 1\nO_31: 1.17", "Q[1,1]: 1\nO[3,1]: 1.17"),
    (DOT, f"a) S = {S}\n(b) O = {O}", f"S: {S}\nO: {O}"),
    (DOT, f"(a) S = {S}", f"S: {S}"),
    (DOT, f"Part a: S = {S}", f"S: {S}"),
    (DOT, f"Part a:\n  S: {S}", f"S: {S}"),
    (DOT, f"Step 2: weights = {A}", f"A: {A}"),
    (ONE_QUERY, "alpha_1, alpha_2, alpha_3: [0.88, 0.12, 0.00]", "A: [0.88, 0.12, 0.00]"),
    (ONE_QUERY, "alpha_1: 0.88\nalpha_2: 0.12\nalpha_3: 0.00", "A[1,1]: 0.88\nA[1,2]: 0.12\nA[1,3]: 0.00"),
    (ONE_QUERY, "c: [1, 2, 2.76]", "O: [1, 2, 2.76]"),
    (CASES, "c_2: u_a", "O[2]: u_a"),
    (TWO_HEADS, f"alpha_2: {WEIGHTS}", f"A_2: {WEIGHTS}"),
    (TWO_HEADS, f"attn: [{WEIGHTS}, {WEIGHTS}]", f"A: [{WEIGHTS}, {WEIGHTS}]"),
]  # fmt: skip


@pytest.mark.parametrize(("problem", "typed", "meant"), NAMES)
def test_names(problem: str, typed: str, meant: str) -> None:
    """A name that can mean one step only, by its words and by the shape of its value, is read."""
    cells, _, faults, _ = read(problem, "a.yaml", typed)
    assert cells and faults == [] and cells == read(problem, "a.yaml", meant)[0]


MEANT = [
    # Names that are formulas, equations or phrases.
    (DOT, f"S = Q K^T: {S}", f"S: {S}"),
    (DOT, f"attention distribution: {A}", f"A: {A}"),
    (PS4, "X W_K: [[1, 0], [0, 1], [1, 1]]", "K: [[1, 0], [0, 1], [1, 1]]"),
    (DOT, "row sums: [47.5, 8.5]", "T: [47.5, 8.5]"),
    (DOT, f"last output: {O}", f"O: {O}"),
    (DOT, f"comments: I gave up here\nS: {S}", f"S: {S}"),
    (DOT, f"note: S = {S}", f"S: {S}"),
    (DOT, f"Ｓ： {S}", f"S: {S}"),
    ("split-and-join", "final output: [[1, 2, 3, 4], [1, 2, 3, 4], [1, 2, 3, 4]]", "Y: [[1, 2, 3, 4], [1, 2, 3, 4], [1, 2, 3, 4]]"),
    ("split-and-join", "Concat(head_1, head_2): [[1, 2, 3, 4], [1, 2, 3, 4], [1, 2, 3, 4]]", "H: [[1, 2, 3, 4], [1, 2, 3, 4], [1, 2, 3, 4]]"),
    ("split-and-join", "MultiHead(Q, K, V): [[1, 2, 3, 4], [1, 2, 3, 4], [1, 2, 3, 4]]", "Y: [[1, 2, 3, 4], [1, 2, 3, 4], [1, 2, 3, 4]]"),
]  # fmt: skip


@pytest.mark.parametrize(("problem", "typed", "meant"), MEANT)
def test_formulas_and_phrases(problem: str, typed: str, meant: str) -> None:
    """A formula of published texts, an equation, or a phrase names the step that it means."""
    test_names(problem, typed, meant)


LINES = [
    # Statements in a line: each is read, whatever its name looks like; the marks of another are never taken.
    ("S_{1,1} = 4, S_{1,2} = 3, S_{1,3} = 2", "S[1,1]: 4\nS[1,2]: 3\nS[1,3]: 2"),
    ("S[1][1] = 4; S[1][2] = 3", "S[1,1]: 4\nS[1,2]: 3"),
    ("S(1,1) = 4, S(1,2) = 3", "S[1,1]: 4\nS[1,2]: 3"),
    (r"$S_{11} = 4$, $S_{12} = 3$ and $S_{13} = 2$", "S[1,1]: 4\nS[1,2]: 3\nS[1,3]: 2"),
    ("The scores are $S_{11} = 4$, $S_{12} = 3$.", "S[1,1]: 4\nS[1,2]: 3"),
    (r"\alpha_{21} = 0.88, \alpha_{22} = 0.11", "A[2,1]: 0.88\nA[2,2]: 0.11"),
    ("S_11 = 2*2 + 0 = 4, S_12 = 3", "S[1,1]: 4\nS[1,2]: 3"),
    ("S_11 = q_1 k_1 = q1 k1 = 4", "S[1,1]: 4"),
    (r"A = \frac{e^{Z}}{\sum_{j} e^{Z_{j}}} = [[0.57, 0.28, 0.14], [0.88, 0.11, 0.01]]", f"A: {A}"),
    ("S[1] = 4 3 -2", "S[1]: [4, 3, -2]"),
    ("S[1] = 4 -3 2", "S[1]: [4, -3, 2]"),
    ("Scores\nRow 1: 4, 3, 2\nRow 2: 7, 4, 1", "S[1]: [4, 3, 2]\nS[2]: [7, 4, 1]"),
    ("The totals are 47.5 and 8.5.", "T: [47.5, 8.5]"),
    ("For the totals we get (47.5, 8.5)", "T: [47.5, 8.5]"),
    ("weights tensor([[0.57, 0.28, 0.14],\n        [0.88, 0.11, 0.01]], dtype=torch.float64)", f"A: {A}"),
    ("A[1] = (5.7 x 10^-1, 2.8x10^(-1), 0.14)", "A[1]: [5.7*10^-1, 2.8*10^-1, 0.14]"),
]
NOT_READ = [
    # Where another statement may start without a sign that says so, nothing is taken for the first.
    "S_11 = 4 S_12 = 3", "S_11 = 4 & S_12 = 3", "S_11 = 4 | q = 3", "S_11 = 4 (S_12 = 3)", "S_11 = 4,S_12=3",
    "S_11 = 4 [S_12 = 3", "S_11 = 4 -> S_12 = 3", "S_11 = 4 / S_12 = 3", "S_11 = 4. S_12 = 3", "S_11 = 4.0% S_12 = 3", "S_11 = 4 S(1,2) = 3", "S_11 = 4 S_{1,2} = 3", "S_11 = 4 then S_12 = 3",
]  # fmt: skip


@pytest.mark.parametrize(("text", "meant"), LINES)
@pytest.mark.parametrize("name", ["a.txt", "a.md"])
def test_statements_in_a_line(text: str, meant: str, name: str) -> None:
    """Each statement is read with its own value."""
    cells, _, faults, _ = read(DOT, name, text)
    assert cells and faults == [] and cells == read(DOT, "a.yaml", meant)[0]


@pytest.mark.parametrize("text", NOT_READ)
@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.yaml"])
def test_no_value_of_another_statement_is_taken(text: str, name: str) -> None:
    """The first cell is not given the value of the second: each is right, or nothing is read."""
    cells, *_ = read(DOT, name, text)
    right = read(DOT, "a.yaml", "S[1,1]: 4\nS[1,2]: 3")[0]
    assert all(right[key] == cell or "Unreadable" in str(cell) for key, cell in cells.items())


PARTS_OF = [
    # The letters of parts before values; what a part asks for says which step is meant.
    ("(b) [2, 8, -20]", "S[3]: [2, 8, -20]"),
    ("b) [2, 8, -20]\nc) 0.00247*[16,27] + 0.99753*[-8,0] = [-7.94, 0.067]", "S[3]: [2, 8, -20]\nO[3]: [-7.94, 0.067]"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "meant"), PARTS_OF)
def test_letters_of_parts(text: str, meant: str) -> None:
    """A value behind the letter of a part answers what the part asks for, if only one step fits."""
    cells, _, faults, _ = read("discussion-10-q1", "a.txt", text)
    assert cells and faults == [] and cells == read("discussion-10-q1", "a.yaml", meant)[0]


def test_text_in_an_older_encoding_is_said() -> None:
    """The numbers are read; the name of the student, too, and the encoding is said."""
    data = f"name: José Núñez\nS: {S}\n".encode("cp1252")
    found = checker_of(DOT).prepared[0].reader.read(read_content("a.yaml", data), "a.yaml")
    assert (found.student, len(found.entries), found.faults) == ("José Núñez", 1, ())
    assert "Windows-1252" in str(found.notes[0])


def test_comments_of_code_are_read_where_the_code_has_no_numbers() -> None:
    """A result noted in a comment counts, but not against an assignment."""
    code = f"S = Q @ K.T\n# S = {S}\nA = {A}\n# A = {S}\n"
    assert read(DOT, "a.py", code)[0] == read(DOT, "a.yaml", f"S: {S}\nA: {A}")[0]


ASKED = [
    # What may mean several, or what nothing in the problem is called.
    ("split-and-join", "out: [[1, 2, 3, 4], [1, 2, 3, 4], [1, 2, 3, 4]]", "out: may be"),
    (TWO_HEADS, f"attn: {WEIGHTS}", "attn: may be"),
    (DOT, f"softmax scores: {A}\nA: {S}", "answers otherwise"),
    (DOT, f"attn: {A}\nattn_weights: {O}", "answers otherwise"),
    (DOT, "alpha: [[1, 2], [3, 4]]", "alpha: there is no step 'alpha'; did you mean 'A'?"),
    (DOT, f"weihgts of it: {A}", "there is no step"),
    (DOT, f"V_2: {A}", "there is no step"),
]


@pytest.mark.parametrize(("problem", "typed", "wanted"), ASKED)
def test_what_may_mean_several_is_asked(problem: str, typed: str, wanted: str) -> None:
    """Nothing is read under such a name, and the sentence says what to write."""
    _, _, faults, notes = read(problem, "a.yaml", typed)
    assert any(wanted in fault for fault in faults), (faults, notes)


@pytest.mark.parametrize(
    ("text", "student"),
    [
        ("name: Ada", "Ada"),
        ("Name: Ada\nid: 7", "Ada"),
        ("id: 7\nstudent id: 8", "7"),
        ("email: ada@example.org\ngroup: 3", "ada@example.org"),
        ("student: Ada\nname: Bea", "Ada"),
        ("Student ID: 7", "7"),
    ],
)
@pytest.mark.parametrize("name", ["a.yaml", "a.txt", "a.md", "a.json"])
def test_who_wrote_it(name: str, text: str, student: str) -> None:
    """Keys about the student are no steps, in any form."""
    pairs = dict(line.split(": ") for line in text.splitlines())
    text = json.dumps({**pairs, "S": json.loads(S)}) if name == "a.json" else f"{text}\nS: {S}"
    cells, said, faults, _ = read(DOT, name, text)
    assert (said, faults, [*cells]) == (student, [], ["S"])


NOTEBOOK = json.dumps({"cells": [
    {"cell_type": "markdown", "source": ["**Name:** Ada\n", r"$$S = \begin{bmatrix} 4 & 3 & 2 \\ 7 & 4 & 1 \end{bmatrix}$$"]},
    {"cell_type": "code", "source": ["Z = S / np.sqrt(2)\n", "A = softmax(Z)\n", "print(Z)\n", "print(A)"], "outputs": [
        {"output_type": "stream", "text": ["[[2.83 2.12 1.41]\n", " [4.95 2.83 0.71]]\n[[0.57 0.28 0.14]\n [0.88 0.11 0.01]]\n"]}]},
    {"cell_type": "code", "source": "O = A @ V\nO", "outputs": [
        {"output_type": "execute_result", "data": {"text/plain": ["array([[ 0.86,  1.58, -0.72],\n", "       [ 0.99,  1.88, -1.56]])"]}}]},
]})  # fmt: skip
FORMS = [
    # The name of a file, its text, and the same in YAML.
    ("a.txt", f"S = {S}\nA = {A}\n", f"S: {S}\nA: {A}"),
    ("a.txt", f"a) S = {S}\nSo the weights are:\n0.57 0.28 0.14\n0.88 0.11 0.01\n", f"S: {S}\nA: {A}"),
    ("a.txt", "(a) S = 4 3 2; 7 4 1\n", f"S: {S}"),
    ("a.txt", "S:\n[[4. 3. 2.]\n [7. 4. 1.]]\n\nA:\n[[0.57 0.28 0.14]\n [0.88 0.11 0.01]]", "S: [[4., 3., 2.], [7., 4., 1.]]\nA: " + A),
    ("a.txt", "S = tensor([[4., 3., 2.],\n        [7., 4., 1.]], grad_fn=<MmBackward0>)\n", "S: [[4., 3., 2.], [7., 4., 1.]]"),
    ("a.txt", "S\t4\t3\t2\n\t7\t4\t1\n", f"S: {S}"),
    ("a.txt", "S_11 = 4, S_12 = 3 and S_13 = 2\n", "S[1,1]: 4\nS[1,2]: 3\nS[1,3]: 2"),
    ("a.txt", "S = QK^T\n  = [[4, 3, 2], [7, 4, 1]]\n", f"S: {S}"),
    ("a.md", "- $S$ = [[4, 3, 2], [7, 4, 1]]\n- $A_{12} \\approx 0.28$\n", f"S: {S}\nA[1,2]: 0.28"),
    ("a.csv", "Step,Row,Column,Value\nS,1,1,4\nS,1,2,3\n", "S[1,1]: 4\nS[1,2]: 3"),
    ("a.py", f"T = 2\nA = 0\nfor i in range(2):\n    O[0] = 1\nS = {S}\n", f"S: {S}"),
    ("a.txt", "A_11 = e^2/(e^2+1) = 0.88\n", "A[1,1]: 0.88"),
    ("a.txt", f"Answer: I think Z_2 should be about 3 because it is.\nS = {S}", f"S: {S}"),
    ("a.txt", f"Since 4 > 3, key 1 wins. I used d_k = 2.\nS = {S}", f"S: {S}"),
    ("a.md", f"# Homework\n\n## Scores\n\n```python\n{S}\n```\n\n**A:** `{A}`\n", f"S: {S}\nA: {A}"),
    ("a.md", "$$\nS = \\begin{bmatrix} 4 & 3 & 2 \\\\ 7 & 4 & 1 \\end{bmatrix}\n$$\n", f"S: {S}"),
    ("a.md", "\\[ \\mathbf{S} = \\begin{pmatrix} 4 & 3 & 2 \\\\\n7 & 4 & 1 \\end{pmatrix} \\]\n", f"S: {S}"),
    ("a.md", "S:\n\n| 4 | 3 | 2 |\n|---|---|---|\n| 7 | 4 | 1 |\n", f"S: {S}"),
    ("a.md", "| S | k1 | k2 | k3 |\n|---|---|---|---|\n| q1 | 4 | 3 | 2 |\n| q2 | 7 | 4 | 1 |\n", f"S: {S}"),
    ("a.md", "| Step | Value |\n|---|---|\n| S_11 | 4 |\n| S_12 | 3 |\n", "S[1,1]: 4\nS[1,2]: 3"),
    ("a.csv", "step,row,c1,c2,c3\nS,1,4,3,2\nS,2,7,4,1\n", "S[1]: [4, 3, 2]\nS[2]: [7, 4, 1]"),
    ("a.csv", "S,4,3,2\n,7,4,1\nA,0.57,0.28,0.14\nA,0.88,0.11,0.01\n", f"S: {S}\nA: {A}"),
    ("a.csv", "S\n4,3,2\n7,4,1\n\nweights\n0.57,0.28,0.14\n0.88,0.11,0.01\n", f"S: {S}\nA: {A}"),
    ("a.csv", "step,1,2,3\n\"S[1]\",4,3,2\nS[2],7,4,1\n", "S[1]: [4, 3, 2]\nS[2]: [7, 4, 1]"),
    ("a.csv", "A;0,57;0,28;0,14\n;0,88;0,11;0,01\n", f"A: {A}"),
    ("A.csv", "0.57,0.28,0.14\n0.88,0.11,0.01\n", f"A: {A}"),
    ("jones_123_4567_weights.csv", "0.57,0.28,0.14\n0.88,0.11,0.01\n", f"A: {A}"),
    ("a.tsv", "S\t4\t3\t2\n\t7\t4\t1\n", f"S: {S}"),
    ("a.py", f"import numpy as np\nd_k = 2\nS = np.array({S})  # scores\nA = softmax(S / np.sqrt(d_k))\nattn = {A}\n", f"S: {S}\nA: {A}"),
    ("a.py", f"answers = {{'S': {S},\n           'A': {A}}}\nprint('A:', answers['A'])\n", f"S: {S}\nA: {A}"),
    ("a.py", "S = torch.tensor([[4, 3, 2],\n                  [7, 4, 1]], dtype=torch.float32)\n", f"S: {S}"),
    ("a.ipynb", NOTEBOOK, f"S: {S}\nZ: {Z}\nA: {A}\nO: {O}"),
    ("a.json", '{"A": ["0.57 0.28 0.14", "0.88 0.11 0.01"]}', f"A: {A}"),
    ("a.json", '{"A": ["0,57 0,28 0,14", "0,88 0,11 0,01"]}', f"A: {A}"),
    ("a.yaml", 'A: ["0,731 0,269 0", "0,5 0,5 0"]\nS[1]: 1,750 0,707 2', "A: [[0.731, 0.269, 0], [0.5, 0.5, 0]]\nS[1]: [1.750, 0.707, 2]"),
]  # fmt: skip


@pytest.mark.parametrize("key", ["O[3]", "o_3", "output[3]"])
@pytest.mark.parametrize("name", ["a.yaml", "a.txt"])
def test_a_sum_is_read_if_the_step_is_one(key: str, name: str) -> None:
    """A row of the output may be written as the weighted rows of V; no other step may."""
    checker, sum_ = checker_of("discussion-10-q1"), "0.00247*[16,27] + 0.99753*[-8,0] + 0*[8,-18]"
    report = checker.check_content(name, f"{key}: {sum_}\n".encode())
    assert not report.errors and {step.step: step.verdict for step in report.steps}["O"] == "correct"
    other = checker.check_content(name, f"V[3]: {sum_}\n".encode())
    assert {step.step: step.verdict for step in other.steps}["V"] == "unreadable"


def test_values_of_another_step_are_recognised() -> None:
    """The weights in place of the exponentials; not if two steps have these values, or a mistake gives them."""
    weights = "[[0.576, 0.284, 0.140], [0.882, 0.106, 0.013]]"
    said = {}
    for key, value in (("E", weights), ("E", S), ("E", "[[5, 5, 1], [2, 2, 3]]")):
        report = checker_of(DOT).check_content("a.yaml", f"{key}: {value}\n".encode())
        said[value] = [remark for step in report.steps for remark in step.remarks]
    assert "These are the weights A." in said[weights]
    assert not any(remark.startswith("These are") for remark in (*said[S], *said["[[5, 5, 1], [2, 2, 3]]"]))


@pytest.mark.parametrize(("name", "text", "meant"), FORMS)
def test_forms(name: str, text: str, meant: str) -> None:
    """The numbers of a file in any form are those of the same answers in YAML."""
    cells, _, faults, _ = read(DOT, name, text)
    assert cells and faults == [] and cells == read(DOT, "a.yaml", meant)[0]


SLIPS = [
    "A: [[0.57, 0.28}, [0.88, 0.11, 0.01]]",
    'A: [[0.57, "0.28, 0.14], [0.88, 0.11, 0.01]]',
    "A: @[[0.57, 0.28, 0.14], [0.88, 0.11, 0.01]]",
    "A: [[0.57, 0.28, 0.14] [0.88: 0.11, 0.01]]",
    "A: 'not closed",
    "A: *x",
    "A: !!python/object [1]",
    "A: [[0.57, oops, 0.14], [0.88, 0.11, 0.01]]",
    "A: 5 {",
]


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_in_one_value_stops_no_other(slip: str) -> None:
    """The value that cannot be read is said with its line; everything else is marked."""
    report = checker_of(DOT).check_content("a.yaml", f"S: {S}\n{slip}\nO: {O}\n".encode())
    verdicts = {step.step: str(step.verdict) for step in report.steps}
    assert (verdicts["S"], verdicts["O"]) == ("correct", "correct")
    assert verdicts.get("A") in (None, "unreadable") and report.errors
    assert all(error.startswith("a.yaml:2:") for error in report.errors)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.txt", "I do not know how to do this.\nPlease help!"),
        ("a.txt", "Answer: I think Z_2 should be about 3 because it is"),
        ("a.md", "# Homework\n\n1. First I looked at 3 tokens\n2. Then at 4\n"),
        ("a.csv", "a,b\nc,d\n"),
        ("homework.csv", "1,2\n3,4\n"),
        ("a.py", "import os\nos.system('touch owned')\nS = Q @ K.T\nprint(S)\n"),
        ("a.py", ""),
        ("a.ipynb", '{"cells": [{"cell_type": "code", "source": "S = Q @ K.T", "outputs": []}]}'),
        ("a.ipynb", "{}"),
        ("a.yaml", "foo: 1"),
    ],
)
def test_what_names_no_step_is_unread(name: str, text: str, tmp_path: Path, monkeypatch: Any) -> None:
    """It has no marks, and one sentence says what to write; nothing is executed."""
    monkeypatch.chdir(tmp_path)
    report = checker_of(DOT).check_content(name, text.encode())
    assert (report.is_read, str(report.verdict), report.score) == (False, "unread", 0)
    (error,) = report.errors
    assert error.startswith(name) and (
        "write" in error or "is not a notebook" in error or "steps are" in error
    )
    assert not [*tmp_path.iterdir()]


HOSTILE = {
    "empty": b"",
    "binary": bytes(range(256)) * 100,
    "deep": b"[" * 100_000,
    "deep behind a name": b"S = " + b"[" * 100_000,
    "long line": b"S = [" + b"1, " * 300_000 + b"]",
    "many names": b"".join(b"x%d = 3\n" % n for n in range(50_000)),
    "equals": b"=" * 900_000,
    "colons": b"a:" * 400_000,
    "bars": b"|" * 900_000,
    "tabs": b"1\t" * 400_000,
    "spaces": b"S" + b" " * 900_000 + b"= 3",
    "quotes": b'"' * 900_000,
    "backslashes": b"\\" * 900_000,
    "dollars": b"$" * 900_000,
    "stars": b"**" * 400_000,
    "words": b"the " * 200_000,
    "lines": b"\n" * 900_000,
    "statements": b"S = 3, " * 100_000,
    "spaces behind a label": b"(a) " + b" " * 19_000,
    "spaces before is": b"S" + b" " * 19_000 + b"is",
    "spaces before an array": b"S" + b" " * 19_000 + b"[1",
    "one cell many times": b"S_{1,1} = 5, " * 1400,
    "letters": b"(" * 450_000 + b")" * 450_000,
}


@pytest.mark.slow
@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.csv", "a.tsv", "a.py", "a.ipynb", "a.yaml", "a.json"])
def test_hostile_files(name: str, data: bytes) -> None:
    """Huge, deep and binary files get a report in a few seconds, and nothing of them is an answer."""
    report = checker_of(DOT).check_content(name, data)
    assert report.score == 0 and (report.errors or report.verdict == "incomplete")


def mark(name: str, text: str) -> Report:
    """The report on a file, without what differs by its form."""
    return replace(checker_of(DOT).check_content(name, text.encode()).light(), answers="", notes=())


@pytest.mark.parametrize(("name", "text", "meant"), FORMS)
def test_marks_do_not_depend_on_the_form(name: str, text: str, meant: str) -> None:
    """The report is that of the same answers in YAML."""
    assert replace(mark(name, text), student="") == mark("a.yaml", meant)
