"""`backward`: gradients are steps like all others, marked with follow-through, their mistakes named."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, TypeAlias

import numpy as np
import pytest

import attncalc
from attncalc.core.fields import Array, Numeric
from attncalc.marking.checker import Checker
from attncalc.mistakes import MISTAKES
from tests.helpers.quick_and_slow import SLOW, each
from tests.helpers.random_students import marked

pytestmark = SLOW

Worked: TypeAlias = dict[str, Array]
Rule: TypeAlias = Callable[[Worked], Array]
Rules: TypeAlias = dict[str, Rule]

# ── the backward pass by hand, in NumPy ──


def rowsum(x: Array) -> Array:
    """The sum of every row, as a column."""
    return np.asarray(x.sum(axis=1, keepdims=True))


def colsum(x: Array) -> Array:
    """The sum of every column, as a row."""
    return np.asarray(x.sum(axis=0, keepdims=True))


def softmax(x: Array) -> Array:
    """The softmax of every row."""
    return np.asarray(np.exp(x) / rowsum(np.exp(x)))


def normed(w: Worked) -> Array:
    """The rows of R1 before gamma and beta."""
    return np.asarray((w["R1"] - w["R1"].mean(axis=1, keepdims=True)) / deviation(w))


def deviation(w: Worked) -> Array:
    """What the norm divides by."""
    return np.asarray(np.sqrt(w["R1"].var(axis=1, keepdims=True) + 0.1))


def back_through_norm(w: Worked, arriving: Array) -> Array:
    """What the rows of a norm receive."""
    own = normed(w)
    mean, along = (x.mean(axis=1, keepdims=True) for x in (arriving, arriving * own))
    return np.asarray((arriving - mean - own * along) / deviation(w))


def sums_for_means(w: Worked, arriving: Array) -> Array:
    """The same with sums where means are subtracted."""
    total, along = (x.sum(axis=1, keepdims=True) for x in (arriving, arriving * normed(w)))
    return np.asarray((arriving - total - normed(w) * along) / deviation(w))


def spread_fixed(w: Worked, arriving: Array) -> Array:
    """The same if only the mean moved with an entry."""
    return np.asarray((arriving - arriving.mean(axis=1, keepdims=True)) / deviation(w))


def mean_fixed(w: Worked, arriving: Array) -> Array:
    """The same if only the spread moved with an entry."""
    return np.asarray(back_through_norm(w, arriving) + arriving.mean(axis=1, keepdims=True) / deviation(w))


ATTENTION: Rules = {
    "Q": lambda w: w["X"] @ w["W_Q"],
    "K": lambda w: w["X"] @ w["W_K"],
    "V": lambda w: w["X"] @ w["W_V"] + w["b_V"],
    "S": lambda w: w["Q"] @ w["K"].T,
    "Z": lambda w: w["S"] / np.sqrt(3),
    "A": lambda w: softmax(w["Z"]),
    "O": lambda w: w["A"] @ w["V"],
}
BLOCK: Rules = {
    "R1": lambda w: w["X"] + w["O"],
    "N1": lambda w: normed(w) * w["gamma"] + w["beta"],
    "U1": lambda w: w["N1"] @ w["W_1"] + w["b_1"],
    "G1": lambda w: np.maximum(w["U1"], 0),
    "F1": lambda w: w["G1"] @ w["W_2"],
    "R2": lambda w: w["N1"] + w["F1"],
}
BLOCK_BACK: Rules = {
    "dF1": lambda w: w["dR2"],
    "dG1": lambda w: w["dF1"] @ w["W_2"].T,
    "dU1": lambda w: w["dG1"] * (w["U1"] > 0),
    "dN1": lambda w: w["dU1"] @ w["W_1"].T + w["dR2"],
    "dR1": lambda w: back_through_norm(w, w["dN1"] * w["gamma"]),
    "dO": lambda w: w["dR1"],
}
ATTENTION_BACK: Rules = {
    "dA": lambda w: w["dO"] @ w["V"].T,
    "dZ": lambda w: w["A"] * (w["dA"] - rowsum(w["A"] * w["dA"])),
    "dS": lambda w: w["dZ"] / np.sqrt(3),
    "dV": lambda w: w["A"].T @ w["dO"],
    "dK": lambda w: w["dS"].T @ w["Q"],
    "dQ": lambda w: w["dS"] @ w["K"],
    "dX": lambda w: w["dQ"] @ w["W_Q"].T + w["dK"] @ w["W_K"].T + w["dV"] @ w["W_V"].T + w.get("dR1", 0),
    "dW_Q": lambda w: w["X"].T @ w["dQ"],
    "dW_K": lambda w: w["X"].T @ w["dK"],
    "dW_V": lambda w: w["X"].T @ w["dV"],
    "db_V": lambda w: colsum(w["dV"]),
}
PARAMETERS: Rules = {
    "dgamma_N1": lambda w: colsum(w["dN1"] * normed(w)),
    "dbeta_N1": lambda w: colsum(w["dN1"]),
    "dW_1_F1": lambda w: w["N1"].T @ w["dU1"],
    "db_1_F1": lambda w: colsum(w["dU1"]),
    "dW_2_F1": lambda w: w["G1"].T @ w["dF1"],
}
HEAD = {**ATTENTION, **ATTENTION_BACK}
ALL = {**ATTENTION, **BLOCK, **BLOCK_BACK, **ATTENTION_BACK, **PARAMETERS}
"""One head alone, and with a block behind it."""
GIVEN: dict[str, Any] = {
    "X": [[1, 0.5, -1], [0, 2, 1], [-1, 1, 0.5]],
    "W_Q": [[1, 0.5, 0], [0, 1, -1], [-1, 0.5, 0.5]],
    "W_K": [[0.5, 1, 0], [1, -0.5, 0.5], [0, 1, -1]],
    "W_V": [[1, 0, 2], [0.5, 1, 0], [0, -1, 1]],
    "b_V": [[0.5, -1, 1.5]],
}
LAYERS: dict[str, Any] = {
    "gamma": [[1.5, 0.5, 2]],
    "beta": [[0.5, 1, -0.5]],
    "W_1": [[1, -1, 0.5, 1], [0.5, 1, -1, 0], [-1, 0.5, 1, 1]],
    "b_1": [[0.5, -0.5, 0, 1]],
    "W_2": [[1, 0, -1], [0.5, 1, 0], [-1, 2, 0.5], [0, -1, 1]],
}
COMING: dict[str, Any] = {
    "O": [[1, 2, -1], [0.5, -1, 3], [2, 0, 1]],
    "R2": [[1, 0, -2], [0.5, 2, 1], [-1, 3, 1]],
}


def problem_of(given: dict[str, Any], with_block: bool) -> attncalc.Problem:
    """The exercise that the rules work through."""
    keys = {name: matrix for name, matrix in given.items() if name in GIVEN}
    start = "R2" if with_block else "O"
    if not with_block:
        return attncalc.problem(**keys, backward={"O": given["dO"]})
    norm = {"gamma": given["gamma"], "beta": given["beta"], "eps": 0.1}
    network = {name: given[name] for name in ("W_1", "b_1", "W_2")}
    layers = ["residual", {"layer_norm": norm}, {"feed_forward": network}, "residual"]
    return attncalc.problem(**keys, block=layers, backward={start: given["dR2"]})


def given_of(with_block: bool) -> dict[str, Any]:
    """All that is given, with the gradient that comes in."""
    start = "R2" if with_block else "O"
    return {**GIVEN, **(LAYERS if with_block else {}), f"d{start}": COMING[start]}


@cache
def checker(with_block: bool) -> Checker:
    """Marks the exercise."""
    return Checker(problem_of(given_of(with_block), with_block))


def worked(with_block: bool, step: str = "", wrong: Rule | None = None) -> Worked:
    """All steps by hand, one of them wrong."""
    values: Worked = {name: np.array(matrix, dtype=float) for name, matrix in given_of(with_block).items()}
    rules = ALL if with_block else HEAD
    for name, rule in rules.items():
        values[name] = np.asarray((wrong if wrong and name == step else rule)(values), dtype=float)
    return {name: values[name] for name in rules}


def told(matrix: Array, places: int = 4) -> list[list[str]]:
    """A matrix as a student writes it."""
    return [[f"{x:.{places}f}" for x in row] for row in matrix]


@pytest.mark.parametrize("with_block", [False, True])
def test_by_hand(with_block: bool) -> None:
    """The steps, their order, and their numbers."""
    solution = attncalc.solve(problem_of(given_of(with_block), with_block), "numeric")
    ours = {step.name: step.value for step in solution.steps}
    theirs = worked(with_block)
    inner = {"E", "T", "mu1", "var1"}
    assert [name for name in ours if name not in inner] == [*theirs]
    for name, matrix in theirs.items():
        np.testing.assert_allclose(ours[name], matrix, rtol=1e-9, atol=1e-9, err_msg=name)


SMALL = {"Q": [[1, 2]], "K": [[1, 0], [0, 1]], "V": [[3], [4]]}
REFUSED: list[tuple[Any, str]] = [
    ("O", "write {O: ones}"),
    ("loss", "there is no loss: give logits, by W_U or L, and targets"),
    ({"O": [[1, 2]]}, "'O' is 1×1, the gradient 1×2"),
    ({"Q": "ones"}, "there is no step 'Q'"),
    ({"O": 3}, "is one number where a matrix is wanted"),
    ({"O": "ones", "S": "ones"}, "a gradient comes into one step"),
    ([[1]], "must be none, loss, or a step with its gradient, such as {O: ones}"),
]


@pytest.mark.parametrize(("told_so", "said"), REFUSED)
def test_refused(told_so: Any, said: str) -> None:
    """In one sentence."""
    with pytest.raises(attncalc.ProblemError, match=re.escape(said)):
        attncalc.solve(attncalc.problem(**SMALL, backward=told_so))


def test_a_batch_is_refused() -> None:
    """Weights would be summed over it."""
    batch = {name: [matrix, matrix] for name, matrix in SMALL.items()}
    with pytest.raises(attncalc.ProblemError, match="for one sequence, not for a batch"):
        attncalc.solve(attncalc.problem(**batch, backward={"O": "ones"}))


def test_a_gradient_is_no_key() -> None:
    """But what is meant is said."""
    with pytest.raises(attncalc.ProblemError, match=re.escape("write backward: {O: [[1]]}")):
        attncalc.problem(**SMALL, dO=[[1]])


def test_names() -> None:
    """A course's own names go backwards, too, and words are read in answers."""
    problem = attncalc.problem(**SMALL, names={"S": "z", "A": "alpha"}, backward={"O": "ones"})
    solution = attncalc.solve(problem)
    assert [step.symbol for step in solution.steps][-6:] == ["dalpha", "dZ", "dz", "dQ", "dK", "dV"]
    answers = {"dalpha": [[3, 4]], "gradient of the values": (solution["A"].value.T).round(4).tolist()}
    assert {str(one.verdict) for one in marked(Checker(problem), answers).steps} == {"correct"}


