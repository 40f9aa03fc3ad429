"""Derivations: what they say is what is computed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

import attncalc
from attncalc.core.fields import Numeric
from attncalc.core.graph.graph import number_of
from attncalc.core.notations.unicode import Notation, write
from attncalc.core.ops.base import Operation
from attncalc.core.terms.formulas import Maths, Name
from attncalc.features.topics import TOPICS, topic_names
from attncalc.features.topics.base import names_of_steps
from attncalc.features.topics.topic_cost import USUAL, steps
from attncalc.features.topics.topic_gradient import backward
from attncalc.features.topics.topic_scaling import MEAN, VARIANCE, moments
from attncalc.worked.blocks import Displays, Equations, Note, Paragraph
from attncalc.worked.document import document
from attncalc.worked.overview import weights_of
from attncalc.worked.prose import find_maths, to_words
from attncalc.worked.view import View
from attncalc.worked.words import topic_named
from tests.helpers.bundled import NAMES, solved
from tests.helpers.commands import run, run_fault
from tests.helpers.quick_and_slow import each
from tests.helpers.solutions import printed

TOLD = [(topic, None) for topic in TOPICS] + [
    ("scores", "discussion-10-q1"),
    ("output", "discussion-10-q1"),
    ("softmax", "dot-product-3"),
    ("shapes", "split-and-join"),
    ("permutation", "exact-causal"),
    ("roles.weights", "split-and-join"),
    ("cost", "problem-set-4-q3"),
    ("multi-head", "split-and-join"),
    ("rope", "rope"),
    ("gradient", "dot-product-3"),
    ("gradient", "exact-causal"),
]


@pytest.mark.parametrize(("topic", "file"), TOLD)
def test_topic(topic: str, file: str | None, golden: SnapshotAssertion) -> None:
    """What every topic tells, alone and on a problem."""
    assert run("explain", topic, *([file] if file else [])) == golden


@pytest.mark.parametrize("topic", topic_names())
def test_every_topic_has_an_answer(topic: str) -> None:
    """In one sentence, which ends what is explained."""
    said = to_words(topic_named(topic).say(None))
    assert said.endswith(".") and "  " not in said
    assert " ".join(run("explain", topic).split()).endswith(f"Answer: {' '.join(said.split())}")


@pytest.mark.parametrize("topic", topic_names())
def test_sentences_of_our_own_hold_their_mathematics_as_data(topic: str) -> None:
    """Nothing is left for a page to look for in the words."""
    for block in topic_named(topic).explain(None):
        if isinstance(block, Paragraph | Note) and isinstance(block.text, str):
            assert list(find_maths(block.text)) == [block.text]


def operations(base: type[Operation] = Operation) -> Iterator[type[Operation]]:
    """All operations."""
    for found in base.__subclasses__():
        yield from (found, *operations(found))


def test_sentences_of_operations_hold_their_mathematics_as_data() -> None:
    """The same for what a step does: a docstring that has a formula in it is said by `sentence`."""
    said = [op.__doc__ or "" for op in operations() if "sentence" not in vars(op)]
    assert len(said) > 20
    assert [words for words in said if list(find_maths(words)) not in ([words], [])] == []


def test_a_part_may_ask_for_a_topic() -> None:
    """The same lines as `explain`, under the part's label; an unknown topic is a fault with its place."""
    assert "E[qᵀ k] = D_k·μ^2" in run("solve", "discussion-10-q2")
    with pytest.raises(attncalc.ProblemError, match=r"'scalling' is none of .*did you mean 'scaling'"):
        attncalc.problem(S=[[1]], parts=[{"part": "a", "explain": "scalling"}])
    with pytest.raises(
        attncalc.ProblemError, match=r"'means' is none of mean, variance, factor; did you mean 'mean'"
    ):
        attncalc.problem(S=[[1]], parts=[{"part": "a", "explain": "scaling.means"}])


def test_a_section_can_be_shown_alone() -> None:
    """A part of the lines of its topic, which are all there in order."""
    whole, mean = run("explain", "scaling"), run("explain", "scaling.mean")
    lines = [line for line in mean.partition("\nAnswer:")[0].splitlines()[2:] if line]
    assert all(line in whole for line in lines) and "Var(qᵀ k)" not in mean
    assert "averaging.two-heads" in run("explain")
    assert "did you mean 'scaling.mean'" in run_fault("explain", "scaling.meen")


def test_the_numbers_of_a_problem_change_the_derivation() -> None:
    """Another mean and deviation, other lines."""
    keys: dict[str, Any] = {"parts": [{"part": "a", "explain": "scaling"}]}
    problem = attncalc.problem(**keys, let={"mu": "1/2", "sigma": 2})
    told = printed(document(attncalc.solve(problem), View()), ascii_only=True)
    for line in ("E[q^T k] = d_k/4", "Var(q^T k) = 18*d_k", "Var(q^T k / s) = 18*d_k/s^2"):
        assert f"  {line}\n" in told


def test_a_deviation_is_positive() -> None:
    """Nothing spreads by less than nothing."""
    problem = attncalc.problem(parts=[{"part": "a", "explain": "scaling"}], let={"mu": 1, "sigma": -2})
    with pytest.raises(attncalc.ProblemError, match="sigma must be positive"):
        document(attncalc.solve(problem), View())


