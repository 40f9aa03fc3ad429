"""When attention averages two values, and why two heads do it more safely than one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from attncalc.core.fields.lazy_sympy import algebra
from attncalc.core.terms import Apply, Constant, Entry
from attncalc.core.terms.formulas import Call, Equal, Formula, Minus, Name, Plus, Words, sentence
from attncalc.exercise.load import problem
from attncalc.exercise.solve.solution import Solution
from attncalc.features.sampling.document import describe_draws, describe_output
from attncalc.features.sampling.draw import draw_samples
from attncalc.features.topics.base import Topic, each_section, equal, example, names_of_steps, show_example
from attncalc.worked.blocks import Block, Equations, Heading, Paragraph, Table

LETTERS = {"beta": "positive", "epsilon": "positive", **{f"v_{name}": "real" for name in "abc"}}
LABELS = {"key_tokens": ["a", "b", "c"], "scale": "none"}
USUAL = {"S": "s", "A": "a", "O": "c"}
SHARED = {"V": [["v_a"], ["v_b"], ["v_c"]], "symbols": LETTERS, "limit": "beta -> oo", **LABELS}
ORTHONORMAL = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
LONGER, SHORTER = [["1 + epsilon", 0, 0], *ORTHONORMAL[1:]], [["1/(1 + epsilon)", 0, 0], *ORTHONORMAL[1:]]
LENGTHS = ("1/2", "9/10", "1", "11/10", "3/2")
Q, K_A, K_B, V_A, V_B, MU_A, MU_B = map(Name, ("q", "k_a", "k_b", "v_a", "v_b", "mu_a", "mu_b"))
BOTH, FIRST, SECOND = [["beta", "beta", 0]], [["beta", 0, 0]], [[0, "beta", 0]]
BETA, ALPHA, EPSILON = Name("beta"), Name("alpha"), Entry("epsilon")
FACTOR, ROOT = Constant(1) + EPSILON, Apply("sqrt", Entry("alpha"))
LARGE = 30
"""The number for β in the examples."""
SMALL = ("1e-4", "1e-6", "1e-8")


def explain(solution: Solution | None) -> Iterator[Block]:
    """One query between two keys, random keys, and the effect of a longer key on one head and on two."""
    yield Paragraph(
        sentence(
            "Two keys that have the same score share their weight. With orthonormal keys, {} "
            "has the score {} with both and 0 with all others:",
            *(between(K_A, K_B), BETA),
        )
    )
    average = example(Q=BOTH, K=ORTHONORMAL, names=names_of_steps(solution, USUAL), **SHARED)
    yield show_example(average, "S", "A", "A_limit", "O_limit")
    yield from each_section(topic, solution)


def explain_near(solution: Solution | None) -> Iterator[Block]:  # noqa: ARG001  the same for every problem
    """The deviations of keys with a small covariance, of their scores and of their weights."""
    key, mean = Name("k_i"), Name("mu_i")
    beta, alpha = algebra.letter("beta", "positive"), algebra.letter("alpha", "positive")
    variance = sum(x * alpha * x for x in (beta, beta))
    yield Paragraph(
        sentence(
            "Let the keys be drawn with covariance {} around orthonormal means {}. In every direction {} "
            "is off by about {}: for small {} it is almost {}. Its score with {} is off by",
            *(ALPHA @ Name("I"), mean, key, ROOT, ALPHA, mean, between(MU_A, MU_B)),
        )
    )
    score, deviation = Call("Var", Q.T @ key), Words(("deviation",))
    root = algebra.term(algebra.apply("sqrt", variance))
    yield Equations((equal(score, algebra.term(variance)), equal(deviation, root)))
    yield Paragraph("and the difference that decides between a and b, of two such scores, by")
    difference = Call("Var", Plus((Q.T @ K_A, Minus(Q.T @ K_B))))
    root = algebra.term(algebra.apply("sqrt", 2 * variance))
    yield Equations((equal(difference, algebra.term(2 * variance)), equal(deviation, root)))
    yield Paragraph(
        sentence(
            "So the two scores stay as good as equal as long as {} is small, and both are ahead of all "
            "others by about {}: a large {} and a much smaller {} give what the means would give. With {}, "
            "by 10,000 draws:",
            *(BETA @ ROOT, BETA, BETA, ALPHA, Equal(BETA, Constant(LARGE))),
        )
    )
    heads = (ALPHA, Words(("deviation of ", key)), "of the difference", "of the weight of a")
    yield Table(heads, tuple(map(deviations, SMALL)))


def between(one: Formula, other: Formula) -> Formula:
    """The query that has the same score with two keys."""
    return Equal(Q, BETA @ (one + other))


def deviations(alpha: str) -> tuple[str, ...]:
    """The deviations of keys, differences of scores and weights for a covariance, as a row of a table."""
    size = float(alpha)
    drawn = draw_samples(
        problem(Q=[[LARGE, LARGE, 0]], K=ORTHONORMAL, sample={"K": {"cov": alpha}}, **LABELS)
    )
    (weights,) = drawn.values()
    weight = weights[:, 0, 0].std()
    return alpha, f"{np.sqrt(size):g}", f"{2 * LARGE * np.sqrt(size):g}", f"{weight:.4f}"


def explain_one(solution: Solution | None) -> Iterator[Block]:
    """The effect of a longer or shorter key on one head, and draws of a problem."""
    names = names_of_steps(solution, USUAL)
    c = Name(names["O"])
    yield Paragraph(
        sentence(
            "Let {} be longer than its mean {} by a factor {} > 1, let the other keys equal their means, and "
            "{}:",
            *(K_A, MU_A, FACTOR, between(MU_A, MU_B)),
        )
    )
    yield show_example(example(Q=BOTH, K=LONGER, names=names, **SHARED), "S", "A_limit", "O_limit")
    yield Paragraph(
        sentence(
            "However small {} is, a large {} makes the longer key win, and {} ≈ {}. If {} is "
            "shorter by a factor {} instead, {} ≈ {}:",
            *(EPSILON, BETA, c, V_A, K_A, Constant(1) / FACTOR, c, V_B),
        )
    )
    yield show_example(example(Q=BOTH, K=SHORTER, names=names, **SHARED), "S", "A_limit", "O_limit")
    yield Paragraph(
        sentence(
            "So {} is close to {} or to {}, as {} happens to be longer or not, and seldom to their "
            "average. The share of {} in the output, with {}:",
            *(c, V_A, V_B, K_A, V_A, Equal(BETA, Constant(LARGE))),
        )
    )
    yield Table(
        (Words(("length of ", K_A)), "one head"), tuple((length, one_head(length)) for length in LENGTHS)
    )
    yield from draws(solution)


def explain_two(solution: Solution | None) -> Iterator[Block]:
    """One head for each key and the mean of both, and draws of a problem."""
    yield Paragraph(
        sentence(
            "With a head for each of the two, {} and {}, and {} longer than {} by a factor {}:",
            *(Equal(Name("q_1"), BETA @ MU_A), Equal(Name("q_2"), BETA @ MU_B), K_A, MU_A, FACTOR),
        )
    )
    longer = example(
        Q_1=FIRST,
        Q_2=SECOND,
        K=LONGER,
        combine="mean",
        heads=2,
        names=names_of_steps(solution, USUAL),
        **SHARED,
    )
    yield show_example(longer, "S_1", "A_1_limit", "O_1_limit")
    yield show_example(longer, "S_2", "A_2_limit", "O_2_limit")
    yield Paragraph(
        sentence(
            "Each head looks for one key, and a longer or shorter one is still the best match there is, "
            "unless it points backwards: as long as {} times its length is large, the mean of the two "
            "outputs stays ({} + {})/2. The share of {} in the output, with {}:",
            *(BETA, V_A, V_B, V_A, Equal(BETA, Constant(LARGE))),
        )
    )
    yield Table(
        (Words(("length of ", K_A)), "two heads"), tuple((length, two_heads(length)) for length in LENGTHS)
    )
    yield from draws(solution)


def draws(solution: Solution | None) -> Iterator[Block]:
    """How the output spreads, if the problem has random inputs; `attncalc sample` says more."""
    if solution and solution.problem.sample:
        yield Heading("Draws of this problem", 3)
        drawn = draw_samples(solution.problem)
        yield from describe_draws(solution.problem, drawn)
        yield from describe_output(solution.problem, drawn)


def keys(length: str) -> dict[str, Any]:
    """Orthonormal keys, the first with another length, and values that show the share of each key."""
    return {"K": [[length, 0, 0], *ORTHONORMAL[1:]], "V": ORTHONORMAL, "scale": "none"}


def one_head(length: str) -> str:
    """The share of v_a in the output of one head, for a length of its key."""
    return f"{example(Q=[[LARGE, LARGE, 0]], **keys(length))['O'].value[0, 0]:.4f}"


def two_heads(length: str) -> str:
    """The share of v_a in the output of two heads."""
    heads = {"Q_1": [[LARGE, 0, 0]], "Q_2": [[0, LARGE, 0]], "heads": 2, "combine": "mean"}
    return f"{example(**heads, **keys(length))['H'].value[0, 0]:.4f}"


topic = Topic(
    "When attention averages two values",
    explain,
    answer="A query that is a large multiple of k_a + k_b gives the average of v_a and v_b; with random keys "
    "one head rarely keeps to it, two heads almost always do.",
    sections={
        "near": Topic(
            "Keys that are close to their means",
            explain_near,
            answer="It works because for vanishingly small α every key is almost its mean: the scores of a "
            "and b are both about β, far ahead of all others, so each has about half of the weight.",
        ),
        "one-head": Topic(
            "One head is fragile",
            explain_one,
            answer="c is close to v_a in draws in which k_a is longer than μ_a, and close to v_b in draws in "
            "which it is shorter; it is seldom near their average.",
        ),
        "two-heads": Topic(
            "Two heads are safe",
            explain_two,
            answer="c stays close to (v_a + v_b)/2 in almost every draw: each query matches one key only, so "
            "that a longer or shorter k_a keeps all the weight of its head.",
        ),
    },
)
