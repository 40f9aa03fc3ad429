"""Solutions as NumPy and torch scripts: they run, they agree, and they say where something differs."""

from __future__ import annotations

import ast
import contextlib
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

import attncalc
from attncalc.core.errors import ProblemError
from attncalc.core.fields import Numeric
from attncalc.core.notations.code import Arrays, Dialect
from attncalc.core.readings.subterms import without_idle
from attncalc.core.readings.value import evaluate
from attncalc.core.terms import (
    ONLY,
    Apply,
    Axis,
    Constant,
    Entry,
    Greatest,
    Negative,
    Ordinal,
    Power,
    Product,
    Quotient,
    Sum,
    Term,
    Total,
)
from attncalc.exercise.solve.solution import Solution
from attncalc.pages import formats_of
from attncalc.pages.solutions.numpy import NUMPY
from tests.helpers.bundled import FEW, NUMERIC, solved
from tests.helpers.commands import run, run_python
from tests.helpers.quick_and_slow import SLOW, each, examples
from tests.helpers.solutions import excerpt
from tests.helpers.strategies import problems

FORMATS = formats_of("solutions")
DIALECTS = {
    name: dialect
    for name, format_ in FORMATS.items()
    for dialect in vars(format_.file).values()
    if isinstance(dialect, Dialect)
}
"""The formats that are scripts, each with the library that it is written for."""
LIBRARIES = list(DIALECTS)


def rendered(solution: Solution, library: str = "numpy", *names: str) -> str:
    """The script of a solution, or of some of its steps."""
    return FORMATS[library].render(excerpt(solution, *names))


def script_of(name: str, library: str = "numpy", *names: str) -> str:
    """The script of a bundled problem."""
    return rendered(solved(name), library, *names)


def executed(script: str) -> list[str]:
    """The steps that agree, as a script prints them."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(script, "script.py", "exec"), {})
    return [line.removesuffix(" agrees") for line in printed.getvalue().splitlines()]


def needs(library: str) -> None:
    """Skips what a missing library would run."""
    pytest.importorskip(library, reason=f"{library} is not installed: pip install {library}")


@pytest.mark.parametrize("library", LIBRARIES)
@each("name", NUMERIC, quick=FEW)
def test_bundled_problems(name: str, library: str) -> None:
    """The script of every bundled problem computes and checks every step, gradients by torch's own, too."""
    needs(library)
    agreeing = executed(script_of(name, library))
    assert [one for one in agreeing if not one.endswith(" by torch")] == [
        step.name for step in solved(name).steps
    ]


def some(*shape: int) -> Any:
    """Numbers with two decimals."""
    return np.random.default_rng(sum(shape)).standard_normal(shape).round(2)


