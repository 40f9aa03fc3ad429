"""The backward pass is the slope of the forward pass."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import attncalc
from attncalc.document.blocks import Document
from attncalc.fields import Numeric
from attncalc.formats import Page
from attncalc.formats.pages.text import render
from attncalc.graph.graph import numbers_of, trace
from attncalc.record import changed
from attncalc.solution.solution import Solution
from attncalc.topics import topic_named
from attncalc.topics.gradient import backward, upstream
from tests.bundled import NUMERIC, PROBLEMS
from tests.strategies import problems

STEP = 1e-6
ONE_SEQUENCE = [name for name in NUMERIC if name != "d2l-valid-lens"]


def slopes(solution: Solution) -> dict[str, Any]:
    """The gradient of every given matrix by small differences."""
    graph = solution.graph
    weights = numbers_of(upstream(solution, solution.output), Numeric())
    given = {name: numbers_of(matrix, Numeric()) for name, matrix in graph.given.items() if name != "mask"}
    fixed = {name: numbers_of(matrix, Numeric()) for name, matrix in graph.given.items()}

    def loss(name: str, at: tuple[int, ...], change: float) -> float:
        moved = given[name].copy()
        moved[at] += change
        graph_moved = changed(graph, given={**fixed, name: moved})
        return float((trace(graph_moved, Numeric()).values[solution.output] * weights).sum())

    found = {}
    for name, matrix in given.items():
        found[name] = np.zeros(matrix.shape)
        for at in np.ndindex(matrix.shape):
            if np.isfinite(matrix[at]):
                found[name][at] = (loss(name, at, STEP) - loss(name, at, -STEP)) / (2 * STEP)
    return found


def agree(solution: Solution) -> None:
    """Compares both ways for every matrix given."""
    values = backward(solution).trace.values
    for name, slope in slopes(solution).items():
        np.testing.assert_allclose(values[f"d{name}"], slope, rtol=1e-5, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("name", ONE_SEQUENCE)
def test_finite_differences(name: str) -> None:
    """Every bundled problem: positions, caches, heads, norms, networks, every score."""
    agree(attncalc.solve(PROBLEMS[name], "numeric"))


@settings(max_examples=40, deadline=None)
@given(problems())
def test_finite_differences_of_random_problems(keys: dict[str, Any]) -> None:
    """The same for problems that nobody chose."""
    agree(attncalc.solve(attncalc.problem(**keys), "numeric"))


SCORES, ROW = [[1, "-inf", 2], [0, 1, "-inf"]], [["-inf", "-inf", "-inf"]]
HIDDEN: list[dict[str, Any]] = [
    {"S": SCORES},
    {"S": SCORES + ROW, "masked_rows": "zero"},
    {"S": SCORES, "normalize": "sum"},
    {"S": SCORES, "normalize": "none"},
    {"S": SCORES, "softcap": 2},
    {"S": SCORES, "softcap": 2, "normalize": "none", "scale": "1/3"},
    {"S": SCORES, "mask": {"add": [[0, 1, "-inf"]]}, "scale": "sqrt(2)"},
    {"S": [[1000, 2, "-inf"], [-900, -901, -902]]},
    {"Q": [[1, 2], [0, 1]], "K": [[1, 0], [0, 1], [1, 1]], "mask": {"hide": [[1, 1, 1], [0, 0, 1]]}, "masked_rows": "zero"},
    {"S": SCORES, "block": ["residual", {"layer_norm": {"eps": 1}}], "X": [[1], [2]]},
]  # fmt: skip


@pytest.mark.parametrize("keys", HIDDEN)
def test_hidden_keys(keys: dict[str, Any]) -> None:
    """−∞ in the scores or in the mask, through everything that may come after it, in both modes."""
    values = {"V": [[1], [2], [3]]}
    numeric = attncalc.solve(attncalc.problem(**values, **keys), "numeric")
    agree(numeric)
    exact = backward(attncalc.solve(attncalc.problem(**values, **keys), "exact"))
    for step in backward(numeric).steps:
        np.testing.assert_allclose(exact[step.name].value, step.value, rtol=1e-9, atol=1e-12)


LETTERS: list[dict[str, Any]] = [
    {"S": [["x", "-inf", 2]], "scale": "x", "symbols": {"x": "positive"}},
    {"S": [["x", "-inf", 2]], "limit": "x -> oo", "symbols": {"x": "real"}},
    {"S": [["x", "-inf", 2]], "limit": "x -> 1", "symbols": {"x": "real"}, "let": {"dO_limit": [[1]]}},
    {"S": [["x", 0, 2]], "limit": "x -> oo", "symbols": {"x": "real"}, "let": {"dA_limit": [[1, 2, 3]]}},
    {"S": [[1, "-inf", 2]], "let": {"dE": [[1, 2, 3]]}},
    {"S": [[1, "-inf", 2]], "let": {"dT": [[1]]}},
    {"S": [[1, "-inf", 2]], "mask": {"add": [[0, 0, 0]]}, "let": {"dM": [[1, 2, 3]]}},
]


@pytest.mark.parametrize("keys", LETTERS)
def test_told(keys: dict[str, Any]) -> None:
    """With letters, in a limit, from any step on: the topic is told to its end."""
    solution = attncalc.solve(attncalc.problem(V=[[1], [2], [3]], **keys))
    told = Document(tuple(topic_named("gradient").explain(solution)))
    written = render(told, Page(width=80))
    assert "nan" not in written


def test_a_sign_that_is_not_known() -> None:
    """−∞ times a letter that may be negative is a fault with its reason."""
    keys: dict[str, Any] = {"S": [["x", "-inf"]], "scale": "x", "symbols": {"x": "real"}}
    with pytest.raises(attncalc.ProblemError, match="cannot be decided"):
        attncalc.solve(attncalc.problem(**keys))


@pytest.mark.parametrize("name", ["dot-product-3", "discussion-10-q1", "two-heads-by-hand"])
def test_exact_is_numeric(name: str) -> None:
    """Both fields give the same gradients."""
    exact, numeric = (backward(attncalc.solve(PROBLEMS[name], mode)) for mode in ("exact", "numeric"))
    for a, b in zip(exact.steps, numeric.steps, strict=True):
        np.testing.assert_allclose(a.value, b.value, rtol=1e-9, atol=1e-12, err_msg=a.name)


def test_an_upstream_gradient_may_be_given() -> None:
    """`let: dO` weighs the entries of the output; twice the weights, twice the gradients."""
    keys: dict[str, Any] = {"Q": [[1, 2]], "K": [[1, 0], [0, 1]], "V": [[1, 2], [3, 4]]}
    once = backward(attncalc.solve(attncalc.problem(**keys, let={"dO": [[1, 0]]}), "numeric"))
    twice = backward(attncalc.solve(attncalc.problem(**keys, let={"dO": [[2, 0]]}), "numeric"))
    np.testing.assert_allclose(twice["dQ"].value, 2 * once["dQ"].value)
    assert np.abs(once["dQ"].value).max() > 0.1


def test_it_may_come_in_earlier() -> None:
    """`let: dO` starts at O, whatever comes after it."""
    keys: dict[str, Any] = {
        "Q": [[1, 2]],
        "K": [[1, 0], [0, 1]],
        "V": [[1, 2], [3, 4]],
        "let": {"dO": [[1, 3]]},
    }
    plain = backward(attncalc.solve(attncalc.problem(**keys), "numeric"))
    later = backward(attncalc.solve(attncalc.problem(**keys, W_O=[[1, 2], [3, 5]]), "numeric"))
    np.testing.assert_allclose(later["dQ"].value, plain["dQ"].value)


def test_autograd() -> None:
    """What torch finds for self-attention with a causal mask and an output matrix."""
    torch = pytest.importorskip("torch", reason="torch is not installed: pip install torch==2.13.0")
    rng = np.random.default_rng(3)
    given = {"X": rng.standard_normal((4, 3))} | {
        name: rng.standard_normal((3, 3)) for name in ("W_Q", "W_K", "W_V", "W_O")
    }
    upstream = rng.standard_normal((4, 3))
    problem = attncalc.problem(**given, mask="causal", let={"dY": upstream})
    ours = backward(attncalc.solve(problem, "numeric"))
    x, w_q, w_k, w_v, w_o = (torch.tensor(matrix, requires_grad=True) for matrix in given.values())
    attend = torch.nn.functional.scaled_dot_product_attention
    output = attend((x @ w_q)[None], (x @ w_k)[None], (x @ w_v)[None], is_causal=True)[0] @ w_o
    output.backward(torch.tensor(upstream))
    for name, tensor in zip(given, (x, w_q, w_k, w_v, w_o), strict=True):
        np.testing.assert_allclose(ours[f"d{name}"].value, tensor.grad.numpy(), rtol=1e-9, atol=1e-9)
