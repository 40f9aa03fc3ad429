"""What stands beside plain softmax attention, against NumPy written from the papers, and its mistakes."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest

import attncalc
from attncalc.core.errors import ProblemError
from attncalc.core.fields import Array
from attncalc.features.decoding.decode import decode, find_cache
from attncalc.marking.checker import Checker
from attncalc.mistakes import MISTAKES
from attncalc.worked.blocks import Document, Map
from attncalc.worked.overview import attends, attention_map
from attncalc.worked.words import topic_named
from tests.helpers.bundled import GRAPHS, NAMES, PROBLEMS, WORKED
from tests.helpers.commands import run, run_fault
from tests.helpers.quick_and_slow import each
from tests.helpers.random_students import marked
from tests.helpers.solutions import printed, refusal, solve_keys

CLOSE: dict[str, Any] = {"rtol": 1e-10, "atol": 1e-12}


def random(seed: int, *shape: int) -> Array:
    """Numbers from a normal distribution, to two decimals."""
    return np.round(np.random.default_rng(seed).standard_normal(shape), 2)


# ── sinks ──


def with_sink(scores: Array, sink: float) -> Array:
    """A softmax over the scores and one further column, which is dropped again."""
    wide = np.concatenate([scores, np.full((len(scores), 1), sink)], axis=1)
    powers = np.exp(wide - wide.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))[:, :-1]


HIDING = np.array([[0, -np.inf, 0], [-np.inf] * 3, [0, 0, 0], [0, 0, -np.inf]])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("size", [1, 2000])
@pytest.mark.parametrize("score", ["dot", "general"])
def test_sink_is_a_dropped_column(seed: int, size: float, score: str) -> None:
    """A sink for each of two heads, beside a mask that hides a whole row, for scores small and huge."""
    q, k, v = random(seed, 4, 4) * size, random(seed + 9, 3, 4), random(seed + 19, 3, 6)
    sinks, between = random(seed, 2) * size, random(seed, 2, 2) if score == "general" else np.eye(2)
    keys = {"W_a": between} if score == "general" else {}
    mask = {"add": HIDING}
    found = solve_keys(
        "numeric", Q=q, K=k, V=v, heads=2, sink=sinks, mask=mask, score=score, scale="1/2", **keys
    )
    for head in (0, 1):
        own, of_v = slice(2 * head, 2 * head + 2), slice(3 * head, 3 * head + 3)
        weights = with_sink(q[:, own] @ between @ k[:, own].T / 2 + HIDING, sinks[head])
        np.testing.assert_allclose(found[f"A_{head + 1}"].value, weights, **CLOSE)
        np.testing.assert_allclose(found[f"O_{head + 1}"].value, weights @ v[:, of_v], **CLOSE)
        assert found[f"T_{head + 1}"].shifted == found[f"E_{head + 1}"].shifted


def test_sink_exactly_and_in_letters() -> None:
    """T = Σ E + e^sink, whatever the sink is."""
    exact = attncalc.solve(attncalc.problem(S=[[0, 0]], V=[[8], [4]], sink="ln(2)"))
    assert (exact["T"].numbers.tolist(), exact["O"].numbers.tolist()) == ([[4]], [[3]])
    keys = {"S": [["b", 0]], "sink": "b", "symbols": {"b": "positive"}, "limit": "b -> oo"}
    letters = attncalc.solve(attncalc.problem(**keys))
    assert letters["A_limit"].value.tolist() == [[0.5, 0]]


def test_one_sink_for_all_heads() -> None:
    """One number is as good as the same one for every head."""
    keys: dict[str, Any] = {"X": random(1, 3, 4), "heads": 2}
    one, each = solve_keys("numeric", **keys, sink="0.5"), solve_keys("numeric", **keys, sink=["0.5", "0.5"])
    np.testing.assert_allclose(one["H"].value, each["H"].value, **CLOSE)


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        ({"sink": [1, 2]}, "sink has 2 numbers for 1 head"),
        ({"sink": 1, "normalize": "sum"}, "a sink takes part in a softmax, so it needs normalize: softmax"),
        ({"sink": [[1], [2]]}, "is one number, or a list of one for each head"),
        ({"sink": "None"}, "did you mean 'none'?"),
        ({"sink": "inf"}, "inf"),
        ({"sink": 1000, "symbols": {"x": "real"}}, "beside free letters, a sink may be at most 700"),
    ],
)
def test_sinks_that_cannot_be(keys: dict[str, Any], why: str) -> None:
    """Each with one sentence."""
    assert why in refusal(S=[[1, 2]], **keys)


def test_who_attends_beside_a_sink() -> None:
    """What the sink takes is said, and a row of nothing else too."""
    scores = [[0, 0], ["-inf", "-inf"], [3, 0]]
    told = printed(Document(tuple(attends(solve_keys("numeric", S=scores, sink=0)))))
    assert "Token 1 attends to all tokens alike, and leaves 33 % to the sink." in told
    assert "Token 2 attends to no token, and leaves 100 % to the sink." in told
    assert "Token 3 attends almost only to token 1 (91 %), and leaves 5 % to the sink." in told


# ── mistakes ──

SUNK: dict[str, Any] = {
    "Q": [[1, 0.5], [0.5, -1], [2, 1]], "K": [[0.5, 1], [1, -0.5], [1.5, 1]],
    "V": [[1, 2], [3, -1], [0.5, 4]], "sink": 0.7,
}  # fmt: skip


def named(answers: dict[str, Any], **keys: Any) -> set[str]:
    """The mistakes that are named in answers."""
    told = {name: [[f"{x:.5f}" for x in row] for row in matrix] for name, matrix in answers.items()}
    report = marked(Checker(attncalc.problem(**keys)), told)
    return {diagnosis.mistake for step in report.steps for diagnosis in step.diagnoses}


def sunk() -> dict[str, Array]:
    """The right numbers of the exercise with a sink."""
    scores = np.array(SUNK["Q"]) @ np.array(SUNK["K"]).T / np.sqrt(2)
    return {"E": np.exp(scores), "rest": np.exp(0.7), "V": np.array(SUNK["V"])}


SINKS: list[tuple[str, Any]] = [
    ("sink-missing", lambda w: w["E"] / w["E"].sum(1, keepdims=True)),
    ("sink-raw", lambda w: w["E"] / (w["E"].sum(1, keepdims=True) + 0.7)),
    ("sink-scaled", lambda w: w["E"] / (w["E"].sum(1, keepdims=True) + np.exp(0.7 / np.sqrt(2)))),
    ("sink-with-value", lambda w: rest_to_first(w["E"] / (w["E"].sum(1, keepdims=True) + w["rest"]))),
]


def rest_to_first(weights: Array) -> Array:
    """Weights whose first takes what is missing from 1."""
    left = 1 - weights.sum(axis=1)
    return np.column_stack([weights[:, 0] + left, weights[:, 1:]])


@pytest.mark.parametrize(("code", "wrong"), SINKS)
def test_mistakes_with_a_sink(code: str, wrong: Any) -> None:
    """Weights and output answered, or the output alone."""
    w = sunk()
    weights = wrong(w)
    assert named({"A": weights, "O": weights @ w["V"]}, **SUNK) == {code}
    assert code in named({"O": weights @ w["V"]}, **SUNK)


def test_right_answers_with_a_sink_are_not_accused() -> None:
    """However they are rounded."""
    w = sunk()
    weights = w["E"] / (w["E"].sum(1, keepdims=True) + w["rest"])
    for places in (2, 3, 5):
        rounded = np.round(weights, places)
        told = {"A": [[f"{x:.{places}f}" for x in row] for row in rounded]}
        told["O"] = [[f"{x:.{places}f}" for x in row] for row in rounded @ w["V"]]
        report = marked(Checker(attncalc.problem(**SUNK)), told)
        assert report.verdict == "correct", (places, report)
    assert {"sink-missing", "sink-with-value"} <= {mistake.code for mistake in MISTAKES}


# ── feature maps and decay ──

MAPS: dict[str, Any] = {
    "elu+1": lambda x: np.where(x > 0, x + 1, np.exp(np.minimum(x, 0))),
    "relu": lambda x: np.maximum(x, 0),
    "exp": np.exp,
}


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("kind", MAPS)
def test_linear_attention(kind: str, seed: int) -> None:
    """By the sums of φ(k)ᵀ v and φ(k), token by token, as the paper has it; a cache comes before."""
    q, k, v = random(seed, 3, 2), random(seed + 9, 5, 2) + 0.5, random(seed + 19, 5, 3)
    cached = {"past_K": k[:2], "past_V": v[:2]}
    found = solve_keys("numeric", Q=q, K=k[2:], V=v[2:], **cached, feature_map=kind, mask="causal")
    queries, keys = MAPS[kind](q), MAPS[kind](k)
    for i, query in enumerate(queries):
        state, norm = keys[: i + 3].T @ v[: i + 3], keys[: i + 3].sum(axis=0)
        np.testing.assert_allclose(found["O"].value[i], query @ state / (query @ norm), **CLOSE)
    np.testing.assert_allclose(found["K_F"].value, keys, **CLOSE)


@pytest.mark.parametrize("seed", range(3))
def test_retention(seed: int) -> None:
    """The recurrent form: a state that decays, one γ for each of two heads, behind a cache."""
    q, k, v, gammas = random(seed, 3, 4), random(seed + 9, 4, 4), random(seed + 19, 4, 2), [0.5, 0.9]
    found = solve_keys(
        "numeric", Q=q, K=k[1:], V=v[1:], past_K=k[:1], past_V=v[:1], heads=2, decay=np.array(gammas),
        normalize="none", scale="1/sqrt(d_k)",
    )  # fmt: skip
    for head, gamma in enumerate(gammas):
        own, state = slice(2 * head, 2 * head + 2), np.zeros((2, 1))
        outputs = []
        for t in range(4):
            state = gamma * state + np.outer(k[t, own], v[t, head])
            outputs.append(q[t - 1, own] @ state / np.sqrt(2))
        np.testing.assert_allclose(found[f"O_{head + 1}"].value, outputs[1:], **CLOSE)


def test_a_feature_map_keeps_explicit_keys() -> None:
    """A scale and a softmax beside it hold if they are said."""
    keys: dict[str, Any] = {"Q": [[1, 0]], "K": [[1, 1], [0, 2]], "feature_map": "relu"}
    assert [step.name for step in solve_keys("numeric", **keys).steps] == ["Q_F", "K_F", "S", "T", "A"]
    names = [step.name for step in solve_keys("numeric", **keys, scale="1/2", normalize="softmax").steps]
    assert names == ["Q_F", "K_F", "S", "Z", "E", "T", "A"]


def test_groups_share_their_mapped_keys() -> None:
    """Steps are named by head; heads of a group share K_F."""
    found = solve_keys("numeric", X=random(2, 3, 4), W_K=random(3, 4, 2), W_V=random(4, 4, 2), heads=2, kv_heads=1,
                   feature_map="exp", decay="0.5")  # fmt: skip
    names = [step.name for step in found.steps]
    assert {"Q_F_1", "Q_F_2", "K_F_1", "D_1", "D_2", "M_1", "M_2"} <= {*names} and "K_F_2" not in names


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        ({"decay": "1/2"}, "a decay does not go with a softmax: write normalize: none or sum"),
        ({"decay": [1, 2], "normalize": "none"}, "decay has 2 numbers for 1 head"),
        ({"decay": "-1/2", "normalize": "none"}, "a decay must be positive"),
        ({"feature_map": "gelu"}, "is none of none, elu+1, relu, exp"),
        ({"feature_map": "relu", "limit": "b -> oo", "symbols": {"b": "positive"}}, "normalize: softmax"),
        ({"feature_map": "elu+1", "sink": 1}, "needs normalize: softmax"),
        ({"K": [[-1, -2]], "feature_map": "relu"}, "a row of scores adds up to 0"),
    ],
)
def test_maps_and_decays_that_cannot_be(keys: dict[str, Any], why: str) -> None:
    """Each with one sentence."""
    assert why in refusal(**{"Q": [[1, 2]], "K": [[1, 3]], **keys})


def test_maps_show_later_keys_as_hidden() -> None:
    """A decay hides them like a mask does."""
    keys: dict[str, Any] = {"S": [[1, 2], [0, 1]], "normalize": "none"}
    for hiding in ({"mask": "causal"}, {"decay": "1/2"}):
        (found,) = (
            block
            for block in attention_map(solve_keys("numeric", **keys, **hiding))
            if isinstance(block, Map)
        )
        assert found.hidden == {(0, 1)}


@pytest.mark.parametrize("adding", [{"position": {"alibi": [1]}}, {"mask": {"add": [[1, 2], [3, 4]]}}])
def test_decay_hides_later_keys_from_a_bias(adding: dict[str, Any]) -> None:
    """What is added to their score of 0 does not bring them back; no power of e is spoken of."""
    found = solve_keys("numeric", S=[[1, 2], [0, 1]], normalize="none", decay="1/2", **adding)
    assert found["A"].value[0][1] == 0
    assert "hides a key." in str(found["M"].sentence)


def test_scores_have_no_feature_map() -> None:
    """Nothing is there to be mapped; and a hidden score has no decay."""
    assert "are not given" in refusal(S=[[1, 2]], feature_map="relu")
    assert "S may not hold -inf" in refusal(S=[[1, "-inf"]], decay="1/2", normalize="sum")


# ── mistakes without a softmax ──

LINEAR: dict[str, Any] = {
    "Q": [[1, -0.5], [0.5, 1], [-2, 1]], "K": [[0.5, -1], [1, 0.5], [1.5, -0.5]],
    "V": [[1, 2], [3, -1], [0.5, 4]], "feature_map": "elu+1",
}  # fmt: skip
RETENTION: dict[str, Any] = {
    **LINEAR, "feature_map": "none", "scale": "none", "normalize": "none", "decay": 0.8,
}  # fmt: skip
Q, K, V = (np.array(LINEAR[name], float) for name in "QKV")
F = MAPS["elu+1"]
DISTANCE = np.subtract.outer(np.arange(3), np.arange(3))
DECAY = np.where(DISTANCE >= 0, 0.8 ** np.maximum(DISTANCE, 0), 0)
BACK = (DISTANCE >= 0).astype(float)


def shares(scores: Array) -> Array:
    """Every score over its row's sum."""
    return np.asarray(scores / scores.sum(axis=1, keepdims=True))