def test_the_sink_of_each_head_has_its_line() -> None:
    """No two lines say that one name is two numbers."""
    problem = attncalc.problem(X=[[1, 2], [0, 1]], heads=2, sink=[0, 1], backward={"H": "ones"})
    text = str(attncalc.solve(problem))
    assert [line.split()[0] for line in text.splitlines() if line.startswith("  dsink")][1:3] == [
        "dsink₁",
        "dsink₂",
    ]


# ── every mistake is named ──

WRONG: list[tuple[str, str, Rule]] = [
    ("gradient-softmax-missing", "dZ", lambda w: w["dA"]),
    ("gradient-rowsum-missing", "dZ", lambda w: w["A"] * w["dA"]),
    ("gradient-softmax-diagonal", "dZ", lambda w: w["A"] * (1 - w["A"]) * w["dA"]),
    ("gradient-softmax-columns", "dZ", lambda w: w["A"] * (w["dA"] - colsum(w["A"] * w["dA"]))),
    ("gradient-softmax-factor", "dZ", lambda w: w["dA"] - rowsum(w["A"] * w["dA"])),
    ("gradient-softmax-factor", "dZ", lambda w: w["A"] * (w["dA"] - rowsum(w["dA"]))),
    ("gradient-scale-missing", "dS", lambda w: w["dZ"]),
    ("gradient-transposed", "dA", lambda w: w["dO"] @ w["V"]),
    ("gradient-transposed", "dV", lambda w: w["A"] @ w["dO"]),
    ("gradient-transposed", "dK", lambda w: w["dS"] @ w["Q"]),
    ("gradient-transposed", "dQ", lambda w: w["dS"].T @ w["K"]),
    ("gradient-transposed", "dW_Q", lambda w: w["X"] @ w["dQ"]),
    ("gradient-transposed", "dX", lambda w: sum((w[f"d{r}"] @ w[f"W_{r}"] for r in "QKV"), np.zeros(1))),
    ("gradient-own-factor", "dQ", lambda w: w["dS"] @ w["Q"]),
    ("gradient-own-factor", "dK", lambda w: w["dS"].T @ w["K"]),
    ("gradient-inputs-one", "dX", lambda w: w["dV"] @ w["W_V"].T),
    ("gradient-inputs-one", "dX", lambda w: w["dQ"] @ w["W_Q"].T + w["dK"] @ w["W_K"].T),
    ("gradient-averaged", "dW_V", lambda w: w["X"].T @ w["dV"] / 3),
    ("gradient-averaged", "db_V", lambda w: colsum(w["dV"]) / 3),
    ("gradient-bias-unsummed", "db_V", lambda w: w["dV"]),
]
WRONG_BLOCK: list[tuple[str, str, Rule]] = [
    ("gradient-slope-missing", "dU1", lambda w: w["dG1"]),
    ("gradient-residual-missing", "dN1", lambda w: w["dU1"] @ w["W_1"].T),
    ("gradient-residual-missing", "dX", lambda w: sum((w[f"d{r}"] @ w[f"W_{r}"].T for r in "QKV"), np.zeros(1))),
    ("gradient-norm-fixed", "dR1", lambda w: w["dN1"] * w["gamma"] / deviation(w)),
    ("gradient-norm-fixed", "dR1", lambda w: spread_fixed(w, w["dN1"] * w["gamma"])),
    ("gradient-norm-fixed", "dR1", lambda w: mean_fixed(w, w["dN1"] * w["gamma"])),
    ("gradient-norm-sum", "dR1", lambda w: sums_for_means(w, w["dN1"] * w["gamma"])),
    ("gradient-norm-root", "dR1", lambda w: back_through_norm(w, w["dN1"] * w["gamma"]) * deviation(w)),
    ("gradient-norm-missing", "dR1", lambda w: w["dN1"]),
    ("gradient-gamma-missing", "dR1", lambda w: back_through_norm(w, w["dN1"])),
    ("gradient-inputs-one", "dN1", lambda w: w["dR2"]),
    ("norm-missing", "dW_1_F1", lambda w: w["R1"].T @ w["dU1"]),
]  # fmt: skip
MADE = [(False, *row) for row in WRONG] + [(True, *row) for row in WRONG_BLOCK]