GIVEN = {"Q": some(3, 4), "K": some(2, 4), "V": some(2, 3)}
BATCH = {"Q": some(2, 3, 4), "K": some(2, 5, 4), "V": some(2, 5, 3)}
CACHE = {**GIVEN, "past_K": some(2, 4), "past_V": some(2, 3)}
TOKENS = {"X": some(3, 4), "W_Q": some(4, 4), "W_K": some(4, 4), "W_V": some(4, 4)}
NETWORK = {"W_1": some(4, 6), "b_1": some(1, 6), "W_2": some(6, 4), "b_2": some(1, 4)}
ADDITIVE = {"score": "additive", "W_1": some(4, 3), "W_2": some(4, 3), "v_a": some(1, 3)}
KINDS: list[Any] = [
    BATCH,
    {**BATCH, "mask": {"lengths": [2, 4]}},
    {**BATCH, "position": "rope"},
    {**BATCH, "position": {"rope": "half", "base": "100", "offset": 3}},
    {**BATCH, **ADDITIVE},
    {**GIVEN, "K": some(2, 2, 4)},
    {**CACHE, "K": some(2, 2, 4)},
    {**CACHE, "position": "rope"},
    {**CACHE, **ADDITIVE},
    {**CACHE, "score": "concat", "W_a": some(8, 3), "v_a": some(1, 3)},
    {**CACHE, "score": "general", "W_a": some(4, 4), "weights": "out-in"},
    {**GIVEN, "score": {"concat": ["k", "q"]}, "W_a": some(3, 8), "v_a": some(1, 3), "weights": "out-in"},
    {**GIVEN, "softcap": "sqrt(2)", "scale": "2*10^3/d_k^2*heads"},
    {**GIVEN, "scale": "1/sqrt(d_v)*n_k/n_q", "mask": {"add": [[0, "-inf"]]}, "normalize": "none"},
    {"Q": abs(some(3, 4)), "K": abs(some(2, 4)), "mask": "causal", "normalize": "sum"},
    {"Q": 1000 * some(3, 4), "K": some(2, 4), "scale": "none", "mask": "causal"},
    {
        "Q": "[[10^25, 3^40, 12345678901234567890, 1/3*10^20]]",
        "K": "[[10^-30, 0.50, 1e-7, 5/7]]",
        "scale": "10^-30",
    },
    {"S": "[-inf -inf; 0 1/3]", "V": "[sqrt(2)/2 exp(1); 3 pi]", "masked_rows": "zero"},
    {"S": "[0 -inf; 1 1/3]", "V": "[1; 2]", "softcap": 5},
    {
        "Q": some(2, 4, 3, 4),
        "K": some(2, 2, 5, 4),
        "V": some(2, 2, 5, 3),
        "mask": {"keep": np.eye(3, 5, dtype=int)},
    },
    {**TOKENS, "heads": 4, "position": "alibi", "mask": "causal"},
    {**TOKENS, "X": some(2, 3, 4), "heads": 2, "kv_heads": 2, "W_O": some(4, 4), "b_O": some(1, 4)},
    {**TOKENS, "vectors": "columns", "weights": "out-in", "b_Q": some(1, 4)},
    {"X": some(3, 5), "position": "sinusoidal"},
    {"X": some(2, 3, 4), "position": {"sinusoidal": "half", "offset": 3}},
    {"X": some(1, 1), "position": "sinusoidal"},
    pytest.param({"X": some(2, 64), "heads": 64, "combine": "mean"}, marks=SLOW),
    {"X": some(2, 64), "heads": 64},
    {**TOKENS, "block": ["residual", "layer_norm", {"feed_forward": NETWORK}, "residual", "rms_norm"]},
    {**TOKENS, "block": [{"feed_forward": {**NETWORK, "activation": "gelu"}}]},
    {**TOKENS, "block": [{"feed_forward": {**NETWORK, "activation": "gelu_tanh"}}]},
    {**TOKENS, "X": some(2, 3, 4), "block": [{"feed_forward": {**NETWORK, "activation": "silu"}}]},
    {
        "O": some(3, 4),
        "X": some(3, 4),
        "block": [{"layer_norm": {"gamma": some(1, 4), "beta": some(1, 4), "variance": "sample"}}],
    },
]


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("keys", KINDS, ids=range(len(KINDS)))
def test_kinds_of_problems(keys: dict[str, Any], library: str) -> None:
    """Batches, caches, scores, positions, blocks and numbers of every kind, in tidy lines."""
    needs(library)
    solution = attncalc.solve(attncalc.problem(**keys), mode="numeric")
    script = rendered(solution, library)
    assert executed(script) == [step.name for step in solution.steps]
    assert max(map(len, script.splitlines())) <= 100


@given(problems(), st.sampled_from(["exact", "numeric"]))
def test_any_problem(keys: dict[str, Any], mode: str) -> None:
    """The script of any problem agrees with its solution."""
    solution = attncalc.solve(attncalc.problem(**keys), mode=mode)
    assert executed(rendered(solution)) == [step.name for step in solution.steps]


SIZES = {"i": 2, "j": 3, "a": 4, "b": 2}
MATRICES = {
    f"{lead}{r}{c}": some(*([2] if lead == "L" else []), SIZES.get(r, 1), SIZES.get(c, 1))
    for lead in "PL"
    for r in [*SIZES, "o"]
    for c in [*SIZES, "o"]
    if r != c
}
"""A matrix for every two letters, `o` for the one row or column of a vector; those with L are batches."""