WITHOUT: list[tuple[str, dict[str, Any], Any]] = [
    ("feature-map-missing", LINEAR, shares(Q @ K.T)),
    ("feature-map-keys-only", LINEAR, shares(Q @ F(K).T)),
    ("feature-map-queries-only", LINEAR, shares(F(Q) @ K.T)),
    ("feature-map-plus-one", LINEAR, shares((F(Q) - 1) @ F(K).T)),
    ("linear-unnormalised", LINEAR, F(Q) @ F(K).T),
    ("softmax-for-linear", LINEAR, shares(np.exp(F(Q) @ F(K).T))),
    ("softmax-for-linear", RETENTION, shares(np.exp(Q @ K.T * DECAY))),
    ("decay-missing", RETENTION, Q @ K.T * BACK),
    ("decay-missing", RETENTION, Q @ K.T),
    ("decay-flipped", RETENTION, Q @ K.T * BACK * 0.8 ** -DISTANCE.astype(float)),
    ("decay-off-by-one", RETENTION, Q @ K.T * DECAY * 0.8),
    ("decay-both-ways", RETENTION, Q @ K.T * 0.8 ** np.abs(DISTANCE)),
]


@pytest.mark.parametrize(("code", "keys", "weights"), WITHOUT)
def test_mistakes_without_a_softmax(code: str, keys: dict[str, Any], weights: Array) -> None:
    """Weights and output answered, or the output alone."""
    assert code in named({"A": weights, "O": weights @ V}, **keys)
    assert code in named({"O": weights @ V}, **keys)