@pytest.mark.parametrize(("with_block", "code", "step", "wrong"), MADE)
def test_mistakes(with_block: bool, code: str, step: str, wrong: Rule) -> None:
    """Made alone, each is named, and what comes after it follows."""
    values = worked(with_block, step, wrong)
    report = marked(checker(with_block), {name: told(matrix) for name, matrix in values.items()})
    assert report.first_wrong is None or report.first_wrong.step == step
    for one in report.steps:
        if one.step == step:
            assert [diagnosis.mistake for diagnosis in one.diagnoses] == [code]
        else:
            assert str(one.verdict) in ("correct", "rounded", "follows"), one.step


ALONE = [row for row in MADE if row[1] not in ("gradient-bias-unsummed",)]


@pytest.mark.parametrize(("with_block", "code", "step", "wrong"), ALONE)
def test_mistakes_if_only_the_gradient_is_answered(
    with_block: bool, code: str, step: str, wrong: Rule
) -> None:
    """No earlier step is answered, and the mistake is found."""
    matrix = worked(with_block, step, wrong)[step]
    (one,) = (one for one in marked(checker(with_block), {step: told(matrix, 6)}).steps if one.step == step)
    assert code in {diagnosis.mistake for diagnosis in one.diagnoses}


@pytest.mark.parametrize("told_before", [("A", "dS"), ("A", "L", "dL", "dS", "dW_Q")])
def test_no_slip_is_reported_that_rounding_hides(told_before: tuple[str, ...]) -> None:
    """If the answers are too coarse to tell two mistakes apart, no mistake is reported."""
    solution = attncalc.solve(attncalc.problem(
        X=[[1, 2], [0, 1], [2, -1]], W_Q=[[1, 0], [1, 1]], W_K=[[0, 1], [1, 0]], W_V=[[1, 1], [0, 2]],
        mask="causal", block=["residual"], W_U=[[1, 0, -1], [0, 1, 1]], targets=[2, 1, 3],
        backward="loss", mode="numeric",
    ))  # fmt: skip
    wrong = solution["dX"].value - solution["dR1"].value
    answers = {name: told(solution[name].value, 3) for name in told_before} | {"dX": told(wrong, 3)}
    (step,) = (one for one in marked(Checker(solution.problem), answers).steps if one.step == "dX")
    (found,) = step.diagnoses
    assert (found.mistake, found.besides) == ("gradient-residual-missing", ())


