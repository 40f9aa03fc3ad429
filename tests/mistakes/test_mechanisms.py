"""Mistakes with positions, masks, heads, caches and other scores: each is named on numbers from NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import pytest

import attncalc
from attncalc.core.fields import Array
from attncalc.marking.checker import Checker
from tests.helpers.random_students import marked

Keys: TypeAlias = dict[str, Any]
Answers: TypeAlias = Callable[[], dict[str, Any]]

LATER = np.triu(np.ones((3, 3)), 1) > 0
"""The keys that a causal mask hides."""


def softmax(x: Array) -> Array:
    """The shares of every row."""
    e = np.exp(x)
    return np.asarray(e / e.sum(axis=-1, keepdims=True))


def attend(q: Any, k: Any, v: Any, hidden: Any = False) -> Array:
    """Attention with the scale 1/√d_k."""
    q, k, v = map(np.array, (q, k, v))
    return np.asarray(softmax(np.where(hidden, -np.inf, q @ k.T / np.sqrt(k.shape[1]))) @ v)


def columns(matrix: Any, parts: int) -> list[Array]:
    """A matrix cut into blocks of columns."""
    return np.split(np.array(matrix), parts, axis=1)


def named(problem: Keys, answers: dict[str, Any]) -> set[str]:
    """The mistakes that are named in answers with six decimals."""
    written = {name: [[f"{x:.6f}" for x in row] for row in matrix] for name, matrix in answers.items()}
    return {*marked(Checker(attncalc.problem(**problem)), written).mistakes}


X = [[1, 0.5, -1, 2], [0, 2, 1, -0.5], [-1, 1, 0.5, 1]]
Q = [[1, 2, -1, 2], [-1, 2, 1, 1], [1, -1, 1, 2]]
K = [[1, -1, -1, 2], [2, 2, -1, 1], [-1, -1, -1, -1]]
V = [[-1, 3], [3, 1], [2, 3]]


# ── positions ──


def angles(first: int = 0) -> Array:
    """The angle of each of two pairs at three positions."""
    return np.asarray((first + np.arange(3))[:, None] / 10000 ** (np.arange(2) / 2))


def waves(theta: Array, sine: Any = np.sin, cosine: Any = np.cos) -> Array:
    """Sines and cosines of the angles, in turn."""
    return np.asarray(np.stack([sine(theta), cosine(theta)], axis=-1).reshape(3, 4))


def rotate(x: list[list[int]], theta: Array, sine: Any = np.sin, cosine: Any = np.cos) -> Array:
    """Pairs of neighbouring columns turned by the angles."""
    a, b = np.array(x)[:, ::2], np.array(x)[:, 1::2]
    turned = (a * cosine(theta) - b * sine(theta), b * cosine(theta) + a * sine(theta))
    return np.asarray(np.stack(turned, axis=-1).reshape(3, 4))


ADDED: Keys = {"X": X, "position": "sinusoidal", "mode": "numeric"}
TURNED: Keys = {"Q": Q, "K": K, "V": V, "position": "rope", "mode": "numeric"}
SLOPES: Keys = {"X": X, "heads": 2, "position": {"alibi": [1, "1/2"]}, "mode": "numeric"}
DEGREE = np.pi / 180
APART = np.abs(np.arange(3)[:, None] - np.arange(3))
"""The distance between every query and key."""
POSITIONS: list[tuple[str, Keys, Answers]] = [
    ("position-offset", ADDED, lambda: {"P": waves(angles(1))}),
    ("position-offset", {**ADDED, "position": {"sinusoidal": "interleaved", "offset": 1}},
     lambda: {"P": waves(angles(0))}),
    ("position-offset", TURNED, lambda: {"theta": angles(1)}),
    ("position-offset", TURNED, lambda: {"Q_R": rotate(Q, angles(1))}),
    ("position-offset", TURNED, lambda: {"K_R": rotate(K, angles(1))}),
    ("position-swapped", ADDED, lambda: {"P": waves(angles(), np.cos, np.sin)}),
    ("position-swapped", TURNED, lambda: {"Q_R": rotate(Q, angles(), np.cos, np.sin)}),
    ("position-missing", ADDED, lambda: {"X_P": np.array(X)}),
    ("position-missing", ADDED, lambda: {"O": attend(X, X, X)}),
    ("position-missing", TURNED, lambda: {"Q_R": np.array(Q)}),
    ("position-missing", TURNED, lambda: {"O": attend(Q, K, V)}),
    ("rope-keys", TURNED, lambda: {"K_R": np.array(K)}),
    ("rope-keys", TURNED, lambda: {"S": rotate(Q, angles()) @ np.array(K).T}),
    ("rope-degrees", ADDED, lambda: {"P": waves(angles() * DEGREE)}),
    ("rope-degrees", TURNED, lambda: {"Q_R": rotate(Q, angles() * DEGREE)}),
    ("rope-degrees", TURNED, lambda: {"S": rotate(Q, angles() * DEGREE) @ rotate(K, angles() * DEGREE).T}),
    ("slope-other-head", SLOPES, lambda: {"B_1": -APART / 2}),
    ("slope-other-head", SLOPES, lambda: {"B_2": -APART}),
]  # fmt: skip


# ── masks ──

S = np.array([[1, 2, -1], [0.5, 1, 2], [1, -1, 0.5]])
CAUSAL: Keys = {"S": S.tolist(), "scale": "none", "mask": "causal", "mode": "numeric"}
BIAS = np.array([[0, 1, -2], [1, 0, 2], [-1, 2, 0]])
BIASED: Keys = {"Q": Q, "K": K, "mask": {"add": BIAS.tolist()}, "mode": "numeric"}
SCORES = np.array(Q) @ np.array(K).T
FIVE = np.arange(25).reshape(5, 5) % 7 / 2
WINDOW: Keys = {"S": FIVE.tolist(), "scale": "none", "mask": {"window": 1}, "mode": "numeric"}
AHEAD = np.arange(5) - np.arange(5)[:, None]
"""How far every key is ahead of its query."""


def beyond(hidden: Array) -> Array:
    """The weights of the window's scores without some keys."""
    return softmax(np.where(hidden, -np.inf, FIVE))