def test_right_answers_without_a_softmax_are_not_accused() -> None:
    """However they are rounded."""
    for keys, weights in ((LINEAR, shares(F(Q) @ F(K).T)), (RETENTION, Q @ K.T * DECAY)):
        for places in (2, 4):
            rounded = np.round(weights, places)
            told = {"A": [[f"{x:.{places}f}" for x in row] for row in rounded]}
            told["O"] = [[f"{x:.{places}f}" for x in row] for row in rounded @ V]
            assert marked(Checker(attncalc.problem(**keys)), told).verdict == "correct"


# ── the same numbers in other ways ──

SAME = "nothing has changed"
DERIVATIONS = {*NAMES} - {*WORKED}
"""Problems without numbers: topics bring some."""


def has_output(name: str) -> bool:
    """Whether a problem has numbers for values, of which A is the weights, and is no batch."""
    problem, settings = PROBLEMS[name], PROBLEMS[name].settings
    keys = {re.sub(r"_[0-9]+$", "", key) for key in settings}
    valued = keys & {"V", "X", "X_KV", "X_V"} and "O" not in keys
    arrays = [settings[key] for key in settings if isinstance(settings[key], np.ndarray)]
    outputs = [step for step in GRAPHS[name].steps if step.kind.stage == "output" and not step.kind.limit]
    weighted = all(GRAPHS[name].labels[output.inputs[0]].role == "A" for output in outputs)
    return bool(valued) and weighted and not problem.symbols and all(array.ndim == 2 for array in arrays)


