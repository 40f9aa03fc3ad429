"""Hostile and unlucky inputs: each row of a table is an input and what it gets."""

from __future__ import annotations

import json
import os
import re
import stat
import zlib
from itertools import pairwise
from typing import Any, NoReturn

import numpy as np
import pytest
import sympy
from sympy import E, Rational, cos, exp, ln, pi, sin, sqrt, tanh

import attncalc
from attncalc.exercise.yaml.tree import MOST_NODES
from tests.helpers.guarded_runs import PLACED, PROBLEM, TEXTS, Attncalc, short, spelled, written
from tests.helpers.quick_and_slow import each, sizes

REFUSED = None


def same(left: Any, right: Any) -> bool:
    """Whether two expressions are equal, exactly."""
    return bool(left == right or sympy.simplify(left - right) == 0)


# Cells: code, exhaustion, syntax.

CODE = [
    "__import__('os').getpid()", "open('MARKER','w').close()", "exp(open('MARKER','w'))",
    "x.subs.__globals__['__builtins__']['open']('MARKER','w')", "(lambda: exit(7))()",
    "f\"{open('MARKER','w')}\"", "sympify('1')", "print(1)", "x:=5", r"\write18{id}", r"\input{/etc/passwd}",
    "ones.__class__", "@open", "`id`", "$(touch MARKER)",
]  # fmt: skip
EXHAUSTION = [
    "9**9**9", "((9**9)**9999)**9999", "0.5**(10**9)", "(10**9)!", "binomial(10**8,5*10**7)", "1e-99999999",
    "1e99999999", "9" * 5000, "1" + "0" * 402, "-" * 100_000 + "1", "exp(" * 150 + "1" + ")" * 150,
    "exp(exp(exp(exp(2))))", "exp(10**30)", "Sum(1/k,(k,1,10**9)).doit()", "1/3" + "+1/7" * 3000,
    "sin(10**100000)", "1_" * 100_000 + "1", "(" * 4000 + "1" + ")" * 4000, "2^" * 4000 + "2", "√" * 9000 + "2",
    "\\frac{1}{" * 900 + "1" + "}" * 900, "[" * 5000, "transpose(" * 900 + "[1]" + ")" * 900,
    "ones(99999,99999)", "identity(10**9)", "1e200*1e200", "1e-200*1e-200", "1e309", "1e-309", "0." + "3" * 1001,
]  # fmt: skip
SYNTAX = [
    "0o17", "0x1F", "--5", "0/0", "1/0", "0^(-1)", "(-1)^(1/2)", "sqrt(-1)", "exp(1)/(exp(1)+1", "1)", "log(0)",
    ".nan", "nan", ".inf", "inf", "+inf", "-inf", "~", "null", "true", "yes", "", " ", "_", "?", "=", "2 1/2", "1 2",
    "1:30", "2020-01-01T00:00:00Z", "1e1.5", "1..2", "1.2.3", "5%", "1j", "1/2x", "sqrt 2", "exp",
    "sqrt(1, 2)", "$1", "\u202e21", "1\u200b2", "1\x002",
]  # fmt: skip
CELL = "title: t\nQ: [[CELL]]\nK: [[1]]\n"
SLOTS = "Q: [[CELL]]\nscale: CELL\nlet: {a: CELL}\nmask: {add: [[CELL]]}\nK: [[1]]\n"


@pytest.mark.parametrize("cell", [*CODE, *EXHAUSTION], ids=short)
def test_harmful_cells_are_refused_with_their_place(run: Attncalc, cell: str) -> None:
    """Code and bombs are unreadable in every place that takes an expression, and each place is named."""
    quoted = spelled(cell)
    lines = run.refuses(SLOTS.replace("CELL", quoted)).err.splitlines()
    for number, (line, slot) in enumerate(zip(lines, SLOTS.splitlines()[:-1], strict=True), 1):
        row, column = map(int, line.split(":")[1:3])
        start = slot.index("CELL") + 1
        assert row == number
        assert start <= column <= start + len(quoted)
        assert len(line) < 300


@pytest.mark.parametrize("cell", [*CODE, *EXHAUSTION, *SYNTAX], ids=short)
def test_unreadable_cells_are_refused(run: Attncalc, cell: str) -> None:
    """What is no number is never read as one: bare, quoted, or from Python."""
    run.refuses(CELL.replace("CELL", cell))
    run.refuses(CELL.replace("CELL", spelled(cell)))
    with pytest.raises(attncalc.AttncalcError):
        attncalc.problem(Q=[[cell]], K=[[1]])


