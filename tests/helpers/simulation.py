"""A class made up apart from the program: exercises, honest habits, mistakes and slips in plain NumPy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Matrix: TypeAlias = NDArray[np.float64]
Answers: TypeAlias = dict[str, list[list[str]]]


class Exercise(NamedTuple):
    """An exercise as its file would have it, and what a student reads in it."""

    keys: dict[str, Any]
    queries: Matrix
    keys_: Matrix
    values: Matrix
    causal: bool
    inputs: Any = None
    weights: tuple[Matrix, ...] = ()


def exercises(count: int, seed: int) -> Iterator[Exercise]:
    """Exercises such as courses set: two to four tokens, integers or one decimal, masked or not."""
    rng = np.random.default_rng(seed)
    for n in range(count):
        tokens, width, out = (int(rng.integers(2, most)) for most in (5, 5, 4))
        scale = 10 if n % 3 == 2 else 1

        def drawn(*shape: int, scale: int = scale) -> Matrix:
            most = 3 if scale == 1 else 15
            return np.asarray(rng.integers(-most, most + 1, shape) / scale)

        causal = n % 4 == 3
        mask = {"mask": "causal"} if causal else {}
        if n % 5 == 4:
            x, w_q, w_k, w_v = drawn(tokens, 3), drawn(3, width), drawn(3, width), drawn(3, out)
            keys = {"X": x.tolist(), "W_Q": w_q.tolist(), "W_K": w_k.tolist(), "W_V": w_v.tolist(), **mask}
            yield Exercise(keys, x @ w_q, x @ w_k, x @ w_v, causal, x, (w_q, w_k, w_v))
        else:
            q, k, v = drawn(tokens, width), drawn(tokens, width), drawn(tokens, out)
            yield Exercise({"Q": q.tolist(), "K": k.tolist(), "V": v.tolist(), **mask}, q, k, v, causal)


class Habit(NamedTuple):
    """How an honest student works: which steps are answered, to how many decimals, and what is rounded on the way."""

    told: str
    places: int = 3
    digits: int | None = None
    carries: bool = False
    hidden: int | None = None
    roles: str = "QKVSZETAO"
    up: bool = False
    root: Callable[[float], float] = float
    is_inverse: bool = False
    e: float = np.e
    put_down: str = ""


def to_digits(x: float) -> float:
    """A number to three significant digits."""
    return float(f"{x:.3g}")


def to_two_places(x: float) -> float:
    """A number to two decimals."""
    return round(x, 2)


def habits() -> Iterator[Habit]:
    """All habits of the marking rule, each with several ways of telling the results."""
    for told, places, carries in product(("SZETAO", "SAO", "AO", "O", "A", "ETAO"), (2, 3, 4), (False, True)):
        yield Habit(told, places, carries=carries)
    for told, carries in product(("SAO", "AO", "O"), (False, True)):
        yield Habit(told, digits=3, carries=carries)
    roles = ("QKVSZETA", "QKVSZA", "A", "Z")
    for hidden, some, told, up in product((2, 3, 4), roles, ("O", "AO"), (False, True)):
        yield Habit(told, max(hidden, 3), hidden=hidden, roles=some, up=up)
    for root, is_inverse, told in product((to_digits, to_two_places), (False, True), ("O", "AO")):
        yield Habit(told, 4, root=root, is_inverse=is_inverse)
    for e, told in product((2.72, 2.718), ("O", "AO")):
        yield Habit(told, 4, e=e)
    for put_down, told, places in (
        ("last-weight", "A", 2), ("last-weight", "AO", 3), ("truncated", "A", 3), ("truncated", "O", 4),
        ("percent", "A", 1), ("percent", "A", 2),
    ):  # fmt: skip
        yield Habit(told, places, put_down=put_down)


def rounded(x: Matrix, places: int, up: bool = False) -> Matrix:
    """Numbers to decimals, −∞ unchanged."""
    with np.errstate(invalid="ignore"):
        up_ = np.sign(x) * np.floor(np.abs(x) * 10**places + 0.5 + 1e-12) / 10**places
        return np.where(np.isfinite(x), up_ if up else np.round(x, places), x)


def written(x: Matrix, habit: Habit, role: str) -> list[list[str]]:
    """A result as the student writes it."""
    if role == "A" and habit.put_down == "percent":
        x = 100 * x
    if role == "A" and habit.put_down == "last-weight":
        x = np.round(x, habit.places)
        x[:, -1] = 1 - x[:, :-1].sum(axis=1)
    if habit.put_down == "truncated":
        x = np.trunc(x * 10**habit.places * (1 + 1e-12)) / 10**habit.places
    return [[text(value, habit) for value in row] for row in x]


def text(value: float, habit: Habit) -> str:
    """One number as the student writes it."""
    if np.isneginf(value):
        return "-inf"
    if habit.digits:
        return np.format_float_positional(float(f"{value:.{habit.digits}g}"), trim="-") if value else "0"
    return f"{value:.{habit.places}f}"


Work: TypeAlias = dict[str, Matrix]
Rules: TypeAlias = dict[str, Callable[[Exercise, Work], Matrix]]


def softmax(powers: Matrix) -> Matrix:
    """Shares, row by row."""
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def visible(exercise: Exercise, scores: Matrix) -> Matrix:
    """Scores whose later keys are hidden if the exercise says so."""
    hidden = np.triu(np.ones(scores.shape, dtype=bool), 1) & exercise.causal
    return np.where(hidden, -np.inf, scores)


def scaled(exercise: Exercise, scores: Matrix, habit: Habit) -> Matrix:
    """Scores over the root of the width, as a habit takes it."""
    width = exercise.queries.shape[1]
    if habit.is_inverse:
        return scores * habit.root(1 / np.sqrt(width))
    return scores / habit.root(np.sqrt(width))


def work(exercise: Exercise, habit: Habit, mistakes: Rules | None = None) -> tuple[Work, Answers]:
    """All results of a student, and those that are answered."""
    done: Work = {}
    answers: Answers = {}
    rules: Rules = {
        "Q": lambda ex, _: ex.queries,
        "K": lambda ex, _: ex.keys_,
        "V": lambda ex, _: ex.values,
        "S": lambda _, w: w["Q"] @ w["K"].T,
        "Z": lambda ex, w: scaled(ex, w["S"], habit),
        "M": lambda ex, w: visible(ex, w["Z"]),
        "E": lambda _, w: habit.e ** w["M"],
        "T": lambda _, w: w["E"].sum(axis=1, keepdims=True),
        "A": lambda _, w: w["E"] / w["T"],
        "O": lambda _, w: w["A"] @ w["V"],
        **(mistakes or {}),
    }
    for role, rule in rules.items():
        result = rule(exercise, done)
        told = role in habit.told and (role != "M" or exercise.causal)
        if told:
            answers[role] = written(result, habit, role)
        given = role in "QKV" and exercise.inputs is None
        if told and habit.carries and habit.put_down != "percent":
            result = np.array([[float(cell) for cell in row] for row in answers[role]])
        elif habit.hidden is not None and role in habit.roles and not told and not given:
            result = rounded(result, habit.hidden, habit.up)
        done[role] = result
    return done, answers


MISTAKES: dict[str, Rules] = {
    "scale-missing": {"Z": lambda _, w: w["S"]},
    "scale-d-k": {"Z": lambda ex, w: w["S"] / ex.queries.shape[1]},
    "scale-inverted": {"Z": lambda ex, w: w["S"] * np.sqrt(ex.queries.shape[1])},
    "scores-swapped": {"S": lambda _, w: w["K"] @ w["Q"].T},
    "scores-queries-twice": {"S": lambda _, w: w["Q"] @ w["Q"].T},
    "softmax-columns": {"A": lambda _, w: w["E"] / w["E"].sum(axis=0)},
    "softmax-all": {"A": lambda _, w: w["E"] / w["E"].sum()},
    "softmax-unnormalised": {"A": lambda _, w: w["E"]},
    "softmax-base-2": {"A": lambda _, w: softmax(2.0 ** w["M"])},
    "softmax-base-10": {"A": lambda _, w: softmax(10.0 ** w["M"])},
    "softmax-sign": {"A": lambda ex, w: softmax(np.exp(visible(ex, -w["Z"])))},
    "softmax-twice": {"A": lambda ex, w: softmax(np.exp(visible(ex, softmax(w["E"]))))},
    "weights-even": {"A": lambda _, w: softmax(1.0 * np.isfinite(w["M"]))},
    "weights-hard": {"A": lambda _, w: np.eye(len(w["M"]))[w["M"].argmax(axis=1)]},
    "mask-missing": {"M": lambda _, w: w["Z"]},
    "mask-flipped": {"M": lambda _, w: np.where(np.tril(np.ones(w["Z"].shape), -1) > 0, -np.inf, w["Z"])},
    "mask-after-softmax": {"A": lambda _, w: np.tril(softmax(np.exp(w["Z"])))},
    "mask-zero": {"M": lambda _, w: np.tril(w["Z"])},
    "output-transposed-weights": {"O": lambda _, w: w["A"].T @ w["V"]},
    "output-mean": {"O": lambda _, w: w["A"] @ w["V"] / len(w["V"])},
    "values-shifted": {"O": lambda _, w: w["A"] @ np.roll(w["V"], -1, axis=0)},
    "weights-transposed": {"Q": lambda ex, _: ex.inputs @ ex.weights[0].T},
    "projection-swapped": {"Q": lambda ex, _: ex.keys_, "K": lambda ex, _: ex.queries},
}
"""Mistakes as students make them, by the codes that the checker should report."""
MASKED = ("mask-missing", "mask-flipped", "mask-after-softmax", "mask-zero")
SAME = {
    "values-shifted": {"keys-shifted"},
    "scores-queries-twice": {"projection-swapped"},
    "projection-swapped": {"scores-swapped"},
    "scores-swapped": {"projection-swapped", "result-transposed"},
    "output-transposed-weights": {"softmax-columns", "result-transposed"},
    "softmax-columns": {"output-transposed-weights"},
}
"""Other names for a mistake, if they give the same numbers."""


def has_ties(exercise: Exercise) -> bool:
    """Whether two keys share the largest score of a row."""
    scores = visible(exercise, exercise.queries @ exercise.keys_.T)
    return bool(np.any((scores == scores.max(axis=1, keepdims=True)).sum(axis=1) > 1))


def mistaken(exercise: Exercise, code: str) -> Rules | None:
    """The rules of a mistake, if it can be made here."""
    if code in MASKED and not exercise.causal:
        return None
    if code in ("weights-transposed", "projection-swapped") and exercise.inputs is None:
        return None
    if code == "weights-hard" and has_ties(exercise):
        return None
    if code == "weights-transposed" and exercise.weights[0].shape[0] != exercise.weights[0].shape[1]:
        return None
    return MISTAKES[code]