def has_softmax(name: str) -> bool:
    """Whether weights are those of a softmax."""
    settings = PROBLEMS[name].settings
    return settings.get("normalize", "softmax") == "softmax" and "feature_map" not in settings


def has_state(name: str) -> bool:
    """Whether a problem can be computed as a recurrence: plain dot products, masks that hide later keys only."""
    return name in DERIVATIONS or (has_output(name) and not has_softmax(name))


@each("name", NAMES, quick=["learned-sink", "causal-cache", "cross-attention-3x4", "retention", "rope"])
def test_flash_on_every_problem(name: str) -> None:
    """It ends in equality if there is a softmax of numbers with values; all others are refused in one sentence."""
    if name in DERIVATIONS or (has_output(name) and has_softmax(name)):
        for tile in ("1", "3"):
            assert SAME in run("explain", "flash", name, "--tile", tile).replace("\n", " ")
    else:
        assert re.fullmatch(
            r"\S+: does not apply to this problem: [^\n]+\n?", run_fault("explain", "flash", name)
        )


@each("name", NAMES, quick=["learned-sink", "linear-attention", "retention", "sum-normalised"])
def test_recurrence_on_every_problem(name: str) -> None:
    """It ends in equality if the weights are made of dot products only."""
    if has_state(name):
        assert SAME in run("explain", "recurrence.state", name).replace("\n", " ")
    else:
        fault = run_fault("explain", "recurrence.state", name)
        assert re.fullmatch(r"\S+: does not apply to this problem: [^\n]+\n?", fault)
    told = run("explain", "recurrence", name).replace("\n", " ")
    assert (SAME in told) == has_state(name)
    assert "A recurrent network goes through the tokens" in told


