"""From the norm before attention to the loss: what is computed, what is refused and where, what is shown."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import attncalc
from attncalc.exercise.load import Source
from tests.helpers.commands import run
from tests.helpers.quick_and_slow import SLOW, sizes
from tests.helpers.solutions import solve_keys
from tests.pages.test_scripts import executed, rendered

pytestmark = SLOW

X = [[1, 2], [3, 1], [0, 1]]
NETWORK = {"feed_forward": {"W_1": [[1, 0], [2, 1]], "W_2": [[1, 1], [0, 1]]}}
LOGITS = "L: [[2, 1, 0], [0, 1, 3]]\n"
TOKENS = "X: [[1, 2], [3, 1]]\n"
FAULTS = [
    (LOGITS + "targets: [1, 4]", "2:14: must be a whole number from 1 to 3"),
    (LOGITS + "targets: [0, 1]", "2:11: must be a whole number from 1 to 3"),
    (LOGITS + "targets: [1]", "2:1: targets has 1 label for 2 rows of L"),
    (LOGITS + "targets: [_, _]", "2:1: no row has a target"),
    (LOGITS + "targets: [[1], 2]", "2:11: is not a label, a number or _"),
    (LOGITS + "vocabulary: [a, b]\ntargets: [a, b]", "2:1: vocabulary has 2 labels for 3 columns of L"),
    (
        LOGITS + "vocabulary: [the, cat, sat]\ntargets: [the, cats]",
        "3:16: 'cats' is not in the vocabulary; did you mean 'cat'?",
    ),
    (
        LOGITS + "vocabulary: [the, cat, sat]\ntargets: [the, 2]",
        "3:16: '2' is not in the vocabulary",
    ),
    (LOGITS + "vocabulary: [the, cat, cat]", "2:24: 'cat' stands in the vocabulary twice"),
    (LOGITS + "vocabulary: [the, _, cat]", "2:19: '_' stands for no target, so it cannot be a label"),
    (LOGITS + "temperature: 0", "2:14: the temperature must be positive"),
    (LOGITS + "temperature: none", "2:14: is a number: 1 leaves the logits unchanged"),
    (LOGITS + "targets: [none, 1]", "2:11: a row without a target has _"),
    (LOGITS + "mask: causal", "2:1: L is given, so mask is not used by anything"),
    (LOGITS + "W_U: [[1]]", "2:1: L is given, so W_U is not used by anything"),
    ("L: [[[1, 2]], [[2, 1]]]\ntargets: [1]", "2:1: targets are for one sequence: leave out the batch axis"),
    (TOKENS + "targets: [1, 2]", "2:1: targets needs logits: give W_U, or L itself"),
    (TOKENS + "vocabulary: [a]", "2:1: vocabulary needs logits: give W_U, or L itself"),
    (TOKENS + "b_U: [1]", "2:1: b_U needs logits: give W_U, or L itself"),
    (TOKENS + "W_U: [[1, 2, 3]]", "2:1: O is 2×2 and W_U is 1×3: W_U needs as many rows as O has columns"),
    (TOKENS + "W_U: [[1], [2]]\nb_U: [1, 2]", "3:1: b_U is 1×2 and W_U is 2×1"),
    ("S: [[1, 2]]\nW_U: [[1]]", "2:1: W_U takes the output of attention, but there are no values"),
    (TOKENS + "pre_norm: layernorm", "2:11: 'layernorm' is none of layer_norm, rms_norm, none; did you mean"),
    (TOKENS + "pre_norm: {layer_norm: {gamma: [1]}}", "2:1: gamma_N0 is 1×1 and X is 2×2"),
    (TOKENS + "pre_norm: [rms_norm]", "2:11: is written layer_norm, or"),
    ("X_Q: [[1]]\nX_KV: [[2]]\npre_norm: rms_norm", "3:1: pre_norm is for self-attention"),
    (TOKENS + "Q: [[1, 2]]\npre_norm: rms_norm", "3:1: pre_norm is for self-attention"),
    ("pre_norm: rms_norm", "1:1: pre_norm normalises X, which is not given"),
    (
        TOKENS + "block: [{feed_forward: {W_1: [[1], [1]], W_2: [[1, 1]], b_3: [1]}}]",
        "2:1: b_3 is the gate's bias, so it needs W_3",
    ),
    (
        TOKENS + "block: [{feed_forward: {W_1: [[1], [1]], W_2: [[1, 1]], W_3: [[1, 2], [1, 2]]}}]",
        "2:1: U1 is 2×1 and J1 is 2×2: the gate needs as many columns as the hidden layer",
    ),
]


@pytest.mark.parametrize(("text", "message"), FAULTS)
def test_faults(text: str, message: str) -> None:
    """Each is one sentence with its line and column."""
    with pytest.raises(attncalc.ProblemError) as refused:
        attncalc.solve(Source(text, "file", ".").problem)
    assert str(refused.value).startswith(f"file:{message}")
    assert "\n" not in str(refused.value)


RESIDUALS: list[tuple[dict[str, Any], list[tuple[str, str]]]] = [
    ({}, [("X", "O"), ("N1", "F1")]),
    ({"pre_norm": "layer_norm"}, [("X", "O"), ("R1", "F1")]),
    ({"pre_norm": "rms_norm", "position": "sinusoidal"}, [("X_P", "O"), ("R1", "F1")]),
    ({"pre_norm": "layer_norm", "O": X}, [("X", "O"), ("R1", "F1")]),
]


@pytest.mark.parametrize(("keys", "added"), RESIDUALS)
def test_what_residuals_add(keys: dict[str, Any], added: list[tuple[str, str]]) -> None:
    """What the last sublayer was given; with pre_norm, what went into the norm before it."""
    solution = solve_keys(X=X, block=["residual", "layer_norm", NETWORK, "residual"], **keys)
    assert [solution[name].inputs for name in ("R1", "R2")] == added
    projected = [solution[name].inputs[0] for name in ("Q", "K", "V") if name in solution]
    assert set(projected) <= {"N0" if "pre_norm" in keys else "X"}


def test_rows_without_a_target() -> None:
    """They lose nothing and are not in the mean; the temperature does not change the logits."""
    keys: dict[str, Any] = {"L": [["ln(9)", "ln(4)", 0], [0, 0, 0], [0, "ln(4)", 0]], "temperature": 2}
    solution = solve_keys(**keys, vocabulary=["a", "b", "c"], targets=["b", "_", "c"])
    assert solution["nll"].value.ravel() == pytest.approx([np.log(3), 0, np.log(4)])
    assert solution["loss"].value == pytest.approx((np.log(3) + np.log(4)) / 2)
    assert solution["perplexity"].value == pytest.approx(np.sqrt(12))
    assert solution.output == "perplexity" and "L" not in solution
    assert solve_keys(**keys).output == "p"


def test_large_logits_are_shifted() -> None:
    """Powers of e that would overflow are those of logits less the largest."""
    solution = attncalc.solve(attncalc.problem(L=[[1000, 999]], targets=[2]), mode="numeric")
    assert solution["p"].shifted
    assert solution["loss"].value == pytest.approx(1 + np.log1p(np.exp(-1)))


@pytest.mark.parametrize("temperature", ["sqrt(2)", "2", "0.7"])
def test_rounding_on_the_way_is_no_mistake(temperature: str) -> None:
    """A loss from probabilities of three places passes; a wrong one is marked, whatever the temperature."""
    problem = attncalc.problem(L=[[2, 1, 0], [0, 1, 3]], targets=[1, 2], temperature=temperature)
    p = np.round(attncalc.solve(problem)["p"].value, 3)
    loss = -np.log([p[0, 0], p[1, 1]]).mean()
    verdicts = [
        str(attncalc.check(problem, {"loss": f"{told:.4f}"}).steps[0].verdict) for told in (loss, loss + 1)
    ]
    assert verdicts[0] in ("correct", "rounded") and verdicts[1] == "wrong"


def test_labels_of_columns() -> None:
    """Every format says which token a probability belongs to, and what the targets are."""
    solution = solve_keys(L=[[2, 1], [0, 1]], vocabulary=["tea", "cake"], targets=["cake", "_"])
    text = str(solution)
    assert text.count("tea") >= 2 and "The targets of the rows are cake, none." in text
    assert executed(rendered(solution)) == ["p", "nll", "loss", "perplexity"]


ANSWERS = [
    ("logits", "L"), ("probabilities", "p"), ("negative log-likelihoods", "nll"), ("cross-entropy", "loss"),
    ("ppl", "perplexity"), ("gate", "J1"),
]  # fmt: skip


@pytest.mark.parametrize(("word", "step"), ANSWERS)
def test_answers_in_words(word: str, step: str) -> None:
    """Steps are called as people call them."""
    gated = {"feed_forward": {**NETWORK["feed_forward"], "W_3": [[1, 1], [0, 2]]}}
    problem = attncalc.problem(X=X, block=[gated], W_U=[[1, 0], [0, 1]], targets=[1, 2, 1])
    value = attncalc.solve(problem)[step].value
    report = attncalc.check(problem, {word: np.round(value, 4).tolist()})
    assert [(one.step, str(one.verdict)) for one in report.steps if one.step == step] == [(step, "correct")]


ROUNDED = [("p", "nll", "loss"), ("nll", "loss"), ("loss",), ("nll",), ()]
"""The results that a student goes on with as written; all others are used in full."""


@sizes(count=(6, 60))
def test_rounding_on_the_way_to_the_loss_is_never_wrong(count: int) -> None:
    """Any selection of steps, by students in plain Python who round to two, three or four decimals."""
    random = Random(5)
    for _ in range(count):
        rows, columns, places = random.randint(1, 3), random.randint(2, 4), random.randint(2, 4)
        logits = [[random.randint(-2, 2) for _ in range(columns)] for _ in range(rows)]
        targets = [random.randrange(columns) for _ in range(rows)]
        problem = attncalc.problem(L=logits, targets=[target + 1 for target in targets])
        for carried in ROUNDED:
            results = worked(logits, targets, places, carried)
            for told in ([*results], ["loss", "perplexity"], ["loss"], ["perplexity"]):
                report = attncalc.check(problem, {name: results[name] for name in told})
                assert "wrong" not in {step.verdict for step in report.steps}, (
                    logits,
                    targets,
                    carried,
                    told,
                )


def worked(
    logits: list[list[int]], targets: list[int], places: int, carried: tuple[str, ...]
) -> dict[str, list[list[str]]]:
    """What a student writes from the probabilities to the perplexity."""
    written: dict[str, list[list[str]]] = {}

    def note(name: str, numbers: list[list[float]]) -> list[list[float]]:
        written[name] = [[f"{number:.{places}f}" for number in row] for row in numbers]
        return [[*map(float, row)] for row in written[name]] if name in carried else numbers

    powers = [[math.exp(logit) for logit in row] for row in logits]
    p = note("p", [[power / sum(row) for power in row] for row in powers])
    likely = [row[target] for row, target in zip(p, targets, strict=True)]
    nll = note("nll", [[-math.log(one)] for one in likely])
    ((loss,),) = note("loss", [[sum(one for (one,) in nll) / len(nll)]])
    note("perplexity", [[math.exp(loss)]])
    return written


@pytest.mark.parametrize(("keys", "losses"), [
    ({"L": [[1000, 0]], "targets": [2]}, [1000]),
    ({"L": [["1000.5", 0], [1, 2]], "targets": [2, 2]}, [1000.5, np.log1p(np.exp(-1))]),
    ({"L": [[100000, 0, 100000]], "targets": [2]}, [100000 + np.log(2)]),
    ({"L": [[1000, 0]], "targets": [2], "temperature": "1/2"}, [2000]),
    ({"L": [[0, 5000], [0, 1]], "targets": [1, "_"]}, [5000, 0]),
])  # fmt: skip
def test_losses_beyond_the_smallest_probability(keys: dict[str, object], losses: list[float]) -> None:
    """Floats hold the loss of a target whose probability they do not hold, and say what they leave out."""
    problem = attncalc.problem(**keys)
    solution = attncalc.solve(problem, mode="numeric")
    np.testing.assert_allclose(solution["nll"].value[:, 0], losses, rtol=1e-12)
    loss = sum(losses) / np.count_nonzero(losses)
    assert solution["loss"].value == pytest.approx(loss)
    is_left_out = loss > math.log(sys.float_info.max)
    assert ("perplexity" not in [step.name for step in solution.steps]) == is_left_out
    assert ("is too large for a float" in str(solution)) == is_left_out
    told = {"nll": solution["nll"].value, "loss": solution["loss"].value}
    assert attncalc.check(problem, told).exit_code == 0


def test_shapes_and_cost_have_the_steps_of_the_solution(tmp_path: Path) -> None:
    """Also if floats cannot hold one of them."""
    file = tmp_path / "problem.yaml"
    file.write_text("{L: [[1000, 0]], targets: [2]}")
    steps = [step["name"] for step in json.loads(run("solve", str(file), "-f", "json"))["steps"]]
    assert "perplexity" in steps
    for command in ("shapes", "cost"):
        assert [*json.loads(run(command, str(file), "-f", "json"))] == steps