MASKS: list[tuple[str, Keys, Answers]] = [
    *(("mask-finite", CAUSAL, lambda n=n: {"A": softmax(np.where(LATER, n, S))}) for n in (-1, -10)),
    ("mask-finite", CAUSAL, lambda: {"M": np.where(LATER, -100, S)}),
    ("mask-finite", CAUSAL, lambda: {"M": np.where(LATER, S - 10, S)}),
    ("mask-added", CAUSAL, lambda: {"A": softmax(S + ~LATER)}),
    ("mask-added", CAUSAL, lambda: {"A": softmax(S + LATER)}),
    ("mask-added", CAUSAL, lambda: {"M": S - LATER}),
    ("mask-scaled", BIASED, lambda: {"M": (SCORES + BIAS) / 2}),
    ("mask-scaled", BIASED, lambda: {"A": softmax((SCORES + BIAS) / 2)}),
    ("mask-scaled", SLOPES, lambda: {"B_1": -APART / np.sqrt(2)}),
    ("window-one-sided", WINDOW, lambda: {"A": beyond((AHEAD > 0) | (AHEAD < -1))}),
    ("window-one-sided", WINDOW, lambda: {"A": beyond((AHEAD < 0) | (AHEAD > 1))}),
]


# ── heads ──

WIDE_V = [[1, 0, 2, -1], [0.5, 1, -1, 2], [2, -2, 1, 0]]
HEADS: Keys = {"Q": Q, "K": K, "V": WIDE_V, "heads": 2, "mode": "numeric"}
DOUBLE_Q = np.hstack([Q, -0.5 * np.roll(Q, 1, axis=0)])
GROUPS: Keys = {**HEADS, "Q": DOUBLE_Q.tolist(), "heads": 4, "kv_heads": 2}
HALVES = [*zip(*(columns(x, 2) for x in (Q, K, WIDE_V)), strict=True)]
"""Queries, keys and values of both heads."""


def weave() -> Array:
    """The columns of both heads in turn."""
    first, second = (attend(*half) for half in HALVES)
    return np.stack([first, second], axis=-1).reshape(3, 4)


def deal_out() -> Array:
    """The output of heads that have every other column."""
    return np.hstack([attend(*(np.array(x)[:, n::2] for x in (Q, K, WIDE_V))) for n in (0, 1)])


def share(*groups: int) -> Array:
    """The output of four heads, each with the keys and values of a group."""
    keys, values = columns(K, 2), columns(WIDE_V, 2)
    queries = np.split(DOUBLE_Q, 4, axis=1)
    return np.hstack([attend(q, keys[n], values[n]) for q, n in zip(queries, groups, strict=True)])


SEVERAL: list[tuple[str, Keys, Answers]] = [
    ("heads-strided", HEADS, lambda: {"Q_1": np.array(Q)[:, ::2]}),
    ("heads-strided", HEADS, lambda: {"H": deal_out()}),
    ("heads-woven", HEADS, lambda: {"H": weave()}),
    ("groups-interleaved", GROUPS, lambda: {"H": share(0, 1, 0, 1)}),
    ("groups-interleaved", GROUPS, lambda: {"S_2": DOUBLE_Q[:, 2:4] @ columns(K, 2)[1].T}),
    ("groups-first", GROUPS, lambda: {"H": share(0, 0, 0, 0)}),
    ("groups-first", GROUPS, lambda: {"S_4": DOUBLE_Q[:, 6:] @ columns(K, 2)[0].T}),
]