RUNNING: list[tuple[bool, dict[str, Any]]] = [
    (True, {"normalize": "none", "decay": "1/2"}),
    (True, {"normalize": "none", "decay": ["1/2", "1/3"], "heads": 2}),
    (True, {"normalize": "sum", "feature_map": "exp", "score": "general", "W_a": [[1, 2], [0, 1]], "decay": "0.9"}),
    (True, {"feature_map": "elu+1", "weights": "out-in", "score": "general", "W_a": [[1, 2], [0, 1]], "scale": "2"}),
    (True, {"feature_map": "relu", "past_K": [[1, 1]], "past_V": [[3, 1]], "decay": "1/2"}),
    (True, {"normalize": "none", "mask": {"causal": "lower-right"}}),
    (True, {"normalize": "none", "mask": ["causal", {"keep": [[1, 0, 0], [1, 1, 0], [1, 1, 1]]}]}),
    (True, {"normalize": "none", "position": "rope"}),
    (False, {"normalize": "none", "softcap": 2}),
    (False, {"normalize": "none", "position": "alibi"}),
    (False, {"normalize": "none", "mask": {"window": 1}}),
    (False, {"normalize": "none", "mask": {"add": [[0, 1, 0]]}}),
    (False, {"normalize": "none", "decay": "1/2", "mask": {"hide": [[0, 0, 0], [1, 0, 0], [0, 0, 0]]}}),
    (False, {"normalize": "none", "score": "additive", "W_1": [[1], [2]], "W_2": [[1], [1]], "v_a": [1]}),
]  # fmt: skip