@pytest.mark.parametrize(
    ("code", "step", "last", "wrong"),
    [
        ("gradient-rowsum-missing", "dZ", "dK", lambda w: w["A"] * w["dA"]),
        ("gradient-scale-missing", "dS", "dQ", lambda w: w["dZ"]),
        ("scale-missing", "Z", "dV", lambda w: w["S"]),
        ("bias-missing", "V", "dA", lambda w: w["X"] @ w["W_V"]),
    ],
)
def test_mistakes_at_unanswered_steps(code: str, step: str, last: str, wrong: Rule) -> None:
    """A mistake on the way, forward or backward, is found from the gradient that shows it."""
    matrix = worked(False, step, wrong)[last]
    (one,) = (one for one in marked(checker(False), {last: told(matrix, 6)}).steps if one.step == last)
    assert code in {diagnosis.mistake for diagnosis in one.diagnoses}


@pytest.mark.parametrize("step", ["A", "V", "dA", "dS"])
def test_what_follows(step: str) -> None:
    """A slip, forward or backward, is wrong once: all that comes after it follows."""
    slipped = {**HEAD, step: lambda w: HEAD[step](w) + np.array([[0.3, 0, 0], [0, 0, 0], [0, 0, 0]])}
    values = rounds_on_the_way(given_of(with_block=False), slipped, 4)
    report = marked(checker(False), {name: told(matrix) for name, matrix in values.items()})
    verdicts = {one.step: str(one.verdict) for one in report.steps}
    assert verdicts.pop(step) == "wrong"
    assert {*verdicts.values()} <= {"correct", "rounded", "follows"}
    assert verdicts["dX"] == "follows"