@st.composite
def terms(draw: st.DrawFn, letters: str = "ij", depth: int = 3) -> Term:
    """Rules that no operation has yet, over the matrices above."""
    axes = {letter: Axis(letter, SIZES[letter]) for letter in letters}
    kind = draw(st.integers(0, 9)) if depth else 0
    if kind <= 1:
        r, c = draw(st.permutations([*letters, "o"]).map(lambda found: found[:2]))
        return Entry(draw(st.sampled_from("PL")) + r + c, (axes.get(r, ONLY), axes.get(c, ONLY)))
    if kind == 2:
        return Ordinal(axes[draw(st.sampled_from(letters))])
    free = [letter for letter in "ab" if letter not in letters]
    if kind in (3, 4, 5) and free:
        axis = Axis(free[0], SIZES[free[0]])
        parts = [draw(terms(letters + free[0], depth - 1)) for _ in range(2)]
        inside = draw(st.sampled_from([Product(tuple(parts)), parts[0]]))
        along: list[Term] = [Total(axis, inside), Greatest(axis, inside)]
        return draw(st.sampled_from(along if kind == 5 else along[:1]))
    x, y = draw(terms(letters, depth - 1)), draw(terms(letters, depth - 1))
    others: list[Term] = [
        Negative(x),
        Sum((x, Negative(y))),
        Product((x, y)),
        Quotient(x, Constant(3)),
        Power(x, Constant(2)),
        Apply("tanh", x),
    ]
    return draw(st.sampled_from(others))


@given(terms())
@examples(5)
def test_any_rule(rule: Term) -> None:
    """A rule read as code is the rule read as values, also for operations still to come."""
    axes = Axis("i", SIZES["i"]), Axis("j", SIZES["j"])
    tidy = without_idle(rule, hides=True)
    arrays = Arrays(NUMPY, {name: matrix.shape for name, matrix in MATRICES.items()}, [tidy])
    text = arrays.within(("i", "j"), tidy)[0]
    values: dict[str, Any] = {"np": np, **MATRICES}
    exec("\n".join([*arrays.lines, f"found = {text}"]), values)
    expected = evaluate(rule, MATRICES, Numeric(), axes)
    found = np.broadcast_to(values["found"], expected.shape)
    np.testing.assert_allclose(
        found, expected, rtol=1e-9, atol=1e-9, err_msg="\n".join([*arrays.lines, text])
    )