@pytest.mark.parametrize(("fits", "keys"), RUNNING)
def test_what_has_a_running_state(fits: bool, keys: dict[str, Any]) -> None:
    """Everything but what ties a query to a key in some other way than by their product."""
    matrices = {"Q": [[1, 2], [0, 1], [3, 1]], "K": [[1, 1], [2, 0], [1, 3]], "V": [[1, 0], [2, 5], [4, 1]]}
    for mode in ("exact", "numeric"):
        solution = attncalc.solve(attncalc.problem(**matrices, **keys), mode=mode)
        explained = topic_named("recurrence.state").explain(solution)
        if fits:
            assert SAME in str([*explained][-1])
        else:
            with pytest.raises(ProblemError, match="does not apply to this problem"):
                list(explained)


def test_lost_precision_is_reported() -> None:
    """Sums that all but cancel leave few digits, on either way."""
    matrices = {
        "Q": [[1.0, 1.0], [0.5, 0.25]],
        "K": [[1.0, -0.9999999], [0.3, -0.2999999]],
        "V": [[3.1], [1e6]],
    }
    solution = attncalc.solve(attncalc.problem(**matrices, normalize="sum", scale="none"), mode="numeric")
    ending = str([*topic_named("recurrence.state").explain(solution)][-1])
    assert re.search(r"within \de-\d\d, which floats lose on the way: nothing else has changed", ending)


def test_more_queries_than_keys_fade() -> None:
    """Behind the last key the state only decays."""
    keys: dict[str, Any] = {
        "Q": [[1], [1], [1]],
        "K": [[1]],
        "V": [[8]],
        "normalize": "none",
        "decay": "1/2",
        "scale": "none",
    }
    solution = attncalc.solve(attncalc.problem(**keys))
    assert solution["O"].numbers.tolist() == [[8], [4], [2]]
    assert SAME in str([*topic_named("recurrence.state").explain(solution)][-1])


FLASHED: list[dict[str, Any]] = [
    {"mask": {"keep": [[0, 0, 0], [0, 1, 1], [1, 0, 1]]}, "masked_rows": "zero"},
    {"sink": 2, "mask": {"keep": [[0, 0, 0], [0, 1, 1], [1, 0, 1]]}},
    {"scale": 900, "sink": 1000},
    {"position": "alibi", "softcap": 3, "heads": 2},
    {"past_K": [[1, 1]], "past_V": [[3, 1]], "mask": "causal"},
    {"feature_map": "relu", "normalize": "softmax"},
]


@pytest.mark.parametrize("keys", FLASHED)
@pytest.mark.parametrize("tile", [1, 2, 7])
def test_what_is_worked_by_tiles(tile: int, keys: dict[str, Any]) -> None:
    """Hidden rows, sinks, huge scores, caches, several heads."""
    matrices = {"Q": [[1, 2], [0, 1], [3, 1]], "K": [[1, 1], [2, 0], [1, 3]], "V": [[1, 0], [2, 5], [4, 1]]}
    for mode in ("exact", "numeric"):
        solution = attncalc.solve(attncalc.problem(**matrices, **keys), mode=mode)
        assert SAME in str([*topic_named("flash").explain(solution, tile=tile)][-1])


def test_only_topics_that_take_an_option_accept_it() -> None:
    """--tile is for flash."""
    assert "--tile has no meaning for scores" in run_fault("explain", "scores", "--tile", "2")
    assert "is not in the range" in run_fault("explain", "flash", "--tile", "0")


# ── what is cached, and what it costs to go on ──


