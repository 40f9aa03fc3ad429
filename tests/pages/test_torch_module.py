"""Multi-head attention as an nn.Module: word for word, tidy, and run against the same numbers."""

from __future__ import annotations

import ast
import contextlib
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

import attncalc
from attncalc.core.errors import ProblemError
from attncalc.exercise.solve.solution import Solution
from attncalc.pages import Page, formats_of
from attncalc.worked.view import Excerpt
from tests.helpers.bundled import NUMERIC, solved
from tests.helpers.commands import run, run_python

TORCH = formats_of("solutions")["torch"]
RANDOM = np.random.default_rng(0)
TOKENS, OTHERS = RANDOM.standard_normal((3, 4)), RANDOM.standard_normal((5, 6))
WEIGHTS: dict[str, Any] = {name: RANDOM.standard_normal((4, 6)) for name in ("W_Q", "W_K", "W_V")}
BIASES: dict[str, Any] = {name: RANDOM.standard_normal((1, 6)) for name in ("b_Q", "b_K", "b_V")}
CROSS: dict[str, Any] = {"X_Q": TOKENS, "X_KV": OTHERS, "W_Q": WEIGHTS["W_Q"]}
CROSS |= {name: RANDOM.standard_normal((6, 6)) for name in ("W_K", "W_V")}
CASES: dict[str, dict[str, Any]] = {
    "one head": {"X": TOKENS, **WEIGHTS},
    "no output layer": {"X": TOKENS, **WEIGHTS, "heads": 2},
    "output layer": {"X": TOKENS, **WEIGHTS, "heads": 3, "W_O": RANDOM.standard_normal((6, 4))},
    "biases": {"X": TOKENS, **WEIGHTS, **BIASES, "heads": 2, "W_O": np.ones((6, 4)), "b_O": np.ones((1, 4))},
    "mask": {"X": TOKENS, **WEIGHTS, "heads": 2, "mask": "causal"},
    "scale": {"X": TOKENS, **WEIGHTS, "heads": 2, "scale": "1/sqrt(d_model)"},
    "no scale": {"X": TOKENS, **WEIGHTS, "scale": "none", "combine": "concat"},
    "out-in": {"X": TOKENS, **{name: w.T for name, w in WEIGHTS.items()}, "heads": 2, "weights": "out-in"},
    "batch": {"X": np.stack([TOKENS, -TOKENS]), **WEIGHTS, "heads": 2},
    "cross": {**CROSS, "heads": 2, "W_O": np.ones((6, 5))},
}


def written(solution: Solution) -> str:
    """The module of a solution."""
    return TORCH.render(Excerpt(solution), Page(module=True))


def module_of(case: str) -> str:
    """The module of a case."""
    return written(attncalc.solve(attncalc.problem(**CASES[case])))


def test_module(golden: SnapshotAssertion) -> None:
    """The whole of it, word for word."""
    assert run("solve", "split-and-join", "-f", "torch", "--module") == golden


@pytest.mark.parametrize("case", CASES)
def test_a_module_runs_against_the_same_numbers(case: str) -> None:
    """Every function of it gives what the solution has."""
    pytest.importorskip("torch", reason="torch is not installed: pip install torch")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(module_of(case), "module.py", "exec"), {})
    agreed = [line.removesuffix(" agrees") for line in printed.getvalue().splitlines()]
    heads = CASES[case].get("heads", 1)
    own = [f"{role}_{head}" for head in range(1, heads + 1) for role in "QKVO"] if heads > 1 else [*"QKVO"]
    assert {*own} <= {*agreed}
    assert ("Y" in agreed) == ("W_O" in CASES[case])


def test_a_wrong_number_stops_it() -> None:
    """The step that differs is named."""
    pytest.importorskip("torch", reason="torch is not installed: pip install torch")
    code = written(solved("split-and-join")).replace("transpose(1, 2).contiguous()", "contiguous()")
    with pytest.raises(AssertionError, match="step H differs"):
        exec(compile(code, "module.py", "exec"), {})


def test_modules_are_tidy(tmp_path: Path) -> None:
    """A linter has nothing to say, but that O is easily taken for 0."""
    pytest.importorskip("ruff", reason="ruff is not installed: pip install ruff")
    for case in CASES:
        (tmp_path / f"{case.replace(' ', '_').replace('-', '_')}.py").write_text(module_of(case))
    options = ["--isolated", "--line-length=100", "--select=E,F,W,I,B,UP,C4,SIM,PIE,RET,D1", "--ignore=E741"]
    assert run_python("-m", "ruff", "check", *options, str(tmp_path)) == "All checks passed!\n"


def test_what_is_no_module_is_refused() -> None:
    """Every problem is written as one, or refused in one sentence that names what is in the way."""
    refused = []
    for name in NUMERIC:
        try:
            ast.parse(written(solved(name)))
        except ProblemError as error:
            refused.append(str(error))
    assert len(NUMERIC) - len(refused) >= 12
    assert all("module" in message for message in refused)
