"""The backward pass is the slope of the forward pass."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given

import attncalc
from attncalc.core.fields import Array, Numeric
from attncalc.core.graph.graph import numbers_of, trace
from attncalc.core.record import replace
from attncalc.core.terms import Term, Total, members
from attncalc.exercise.solve.solution import Solution
from attncalc.features.topics.topic_gradient import backward
from attncalc.worked.blocks import Document, Equation, Equations, Law
from attncalc.worked.words import topic_named
from tests.helpers.bundled import FEW, ONE_SEQUENCE, solved
from tests.helpers.quick_and_slow import SLOW, each
from tests.helpers.solutions import printed, same_steps
from tests.helpers.strategies import problems

pytestmark = SLOW

STEP = 1e-6
LONGEST = 260
"""The characters of a line."""


def slope(solution: Solution, name: str, direction: Array) -> float:
    """How fast the loss grows as a given matrix moves, by a small difference."""
    graph = solution.graph
    start = next(key for key in graph.given if graph.labels[key].of)
    weights, output = solution.trace.values[start], graph.labels[start].source.name
    given = {key: numbers_of(matrix, Numeric()) for key, matrix in graph.given.items()}

    def loss(change: float) -> float:
        moved = replace(graph, given={**given, name: given[name] + change * direction})
        return float((trace(moved, Numeric()).values[output] * weights).sum())

    return (loss(STEP) - loss(-STEP)) / (2 * STEP)


def agree(solution: Solution) -> None:
    """Compares both ways for every matrix given, moved in two directions made by chance."""
    found = backward(solution)
    values = found.trace.values
    rng = np.random.default_rng(1)
    for name, matrix in found.graph.given.items():
        label = found.graph.labels[name]
        if label.role == "mask" or label.of:
            continue
        finite = np.isfinite(numbers_of(matrix, Numeric()))
        for _ in range(2):
            direction = np.where(finite, rng.standard_normal(finite.shape), 0)
            gradient = values.get(label.gradient.name, np.zeros(finite.shape))
            expected = float((gradient * direction).sum())
            assert slope(found, name, direction) == pytest.approx(expected, rel=1e-5, abs=1e-6), name


WITH_GRADIENTS = [name for name in ONE_SEQUENCE if name != "dot-product-1"]
"""There K and V are one matrix of one name, so that their gradients have none."""


@each("name", WITH_GRADIENTS, quick=FEW)
def test_finite_differences(name: str) -> None:
    """Every bundled problem: positions, caches, heads, norms, networks, every score."""
    agree(solved(name, "numeric"))


@each("name", WITH_GRADIENTS, quick=FEW)
def test_gradients_can_be_read(name: str) -> None:
    """No index is bound twice, and no line is too long; the slope of gelu_tanh is the longest."""
    found = backward(solved(name, "numeric"))
    for step in found.steps:
        for piece in step.pieces:
            assert not bound_twice(piece.rule, {axis.letter for axis in piece.axes}), step.name
    told = Document(tuple(topic_named("gradient").explain(solved(name))))
    lines = [block for block in told.blocks if isinstance(block, Law | Equation | Equations)]
    assert max(map(len, printed(Document(tuple(lines))).splitlines())) <= LONGEST


def bound_twice(term: Term, taken: set[str]) -> bool:
    """Whether a sum in a term runs along an index that is taken, by the cell or by a sum around it."""
    if isinstance(term, Total):
        return term.axis.letter in taken or bound_twice(term.term, taken | {term.axis.letter})
    return any(bound_twice(member, taken) for member in members(term))


@given(problems())
def test_finite_differences_of_random_problems(keys: dict[str, Any]) -> None:
    """The same for random problems."""
    agree(attncalc.solve(attncalc.problem(**keys), "numeric"))


SCORES, ROW = [[1, "-inf", 2], [0, 1, "-inf"]], [["-inf", "-inf", "-inf"]]
HIDDEN: list[dict[str, Any]] = [
    {"S": SCORES},
    {"S": SCORES + ROW, "masked_rows": "zero"},
    {"S": SCORES, "normalize": "sum"},
    {"S": SCORES, "normalize": "none"},
    {"S": SCORES, "softcap": 2},
    {"S": SCORES, "softcap": 2, "normalize": "none", "scale": "1/3"},
    {"S": SCORES, "mask": {"add": [[0, 1, "-inf"]]}, "scale": "1*sqrt(2)"},
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
    exact = attncalc.solve(attncalc.problem(**values, **keys), "exact")
    same_steps(backward(exact), backward(numeric), 1e-9)


LETTERS: list[dict[str, Any]] = [
    {"S": [["x", "-inf", 2]], "scale": "x", "symbols": {"x": "positive"}},
    {"S": [["x", "-inf", 2]], "limit": "x -> oo", "symbols": {"x": "real"}},
    {"S": [["x", "-inf", 2]], "limit": "x -> 1", "symbols": {"x": "real"}, "backward": {"O_limit": [[1]]}},
    {"S": [["x", 0, 2]], "limit": "x -> oo", "symbols": {"x": "real"}, "backward": {"A_limit": [[1, 2, 3]]}},
    {"S": [[1, "-inf", 2]], "backward": {"E": [[1, 2, 3]]}},
    {"S": [[1, "-inf", 2]], "backward": {"T": [[1]]}},
    {"S": [[1, "-inf", 2]], "mask": {"add": [[0, 0, 0]]}, "backward": {"M": [[1, 2, 3]]}},
]


@pytest.mark.parametrize("keys", LETTERS)
def test_the_topic_is_explained_to_its_end(keys: dict[str, Any]) -> None:
    """With letters, in a limit, from any step on: the topic is explained to its end."""
    solution = attncalc.solve(attncalc.problem(V=[[1], [2], [3]], **keys))
    told = Document(tuple(topic_named("gradient").explain(solution)))
    assert "nan" not in printed(told, 80)


def test_a_sign_that_is_not_known() -> None:
    """−∞ times a letter that may be negative is a fault with its reason."""
    keys: dict[str, Any] = {"S": [["x", "-inf"]], "scale": "x", "symbols": {"x": "real"}}
    with pytest.raises(attncalc.ProblemError, match="cannot be decided"):
        attncalc.solve(attncalc.problem(**keys))


PLAIN: dict[str, Any] = {"Q": [[1, 2]], "K": [[1, 0], [0, 1]], "V": [[1, 2], [3, 4]]}
NETWORK = {"W_1": [[1, -1], [0, 2]], "b_1": [[-1, 0]], "W_2": [[2, 1], [1, 0]]}


PARAMETERS = {"gamma": [[2, -1]], "beta": [[0, 3]], "eps": 0.5}
BLOCKS: list[list[Any]] = [
    ["layer_norm"],
    [{"layer_norm": PARAMETERS}, {"feed_forward": {**NETWORK, "activation": "gelu"}}],
    [{"layer_norm": {"beta": [[1, 2]], "variance": "sample"}}, {"feed_forward": {**NETWORK, "activation": "silu"}}],
    ["residual", "rms_norm", {"feed_forward": NETWORK}, "residual", {"rms_norm": {"gamma": [[2, -1]]}}],
]  # fmt: skip


@pytest.mark.parametrize("block", BLOCKS)
def test_blocks(block: list[Any]) -> None:
    """Norms are differentiated as a whole, whatever their parameters, and the hidden layer step by step."""
    found = backward(attncalc.solve(attncalc.problem(X=[[1, 2], [-3, 1]], block=block), "numeric"))
    agree(attncalc.solve(found.problem, "numeric"))
    names = {step.name.rstrip("12") for step in found.steps}
    assert names.isdisjoint({"dE", "dT", "dmu", "dvar", "dms"})
    assert ("U" in names) == ("dU" in names) == ("dG" in names)


@pytest.mark.parametrize("size", [1, 1000])
def test_large_scores(size: int) -> None:
    """What is taken off before the exponentials changes no gradient."""
    agree(attncalc.solve(attncalc.problem(**{**PLAIN, "Q": [[size, size + 0.5]]}, scale="none"), "numeric"))


@pytest.mark.parametrize(
    "keys", [{}, {"mask": "causal"}, {"W_O": [[1, 2], [3, 5]]}, {"block": [{"feed_forward": NETWORK}]}]
)
def test_exact_is_numeric(keys: dict[str, Any]) -> None:
    """Both fields give the same gradients."""
    problem = attncalc.problem(**PLAIN, **keys)
    exact, numeric = (backward(attncalc.solve(problem, mode)) for mode in ("exact", "numeric"))
    same_steps(exact, numeric, 1e-9)


@pytest.mark.parametrize("name", ["dot-product-3", "discussion-10-q1", "two-heads-by-hand"])
def test_bundled_problems_exactly(name: str) -> None:
    """So they do in the bundled problems."""
    same_steps(backward(solved(name, "exact")), backward(solved(name, "numeric")), 1e-9)


PAIRS = {
    "X": [[1, 0, 1, 0], [0, 1, 0, 1]],
    "W_Q": [[1, 0], [0, 1], [0, 0], [0, 0]],
    "W_K": [[1, 0], [0, 1], [0, 0], [0, 0]],
    "W_V": [[0, 0], [0, 0], [3, 0], [0, 3]],
    "W_O": [[1, 0, 1, 0], [0, 1, 0, 1]],
    "scale": "ln(2)",
    "block": ["residual", {"layer_norm": {"eps": 0}}],
}
"""Rows of two numbers, of which a norm makes 1 and -1 whatever they are."""


def test_what_cancels_is_0() -> None:
    """Rounding errors are not shown as numbers; numbers that are as small are."""
    assert (backward(attncalc.solve(attncalc.problem(**PAIRS), "numeric"))["dO"].value == 0).all()
    normed = attncalc.problem(X=[[0.1, 0.2, 0.3]], block=["layer_norm"])
    assert attncalc.solve(normed, "numeric")["N1"].value[0, 1] == 0
    small = attncalc.solve(attncalc.problem(S=[[0, 40]], V=[[1], [0]]), "numeric")["O"].value[0, 0]
    assert small == pytest.approx(np.exp(-40), rel=1e-12)


def test_an_upstream_gradient_may_be_given() -> None:
    """`backward: {O: ..}` weighs the entries of the output; twice the weights, twice the gradients."""
    once = backward(attncalc.solve(attncalc.problem(**PLAIN, backward={"O": [[1, 0]]}), "numeric"))
    twice = backward(attncalc.solve(attncalc.problem(**PLAIN, backward={"O": [[2, 0]]}), "numeric"))
    np.testing.assert_allclose(twice["dQ"].value, 2 * once["dQ"].value)
    assert np.abs(once["dQ"].value).max() > 0.1


def test_it_must_fit() -> None:
    """One weight for each entry of the output."""
    with pytest.raises(attncalc.ProblemError, match="'O' is 1×2, the gradient 1×3"):
        backward(attncalc.solve(attncalc.problem(**PLAIN, backward={"O": [[1, 2, 3]]})))


def test_it_may_come_in_earlier() -> None:
    """`backward: {O: ..}` starts at O, whatever comes after it."""
    keys = {**PLAIN, "backward": {"O": [[1, 3]]}}
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
    problem = attncalc.problem(**given, mask="causal", backward={"Y": upstream})
    ours = backward(attncalc.solve(problem, "numeric"))
    x, w_q, w_k, w_v, w_o = (torch.tensor(matrix, requires_grad=True) for matrix in given.values())
    attend = torch.nn.functional.scaled_dot_product_attention
    output = attend((x @ w_q)[None], (x @ w_k)[None], (x @ w_v)[None], is_causal=True)[0] @ w_o
    output.backward(torch.tensor(upstream))
    for name, tensor in zip(given, (x, w_q, w_k, w_v, w_o), strict=True):
        np.testing.assert_allclose(ours[f"d{name}"].value, tensor.grad.numpy(), rtol=1e-9, atol=1e-9)