@pytest.mark.parametrize(
    ("keys", "numbers", "groups"),
    [
        ({"X": random(1, 3, 8), "heads": 4}, 16, 4),
        (
            {"X": random(1, 3, 8), "heads": 4, "kv_heads": 2, "W_K": random(2, 8, 4), "W_V": random(3, 8, 6)},
            10,
            2,
        ),
        ({"Q": random(1, 1, 3), "K": random(2, 2, 3), "V": random(3, 2, 5)}, 8, 1),
        ({**{f"Q_{n}": [[n]] for n in (1, 2)}, "K": [[1]], "V": [[2]]}, 2, 1),
    ],
)
def test_what_a_token_leaves(keys: dict[str, Any], numbers: int, groups: int) -> None:
    """Keys and values of every group of heads, each with its width."""
    found = find_cache(solve_keys("numeric", **keys))
    assert found and (found.numbers, found.groups) == (numbers, groups)
    assert found.bytes(10) == {"fp32": 40 * numbers, "fp16": 20 * numbers, "int8": 10 * numbers}


CACHES: list[dict[str, Any]] = [
    {"X": random(1, 3, 4), "W_Q": random(2, 4, 4), "W_K": random(3, 4, 4), "W_V": random(4, 4, 2), "heads": 2},
    {"X": random(1, 3, 4), "W_K": random(3, 4, 2), "W_V": random(4, 4, 2), "heads": 2, "kv_heads": 1, "sink": 1},
    {"Q": random(1, 3, 2), "K": random(2, 3, 2), "V": random(4, 3, 2), "feature_map": "elu+1", "decay": "0.5"},
    {"X": random(1, 3, 4), "block": ["residual", "layer_norm"], "position": "rope"},
]  # fmt: skip


@pytest.mark.parametrize("keys", CACHES)
def test_decoding_is_counted_token_by_token(keys: dict[str, Any]) -> None:
    """The sum over tokens of what the program counts for each with its cache."""
    first = solve_keys("numeric", **keys, mask="causal")
    widths = {role: first.graph.shapes[role][-1] for role in "KV"}
    total = {"mul": 0, "add": 0, "div": 0, "exp": 0}
    for cached in range(3, 8):
        own = {key: value[:1] if key in ("X", "Q", "K", "V") else value for key, value in keys.items()}
        past = {f"past_{role}": np.ones((cached, width)) for role, width in widths.items()}
        for step in solve_keys("numeric", **own, **past).steps:
            total = {name: count + step.cost.counts()[name] for name, count in total.items()}
    assert decode(first, 5).total.counts() == total


def test_prefill_and_decode_in_words_and_data() -> None:
    """The same counts on a page and as data; what has no growing cache is refused."""
    told = json.loads(run("cost", "grouped-cache", "--decode", "5", "-f", "json"))
    page = run("cost", "grouped-cache", "--decode", "5")
    assert re.search(rf"decode of 5 +{told['decode']['mul']} ", page) and "prefill of 2" in page
    assert told["cache"]["bytes"]["fp16"] == 8 * 8
    assert "queries and keys come from different tokens" in run_fault(
        "cost", "cross-attention-3x4", "--decode", "2"
    )
    assert "2, as here" in run("solve", "grouped-cache")


@pytest.mark.parametrize("keys", [{"feature_map": "relu"}, {"normalize": "sum"}, {"normalize": "none"}])
def test_a_hidden_key_may_be_0_without_a_softmax(keys: dict[str, str]) -> None:
    """Of scores that are weights themselves, 0 hides as well as −∞; of a softmax it does not."""
    given = {"Q": [[1, 2], [3, 1]], "K": [[1, 0], [2, 1]], "V": [[1], [3]], "mask": "causal", "scale": "none"}
    hidden = {"M": [[1, 0], [3, 7]]}
    assert attncalc.check(attncalc.problem(**given, **keys), hidden).steps[0].verdict == "correct"
    softmax = attncalc.check(attncalc.problem(**given), hidden).steps[0]
    assert (softmax.verdict, softmax.wrong_cells) == ("wrong", ((1, 2),))