# ── from the loss ──

LOGITS: dict[str, Any] = {"L": [[1, 0.5, -1], [0, 2, 1], [-1, 1, 0.5]], "temperature": 2, "backward": "loss"}
TARGETS: dict[str, list[Any]] = {"all": [2, 1, 3], "some": [2, "_", 3]}


def logits_gradient(targets: list[Any]) -> Array:
    """(p − y)/n over the temperature, and 0 for a row without a target."""
    p = softmax(np.array(LOGITS["L"]) / 2)
    y = np.array([[float(v == target) for v in (1, 2, 3)] for target in targets])
    return np.asarray((p * rowsum(y) - y) / y.sum() / 2)


@pytest.mark.parametrize("targets", TARGETS.values(), ids=TARGETS)
def test_logits(targets: list[Any]) -> None:
    """The result is p − y; probabilities and the loss of a row have no separate gradients."""
    solution = attncalc.solve(attncalc.problem(**LOGITS, targets=targets), "numeric")
    assert [step.name for step in solution.steps] == ["p", "nll", "loss", "perplexity", "dL"]
    np.testing.assert_allclose(solution["dL"].value, logits_gradient(targets), atol=1e-12)


def test_p_less_y() -> None:
    """The rules of the mean, the logarithm and the softmax, put into each other, say it in three letters."""
    solution = attncalc.solve(attncalc.problem(L=LOGITS["L"], targets=TARGETS["all"], backward="loss"))
    assert solution["dL"].formula == "dloss * (p - y) / 3"