BLOCK: dict[str, Any] = {
    "X": [[1, 0, 2], [0, 1, 1], [1, 1, 0], [2, 1, 1]],
    "W_V": [[1, 0, 1], [2, 1, 1], [1, 0, 1]],
    "block": ["residual", "layer_norm", {"feed_forward": {"W_1": "identity(3)", "W_2": "identity(3)", "activation": "gelu"}}],
}  # fmt: skip


def test_numbers_too_long_to_be_exact_are_floats() -> None:
    """Roots of quotients of powers of e, and gradients of many keys, are shown in decimals, and soon."""
    solution = attncalc.solve(attncalc.problem(**BLOCK))
    assert solution.mode == "numeric"
    assert list(topic_named("permutation").explain(solution))
    assert backward(solved("four-words")).mode == "numeric"


SIZE = st.integers(1, 4)


@given(SIZE, SIZE, SIZE, SIZE)
def test_symbolic_counts_are_those_of_every_problem(n_q: int, n_k: int, d_k: int, d_v: int) -> None:
    """The rule read with letters for sizes counts what it counts with numbers."""
    ones = {"Q": np.ones((n_q, d_k)), "K": np.ones((n_k, d_k)), "V": np.ones((n_k, d_v))}
    solution = attncalc.solve(attncalc.problem(**ones))
    sizes = {"n_q": n_q, "n_k": n_k, "d_k": d_k, "d_v": d_v}
    counted = [each for _, each in steps(sizes, names_of_steps(None, USUAL))]
    assert counted == [step.cost for step in solution.steps]


def test_the_published_counts() -> None:
    """Exercise 2(c) of the dot-product sheet."""
    told = run("explain", "cost")
    for formula in ("d_k n_k n_q", "n_k n_q (d_k − 1)", "n_q (n_k − 1)", "d_v n_q (n_k − 1)"):
        assert formula in told


def test_scaling() -> None:
    """Mean and variance in letters, for the standard normal case, and by many draws."""
    told = run("explain", "scaling")
    for line in ("E[qᵀ k] = d_k·μ^2", "Var(qᵀ k) = d_k·(2·μ^2·σ^2 + σ^4)", "Var(qᵀ k) = d_k", "s = √d_k"):
        assert f"  {line}\n" in told
    mean, deviation, width = 0.5, 2.0, 4
    q, k = np.random.default_rng(1).normal(mean, deviation, (2, 200_000, width))
    found = moments(mean, deviation**2, width)
    scores = (q * k).sum(axis=1)
    np.testing.assert_allclose(float(found[MEAN]), scores.mean(), rtol=0.05)
    np.testing.assert_allclose(float(found[VARIANCE]), scores.var(), rtol=0.02)


def letter_of(maths: Maths) -> str:
    """The letter of a name, without its indices."""
    return re.split("[_₀-₉(]", write(maths, Notation()).lower())[0]


ABOUT_THE_PROBLEM = (
    "roles.weights",
    "multi-head",
    "rope",
    "position",
    "layer-norm",
    "cross-attention",
    "heads",
    "mask",
)
"""Topics that show steps of the problem, or refuse it."""
REFUSED = "does not apply to this problem: |must be|takes more than|not for a batch|would both be called"
ON_PROBLEMS = [(topic, name) for topic in (*TOPICS, "roles.weights") for name in NAMES]


@each(("topic", "name"), ON_PROBLEMS, quick=[(topic, "split-and-join") for topic in ABOUT_THE_PROBLEM])  # fmt: skip
def test_a_topic_is_true_of_its_problem(topic: str, name: str) -> None:
    """Before an example it shows matrices of the problem, and names no step that the problem lacks."""
    solution = solved(name)
    refused, blocks = "", []
    try:
        blocks = list(topic_named(topic).explain(solution))
    except attncalc.ProblemError as error:
        refused = str(error)
    assert not refused or re.search(REFUSED, refused)
    if topic not in ABOUT_THE_PROBLEM or not solution.steps:
        return
    own = {letter_of(Name(step.symbol)) for step in solution.steps}
    is_example = topic in ("heads", "mask") or (topic == "roles.weights" and not any(weights_of(solution)))
    for block in blocks:
        words = str(getattr(block, "text", ""))
        is_example = (
            is_example or bool(re.search("xample|at four positions", words))
        ) and "this problem" not in words
        if isinstance(block, Equations) and topic in ("roles.weights", "multi-head") and not is_example:
            assert {letter_of(line.left) for line in block.lines} <= own
        if isinstance(block, Displays) and not is_example:
            for display in block.members:
                shown = solution.by_name.get(display.symbol)
                found = [number_of(x, Numeric()) for row in display.grids[-1][1].cells for x in row if x]
                if shown is not None and len(found) == shown.value.size:
                    np.testing.assert_allclose([*map(float, found)], shown.value.ravel(), atol=6e-3)


@pytest.mark.parametrize(("topic", "name"), [("multi-head", "dot-product-3"), ("rope", "dot-product-3"), ("layer-norm", "dot-product-3"), ("position", "the-cat-sat"), ("cross-attention", "problem-set-4-q3")])  # fmt: skip
def test_a_topic_refuses_a_problem_that_it_is_not_about(topic: str, name: str) -> None:
    """In one sentence."""
    assert "does not apply to this problem: it" in run_fault("explain", topic, name)
