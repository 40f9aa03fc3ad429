"""Every fault that a problem or its answers can have, and the sentence that it gets."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy

import attncalc
from attncalc.marking.checker import Checker
from tests.helpers.bundled import checker_of

Q, K, V = [[1, 2], [3, 4]], [[1, 0], [0, 1]], [[1, 2], [3, 4]]
GIVEN = {"Q": Q, "K": K, "V": V}
TOKENS = {"X": [[1, 0, 2], [0, 1, 1]]}
FOUR = np.ones((1, 2, 3, 4))
LETTERS: list[tuple[dict[str, Any], str]] = [
    ({"symbols": {"beta": "positive"}, "limit": "gamma -> oo"}, "'gamma' is not one of the symbols"),
    ({"symbols": {"beta": "positive"}, "limit": "beta"}, "is written beta -> oo"),
    ({"symbols": {"beta": "large"}}, "'large' is none of positive, real"),
    ({"symbols": {"S": "real"}}, "'S' already has a meaning"),
    ({"let": {"mask": 2}, "mask": "causal"}, "'mask' already has a meaning"),
    ({"names": {"S": "A"}}, "'A' is already the name of a step: give that one another, such as A: A_0"),
    ({"names": {"S": "z", "A": "z"}}, "'z' is already the name of a step"),
    ({"symbols": {"x y": "real"}}, "'x y' is not a name"),
    ({"symbols": ["beta"]}, "must map letters to positive or real"),
    ({"symbols": {"beta": "positive"}, "let": {"beta": 3}}, "'beta' already has a meaning"),
    (
        {"symbols": {"beta": "positive"}, "limit": "beta -> oo", "normalize": "sum"},
        "a limit compares exponents, so it needs normalize: softmax",
    ),
    (
        {"symbols": {"beta": "positive", "x": "real"}, "limit": "beta -> oo", "S": [["x*beta", 0]]},
        "cannot be decided: the sign of x is not known",
    ),
    (
        {"symbols": {"t": "real"}, "limit": "t -> oo", "S": [["t", 0]], "V": [[1], ["exp(t)"]]},
        "cannot be decided: the values may grow as fast as the weights fall",
    ),
    ({"symbols": {"t": "positive"}, "limit": "t -> -oo"}, "t is positive, so it does not tend there"),
    (
        {"symbols": {"x": "real"}, "limit": "x -> 2", "S": [["1/(x - 2)", 0]]},
        "an entry is not defined at x = 2",
    ),
    ({"symbols": {"x": "real"}, "limit": "x -> 0", "S": [["1/x^2", 0]]}, "an entry is not defined at x = 0"),
    (
        {"symbols": {"t": "positive"}, "limit": "t -> 2", "S": [["ln(t - 2)", 0]]},
        "cannot be decided: an entry is not defined at t = 2",
    ),
    (
        {"symbols": {"t": "positive"}, "limit": "t -> 0", "V": [["-1/t"], [1]]},
        "cannot be decided: a value has no finite limit",
    ),
    (
        {"symbols": {"t": "positive"}, "limit": "t -> 0", "V": [["t^t"], [1]]},
        "cannot be decided: an entry is not a quotient of polynomials in t",
    ),
    (
        {"symbols": {"beta": "positive"}, "limit": "beta -> oo", "S": [["sin(beta)", 0]]},
        "cannot be decided: the exponents are not polynomials in beta",
    ),
]
"""Beside scores that are given."""
FAULTS: list[tuple[dict[str, Any], str]] = [
    # Matrices and heads.
    ({**GIVEN, "Q": np.ones((2, 2, 2)), "K": np.ones((3, 2, 2))}, "the batches differ: Q 2×2×2 and K 3×2×2"),
    ({**GIVEN, "heads": 2, "W_Q_1": K, "X": Q}, "heads is 2, but 1 heads are numbered"),
    ({**TOKENS, "block": [{"layer_norm": {"eps": -5}}]}, "eps may not be negative"),
    *(({**TOKENS, "position": {kind: "half", "base": base}}, "base must be positive") for kind in ("rope", "sinusoidal") for base in (-1, 0)),
    ({"X": [[1], [2]], "block": [{"layer_norm": {"variance": "sample"}}]}, "a sample variance needs two entries or more"),
    ({**TOKENS, "block": [{"rms_norm": {"eps": -5}}]}, "eps may not be negative"),
    *(({**TOKENS, **weights}, "has a batch axis, which only tokens, queries, keys and values have") for weights in (
        {"W_Q": np.ones((1, 3, 3))}, {"b_V": np.ones((2, 1, 3))}, {"W_O": np.ones((1, 3, 3))},
        {"score": "general", "W_a": np.ones((1, 3, 3))}, {"block": [{"layer_norm": {"gamma": np.ones((1, 1, 3))}}]},
    )),
    ({"Q_1": Q, "Q_2": Q, "Q_3": Q, "Q_4": Q, "K_1": K, "V_1": V, "V_2": V, "kv_heads": 2}, "K_2 is missing"),
    ({"Q_1": Q, "Q_2": Q, "K_1": K, "V_1": V, "V_2": V, "kv_heads": 2}, "K_2 is missing"),
    ({"Q_1": Q, "Q_3": Q, "K": K, "V": V}, "Q_2 is missing"),
    ({**GIVEN, "parts": [{"show": "S"}] * 101}, "there are more than 100 parts"),
    ({**GIVEN, "digits": "key"}, "there are no answers whose digits could be taken: say how many"),
    ({**GIVEN, "heads": 2, "kv_heads": 3}, "2 heads cannot share 3 key heads evenly"),
    ({**TOKENS, "heads": 2}, "Q has 3 columns, which 2 heads cannot share evenly"),
    ({"Q": FOUR, "K": np.ones((3, 4))}, "K needs four axes too: batch, heads, tokens, width"),
    ({"Q": FOUR, "K": FOUR, "heads": 3}, "heads disagrees with the 2 heads of Q"),
    ({"Q": FOUR, "K": np.ones((1, 3, 3, 4))}, "2 heads cannot share the 3 of K evenly"),
    ({"X": Q, "W_V_1": [[1], [2]], "W_V_2": [[1, 0], [2, 1]], "combine": "sum"}, "the heads differ in shape"),
    ({**GIVEN, "past_K": Q}, "V needs one row for each key"),
    ({**GIVEN, "past_K": Q, "past_V": [[1, 2]]}, "there must be one value for each key"),
    ({"Q": Q}, "K is missing"),
    ({"Q": 3, "K": K}, "matrix"),
    ({**GIVEN, "Q": {"a": 1}}, "file"),
    # Scores.
    ({"S": Q, "Q": Q, "K": K}, "Q is not used by anything here"),
    ({"S": Q, "Q": Q, "K": K, "heads": 2}, "S is given, so Q and K are not used: leave them out"),
    ({**GIVEN, "score": "general"}, "score: general needs W_a"),
    ({**GIVEN, "score": {"concat": ["q", "q"]}}, "the order is [q, k] or [k, q]"),
    ({**GIVEN, "score": {"concat": 3}}, "the order is [q, k] or [k, q]"),
    ({**GIVEN, "gamma": "1/2"}, "unknown key 'gamma'; did you mean 'decay'?"),
    ({**GIVEN, "maks": "causal"}, "unknown key 'maks'; did you mean 'mask'?"),
    ({**GIVEN, "maks": {"O": 2}}, "unknown key 'maks'; did you mean 'marks'?"),
    ({**GIVEN, "gamma": [1, 2]}, "'gamma': it belongs to a norm, such as layer_norm: {gamma: [1, 2]} in the block"),
    ({**GIVEN, "eps": 0}, "'eps': it belongs to a norm, such as layer_norm: {eps: 0} in the block"),
    ({**GIVEN, "score": "genral"}, "did you mean 'general'"),
    ({**GIVEN, "softcap": 0}, "the softcap must be positive"),
    ({**GIVEN, "softcap": [1]}, "is not a number"),
    ({**GIVEN, "softcap": "[1 2]"}, "is a matrix where one number is wanted"),
    ({**GIVEN, "scale": "[1 2]"}, "is a matrix where one number is wanted"),
    ({"L": [["1", "-inf"]]}, "L: '-inf': is infinite"),
    ({**GIVEN, "sink": "-inf"}, "sink: '-inf': is infinite"),
    # Masks.
    ({**GIVEN, "mask": {"keep": np.ones((1, 3, 2, 2), int)}}, "the mask has 3 heads where there are 1"),
    ({**GIVEN, "mask": {"keep": np.ones((1, 3), int)}}, "the mask is 1×3 where the scores are 2×2"),
    ({**GIVEN, "mask": {"lengths": [1, 2, 2]}}, "the mask is one for each batch, and there is no batch here"),
    ({**GIVEN, "mask": {"window": [1, 2, 3]}}, "a window is one number of keys, or [left, right]"),
    # Positions.
    ({**GIVEN, "position": "sinusoidal"}, "sinusoidal positions are added to X, which is not given"),
    ({**GIVEN, "position": ["rope"]}, "is written sinusoidal, rope, alibi, or {rope: half, base: 10000}"),
    ({**GIVEN, "position": {}}, "is written sinusoidal, rope, alibi, or {rope: half, base: 10000}"),
    ({**GIVEN, "position": {"ropes": "half"}}, "'ropes' is none of sinusoidal, rope, alibi"),
    ({**GIVEN, "position": {"rope": "half", "bass": 3}}, "did you mean 'base'"),
    ({**GIVEN, "position": {"alibi": [1, 2]}}, "alibi needs one slope for each of 1 heads"),
    ({"Q": [[1]], "K": [[1]], "position": "rope"}, "a rotation needs an even number of columns"),
    # The block.
    ({**GIVEN, "block": "residual twice"}, "is not a list of steps"),
    ({**GIVEN, "block": [["residual"]]}, "a step of a block is written residual, or {layer_norm: {eps: 0}}"),
    ({**GIVEN, "block": [{"layer_norm": 3}]}, "a step of a block is written residual"),
    ({**GIVEN, "block": [{"layer_norm": {"epps": 0}}]}, "'epps' is not known in layer_norm; did you mean 'eps'"),
    ({**GIVEN, "block": ["residual"]}, "a residual needs the tokens X"),
    ({**GIVEN, "block": [{"feed_forward": {"W_1": K}}]}, "feed_forward needs W_1 and W_2"),
    ({"O": Q}, "O is given, so there must be a block to compute"),
    ({"X": [[1, 2]], "O": [[1, 2], [3, 4]], "block": ["residual"]}, "they must have the same shape to be added"),
    # Words.
    ({**GIVEN, "title": [1]}, "is not text"),
    ({**GIVEN, "tokens": "a"}, "tokens has 1 label for 2 rows"),
    ({**GIVEN, "parts": [[1]]}, "a part is written {part: b, show: S}"),
    ({**GIVEN, "parts": [{"part": "a"}]}, "a part needs show: what it asks for, explain: a topic, or answer: a sentence"),
    ({**GIVEN, "parts": [{"show": [["S"]]}]}, 'must name steps such as "S[3]", in quotes'),
    ({**GIVEN, "names": ["S"]}, "must map step names to the course's own, {S: z}"),
    ({**GIVEN, "names": {"?": "z"}}, "'?' is not the name of a step"),
    ({**GIVEN, "marks": 3}, "must map steps to points, {S: 2}"),
    ({**GIVEN, "marks": {"S": -1}}, "points may not be negative"),
    ({**GIVEN, "answers": 3}, "must map names to values"),
    ({**GIVEN, "let": [1]}, "must map names to numbers, vectors or matrices"),
    ({**GIVEN, "title": object()}, "a object is neither a number, text, a list nor an array"),
    # Arithmetic on matrices.
    ({**GIVEN, "Q": "[1 2] + [1 2 3]"}, "sizes differ: 2 and 3"),
    ({**GIVEN, "Q": "1 + [1 2]"}, "sizes differ: a number and 2"),
    ({**GIVEN, "Q": "[1 2] / [1 2]"}, "divides by a matrix"),
    ({**GIVEN, "Q": "[1 2; 3 4] * [1 2 3]"}, "sizes do not fit: 2×2 times 3"),
    ({**GIVEN, "Q": "ones(200, 200) * ones(200, 200)"}, "takes more than 50,000 products"),
    ({**GIVEN, "Q": "zeros(300, 300)"}, "has more than 50,000 entries"),
    ({**GIVEN, "Q": "[1 2]^2"}, "a matrix cannot be raised to a power here"),
    ({**GIVEN, "Q": "exp([1 2])"}, "exp takes one number, not a matrix"),
    ({**GIVEN, "Q": r"\frac +12"}, "a '{' is expected here"),
    ({**GIVEN, "Q": [["sqrt(2) 3"]]}, "a number stands behind a factor: put a * between"),
    # Sizes and ranges, letters and limits.
    ({"Q": [["10^300"]], "K": [["10^300"]], "scale": "none", "mode": "numeric"}, "S leaves the range of numbers, 10^±308"),
    ({"Q": np.zeros((6000, 1)), "K": np.zeros((6000, 1))}, "is too large: 144,006,000 entries, at most 100,000,000"),
    ({"X": [["x", 1]], "symbols": {"x": "real"}, "block": [{"feed_forward": {"W_1": K, "W_2": K}}]}, "whether an entry is above 0 is not known"),
    *(({"S": [["0", "1"]], **keys}, message) for keys, message in LETTERS),
]  # fmt: skip


@pytest.mark.parametrize(("keys", "message"), FAULTS)
def test_problems(keys: dict[str, Any], message: str) -> None:
    """What does not fit together is said in one sentence, never as a traceback."""
    with pytest.raises(attncalc.ProblemError, match=re.escape(message)):
        attncalc.solve(attncalc.problem(**keys))


MEANT: list[tuple[dict[str, Any], list[list[float]]]] = [
    ({"Q": np.float64(2) * np.ones((1, 1)), "K": [[np.int64(3)]]}, [[6]]),
    ({"Q": [[np.array(2)]], "K": [[3]]}, [[6]]),
    ({"Q": sympy.Matrix([[2]]), "K": [[sympy.Rational(3, 2)]]}, [[3]]),
    ({"Q": (("2",),), "K": [["\\alpha"]], "let": {"alpha": 3}}, [[6]]),
    ({"Q": [["2 β"]], "K": [[1]], "let": {"beta": 3}}, [[6]]),
    ({"Q": np.array([["1/2"]], dtype=object), "K": [[4]]}, [[2]]),
]


@pytest.mark.parametrize(("keys", "scores"), MEANT)
def test_what_python_programs_mean(keys: dict[str, Any], scores: list[list[float]]) -> None:
    """Numbers of other libraries, and Greek letters as they are typed, are taken for what they are."""
    assert attncalc.solve(attncalc.problem(**keys, scale="none"))["S"].value.tolist() == scores


ANSWERS: list[tuple[str, str | bytes, str]] = [
    ("a.json", '{"S": [[1]', "a.json:1:1: this '{' is not closed: write ']}'"),
    ("a.json", '{"S": [[1]], "S": [[2]]}', "a.json:1:1: is not valid JSON: a key stands twice"),
    ("a.json", "[" * 100_000, "a.json:1:1: is nested more than 20 levels deep"),
    ("a.json", f'{{"S": {"[" * 900}1{"]" * 900}}}', "a.json:1:1: is nested more than 20 levels deep"),
    (
        "a.json",
        json.dumps({f"k{n}": 1 for n in range(20_000)}),
        "has more than 100 keys that cannot be read",
    ),
    (
        "a.yaml",
        "".join(f"k{n}: 1\n" for n in range(20_000)),
        "a.yaml:101:1: has more than 100 keys that cannot be read",
    ),
    ("a.json", '{"S": [%s]}' % ("0," * 60_000 + "0"), "a.json:1:1: holds more than 50,000 values"),
    ("a.json", "[1]", "a.json:1:1: the file must be a mapping of steps to values"),
    ("a.json", '{"steps": [{"name": "S", "value": [["a", 1, 1], [1, 1, 1]]}]}', "'a' is not known"),
    ("a.npy", b"\x93NUMPY", "the array file is broken, or holds something other than numbers"),
    ("a.yaml", "S: [[1]]\nS: [[2]]\n", "a.yaml:2:1: the key 'S' already stands in line 1"),
    ("a.yaml", "'S[': 3", "there is no step 'S['"),
    ("a.yaml", "S[9]: [1, 2, 3]", "S[9]: "),
    ("a.yaml", "S: {a: 1}", "is not a number or a matrix"),
    ("a.yaml", "S: [[0,62, 0,38, 1]]", "A decimal comma makes two numbers: write 0.62."),
    ("a.yaml", "", "the file is empty"),
    ("missing.yaml", "", "cannot be read"),
]


@pytest.mark.parametrize(("name", "text", "message"), ANSWERS)
def test_answers(name: str, text: str | bytes, message: str, tmp_path: Path) -> None:
    """A file that cannot be read, or not whole, gets a report that says why."""
    if name != "missing.yaml":
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    report = checker_of("dot-product-3").check_file(str(tmp_path / name))
    assert report.exit_code
    said = [*report.errors, *(remark for step in report.steps for remark in step.remarks)]
    assert any(message in one for one in said), said


def test_answers_from_python() -> None:
    """Answers are a mapping, and a problem without a key has nothing to check."""
    problem = attncalc.problem(**GIVEN)
    with pytest.raises(attncalc.ProblemError, match="has no answers to check; name a file with some"):
        Checker(problem).check_key()
    with pytest.raises(attncalc.ProblemError, match="answers must map steps to values"):
        attncalc.check(problem, [1, 2])
    assert attncalc.check(problem, {"S": np.array([["1", 3], [2, "4"]], dtype=object)}).is_flawed