def test_another_y() -> None:
    """A problem may call something y itself."""
    keys = {"L": [["y", 1]], "let": {"y": 2}, "targets": [1], "backward": "loss"}
    assert solution_of(keys)["dL"].value[0, 0] == pytest.approx(-1 / (1 + np.e))


def solution_of(keys: dict[str, Any]) -> attncalc.Solution:
    """A problem solved in floats."""
    return attncalc.solve(attncalc.problem(**keys), "numeric")


WRONG_LOSS: list[tuple[str, Callable[[Array, Array], Array]]] = [
    ("gradient-target", lambda p, _: p / 3 / 2),
    ("gradient-target-row", lambda p, y: (p - y[[1, 2, 0]]) / 3 / 2),
    ("gradient-target-row", lambda p, y: (p - y[[2, 0, 1]]) / 3 / 2),
    ("gradient-target-sign", lambda p, y: (y - p) / 3 / 2),
    ("gradient-mean-missing", lambda p, y: (p - y) / 2),
    ("gradient-temperature-missing", lambda p, y: (p - y) / 3),
]


@pytest.mark.parametrize(("code", "wrong"), WRONG_LOSS)
def test_mistakes_before_the_loss(code: str, wrong: Callable[[Array, Array], Array]) -> None:
    """Each is named, made alone."""
    p = softmax(np.array(LOGITS["L"]) / 2)
    y = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 1.0]])
    checks = Checker(attncalc.problem(**LOGITS, targets=TARGETS["all"]))
    (one,) = (one for one in marked(checks, {"dL": told(wrong(p, y))}).steps if one.step == "dL")
    assert code in {diagnosis.mistake for diagnosis in one.diagnoses}


# ── all that there is ──