HALF = Rational(1, 2)
NUMBERS: list[tuple[str, tuple[Any, ...]]] = [
    ("1e3", (1000,)), ("1E3", (1000,)), ("017", (17,)), ("１２．５", (Rational(25, 2),)), ("ｅｘｐ(1)", (E, REFUSED)),
    ("+.5", (HALF,)), ("-1/-3", (Rational(1, 3), REFUSED)), ("2^3", (8,)), ("2**3", (8,)), ("-2^2", (-4,)),
    ("2^3^2", (512,)), ("e^(1/2)/(1+e^(1/2))", (exp(HALF) / (1 + exp(HALF)),)), ("-0.0", (0,)),
    ("2024-13-45", (2024 - 13 - 45, REFUSED)), ("½", (HALF,)), ("⅓", (Rational(1, 3),)), ("−½", (-HALF,)),
    ("1.1787\xa0", (Rational(11787, 10000), REFUSED)), ("3", (3,)), ("-2.50", (Rational(-5, 2),)), (".5", (HALF,)),
    ("5.", (5,)), ("1e-3", (Rational(1, 1000),)), ("1/2", (HALF,)), ("0.1+0.2", (Rational(3, 10),)),
    ("sqrt(2)", (sqrt(2),)), ("√2", (sqrt(2),)), ("2sqrt(2)", (2 * sqrt(2),)), ("exp(2)", (exp(2),)),
    ("e^2", (exp(2),)), ("ln(3)", (ln(3),)), ("pi", (pi,)), ("tanh(1)", (tanh(1),)), ("sin(1)", (sin(1),)),
    ("cos(1)", (cos(1),)), ("1e308", (10**308,)), ("1e-308", (Rational(1, 10**308),)),
    ("0." + "3" * 999, (Rational((10**999 - 1) // 3, 10**999),)), ("(" * 90 + "1" + ")" * 90, (1,)),
    ("1/3" + "+1/7" * 200, (Rational(1, 3) + Rational(200, 7),)),
]  # fmt: skip
QUOTED_NUMBERS: list[tuple[str, Any]] = [
    (r"\frac{1}{2}", HALF), (r"\sqrt{2}", sqrt(2)), (r"2 \cdot 3", 6), ("2 sqrt(2)", 2 * sqrt(2)), ("1 - 2", -1),
]  # fmt: skip


@each("is_quoted", [False, True], quick=[False])
@pytest.mark.parametrize(("cell", "allowed"), NUMBERS, ids=short)
def test_numbers_are_read_exactly(
    run: Attncalc, cell: str, allowed: tuple[Any, ...], is_quoted: bool
) -> None:
    """A number is exactly what it says, quoted or not, or is refused where that is allowed."""
    text = CELL.replace("CELL", spelled(cell) if is_quoted else cell) + "scale: none\n"
    if REFUSED in allowed and run.solve(text).code:
        run.refuses(text)
    else:
        assert same(run.exact(text)[0, 0], allowed[0])


@pytest.mark.parametrize(("cell", "value"), QUOTED_NUMBERS, ids=short)
def test_quoted_numbers_are_read_exactly(run: Attncalc, cell: str, value: Any) -> None:
    """In quotes a text is one number, whatever brackets or blanks it has."""
    assert same(run.exact(CELL.replace("CELL", spelled(cell)))[0, 0], value)


HINTS = [
    (CELL.replace("CELL", '"0,62"'), "^problem.yaml:2:8: .*decimal comma"),
    ("Q: [[0,62, 0,38]]\nK: [[1, 2]]\n", "decimal comma"),
    ("Q: [[1,5; 2,0], [1,2; 3,4]]\nK: [[1, 2]]\n", "^problem.yaml:1:5: has commas and semicolons"),
    ("Q: [[0,62, 0,38], [1, 2]]\nK: [[1, 2]]\n", "decimal comma"),
    (CELL.replace("CELL", "exp(1)/(exp(1)+1"), r"^problem.yaml:2:13: .*'\('.* not closed"),
    (CELL.replace("CELL", '"exp(1)/(exp(1)+1"'), r"^problem.yaml:2:14: .*'\('.* not closed"),
    ('K: [[1]]\nQ: [[1]]\nscale: "exp(1)/(exp(1)+1"\n', r"^problem.yaml:3:16: .*'\('.* not closed"),
    (CELL.replace("CELL", '"2 1/2"'), "^problem.yaml:2:9: .*5/2"),
    (
        "zz: [[1]]\nK: [[x]]\nV: nan\n",
        r"^problem.yaml:1:1: .*\nproblem.yaml:2:6: .*\nproblem.yaml:3:4: .*\n$",
    ),
]


@pytest.mark.parametrize(("text", "message"), HINTS, ids=short)
def test_messages_point_and_help(run: Attncalc, text: str, message: str) -> None:
    """Every fault is named at its character, with a hint if one is known."""
    run.refuses(text, message)


@pytest.mark.parametrize("options", ["", "--numeric", "--exact", "--exact -f json", "--numeric -f json"])
def test_minus_zero_is_zero(run: Attncalc, options: str) -> None:
    """-0.0 is printed 0."""
    ran = run.solve("Q: [[-0.0]]\nK: [[1]]\n", *options.split())
    assert ran.code == 0
    assert not re.search(r"[-−]0(?![0-9.]*[1-9])", ran.out)


# Texts of matrices.

PLAIN = np.array([[1, -2], [0.5, 40]])
EXACT = sympy.Matrix([[1, -2], [HALF, 40]])
ROOTS = sympy.Matrix([[sqrt(2) / 2, -2], [exp(2), pi]])
WITH_E = sympy.Matrix([[E, -2], [2 * E, 0]])
TENSOR = "tensor([[ 1.0000, -2.0000],\n        [ 0.5000, 40.0000]]"
MATRICES: list[tuple[str, Any]] = [
    *((text, EXACT) for text in (
        str(PLAIN), repr(PLAIN), repr(PLAIN.astype(np.float32)), "np." + repr(PLAIN),
        repr(PLAIN).replace("array", "matrix"), "[[ 1.e+00 -2.e+00]\n [ 5.e-01  4.e+01]]",
        str(PLAIN.tolist()), str([list(row) for row in PLAIN]),
        f"{TENSOR})", f"{TENSOR}, dtype=torch.float64)", f"{TENSOR}, device='cuda:0')",
        f"{TENSOR}, requires_grad=True)", f"{TENSOR}, grad_fn=<MmBackward0>)",
        f"{TENSOR}, device='cuda:0',\n       dtype=torch.float64, grad_fn=<MmBackward0>)",
        "tensor([[ 1.0000e+00, -2.0000e+00],\n        [ 5.0000e-01,  4.0000e+01]])",
        str(EXACT), repr(EXACT), repr(sympy.ImmutableMatrix(EXACT)), str(EXACT.tolist()),
        sympy.latex(EXACT), sympy.latex(EXACT, mat_delim="", mat_str="bmatrix"),
        sympy.latex(EXACT, mat_delim="", mat_str="pmatrix"),
        sympy.mathematica_code(EXACT), "{{1., -2.}, {0.5, 40.}}", sympy.octave_code(EXACT),
        "[1 -2; 1/2 40]", "[1 -2;0.5 40]", "[1, -2; .5, 40]", "[[1, -2], [1/2, 40]]", "[[1, −2], [½, 40]]",
        r"\begin{bmatrix} 1 & -2 \\ \frac{1}{2} & 40 \end{bmatrix}",
        r"\begin{pmatrix} 1 & -2 \\ 0.5 & 40 \\ \end{pmatrix}",
        "transpose([1 1/2; -2 40])", "stack([1, -2], [1/2, 40])", "[1 -2; 1/2 40] * identity(2)",
    )),
    (str(ROOTS), ROOTS), (sympy.latex(ROOTS), ROOTS), ("{{Sqrt[2]/2, -2}, {E^2, Pi}}", ROOTS),
    (str(WITH_E), WITH_E), (sympy.latex(WITH_E), WITH_E), ("{{E, -2}, {2*E, 0}}", WITH_E),
]  # fmt: skip
BROKEN = [
    "[[1. 2. ... 3. 4.]]", "[1, 2, …, 4]", "tensor([[1., ..., 2.]])", "[1 2; 3]", "[[1, 2], [3]]", "[1, 2", "[1 2]]",
    "[]", "[[]]", "[;]", "{{1, 2}, {3}}", "Matrix(", "array()", r"\begin{bmatrix} 1 & 2", "[[[[[1]]]]]",
    r"\begin{bmatrix}\end{bmatrix}", "tensor([[1]], x=open('MARKER','w'))", "1 2\n3 4 5",
]  # fmt: skip


@each("is_quoted", [False, True], quick=[False])
@pytest.mark.parametrize(("text", "matrix"), MATRICES, ids=short)
def test_matrices_are_read_as_printed(run: Attncalc, text: str, matrix: Any, is_quoted: bool) -> None:
    """What other programs print is the matrix that they printed, in a YAML block and in quotes."""
    block = "|\n" + "".join(f"  {line}\n" for line in text.splitlines())
    found = run.exact(f"Q: {spelled(text) if is_quoted else block}\nK: identity(2)\n", detail="brief")
    assert found.shape == matrix.shape
    assert all(map(same, found.ravel(), matrix))


@pytest.mark.parametrize("text", BROKEN, ids=short)
def test_broken_matrices_are_refused(run: Attncalc, text: str) -> None:
    """Half a matrix is no matrix."""
    run.refuses(f"Q: {spelled(text)}\nK: [[1, 1]]\n")


# YAML documents.

LAUGHS = "a: &a [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{after}: &{after} [{','.join([f'*{name}'] * 10)}]\n" for name, after in pairwise("abcdefghij")
)
MERGES = "x0: &x0 {a: 1}\n" + "".join(
    f"x{n + 1}: &x{n + 1} {{<<: [{','.join([f'*x{n}'] * 9)}]}}\n" for n in range(30)
)
SQUARES = "let: {a0: ones(20, 20)" + "".join(f", a{n + 1}: a{n} * a{n}" for n in range(20)) + "}\nQ: a20\n"
DOUBLES = "let: {a0: 2 + 1" + "".join(f", a{n + 1}: a{n} + a{n}" for n in range(60)) + "}\nQ: [[a60]]\n"
SMALL = "Q: [[2]]\nK: [[1]]\n"
DOCUMENTS: list[tuple[str | bytes, str]] = [
    (LAUGHS, "alias|anchor"), (MERGES, "alias|anchor"), ("Q: *nobody\n", "alias|anchor"),
    ("<<: {Q: [[1]]}\nK: [[1]]\n", "merge"), (SQUARES, ""), (DOUBLES, ""),
    ("Q: " + "[" * 100_000 + "]" * 100_000, ""), ("Q: " + "{a: " * 50_000 + "1" + "}" * 50_000, ""),
    ("- " * 100_000 + "1\n", ""), ("? " * 100_000 + "1\n", ""),
    ("Q: !!python/object/apply:os.system ['touch MARKER']\n", "tag"), ("Q: !!python/name:os.system\n", "tag"),
    ("title: !x y\n" + SMALL, "tag"), ("Q: [[!!float 1]]\nK: [[1]]\n", "tag"), ("Q: [[!!binary eA==]]\n", "tag"),
    ("Q: [[2020-13-45T99:99:99]]\nK: [[1]]\n", ""), ("Q: [[=]]\nK: [[1]]\n", ""),
    ("Q: [[1]]\nK: [[1]]\nQ: [[2]]\n", "^problem.yaml:3:1: .*line 1"),
    ("Q: [[1]]\nK: [[1]]\nmask: {keep: [[1]], keep: [[0]]}\n", "^problem.yaml:3:21: .*line 3"),
    ("? [a, b]\n: 1\nQ: [[1]]\n", "key"), ("{a: 1}: 2\n", "key"),
    ("", "empty"), (" \n\n", "empty"), ("# nothing\n", "empty"), ("---\n...\n", "empty"),
    ("[1, 2]\n", "no name"), ("just text\n", "mapping"), ("42\n", "mapping"), ("Q: [[1]]\n---\nK: [[1]]\n", "document"),
    ("title: a\0b\n" + SMALL, "^problem.yaml:1:9: "), ("title: a\x1b[31mb\n" + SMALL, "^problem.yaml:1:9: "),
    ("title: t\x85K: [[1]]\nQ: [[2]]\n", "^problem.yaml:1:9: "),
    ("title: t\u2028K: [[1]]\nQ: [[2]]\n", "^problem.yaml:1:9: "),
    (SMALL.encode("utf-16-le"), ""), (SMALL.encode("utf-16-be"), ""), (SMALL.encode("utf-32"), ""),
    (b"title: \xe9\n", "^problem.yaml:1:8: .*UTF-8"), (b"title: \xed\xa0\x80\n", "^problem.yaml:1:8: .*UTF-8"),
    ("Q: [[1, 2], [3, 4", ""), ("Q: [[1]]\nK: {keep", ""),
    ("%YAML 9.9\n---\n" + SMALL, ""), ("%TAG ! !\n" + SMALL, ""),
    (b"\x7fELF\x02\x01\x01\x00" + bytes(range(256)), ""), (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", ""),
    (b"PK\x03\x04\x14\x00\x00\x00", ""), (zlib.compress(b"Q: [[1]]" * 100), ""),
    ("Q:\nK: [[1]]\n", ""), ("Q: {}\nK: [[1]]\n", ""), ("Q: {a: {b: c}}\nK: [[1]]\n", ""), ("Q: [[{a: 1}]]\n", ""),
    (SMALL + "mask: [[causal]]\n", ""), (SMALL + "places: 1e9\n", ""), (SMALL + "digits: 0\n", ""),
    (SMALL + "parts: {a: b}\n", ""), (SMALL + "parts: [{part: a, show: 'S[0]'}]\n", ""),
    (SMALL + "parts: [{part: a, show: 'S[99999999999999999999]'}]\n", ""), (SMALL + "names: {S: A}\n", ""),
    (SMALL + "tokens: [a, b]\n", ""), (SMALL + "let: {Q: 1}\n", ""), (SMALL + "let: {a: b, b: a}\n", ""),
]  # fmt: skip
SAME_DOCUMENTS: list[str | bytes] = [
    SMALL, b"\xef\xbb\xbf" + SMALL.encode(), SMALL.replace("\n", "\r\n"), f"---\n{SMALL}...\n", SMALL + "# é 中 😀",
    "{Q: [[2]], K: [[1]]}", '{"Q": [[2]], "K": [[1]]}', "Q:\n- - 2\nK:\n- [1]\n", "Q: 2 * identity(1)\nK: [1]\n",
]  # fmt: skip


@pytest.mark.usefixtures("_loader")
@pytest.mark.parametrize(("text", "message"), DOCUMENTS, ids=short)
def test_documents_are_refused(run: Attncalc, text: str | bytes, message: str) -> None:
    """A file that is not one plain, finite mapping of known things is refused with the place."""
    run.refuses(text, message)


@pytest.mark.usefixtures("_loader")
@sizes(most=(500, MOST_NODES))
def test_documents_with_too_many_values_are_refused(
    run: Attncalc, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Values are counted while they are read."""
    monkeypatch.setattr("attncalc.exercise.yaml.reader.MOST_NODES", most)
    run.refuses(f"Q: [{'1,' * most}1]\n", f"holds more than {most:,} values")


@pytest.mark.usefixtures("_loader")
@pytest.mark.parametrize("text", SAME_DOCUMENTS, ids=short)
def test_documents_are_the_same(run: Attncalc, text: str | bytes) -> None:
    """Harmless differences of notation change nothing."""
    assert run.exact(text).tolist() == [[2]]


@pytest.mark.usefixtures("_loader")
def test_old_mac_line_ends(run: Attncalc) -> None:
    """Lone carriage returns end lines, or the file is refused."""
    text = SMALL.replace("\n", "\r")
    if run.solve(text).code:
        run.refuses(text)
    else:
        assert run.exact(text).tolist() == [[2]]


def test_a_file_over_a_megabyte_is_refused(run: Attncalc) -> None:
    """Of a file that is too large the limit is named; it has no place."""
    ran = run.solve(SMALL + "#" + "x" * 1_000_000)
    assert (ran.code, ran.out) == (2, "")
    assert re.fullmatch(r"problem\.yaml(:1:1)?: .*1,000,000.*\n", ran.err)


# Text that would act on a terminal.

ESCAPES = [r"\ud800", r"\udfff\ud800", r"\U0000dc80", r"\0", r"\e[31m", r"\N\L\P\_"]
FREE = (
    "title: TEXT\nsource: TEXT\nnote: TEXT\ntokens: [TEXT]\nkey_tokens: [TEXT]\n"
    "parts: [{part: TEXT, show: S}]\n"
)
QUOTED_BACK = (
    "TEXT: 1\nmode: TEXT\nscale: TEXT\nmask: TEXT\nnames: {S: TEXT}\nlet: {TEXT: 1}\nV: {file: TEXT}\n"
    "vectors: TEXT\nparts: [{TEXT: a}]\n"
)


@each("options", ["", "--ascii", "-f json"], quick=["", "-f json"])
@pytest.mark.parametrize(("text", "shown"), TEXTS, ids=short)
def test_free_text_is_inert(run: Attncalc, text: str, shown: str, options: str) -> None:
    """Free text is shown unchanged, or escaped; it never acts on the terminal."""
    ran = run.solve(SMALL + FREE.replace("TEXT", spelled(text)), *options.split())
    assert (ran.code, ran.err) == (0, "")
    assert len(ran.out) < 50_000
    assert shown in (json.loads(ran.out)["title"] if "json" in options else ran.out)
    assert ran.out.isascii() or "--ascii" not in options


LONGEST_KEY = 1000
"""YAML itself refuses longer ones."""


@pytest.mark.parametrize("text", [text for text, _ in TEXTS if len(text) < LONGEST_KEY], ids=short)
def test_messages_are_inert(run: Attncalc, text: str) -> None:
    """What a message quotes is cut and escaped."""
    ran = run.refuses(SMALL + QUOTED_BACK.replace("TEXT", spelled(text)))
    assert ran.err.count("\n") >= 8
    assert all(len(line) < 300 for line in ran.err.splitlines())


@pytest.mark.parametrize("escape", ESCAPES)
def test_escapes_are_inert(run: Attncalc, escape: str) -> None:
    """Characters that only an escape can bring in are refused or shown as escapes."""
    ran = run.solve(SMALL + FREE.replace("TEXT", f'"{escape}"'))
    assert ran.code == 0 or PLACED.match(ran.err)
    run.refuses(SMALL + QUOTED_BACK.replace("TEXT", f'"{escape}"'))


ARGUMENTS = [
    ("solve", "\x1b]0;owned\x07"), ("solve", "\x1b[31m.yaml"), ("solve", "\udcff.yaml"), ("solve", "a" * 5000),
    ("solve", "a" * 5000 + ".yaml"), ("solve", ""), ("solve", "."), ("solve", "missing.yaml"),
    ("solve", "missing/problem.yaml"), ("solve", "problem.yaml/x"), ("solve", "../problems/discussion-10-q1"),
    ("solve", "file:///etc/passwd"), ("solve", "http://127.0.0.1:1/x.yaml"), ("solve", "loop.yaml"),
    ("solve", "problem.yaml", "--step", "\x1b[31m"), ("solve", "problem.yaml", "--step", "O"),
    ("solve", "problem.yaml", "--cell", "S[1,99999999999999999999]"),
    ("solve", "problem.yaml", "--cell", "__import__('os')"), ("solve", "problem.yaml", "--row", "9" * 5000),
    ("solve", "problem.yaml", "--row", "2"), ("solve", "problem.yaml", "--places", "101"),
    ("solve", "problem.yaml", "--places", "nan"), ("solve", "problem.yaml", "--digits", "0"),
    ("solve", "problem.yaml", "--format", "\x1b[31m"), ("solve", "problem.yaml", "--\x1b[31m"),
    ("solve", "problem.yaml", "extra\x1b[31m"), ("solve",), ("\x1b[31m",),
]  # fmt: skip


@pytest.mark.parametrize("arguments", ARGUMENTS, ids=short)
def test_arguments_are_refused(run: Attncalc, arguments: tuple[str, ...]) -> None:
    """What cannot be done is said in a few words, and never as a failure to write."""
    written(run.folder / "problem.yaml", SMALL)
    (run.folder / "loop.yaml").symlink_to("loop.yaml")
    ran = run(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.strip()
    assert "output cannot be written" not in ran.err


# Shapes and numbers.

UNIT = "Q: [[1]]\nK: [[1]]\n"
WITHOUT_ANSWER = [
    ("Q: [[1, 2, 3], [1, 2, 3]]\nK: [[1, 2, 3, 4], [1, 2, 3, 4]]\n", "2×3.*2×4.*wide"),
    ("Q: [[1, 2]]\nK: [[1, 2]]\nV: [[1], [2]]\n", "V"), ("X: [[1, 2]]\nW_Q: [[1], [2], [3]]\n", "W_Q"),
    ("Q: []\nK: [[1]]\n", "empty"), ("Q: [[]]\nK: [[1]]\n", "empty"), ("Q: [[], []]\nK: [[1]]\n", "empty"),
    ("Q: [[1], []]\nK: [[1]]\n", ""), ("Q: [[1, 2], 3]\nK: [[1]]\n", ""), ("Q: [[[[[1]]]]]\nK: [[1]]\n", ""),
    ("Q: 1\nK: [[1]]\n", "matrix"), (UNIT + "scale: nan\n", "^problem.yaml:3:"), (UNIT + "scale: inf\n", "3:8"),
    (UNIT + "scale: 1/0\n", "^problem.yaml:3:"), (UNIT + "scale: 1/(d_k - 1)\n", "^problem.yaml:3:"),
    (UNIT + "scale: d_model\n", "d_model"), (UNIT + "scale: exp(exp(exp(6 + d_k)))\n", "^problem.yaml:3:"),
    (UNIT + "scale: [1]\n", ""), ("Q: [[1], [2]]\nK: [[1]]\nmask: {keep: [[1], [0]]}\n", "row 2"),
    ("Q: [[1], [2]]\nK: [[1]]\nmask: {add: [[0], [-inf]]}\n", "row 2"), (UNIT + "mask: {lengths: [0]}\n", "row 1"),
    ("S: [[1, 2], [-inf, -inf]]\n", "row 2"), ("S: [[1, -inf]]\nmask: {hide: [[1, 0]]}\n", "row 1"),
    (UNIT + "mask: {keep: [[2]]}\n", "0 and 1"), (UNIT + "mask: {keep: [[1, 1]]}\n", "1×2.*1×1"),
    (UNIT + "mask: {lengths: []}\n", ""), (UNIT + "mask: {lengths: [-1]}\n", ""), (UNIT + "mask: {window: []}\n", ""),
    (UNIT + "mask: {window: -1}\n", ""), (UNIT + "mask: {add: [[inf]]}\n", ""), (UNIT + "mask: {keep: []}\n", ""),
    ("Q: [[.nan]]\nK: [[1]]\n", "^problem.yaml:1:"), ("Q: [[1]]\nK: [[.inf]]\n", "^problem.yaml:2:"),
    ("Q: [[1]]\nK: [[-inf]]\n", "^problem.yaml:2:"), (UNIT + "V: [[-oo]]\n", "^problem.yaml:3:"),
    (UNIT + "V: [[-∞]]\n", "^problem.yaml:3:"), ("S: [[inf, 1]]\n", "^problem.yaml:1:"),
    ("S: [[nan, 1]]\n", "^problem.yaml:1:"), ("S: [[1 - inf, 1]]\n", "^problem.yaml:1:"),
    ("S: [[0 * inf, 1]]\n", "^problem.yaml:1:"), ("S: [[1, -1]]\nnormalize: sum\n", "^problem.yaml:2:"),
    ("S: [[1, -inf]]\nscale: -1\n", "^problem.yaml:2:"), ("S: [[1]]\n" + UNIT, ""), ("title: nothing\n", ""),
    ("Q: [[1]]\n", ""), ("V: [[1]]\n", ""),
    ("symbols: {x: real}\nS: [[0, 1]]\nV: [[1/(x-x)], [2]]\n", "3:6: .*divides by zero"),
    ("symbols: {x: real}\nS: [[0, 1]]\nV: [[2], [(sqrt(x)*2-2*sqrt(x))^(-1)]]\n", "3:11: .*divides by zero"),
    (UNIT + "V: [[1/(sqrt(2)*sqrt(2)-2)]]\n", "3:6: .*divides by zero"),
    ("X: [[1, 1]]\nblock: [{layer_norm: {eps: 0}}]\n", "2:1: N1 divides by zero"),
]  # fmt: skip


@pytest.mark.parametrize("mode", ["--exact", "--numeric"])
@pytest.mark.parametrize(("text", "message"), WITHOUT_ANSWER, ids=short)
def test_problems_without_an_answer_are_refused(run: Attncalc, text: str, message: str, mode: str) -> None:
    """What has no answer gets none: never NaN, never a mean."""
    ran = run.solve(text, mode)
    assert (ran.code, ran.out) == (2, "")
    assert re.match(r"problem\.yaml(:[1-9][0-9]*:[1-9][0-9]*)?: \S", ran.err), ran.err
    assert re.search(message, ran.err), ran.err


LOGISTIC = [1 / (1 + exp(-1)), 1 / (1 + exp(1))]
ANSWERS: list[tuple[str, str, list[Any], list[float]]] = [
    ("S: [[1000, -1000]]\n", "A", [1 / (1 + exp(-2000)), 1 / (1 + exp(2000))], [1, 0]),
    ("S: [[-1000, -1000]]\n", "A", [HALF, HALF], [0.5, 0.5]),
    ("S: [[100000, 99999]]\n", "A", LOGISTIC, [0.731058578630004879, 0.268941421369995121]),
    ("S: [[1e300, 0, -1e300]]\n", "A", [], [1, 0, 0]),
    ("S: [[1000000000000, 1]]\n", "A", [], [1, 0]),
    ("S: [[7, 7, 7]]\n", "A", [Rational(1, 3)] * 3, [1 / 3] * 3),
    ("S: [[7, 7, 7]]\nV: [[1], [2], [4]]\n", "O", [Rational(7, 3)], [7 / 3]),
    ("Q: [[0.1, 0.2]]\nK: [[1, 1]]\n", "S", [Rational(3, 10)], [0.3]),
    ("Q: [[1]]\nK: [[1], [2]]\nscale: 0\n", "A", [HALF, HALF], [0.5, 0.5]),
    ("Q: [[1]]\nK: [[1], [2]]\nscale: -1\n", "A", LOGISTIC, [0.731058578630004879, 0.268941421369995121]),
    ("S: [[1, 2], [-inf, -inf]]\nmasked_rows: zero\nV: [[3], [3]]\n", "O", [3, 0], [3, 0]),
    ("S: [[1, 1], [-inf, -inf]]\nmasked_rows: zero\n", "A", [HALF, HALF, 0, 0], [0.5, 0.5, 0, 0]),
    ("Q: [[1]]\nK: [[1], [2]]\nmask: {hide: [[1, 0]]}\n", "A", [0, 1], [0, 1]),
    (UNIT + "mask: {lengths: [9999999999999999999999]}\n", "A", [1], [1]),
]


@pytest.mark.parametrize(("text", "step", "exact", "value"), ANSWERS, ids=short)
def test_extreme_problems_have_their_answer(
    run: Attncalc, text: str, step: str, exact: list[Any], value: list[float]
) -> None:
    """Scores out of the range of exp, equal scores and hidden rows give what theory says."""
    problem = attncalc.load(written(run.folder / "problem.yaml", text))
    found = attncalc.solve(problem, mode="numeric")[step].value
    np.testing.assert_allclose(found.ravel(), value, rtol=1e-14, atol=1e-300)
    for options in ("", "--numeric", "-f json", "--numeric -f json"):
        ran = run.solve(text, *options.split())
        assert (ran.code, ran.err) == (0, "")
        assert not re.search(r"(?i)\bnan\b|(?<![-−])\binf\b|(?<![-−])∞", ran.out)
    if exact:
        cells = attncalc.solve(problem, mode="exact")[step].exact
        assert cells is not None
        assert all(map(same, cells.ravel(), exact))


TOO_LARGE = [
    "Q: {file: x.npy}\nK: {file: x.npy}\n",
    "Q: ones(200, 200)\nK: ones(200, 200)\n",
    "S: ones(200, 200)\nV: ones(200, 200)\n",
]


@each("text", TOO_LARGE, quick=TOO_LARGE[:2])
def test_large_exact_problems_are_refused(run: Attncalc, text: str) -> None:
    """An exact solution that no one could wait for is refused with the limit."""
    np.save(run.folder / "x.npy", np.ones((1000, 1000)))
    run.refuses(text + "mode: exact\n", "^problem.yaml:3:.*more than [0-9,]+ terms")


# What would take minutes.

PRIMES = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53]
PRODUCTS = [
    "*".join(f"(1+√{p})" for p in PRIMES), "*".join(f"(e^(1/{n})+√{n + 1})" for n in range(2, 25)), "(1+√2)^700",
]  # fmt: skip
WIDE = 'X: [[1, 2], [3, 4]]\nblock: [{feed_forward: {W_1: "ones(2,20000)", W_2: "ones(20000,2)"}}]\n'
LETTERS = "symbols: {a: real, b: positive, c: real}\n"
SQUARE = "[[a, b, c, 1], [b, c, 1, a], [c, 1, a, b], [1, a, b, c]]"
TWICE = "block: [residual, layer_norm, residual, rms_norm, residual, layer_norm]\n"
LIMIT = "takes more than 150,000 terms to solve exactly"
COSTLY: list[tuple[str, str]] = [
    *((CELL.replace("CELL", spelled(product)), "") for product in PRODUCTS),
    *((CELL.replace("CELL", spelled(product)) + "mode: exact\n", LIMIT) for product in PRODUCTS[1:2]),
    (WIDE, ""), (WIDE + "mode: exact\n", LIMIT), (WIDE.replace("X: [[1, 2], [3, 4]]", "X: [[[1, 2], [3, 4]]]"), ""),
    (f"{LETTERS}X: [[a, 1, c], [2, b, c], [a, b, 1]]\n{TWICE}", LIMIT), (f"{LETTERS}X: [[a, 1], [2, b]]\n{TWICE}", LIMIT),
    (f"{LETTERS}X: {SQUARE}\nW_Q: {SQUARE}\nW_K: {SQUARE}\n", LIMIT),
    (f"X: [[1, 2, 3, 4], [3, 1, 2, 1], [2, 2, 1, 5], [1, 1, 2, 2]]\nmode: exact\n{TWICE}", LIMIT),
    (f"{UNIT}parts:\n" + "- {explain: gradient}\n" * 3000, "more than 100 parts"),
    (UNIT + "".join(f"k{n}: 1\n" for n in range(5_000)), "unknown key 'k99'"),
    ("S: [[-1e300, 1], [0, -1e300]]\nV: [[1], [-1e300]]\n", ""), ("S: [[-1e18, 1], [0, 3]]\nV: [[1], [2]]\n", ""),
    ("Q: [[1e300, 1]]\nK: [[1, 1e300], [0, 1]]\nsoftcap: 1e300\n", ""),
    ("X: [[700, 1], [2, 700]]\nposition: {sinusoidal: half, base: 700}\n", ""),
]  # fmt: skip


@each(("text", "message"), COSTLY, quick=[row for row in COSTLY if "X:" not in row[0]])
def test_costly_problems(run: Attncalc, text: str, message: str) -> None:
    """What would take minutes is solved in another way in seconds, or refused with the limit."""
    if message:
        run.refuses(text, message)
    else:
        assert run.solve(text)[::2] == (0, "")


DRAWN = "Q: ones(20, 100)\nK: ones(20, 100)\nV: ones(20, 100)\nsample: {K: {cov: 1}, draws: 200000}\n"
BATCH = "Q: [[[1, 2]], [[3, 4]]]\nK: [[1, 2], [0, 1]]\nV: [[[1], [2]], [[3], [5]]]\n"
DRAWS = [
    (DRAWN, "^problem.yaml:4:9: 200,000 draws of 5,620 entries are more than 50,000,000 numbers"),
    (BATCH.replace("3", "1e300") + "sample: {K: {cov: 1e300}}\n", "^problem.yaml:4:9: some draws .* leave the range"),
    (BATCH + "sample: {K: {cov: 1}, draws: 50}\n", ""), (BATCH + "sample: {V: {cov: 1}, draws: 50}\n", ""),
    ("O: [[1, 2]]\nX: [[1, 2]]\nblock: [residual]\nsample: {O: {cov: 1}, draws: 50}\n", ""),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), DRAWS, ids=short)
def test_samples_within_limits(run: Attncalc, text: str, message: str) -> None:
    """More draws than anybody can wait for are refused; a batch may stand beside them."""
    written(run.folder / "problem.yaml", text)
    ran = run("sample", "problem.yaml")
    assert ran.code == (2 if message else 0)
    assert re.search(message, ran.err) if message else not ran.err


# -o.


def test_output_replaces_a_file_whole(run: Attncalc) -> None:
    """An old file is replaced by what would have been printed."""
    printed = run.solve(PROBLEM).out
    written(run.folder / "out.txt", "old " * 10_000)
    assert run("solve", "problem.yaml", "-o", "out.txt", writes="out.txt") == (0, "", "")
    assert (run.folder / "out.txt").read_text() == printed


@pytest.mark.parametrize("mode", [0o600, 0o640])
def test_a_replaced_file_keeps_its_permissions(run: Attncalc, mode: int) -> None:
    """A file that others may not read stays so."""
    written(run.folder / "problem.yaml", PROBLEM)
    written(run.folder / "out.txt", "old").chmod(mode)
    assert run("solve", "problem.yaml", "-o", "out.txt", writes="out.txt").code == 0
    assert stat.S_IMODE((run.folder / "out.txt").stat().st_mode) == mode


@pytest.mark.parametrize("target", ["target.txt", "missing.txt"])
def test_output_does_not_follow_a_link(run: Attncalc, target: str) -> None:
    """What a symbolic link points to is neither touched nor made."""
    written(run.folder / "problem.yaml", PROBLEM)
    written(run.folder / "target.txt", "old")
    (run.folder / "out.txt").symlink_to(target)
    assert run("solve", "problem.yaml", "-o", "out.txt", writes="out.txt").code in (0, 2)
    assert not (run.folder / "missing.txt").exists()


OUTPUTS = [
    "folder",
    "folder/",
    "link",
    ".",
    "..",
    "",
    "missing/x",
    "problem.yaml/x",
    "a" * 5000,
    "pipe",
    "/proc/x",
]


@pytest.mark.parametrize("name", OUTPUTS, ids=short)
def test_output_that_cannot_be_written(run: Attncalc, name: str) -> None:
    """A place that cannot take a regular file is refused and left as it was."""
    written(run.folder / "problem.yaml", PROBLEM)
    (run.folder / "folder").mkdir()
    (run.folder / "link").symlink_to("folder")
    os.mkfifo(run.folder / "pipe")
    ran = run("solve", "problem.yaml", "-o", name)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.strip()
    assert stat.S_ISFIFO((run.folder / "pipe").stat().st_mode)
    assert (run.folder / "link").is_symlink()


@pytest.mark.parametrize(("failure", "code"), [(KeyboardInterrupt(), 130), (OSError(28, "No space left"), 2)])
def test_output_is_whole_or_nothing(run: Attncalc, failure: BaseException, code: int) -> None:
    """A failure while writing leaves the old file, and no other."""

    def fail(*_: object) -> NoReturn:
        raise failure

    written(run.folder / "problem.yaml", PROBLEM)
    written(run.folder / "out.txt", "old")
    run.patch.setattr(os, "replace", fail)
    ran = run("solve", "problem.yaml", "-o", "out.txt")
    assert (ran.code, ran.out) == (code, "")