# ── caches, memories, other scores ──

PAST_K, PAST_V = [[1, 0, 2, -1], [0, 1, 1, 1]], [[2, 0], [-1, 1]]
ALL_K, ALL_V = np.vstack([PAST_K, K]), np.vstack([PAST_V, V])
CACHE: Keys = {"Q": Q, "K": K, "V": V, "past_K": PAST_K, "past_V": PAST_V, "mode": "numeric"}
ROLLED = np.roll(ALL_K, 3, axis=0)
SEEN = softmax(Q @ ALL_K.T / 2)
X_Q, X_KV = [[1, 2], [0, -1], [2, 0.5]], [[0, 1], [1, 1], [-1, 2]]
W_Q = [[1, -1], [2, 0.5]]
MEMORY: Keys = {"X_Q": X_Q, "X_KV": X_KV, "W_Q": W_Q, "mode": "numeric"}
W_1, W_2, V_A = ([[0.5, -1], [1, 0.5]], [[1, 0.5], [-0.5, 1]], [[1, -2]])
ADDITIVE: Keys = {
    "Q": X_Q,
    "K": X_KV,
    "score": "additive",
    "W_1": W_1,
    "W_2": W_2,
    "v_a": V_A,
    "mode": "numeric",
}
CONCAT: Keys = {"Q": X_Q, "K": X_KV, "score": "concat", "W_a": W_1 + W_2, "v_a": V_A, "mode": "numeric"}
PAST = {"past_K": [[2, 1]], "past_V": [[1, 1]], "V": X_KV}


def network(
    function: Callable[[Array], Array], first: Any = W_1, second: Any = W_2, keys: Any = X_KV
) -> Array:
    """The scores of a small network."""
    hidden = (np.array(X_Q) @ first)[:, None] + (np.array(keys) @ second)[None]
    return np.asarray(function(hidden) @ np.array(V_A)[0])


def sigmoid(x: Array) -> Array:
    """1/(1 + e^(−x))"""
    return np.asarray(1 / (1 + np.exp(-x)))


OTHERS: list[tuple[str, Keys, Answers]] = [
    ("cache-behind", CACHE, lambda: {"S": Q @ ROLLED.T}),
    ("cache-behind", CACHE, lambda: {"A": softmax(Q @ ROLLED.T / 2)}),
    ("cache-behind", {**CACHE, "mask": "causal"},
     lambda: {"O": attend(Q, ROLLED, np.roll(ALL_V, 3, axis=0), np.triu(np.ones((3, 5)), 3) > 0)}),
    ("output-largest", CACHE, lambda: {"A": SEEN, "O": ALL_V[SEEN.argmax(axis=1)]}),
    ("output-own", CACHE, lambda: {"O": SEEN[range(3), range(2, 5)][:, None] * V}),
    ("output-softmax", CACHE, lambda: {"O": softmax(SEEN @ ALL_V)}),
    ("output-queries", CACHE, lambda: {"O": SEEN.sum(axis=0, keepdims=True) @ ALL_V}),
    ("queries-memory", MEMORY, lambda: {"Q": np.array(X_KV) @ W_Q}),
    ("queries-memory", MEMORY, lambda: {"O": attend(np.array(X_KV) @ W_Q, X_KV, X_KV)}),
    ("queries-memory", {**MEMORY, "X_Q": X_Q[:2]}, lambda: {"Q": np.array(X_KV) @ W_Q}),
    ("score-no-tanh", ADDITIVE, lambda: {"S": network(np.asarray)}),
    ("score-no-tanh", CONCAT, lambda: {"S": network(np.asarray)}),
    ("score-no-tanh", {**ADDITIVE, **PAST},
     lambda: {"S": network(np.asarray, keys=[*PAST["past_K"], *X_KV])}),
    ("score-sigmoid", ADDITIVE, lambda: {"S": network(sigmoid)}),
    ("score-sigmoid", CONCAT, lambda: {"A": softmax(network(sigmoid))}),
    ("score-weights-swapped", ADDITIVE, lambda: {"S": network(np.tanh, W_2, W_1)}),
    ("score-weights-swapped", CONCAT, lambda: {"S": network(np.tanh, W_2, W_1)}),
    ("score-weights-swapped", {**CONCAT, **PAST, "weights": "out-in", "W_a": np.transpose(W_1 + W_2).tolist()},
     lambda: {"S": network(np.tanh, W_2, W_1, [*PAST["past_K"], *X_KV])}),
]  # fmt: skip


@pytest.mark.parametrize(("code", "problem", "answers"), [*POSITIONS, *MASKS, *SEVERAL, *OTHERS])
def test_mistakes_of_mechanisms(code: str, problem: Keys, answers: Answers) -> None:
    """One wrong step is answered, and its mistake is named."""
    assert code in named(problem, answers())