GATED = {name: LAYERS[name] for name in ("W_1", "W_2")} | {
    "W_3": [[1, 2, -1, 0], [0, 1, 1, -1], [1, 0, 0.5, 1]]
}
TWO_HEADS = {"X": [[1, 0.5, -1, 2], [0, 2, 1, -0.5], [-1, 1, 0.5, 1]], "heads": 2}
OTHERS: dict[str, dict[str, Any]] = {
    "rope": {**GIVEN, "W_Q": [[1, 2], [0, 1], [-1, 1]], "W_K": [[1, 0], [2, 1], [0, -1]], "position": "rope",
             "backward": {"O": COMING["O"]}},
    "mean": {**TWO_HEADS, "combine": "mean", "backward": {"H": [[1, 2], [-1, 0.5], [2, 1]]}},
    "features": {**GIVEN, "feature_map": "elu+1", "backward": {"O": COMING["O"]}},
    "decay": {**GIVEN, "decay": 0.5, "normalize": "none", "backward": {"O": COMING["O"]}},
    "softcap": {**GIVEN, "softcap": 2, "backward": {"O": COMING["O"]}},
    "gelu": {"X": GIVEN["X"], "O": COMING["O"], "backward": {"F1": COMING["R2"]},
             "block": [{"feed_forward": {"W_1": LAYERS["W_1"], "W_2": LAYERS["W_2"], "activation": "gelu"}}]},
    "groups": {**TWO_HEADS, "kv_heads": 1, "W_K": [[1, 0], [2, 1], [0, -1], [1, 1]], "mask": "causal",
               "W_V": [[1, 2], [0, 1], [-1, 1], [0.5, 0]], "backward": {"H": (np.arange(12.0) % 5).reshape(3, 4)}},
    "gated": {"X": GIVEN["X"], "block": [{"feed_forward": {**GATED, "activation": "silu"}}],
              "backward": {"F1": COMING["O"]}},
    "loss": {**LOGITS, "targets": TARGETS["some"]},
    "rms": {"X": GIVEN["X"], "block": ["residual", {"rms_norm": {"gamma": [2, -1, 0.5]}}],
            "backward": {"N1": COMING["O"]}},
}  # fmt: skip


def made(checks: Checker) -> Iterator[tuple[str, str, Array]]:
    """The result of every mistake in a gradient, made alone, with its step."""
    graph, values = checks.graph, checks.truth.floats
    for step in graph.steps:
        for mistake in MISTAKES:
            for variation in mistake.variations(step, graph) if mistake.code.startswith("gradient-") else ():
                found = graph.evaluate(variation.step, values, Numeric())
                if found.shape == step.shape and not np.allclose(found, values[step.name], atol=1e-3):
                    yield mistake.code, step.name, found


@each("name", OTHERS, quick=["rope", "mean"])
def test_mistakes_behind_all_that_there_is(name: str) -> None:
    """Behind rotations, caps, groups, means and other norms, each is named at its step."""
    checks = Checker(attncalc.problem(**OTHERS[name]))
    for code, step, matrix in made(checks):
        reports = marked(checks, {step: told(matrix, 6)}).steps
        named = {one.mistake for report in reports if report.step == step for one in report.diagnoses}
        assert code in named, (code, step)


def test_every_mistake_in_a_gradient_is_tried() -> None:
    """By hand, or by what there is."""
    by_hand = {code for _, code, *_ in MADE} | {code for code, _ in WRONG_LOSS}
    others = {code for keys in OTHERS.values() for code, *_ in made(Checker(attncalc.problem(**keys)))}
    by_hand = {code for code in by_hand if code.startswith("gradient-")}
    assert by_hand | others == {one.code for one in MISTAKES if one.code.startswith("gradient-")}


# ── honest students ──


def random_given(rng: np.random.Generator, with_block: bool) -> dict[str, Any]:
    """Other numbers of the same shapes."""
    shapes = {name: np.shape(matrix) for name, matrix in given_of(with_block).items()}
    return {name: (rng.integers(-4, 5, shape) / 2).tolist() for name, shape in shapes.items()}


def rounds_on_the_way(given: dict[str, Any], rules: Rules, places: int) -> Worked:
    """All steps by hand, each from rounded numbers."""
    values: Worked = {name: np.array(matrix, dtype=float) for name, matrix in given.items()}
    for name, rule in rules.items():
        values[name] = np.round(rule(values), places)
    return {name: values[name] for name in rules}


@SLOW
@each("with_block", [False, True], quick=[])
@pytest.mark.parametrize("places", [3, 4])
def test_honest_students(with_block: bool, places: int) -> None:
    """Whoever rounds every step is never wrong, whatever part of it they tell."""
    rng = np.random.default_rng(7)
    rules = ALL if with_block else HEAD
    for _ in range(8):
        given = random_given(rng, with_block)
        checks = Checker(problem_of(given, with_block))
        values = rounds_on_the_way(given, rules, places)
        some = {name for name in rules if rng.random() < 0.6}
        for names in ({*rules}, some):
            answers = {name: told(values[name], places) for name in names}
            report = marked(checks, answers)
            assert not [one.step for one in report.steps if str(one.verdict) in ("wrong", "shape")], given