CHANGES = [
    ("W_K = {array}[[0,", "W_K = {array}[[5,", ["Q"], "K"),
    ("W_V = {array}[[8,", "W_V = {array}[[9,", ["Q", "K"], "V"),
    ("Q @ K.T", "Q @ K", ["Q", "K", "V"], "S"),
    ("{module}.exp(S)", "{module}.exp2(S)", ["Q", "K", "V", "S"], "E"),
    ("E / T", "E / E.sum({axis}=0)", ["Q", "K", "V", "S", "E", "T"], "A"),
]


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize(("old", "new", "right", "first"), CHANGES)
def test_the_first_step_that_differs(
    old: str, new: str, right: list[str], first: str, library: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another number or a line of one's own stops the script at the first step that it changes."""
    needs(library)
    dialect = DIALECTS[library]
    words = {**vars(dialect), "array": dialect.array.partition("{")[0]}
    old, new = (text.format(**words) for text in (old, new))
    script = script_of("discussion-10-q1", library)
    assert script.count(old) == 1
    with pytest.raises(AssertionError, match=f"step {first} differs"):
        exec(compile(script.replace(old, new), "script.py", "exec"), {})
    assert capsys.readouterr().out.split() == [word for step in right for word in (step, "agrees")]


@pytest.mark.parametrize("library", LIBRARIES)
@each("name", NUMERIC, quick=FEW)
def test_scripts_only_compute(name: str, library: str) -> None:
    """Nothing is imported or called that could do anything else."""
    tree = list(ast.walk(ast.parse(script_of(name, library))))
    imported = {alias.name for node in tree if isinstance(node, ast.Import) for alias in node.names}
    named = {node.id for node in tree if isinstance(node, ast.Name)}
    assert imported <= {"math", library}
    assert not any(isinstance(node, ast.ImportFrom) for node in tree)
    assert named.isdisjoint({"eval", "exec", "os", "sys", "open", "compile", "__import__"})


HOSTILE = [
    "x\nimport os",
    "x\r__import__('os')",
    "x\x0cimport os\x85import os\u2028import os",
    '"""\nimport os\n"""',
    "-*- coding: utf_7 -*- +AAo-import os",
    "\u202e# so",
    "\\\nimport os",
    " ".join(["import os;"] * 100),
]


@pytest.mark.parametrize("text", HOSTILE)
def test_words_of_the_file_are_inert(text: str) -> None:
    """Titles, sources and notes stay inside their comments."""
    keys = {"Q": [[1]], "K": [[1]]}
    words = {"title": text, "source": text, "note": text}
    plain, hostile = (attncalc.solve(attncalc.problem(**keys, **more)) for more in ({}, words))
    script = rendered(hostile)
    assert ast.dump(ast.parse(script.encode())) == ast.dump(ast.parse(rendered(plain).encode()))
    assert max(map(len, script.splitlines())) <= 100


def test_names_of_the_course() -> None:
    """The course's names stand beside the steps, whose own names are good Python."""
    script = rendered(attncalc.solve(attncalc.problem(Q=[[1]], K=[[1]], names={"S": "ζ", "A": "import"})))
    assert "# Scores (ζ): 1 x 1\nS = Q @ K.T\n" in script
    assert "# Attention weights (import): 1 x 1\nA = E / T\n" in script
    assert "\n\n\n# Given\n" in script


def test_some_steps() -> None:
    """Only the steps asked for are checked, and nothing after the last of them is computed."""
    script = script_of("discussion-10-q1", "numpy", "K", "S")
    assert executed(script) == ["K", "S"]
    assert "W_V" in script and "np.exp" not in script


def test_large_problems_are_refused() -> None:
    """A script that no one would read is not written."""
    solution = attncalc.solve(attncalc.problem(Q=np.ones((200, 2)), K=np.ones((200, 2))))
    with pytest.raises(ProblemError, match=r"too large for a script: 161,000 numbers, at most 100,000"):
        rendered(solution)
    assert executed(rendered(solution, "numpy", "S")) == ["S"]


def test_free_letters_are_refused() -> None:
    """What has no number cannot be checked."""
    solution = attncalc.solve(attncalc.problem(S=[["x"]], V=[[1]], symbols={"x": "real"}))
    with pytest.raises(ProblemError, match="E has entries with free letters"):
        rendered(solution)


def test_from_the_command_line(tmp_path: Path) -> None:
    """A script that is written to a file runs alone."""
    path = tmp_path / "script.py"
    run("solve", "rope", "-f", "numpy", "-o", str(path))
    assert path.read_text(encoding="utf-8") == script_of("rope")
    assert run_python(str(path)).endswith("A agrees\nO agrees\n")


@pytest.mark.parametrize("names", [FEW, pytest.param(NUMERIC, marks=SLOW)], ids=["few", "all"])
def test_scripts_are_tidy(names: list[str], tmp_path: Path) -> None:
    """A linter has nothing to say, but that O is easily taken for 0."""
    pytest.importorskip("ruff", reason="ruff is not installed: pip install ruff")
    for name in {*names} & {*NUMERIC}:
        for library in LIBRARIES:
            (tmp_path / f"{name.replace('-', '_')}_{library}.py").write_text(
                script_of(name, library), encoding="utf-8"
            )
    options = ["--isolated", "--line-length=100", "--select=E,F,W,I,B,UP,C4,SIM,PIE,RET,D1", "--ignore=E741"]
    assert run_python("-m", "ruff", "check", *options, str(tmp_path)) == "All checks passed!\n"


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("name", ["discussion-10-q1", "two-heads-by-hand", "encoder-layer", "causal-cache"])
def test_script(name: str, library: str, golden: SnapshotAssertion) -> None:
    """The whole script, word for word."""
    assert script_of(name, library) == golden
