"""The catalogue of mistakes: each is named on its own wrong numbers, and no two are one."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations, islice
from typing import Any, TypeAlias

import numpy as np
import pytest

import attncalc
from attncalc.core.fields import Array, Numeric
from attncalc.core.graph.graph import Graph, Trace, trace
from attncalc.core.record import replace
from attncalc.exercise.mechanisms import build_graph
from attncalc.exercise.problem import Problem
from attncalc.marking.checker import Checker
from attncalc.marking.follow.replay import replay_attempt as redone
from attncalc.marking.follow.replay import side_by_side
from attncalc.marking.follow.truth import ROUGH
from attncalc.mistakes import MISTAKES
from attncalc.mistakes.base import Mistake, Variation
from tests.helpers.bundled import FEW, ONE_SEQUENCE, checker_of
from tests.helpers.quick_and_slow import SLOW, each
from tests.helpers.random_students import marked as checked
from tests.helpers.random_students import numbers, random_problem

pytestmark = SLOW

TABLE = """
scale-missing scale-d-k scale-d-model scale-inverted scale-tokens scale-uncalled
softmax-columns softmax-all softmax-unnormalised softmax-no-exp softmax-max softmax-base-2 softmax-missing
softmax-twice softmax-base-10 softmax-sign exponentials-shifted weights-even weights-hard
mask-missing mask-flipped mask-after-softmax mask-zero causal-strict causal-shifted
weights-transposed weights-reversed projection-missing projection-swapped bias-missing bias-twice bias-sign
scores-swapped scores-untransposed scores-queries-twice scores-values scores-cosine scores-distance keys-shifted
output-transposed-weights output-keys output-inputs output-scores output-elementwise
output-mean output-max output-normalised residual-uncalled values-shifted terms-cut
heads-interleaved heads-unsplit heads-order heads-averaged heads-summed
output-projection-missing output-projection-transposed rope-pairing rope-sign position-exponent
norm-sample norm-eps norm-columns norm-uncentred norm-gamma residual-missing residual-normed
activation-missing activation-last gate-missing loss-sum loss-base-2 loss-target
result-transposed rows-permuted row-copied cell-slip sign-slip term-missing decimal-slip rounded-early
position-offset position-swapped position-missing rope-keys rope-degrees slope-other-head
softmax-sigmoid softmax-log softmax-own-term softmax-shift-half softmax-length softmax-squares
mask-finite mask-added mask-scaled window-one-sided groups-interleaved groups-first heads-strided heads-woven
output-queries output-largest output-own output-softmax cache-behind queries-memory signs-lost bias-columns
score-no-tanh score-sigmoid score-weights-swapped norm-parameters-swapped activation-absolute
loss-base-10 loss-complement loss-sign
"""
CODES = set(TABLE.split())
"""The codes of the contract: people count them over a class."""

BEHIND = {mistake.code: mistake.behind for mistake in MISTAKES}
"""The mistakes of earlier steps that give the same result."""


def test_the_codes_of_the_contract_stay() -> None:
    """Others may arrive."""
    assert {mistake.code for mistake in MISTAKES} >= CODES


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.code)
def test_every_mistake_has_its_words(mistake: Mistake) -> None:
    """A sentence, a question, and names of existing mistakes."""
    assert mistake.sentence.endswith(".")
    assert mistake.question.endswith("?")
    assert {*mistake.behind} <= BEHIND.keys() - {mistake.code}


# ── every mistake on its own numbers ──

Worked: TypeAlias = dict[str, Any]
Rule: TypeAlias = Callable[[Worked], Any]


def rows(e: Array) -> Array:
    """Every entry as a share of its row."""
    return np.asarray(e / e.sum(axis=1, keepdims=True))


def projected(role: str) -> Rule:
    """X W + b"""
    return lambda w: w["X"] @ w[f"W_{role}"] + w.get(f"b_{role}", 0)


def normed(x: Array, w: Worked, axis: int = 1, ddof: int = 0, eps: float | None = None) -> Array:
    """A layer norm, over the rows by default."""
    spread = x.var(axis=axis, keepdims=True, ddof=ddof) + (w["eps"] if eps is None else eps)
    return np.asarray((x - x.mean(axis=axis, keepdims=True)) / np.sqrt(spread) * w["gamma"] + w["beta"])


def relu(x: Array) -> Array:
    """x, or 0 if it is negative."""
    return np.maximum(x, 0)


STEPS: dict[str, Rule] = {
    "Q": projected("Q"),
    "K": projected("K"),
    "V": projected("V"),
    "S": lambda w: w["Q"] @ w["K"].T,
    "Z": lambda w: w["S"] / np.sqrt(w["K"].shape[1]),
    "E": lambda w: np.exp(w["Z"]),
    "T": lambda w: w["E"].sum(axis=1, keepdims=True),
    "A": lambda w: w["E"] / w["T"],
    "O": lambda w: w["A"] @ w["V"],
    "R1": lambda w: w["X"] + w["O"],
    "mu1": lambda w: w["R1"].mean(axis=1, keepdims=True),
    "var1": lambda w: ((w["R1"] - w["mu1"]) ** 2).mean(axis=1, keepdims=True),
    "N1": lambda w: (w["R1"] - w["mu1"]) / np.sqrt(w["var1"] + w["eps"]) * w["gamma"] + w["beta"],
    "U1": lambda w: w["N1"] @ w["W_1"] + w["b_1"],
    "G1": lambda w: relu(w["U1"]),
    "F1": lambda w: w["G1"] @ w["W_2"],
}
BEHIND_ATTENTION = ("R1", "mu1", "var1", "N1", "U1", "G1", "F1")
PLAIN: Worked = {
    "X": [[1, 0.5, -1], [0, 2, 1], [-1, 1, 0.5]],
    "W_Q": [[1, 0.5], [0, 1], [-1, 0.5]],
    "W_K": [[0.5, 1], [1, -0.5], [0, 1]],
    "W_V": [[1, 0, 2], [0.5, 1, 0], [0, -1, 1]],
    "b_V": [[0.5, -1, 1.5]],
}
BLOCK: Worked = {
    "eps": 0.1,
    "gamma": [[1.5, 0.5, 2]],
    "beta": [[0.5, 1, -0.5]],
    "W_1": [[1, -1, 0.5, 1], [0.5, 1, -1, 0], [-1, 0.5, 1, 1]],
    "b_1": [[0.5, -0.5, 0, 1]],
    "W_2": [[1, 0, -1], [0.5, 1, 0], [-1, 2, 0.5], [0, -1, 1]],
}


STARTS: dict[str, Worked] = {
    "output": {"X": PLAIN["X"], "O": [[1, 0.5, -2], [0, 1.5, 1], [2, -1, 0.5]]},
    "attention": PLAIN,
}
"""What a block comes after."""


@cache
def attention() -> Checker:
    """Marks the exercise."""
    return Checker(attncalc.problem(**PLAIN))


@cache
def block(start: str) -> Checker:
    """Marks the exercise with a block behind it."""
    norm = {key: BLOCK[key] for key in ("eps", "gamma", "beta")}
    network = {key: BLOCK[key] for key in ("W_1", "b_1", "W_2")}
    layers = ["residual", {"layer_norm": norm}, {"feed_forward": network}]
    return Checker(attncalc.problem(**STARTS[start], block=layers))


def worked(step: str, wrong: Rule, start: str = "") -> Worked:
    """The wrong step, and all that follows from it, also in a block if there is one."""
    given = {**PLAIN, **BLOCK, **STARTS.get(start, {})}
    values: Worked = {key: np.array(value) for key, value in given.items()}
    names = [name for name in STEPS if name not in given and (start or name not in BEHIND_ATTENTION)]
    for name in names:
        values[name] = np.asarray((wrong if name == step else STEPS[name])(values))
    return {name: values[name] for name in names[names.index(step) :]}


def told(matrix: Array, places: int = 4) -> list[list[str]]:
    """A matrix as a student writes it."""
    return [["-inf" if np.isneginf(x) else f"{x:.{places}f}" for x in row] for row in matrix]


def lengths(x: Array) -> Array:
    """The length of every row, as a column."""
    return np.asarray(np.linalg.norm(x, axis=1, keepdims=True))


def distances(w: Worked) -> Array:
    """How far every query is from every key."""
    return np.asarray(np.linalg.norm(w["Q"][:, None] - w["K"][None], axis=2))


WRONG: list[tuple[str, str, Rule]] = [
    ("bias-twice", "V", lambda w: w["X"] @ w["W_V"] + 2 * w["b_V"]),
    ("bias-sign", "V", lambda w: w["X"] @ w["W_V"] - w["b_V"]),
    ("weights-reversed", "V", lambda w: w["X"] @ w["W_V"][:, ::-1] + w["b_V"]),
    ("weights-reversed", "Q", lambda w: w["X"] @ w["W_Q"][:, ::-1]),
    ("terms-cut", "Q", lambda w: w["X"][:, :-1] @ w["W_Q"][:-1]),
    ("terms-cut", "V", lambda w: w["X"][:, :-1] @ w["W_V"][:-1] + w["b_V"]),
    ("terms-cut", "S", lambda w: w["Q"][:, :-1] @ w["K"][:, :-1].T),
    ("terms-cut", "O", lambda w: w["A"][:, :-1] @ w["V"][:-1]),
    ("keys-shifted", "S", lambda w: w["Q"] @ np.roll(w["K"], 1, axis=0).T),
    ("keys-shifted", "S", lambda w: w["Q"] @ np.roll(w["K"], -1, axis=0).T),
    ("scores-cosine", "S", lambda w: w["Q"] @ w["K"].T / lengths(w["Q"]) / lengths(w["K"]).T),
    ("scores-distance", "S", distances),
    ("scores-distance", "S", lambda w: -distances(w)),
    ("scores-distance", "S", lambda w: distances(w) ** 2),
    ("scores-distance", "S", lambda w: -(distances(w) ** 2)),
    ("softmax-base-10", "E", lambda w: 10 ** w["Z"]),
    ("softmax-sign", "E", lambda w: np.exp(-w["Z"])),
    ("exponentials-shifted", "E", lambda w: np.exp(w["Z"] - w["Z"].max(axis=1, keepdims=True))),
    ("softmax-twice", "A", lambda w: rows(np.exp(w["E"] / w["T"]))),
    ("weights-even", "A", lambda _: np.full((3, 3), 1 / 3)),
    ("weights-hard", "A", lambda w: w["Z"] == w["Z"].max(axis=1, keepdims=True)),
    ("values-shifted", "O", lambda w: w["A"] @ np.roll(w["V"], 1, axis=0)),
    ("values-shifted", "O", lambda w: w["A"] @ np.roll(w["V"], -1, axis=0)),
    ("output-mean", "O", lambda w: w["A"] @ w["V"] / 3),
    ("output-max", "O", lambda w: (w["A"][:, :, None] * w["V"][None]).max(axis=1)),
    ("output-normalised", "O", lambda w: rows(w["A"] @ w["V"])),
    ("output-normalised", "O", lambda w: w["A"] @ w["V"] / lengths(w["A"] @ w["V"])),
    ("residual-uncalled", "O", lambda w: w["A"] @ w["V"] + w["X"]),
    ("row-copied", "S", lambda w: (w["Q"] @ w["K"].T)[[0, 0, 2]]),
    ("row-copied", "O", lambda w: (w["A"] @ w["V"])[[0, 1, 0]]),
    ("rows-permuted", "V", lambda w: (w["X"] @ w["W_V"] + w["b_V"])[[0, 2, 1]]),
    ("scores-swapped", "S", lambda w: w["K"] @ w["Q"].T),
    ("bias-columns", "V", lambda w: w["X"] @ w["W_V"] + w["b_V"].T),
    ("signs-lost", "Q", lambda w: np.abs(w["X"]) @ np.abs(w["W_Q"])),
    ("signs-lost", "V", lambda w: np.abs(w["X"]) @ np.abs(w["W_V"]) + w["b_V"]),
    ("signs-lost", "S", lambda w: np.abs(w["Q"]) @ np.abs(w["K"]).T),
    ("signs-lost", "O", lambda w: w["A"] @ np.abs(w["V"])),
    ("softmax-squares", "E", lambda w: w["Z"] ** 2),
    ("softmax-sigmoid", "A", lambda w: 1 / (1 + np.exp(-w["Z"]))),
    ("softmax-log", "A", lambda w: np.log(w["E"] / w["T"])),
    ("softmax-own-term", "A", lambda w: w["E"] / (w["T"] - w["E"])),
    ("softmax-own-term", "T", lambda w: w["E"].sum(axis=1, keepdims=True) - np.diag(w["E"])[:, None]),
    ("softmax-shift-half", "A", lambda w: np.exp(w["Z"] - w["Z"].max(axis=1, keepdims=True)) / w["T"]),
    ("softmax-length", "A", lambda w: w["E"] / lengths(w["E"])),
    ("output-queries", "O", lambda w: w["A"].sum(axis=0)[:, None] * w["V"]),
    ("output-largest", "O", lambda w: w["V"][w["A"].argmax(axis=1)]),
    ("output-own", "O", lambda w: np.diag(w["A"])[:, None] * w["V"]),
    ("output-softmax", "O", lambda w: rows(np.exp(w["A"] @ w["V"]))),
]
WRONG_BLOCK: list[tuple[str, str, Rule]] = [
    ("residual-missing", "R1", lambda w: w["O"]),
    ("norm-sample", "var1", lambda w: w["R1"].var(axis=1, keepdims=True, ddof=1)),
    ("norm-sample", "N1", lambda w: normed(w["R1"], w, ddof=1)),
    ("norm-sum", "var1", lambda w: w["R1"].shape[1] * w["R1"].var(axis=1, keepdims=True)),
    ("norm-eps", "N1", lambda w: normed(w["R1"], w, eps=0)),
    ("norm-eps", "N1", lambda w: outside(w) * w["gamma"] + w["beta"]),
    ("norm-root", "N1", lambda w: centred(w["R1"]) / spread(w) * w["gamma"] + w["beta"]),
    ("norm-missing", "N1", lambda w: w["R1"]),
    ("norm-missing", "U1", lambda w: w["R1"] @ w["W_1"] + w["b_1"]),
    ("norm-columns", "mu1", lambda w: w["R1"].mean(axis=0)[:, None]),
    ("norm-columns", "N1", lambda w: normed(w["R1"], w, axis=0)),
    ("norm-uncentred", "N1", lambda w: w["R1"] / np.sqrt(spread(w)) * w["gamma"] + w["beta"]),
    ("norm-gamma", "N1", lambda w: (normed(w["R1"], w) - w["beta"]) / w["gamma"]),
    ("norm-gamma", "N1", lambda w: normed(w["R1"], w) - w["beta"]),
    ("norm-gamma", "N1", lambda w: (normed(w["R1"], w) - w["beta"]) / w["gamma"] + w["beta"]),
    ("residual-normed", "N1", lambda w: w["X"] + normed(w["O"], w)),
    ("bias-missing", "U1", lambda w: w["N1"] @ w["W_1"]),
    ("activation-missing", "G1", lambda w: w["U1"]),
    ("terms-cut", "F1", lambda w: w["G1"][:, :-1] @ w["W_2"][:-1]),
    ("activation-missing", "F1", lambda w: (w["N1"] @ w["W_1"] + w["b_1"]) @ w["W_2"]),
    ("activation-last", "F1", lambda w: relu((w["N1"] @ w["W_1"] + w["b_1"]) @ w["W_2"])),
    (
        "norm-parameters-swapped",
        "N1",
        lambda w: normed(w["R1"], {**w, "gamma": w["beta"], "beta": w["gamma"]}),
    ),
    ("activation-absolute", "G1", lambda w: np.abs(w["U1"])),
]


LOSS: Worked = {
    "X": [[1, 0.5, -1], [0, 2, 1], [-1, 1, 0.5]],
    "O": [[1, 0.5, -2], [0, 1.5, 1], [2, -1, 0.5]],
    "W_1": [[1, -1, 0.5, 1], [0.5, 1, -1, 0], [-1, 0.5, 1, 1]],
    "W_3": [[0.5, 1, -1, 0], [1, -0.5, 0, 1], [1, 1, 0.5, -1]],
    "b_3": [[0.5, 1, -0.5, 0]],
    "W_2": [[1, 0, -1], [0.5, 1, 0], [-1, 2, 0.5], [0, -1, 1]],
    "W_U": [[0.5, -0.5, 0, 1], [0, 0.5, 1, -0.5], [0.5, 0, -0.5, 0.5]],
    "b_U": [[0.5, 0, -0.5, 0]],
}
TARGETS = [1, 3, 0]
TEMPERATURE = 1.5


def chosen(w: Worked, targets: list[int]) -> Array:
    """The probability of a target in every row, as a column."""
    return np.asarray(w["p"][range(3), targets][:, None])


def softmax(x: Array) -> Array:
    """Every row as probabilities."""
    return rows(np.exp(x))


def odds(shares: Array) -> Array:
    """Every share divided by the others of its row."""
    return np.asarray(shares / (1 - shares))


def shifted_above(x: Array) -> Array:
    """Powers of e with the largest exponent of the row taken off, divided by a total without this."""
    return np.asarray(np.exp(x - x.max(axis=1, keepdims=True)) / np.exp(x).sum(axis=1, keepdims=True))


LOSS_STEPS: dict[str, Rule] = {
    "R1": lambda w: w["X"] + w["O"],
    "ms1": lambda w: (w["R1"] ** 2).mean(axis=1, keepdims=True),
    "N1": lambda w: w["R1"] / (np.sqrt(w["ms1"]) + 0.1),
    "U1": lambda w: w["N1"] @ w["W_1"],
    "J1": lambda w: w["N1"] @ w["W_3"] + w["b_3"],
    "G1": lambda w: np.tanh(w["U1"]) * w["J1"],
    "F1": lambda w: w["G1"] @ w["W_2"],
    "R2": lambda w: w["R1"] + w["F1"],
    "L": lambda w: w["R2"] @ w["W_U"] + w["b_U"],
    "p": lambda w: softmax(w["L"] / TEMPERATURE),
    "nll": lambda w: -np.log(chosen(w, TARGETS)),
    "loss": lambda w: w["nll"].mean(keepdims=True),
    "perplexity": lambda w: np.exp(w["loss"]),
}
WRONG_LOSS: list[tuple[str, str, Rule]] = [
    ("norm-eps", "N1", lambda w: w["R1"] / np.sqrt(w["ms1"])),
    ("gate-missing", "G1", lambda w: np.tanh(w["U1"])),
    ("activation-missing", "G1", lambda w: w["U1"] * w["J1"]),
    ("activation-relu", "G1", lambda w: np.maximum(w["U1"], 0) * w["J1"]),
    ("activation-last", "F1", lambda w: np.tanh((w["U1"] * w["J1"]) @ w["W_2"])),
    ("residual-normed", "R2", lambda w: w["N1"] + w["F1"]),
    ("residual-missing", "R2", lambda w: w["F1"]),
    ("bias-missing", "L", lambda w: w["R2"] @ w["W_U"]),
    ("temperature-missing", "p", lambda w: softmax(w["L"])),
    ("temperature-inverted", "p", lambda w: softmax(w["L"] * TEMPERATURE)),
    ("softmax-columns", "p", lambda w: rows(np.exp(w["L"] / TEMPERATURE).T).T),
    ("softmax-all", "p", lambda w: np.exp(w["L"] / TEMPERATURE) / np.exp(w["L"] / TEMPERATURE).sum()),
    ("softmax-base-2", "p", lambda w: rows(2 ** (w["L"] / TEMPERATURE))),
    ("softmax-sign", "p", lambda w: softmax(-w["L"] / TEMPERATURE)),
    ("softmax-twice", "p", lambda w: softmax(softmax(w["L"] / TEMPERATURE))),
    ("loss-base-2", "nll", lambda w: -np.log2(chosen(w, TARGETS))),
    ("loss-target", "nll", lambda w: -np.log(chosen(w, [3, 0, 1]))),
    ("loss-target", "nll", lambda w: -np.log(chosen(w, [3, 0, 0]))),
    ("loss-target", "nll", lambda w: -np.log(chosen(w, [TARGETS[-1], *TARGETS[:-1]]))),
    ("loss-sum", "loss", lambda w: w["nll"].sum(keepdims=True)),
    ("softmax-squares", "p", lambda w: rows((w["L"] / TEMPERATURE) ** 2)),
    ("softmax-sigmoid", "p", lambda w: 1 / (1 + np.exp(-w["L"] / TEMPERATURE))),
    ("softmax-own-term", "p", lambda w: odds(softmax(w["L"] / TEMPERATURE))),
    ("softmax-shift-half", "p", lambda w: shifted_above(w["L"] / TEMPERATURE)),
    ("softmax-length", "p", lambda w: np.exp(w["L"] / TEMPERATURE) / lengths(np.exp(w["L"] / TEMPERATURE))),
    ("loss-base-10", "nll", lambda w: -np.log10(chosen(w, TARGETS))),
    ("loss-complement", "nll", lambda w: -np.log(1 - chosen(w, TARGETS))),
    ("loss-complement", "nll", lambda w: 1 - chosen(w, TARGETS)),
    ("loss-sign", "nll", lambda w: np.log(chosen(w, TARGETS))),
]


@cache
def loss() -> Checker:
    """Marks an exercise that goes on from the output of attention to the loss."""
    network = {key: LOSS[key] for key in ("W_1", "W_3", "b_3", "W_2")}
    layers = [
        "residual",
        {"rms_norm": {"eps": 0.1, "eps_in": "deviation"}},
        {"feed_forward": {**network, "activation": "tanh"}},
        "residual",
    ]
    given = {key: LOSS[key] for key in ("X", "O", "W_U", "b_U")}
    targets = [target + 1 for target in TARGETS]
    return Checker(
        attncalc.problem(**given, pre_norm="rms_norm", block=layers, targets=targets, temperature=TEMPERATURE)
    )


def worked_to_the_loss(step: str, wrong: Rule) -> Worked:
    """The wrong step, and all that follows from it up to the perplexity."""
    values: Worked = {key: np.array(value) for key, value in LOSS.items()}
    for name in LOSS_STEPS:
        values[name] = np.asarray((wrong if name == step else LOSS_STEPS[name])(values))
    names = list(LOSS_STEPS)
    return {name: values[name] for name in names[names.index(step) :]}


@pytest.mark.parametrize(("code", "step", "wrong"), WRONG_LOSS)
def test_mistakes_on_the_way_to_the_loss(code: str, step: str, wrong: Rule) -> None:
    """A wrong step answered to four places, and what follows from it: nothing else is wrong."""
    answers = {name: told(matrix) for name, matrix in worked_to_the_loss(step, wrong).items()}
    report = checked(loss(), answers)
    assert code in named(loss(), answers, step)
    assert [one.step for one in report.steps if one.verdict == "wrong"] == [step]


@pytest.mark.parametrize(("code", "step", "wrong"), WRONG_LOSS)
def test_mistakes_before_the_loss(code: str, step: str, wrong: Rule) -> None:
    """Only the loss is answered, and the mistake is found at its step."""
    answers = {"loss": told(worked_to_the_loss(step, wrong)["loss"], 6)}
    assert code in named(loss(), answers, "loss")


def spread(w: Worked) -> Array:
    """What stands under the root of the norm."""
    return np.asarray(w["R1"].var(axis=1, keepdims=True) + w["eps"])


def centred(x: Array) -> Array:
    """Rows less their means."""
    return np.asarray(x - x.mean(axis=1, keepdims=True))


def outside(w: Worked) -> Array:
    """The rows of R1 divided by their deviation and eps, which is added to it."""
    return np.asarray(centred(w["R1"]) / (np.sqrt(w["R1"].var(axis=1, keepdims=True)) + w["eps"]))


def named(checker: Checker, answers: dict[str, Any], step: str) -> set[str]:
    """The mistakes that are named at a step."""
    reports = checked(checker, answers).steps
    return {diagnosis.mistake for report in reports if report.step == step for diagnosis in report.diagnoses}


@pytest.mark.parametrize(("code", "step", "wrong"), WRONG)
def test_mistakes_of_attention(code: str, step: str, wrong: Rule) -> None:
    """A wrong step answered to four places, and all that follows from it."""
    answers = {name: told(matrix) for name, matrix in worked(step, wrong).items()}
    assert {code, *BEHIND[code]} & named(attention(), answers, step)


@each("start", STARTS, quick=["output"])
@pytest.mark.parametrize(("code", "step", "wrong"), WRONG_BLOCK)
def test_mistakes_of_a_block(code: str, step: str, wrong: Rule, start: str) -> None:
    """The same in a block."""
    answers = {name: told(matrix) for name, matrix in worked(step, wrong, start).items()}
    assert {code, *BEHIND[code]} & named(block(start), answers, step)


UNTOLD = [row for row in WRONG if row[0] not in ("exponentials-shifted", "row-copied", "scores-swapped")]


@pytest.mark.parametrize(("code", "step", "wrong"), UNTOLD)
def test_mistakes_at_unanswered_steps(code: str, step: str, wrong: Rule) -> None:
    """Only the output is answered, and the mistake is found at its step."""
    answers = {"O": told(worked(step, wrong)["O"], 6)}
    assert {code, *BEHIND[code]} & named(attention(), answers, "O")


def test_shifted_exponents_are_a_mistake_only_if_answered() -> None:
    """A slip in the weights is not explained by exponents that are not answered."""
    right = worked("Q", STEPS["Q"])
    right["A"][0, 0] += 0.1
    assert "exponentials-shifted" not in named(attention(), {"A": told(right["A"])}, "A")
    graph = attention().graph
    assert [m.in_writing for m in MISTAKES if m.code == "exponentials-shifted"] == [True]
    assert all(
        step.name == "E" for step in graph.steps for _ in made(graph, step.name, "exponentials-shifted")
    )


def made(graph: Graph, name: str, code: str) -> Iterator[Variation]:
    """The ways in which a mistake can be made at a step."""
    step = graph.step(name)
    assert step is not None
    for mistake in MISTAKES:
        if mistake.code == code:
            yield from mistake.variations(step, graph)


MASK = np.triu(np.full((3, 3), -np.inf), 1)


def test_hidden_keys_stay_hidden() -> None:
    """Even weights, the largest alone and e^(−x) leave them out."""
    keys: Worked = {"S": [[1, 2, 3], [2, 1, 0], [1, 4, 2]], "mask": "causal", "scale": "none"}
    scores = np.array(keys["S"], float) + MASK
    even = rows((scores > -np.inf) * 1.0)
    hard = (scores == scores.max(axis=1, keepdims=True)) * 1.0
    minus = rows(np.where(scores > -np.inf, np.exp(-scores), 0))
    checker = Checker(attncalc.problem(**keys))
    for code, weights in (("weights-even", even), ("weights-hard", hard), ("softmax-sign", minus)):
        assert {code, *BEHIND[code]} & named(checker, {"A": told(weights)}, "A")


FACTORS: list[tuple[str, float]] = [
    ("none", 1),
    ("1/sqrt(d_k)", 0.5),
    ("1/sqrt(d_k)", 2**-0.5),
    ("1/4", 0.25),
]


@each("mask", ["none", "causal"], quick=["causal"])
@each(("scale", "factor"), FACTORS, quick=FACTORS[:2])
def test_heads_taken_as_one(scale: str, factor: float, mask: str) -> None:
    """The full width as one head, whatever the scale and the mask; √d_k of all columns, or of one head."""
    x = np.array([[1, 0.5, -1, 0], [0, 1, 1, -1], [0.5, -1, 0, 1]])
    scores = x @ x.T * factor + (MASK if mask == "causal" else 0)
    whole = rows(np.exp(scores)) @ x
    problem = attncalc.problem(X=x.tolist(), heads=2, scale=scale, mask=mask)
    assert "heads-unsplit" in named(Checker(problem), {"H": told(whole)}, "H")


# ── no two mistakes are one ──

PROBLEMS = 40
SELDOM = 3
DIGITS = 7


def block_problem(rng: np.random.Generator) -> Problem:
    """An exercise with a block behind attention."""
    norm = {"gamma": numbers(rng, 1, 3), "beta": numbers(rng, 1, 3), "eps": "1/10"}
    network = {"W_1": numbers(rng, 3, 4), "b_1": numbers(rng, 1, 4), "W_2": numbers(rng, 4, 3)}
    keys = {f"W_{role}": numbers(rng, 3, 3) for role in "QKV"}
    block = ["residual", {"layer_norm": norm}, {"feed_forward": network}]
    return attncalc.problem(X=numbers(rng, 3, 3), **keys, b_V=numbers(rng, 1, 3), block=block)


def solved(rng: np.random.Generator) -> Iterator[tuple[Graph, Trace]]:
    """Random exercises with their right values."""
    for number in range(PROBLEMS):
        graph = build_graph(random_problem(rng) if number % 4 else block_problem(rng))
        try:
            yield graph, trace(graph, Numeric())
        except ArithmeticError:
            continue


def results(graph: Graph, right: Trace) -> Iterator[tuple[str, str, Array]]:
    """The result of every mistake made alone, with its step."""
    for step in graph.steps:
        for mistake in MISTAKES:
            for variation in mistake.variations(step, graph):
                if variation.step.shape != step.shape or variation.others or variation.places is not None:
                    continue
                known = graph.with_shapes({name: matrix.shape for name, matrix in variation.given.items()})
                try:
                    values = {**right.values, **variation.given}
                    found = known.evaluate(variation.step, values, Numeric())
                except ArithmeticError:
                    continue
                if not np.allclose(found, right.values[step.name], equal_nan=True):
                    yield mistake.code, step.name, found


@SLOW
def test_no_two_mistakes_are_one() -> None:
    """Made at the same step, two mistakes give different numbers in some exercise."""
    together: Counter[tuple[str, str]] = Counter()
    alike: Counter[tuple[str, str]] = Counter()
    for graph, right in solved(np.random.default_rng(5)):
        found: dict[str, dict[str, set[bytes]]] = defaultdict(lambda: defaultdict(set))
        for code, step, matrix in results(graph, right):
            found[step][code].add((np.round(matrix, DIGITS) + 0.0).tobytes())
        for codes in found.values():
            for pair in combinations(sorted(codes), 2):
                together[pair] += 1
                a, b = (codes[code] for code in pair)
                alike[pair] += bool(a & b)
    same = [pair for pair, count in together.items() if count >= SELDOM and alike[pair] == count]
    assert not same


SQUARE: Worked = {
    "X": [[1, 2, 0], [0, 1, -1], [2, 0, 1]],
    "W_Q": [[1, 0, 1], [0, 1, 0], [1, 1, 0]],
    "W_K": [[0, 1, 1], [1, 0, 0], [0, 1, 1]],
    "W_V": [[1, 1, 0], [0, 2, 1], [1, 0, -1]],
}


@cache
def outputs() -> dict[str, list[Array]]:
    """The outputs that each mistake leads to."""
    graph = build_graph(attncalc.problem(**SQUARE))
    found: dict[str, list[Array]] = defaultdict(list)
    for code, name, matrix in results(graph, trace(graph, Numeric())):
        steps = tuple(step for step in graph.steps if step.name != name)
        told = replace(graph, given={**graph.given, name: matrix}, steps=steps)
        found[code].append(trace(told, Numeric()).values["O"])
    return found


@pytest.mark.parametrize("mistake", [m for m in MISTAKES if m.behind], ids=lambda mistake: mistake.code)
def test_a_later_name_of_an_earlier_mistake(mistake: Mistake) -> None:
    """If no step between them is answered, the two give the same output."""
    for code in mistake.behind:
        assert any(np.allclose(x, y) for x in outputs()[mistake.code] for y in outputs()[code])


@each("name", ONE_SEQUENCE, FEW)
def test_attempts_tried_at_once_are_those_tried_alone(name: str) -> None:
    """Side by side along a new axis, or one by one."""
    checker = checker_of(name)
    doctor = checker.prepared[0].doctor
    steps = list(checker.graph.steps)
    attempts = [attempt for step in steps for attempt in doctor.catalogue.attempts(step)]
    attempts += list(islice(doctor.catalogue.pairs(attempts), 50))
    floats = checker.truth.floats
    for attempt, together in side_by_side(checker.truth, floats, steps, attempts):
        for step, alone in redone(checker.truth, floats, steps, attempt, ROUGH).items():
            # What is divided by almost 0 is noise either way.
            if np.abs(alone[np.isfinite(alone)]).max(initial=0) < 1e9:
                np.testing.assert_allclose(together[step], alone, rtol=1e-9, atol=1e-9)