NORMED, ARRIVING = np.array([[1.0, 2, 4], [3, -1, 2]]), np.array([[0.3, -1.2, 0.7], [1.1, 0.4, -0.8]])


def off_mean(x: Array) -> Array:
    """The rows less their means."""
    return np.asarray(x - x.mean(axis=1, keepdims=True))


WRONG_NORMS: list[tuple[str, Callable[[Array], Array]]] = [
    ("norm-sample", lambda x: off_mean(x) / np.sqrt(x.var(axis=1, keepdims=True, ddof=1) + 0.5)),
    ("norm-sum", lambda x: off_mean(x) / np.sqrt((off_mean(x) ** 2).sum(axis=1, keepdims=True) + 0.5)),
    ("norm-eps", lambda x: off_mean(x) / x.std(axis=1, keepdims=True)),
    ("norm-uncentred", lambda x: x / np.sqrt(x.var(axis=1, keepdims=True) + 0.5)),
    ("norm-root", lambda x: off_mean(x) / (x.var(axis=1, keepdims=True) + 0.5)),
]


@pytest.mark.parametrize(("code", "norm"), WRONG_NORMS)
def test_gradients_of_a_wrong_norm_follow(code: str, norm: Callable[[Array], Array]) -> None:
    """They are right for what was done, by a small difference, and that is said in the norm alone."""
    problem = attncalc.problem(
        S=[[0, "-inf"], ["-inf", 0]],
        V=NORMED.tolist(),
        block=[{"layer_norm": {"eps": "1/2"}}],
        backward={"N1": ARRIVING.tolist()},
    )
    slopes = np.zeros(NORMED.shape)
    for at in np.ndindex(NORMED.shape):
        step = np.zeros(NORMED.shape)
        step[at] = 1e-6
        slopes[at] = (ARRIVING * (norm(NORMED + step) - norm(NORMED - step))).sum() / 2e-6
    report = attncalc.check(problem, {"N1": told(norm(NORMED)), "dV": told(slopes)})
    found = {step.step: (step.verdict, [one.mistake for one in step.diagnoses]) for step in report.steps}
    assert found == {"N1": ("wrong", [code]), "dV": ("follows", [])}


def sigmoid(x: Array) -> Array:
    """1/(1 + e^(−x))"""
    return np.asarray(1 / (1 + np.exp(-x)))


@pytest.mark.parametrize("slope", [sigmoid, lambda x: sigmoid(x) * (1 - sigmoid(x))])
@pytest.mark.parametrize("gate", [{}, {"W_3": [[1, 0], [2, 1], [0, -1]]}])
def test_wrong_slopes_of_silu(slope: Callable[[Array], Array], gate: dict[str, Any]) -> None:
    """With a gate or without, the derivative of one factor is not that of the product."""
    network = {
        "W_1": [[1, -1], [0, 1], [-1, 1]],
        "W_2": [[1, 0, 1], [2, 1, -1]],
        "activation": "silu",
        **gate,
    }
    keys = {"S": [[0, "-inf"], ["-inf", 0]], "V": NORMED.tolist(), "block": [{"feed_forward": network}]}
    problem = attncalc.problem(**keys, backward={"F1": ARRIVING.tolist()})
    arriving = ARRIVING @ np.array(network["W_2"]).T * (NORMED @ np.array(gate["W_3"]) if gate else 1)
    found = arriving * slope(NORMED @ np.array(network["W_1"]))
    (step,) = (one for one in attncalc.check(problem, {"dU1": told(found)}).steps if one.step == "dU1")
    assert [one.mistake for one in step.diagnoses] == ["gradient-slope-silu"]
