"""When attention averages two values, and why two heads do it more safely than one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from attncalc.document.blocks import Block, Equations, Heading, Paragraph, Table
from attncalc.document.spread import describe_problem as spread
from attncalc.fields.waiting import algebra
from attncalc.graph.labels import Label
from attncalc.loading.load import problem
from attncalc.solution.sampling import sampled
from attncalc.solution.solution import Solution
from attncalc.terms.formulas import Call, Minus, Name, Plus, Words, sentence
from attncalc.topics.base import Topic, called, equal, example, shown

LETTERS = {"beta": "positive", "epsilon": "positive", **{f"v_{name}": "real" for name in "abc"}}
LABELS = {"key_tokens": ["a", "b", "c"], "scale": "none"}
USUAL = {"S": "s", "A": "a", "O": "c"}
SHARED = {"V": [["v_a"], ["v_b"], ["v_c"]], "symbols": LETTERS, "limit": "beta -> oo", **LABELS}
ORTHONORMAL = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
LONGER, SHORTER = [["1 + epsilon", 0, 0], *ORTHONORMAL[1:]], [["1/(1 + epsilon)", 0, 0], *ORTHONORMAL[1:]]
LENGTHS = ("1/2", "9/10", "1", "11/10", "3/2")
Q, K_A, K_B, V_A, V_B, MU_A, MU_B = map(Name, ("q", "k_a", "k_b", "v_a", "v_b", "mu_a", "mu_b"))
BOTH, FIRST, SECOND = [["beta", "beta", 0]], [["beta", 0, 0]], [[0, "beta", 0]]
BETA = 30
SMALL = ("1e-4", "1e-6", "1e-8")


def explain(solution: Solution | None) -> Iterator[Block]:
    """One query between two keys; keys that are drawn; what a longer key does to one head and to two."""
    yield Paragraph(
        sentence(
            "Two keys that have the same score share their weight. With orthonormal keys, q = β ({} + {}) "
            "has the score β with both and 0 with all others:",
            *(K_A, K_B),
        )
    )
    average = example(Q=BOTH, K=ORTHONORMAL, names=called(solution, USUAL), **SHARED)
    yield shown(average, "S", "A", "A_limit", "O_limit")
    for section in topic.sections.values():
        yield Heading(section.title, 3)
        yield from section.explain(solution)


def explain_near(solution: Solution | None) -> Iterator[Block]:  # noqa: ARG001  the same for every problem
    """How far keys with a small covariance are from their means, and their scores and weights with them."""
    key, mean = Name("k_i"), Name("mu_i")
    beta, alpha = algebra.letter("beta", "positive"), algebra.letter("alpha", "positive")
    variance = sum(x * alpha * x for x in (beta, beta))
    yield Paragraph(
        sentence(
            "Let the keys be drawn with covariance α I around orthonormal means {}. In every direction {} "
            "is off by about √α: for small α it is almost {}. Its score with q = β ({} + {}) is off by",
            *(mean, key, mean, MU_A, MU_B),
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
        "So the two scores stay as good as equal as long as β√α is small, and both are ahead of all others "
        "by about "
        f"β: a large β and a much smaller α give what the means would give. With β = {BETA}, by 10,000 draws:"
    )
    heads = (Name("alpha"), Words(("deviation of ", key)), "of the difference", "of the weight of a")
    yield Table(heads, tuple(map(deviations, SMALL)))


def deviations(alpha: str) -> tuple[str, ...]:
    """How far keys, differences of scores and weights are off for a covariance."""
    size = float(alpha)
    drawn = sampled(problem(Q=[[BETA, BETA, 0]], K=ORTHONORMAL, sample={"K": {"cov": alpha}}, **LABELS))
    weight = drawn[Label("A")][:, 0, 0].std()
    return alpha, f"{np.sqrt(size):g}", f"{2 * BETA * np.sqrt(size):g}", f"{weight:.4f}"


def explain_one(solution: Solution | None) -> Iterator[Block]:
    """What a longer or shorter key does to one head, and draws of a problem."""
    names = called(solution, USUAL)
    c = Name(names["O"])
    yield Paragraph(
        sentence(
            "Let {} be longer than its mean {} by a factor 1 + ε, the other keys be their means, and "
            "q = β ({} + {}):",
            *(K_A, MU_A, MU_A, MU_B),
        )
    )
    yield shown(example(Q=BOTH, K=LONGER, names=names, **SHARED), "S", "A_limit", "O_limit")
    yield Paragraph(
        sentence(
            "However small ε is, a large β makes the longer key win, and {} ≈ {}. A key that is shorter by a "
            "factor 1/(1 + ε) loses, and {} ≈ {}:",
            *(c, V_A, c, V_B),
        )
    )
    yield shown(example(Q=BOTH, K=SHORTER, names=names, **SHARED), "S", "A_limit", "O_limit")
    yield Paragraph(
        sentence(
            "So {} is close to {} or to {}, as {} happens to be longer or shorter, and seldom to their "
            "average. The share of {} in the output, with β = 30:",
            *(c, V_A, V_B, K_A, V_A),
        )
    )
    yield Table(
        (Words(("length of ", K_A)), "one head"), tuple((length, one_head(length)) for length in LENGTHS)
    )
    yield from draws(solution)


def explain_two(solution: Solution | None) -> Iterator[Block]:
    """A head for each key, and their mean; and draws of a problem."""
    yield Paragraph(
        sentence(
            "With a head for each of the two, {} = β {} and {} = β {}, and {} longer than {} by a factor 1 "
            "+ ε:",
            *(Name("q_1"), MU_A, Name("q_2"), MU_B, K_A, MU_A),
        )
    )
    longer = example(
        Q_1=FIRST, Q_2=SECOND, K=LONGER, combine="mean", heads=2, names=called(solution, USUAL), **SHARED
    )
    yield shown(longer, "S_1", "A_1_limit", "O_1_limit")
    yield shown(longer, "S_2", "A_2_limit", "O_2_limit")
    yield Paragraph(
        sentence(
            "Each head looks for one key, and a longer or shorter one is still the best match there is, "
            "unless it points backwards: as long as β times its length is large, the mean of the two "
            "outputs stays ({} + {})/2. The share of {} in the output, with β = 30:",
            *(V_A, V_B, V_A),
        )
    )
    yield Table(
        (Words(("length of ", K_A)), "two heads"), tuple((length, two_heads(length)) for length in LENGTHS)
    )
    yield from draws(solution)


def draws(solution: Solution | None) -> Iterator[Block]:
    """How the weights and outputs of a problem spread that draws its inputs."""
    if solution and solution.problem.sample:
        yield Heading("Draws of this problem", 3)
        yield from spread(solution.problem, sampled(solution.problem))


def keys(length: str) -> dict[str, Any]:
    """Orthonormal keys, the first of another length, with values that tell the shares apart."""
    return {"K": [[length, 0, 0], *ORTHONORMAL[1:]], "V": ORTHONORMAL, "scale": "none"}


def one_head(length: str) -> str:
    """How much of v_a comes out of one head, for a length of its key."""
    return f"{example(Q=[[BETA, BETA, 0]], **keys(length))['O'].value[0, 0]:.4f}"


def two_heads(length: str) -> str:
    """How much of v_a comes out of two heads."""
    heads = {"Q_1": [[BETA, 0, 0]], "Q_2": [[0, BETA, 0]], "heads": 2, "combine": "mean"}
    return f"{example(**heads, **keys(length))['H'].value[0, 0]:.4f}"


topic = Topic(
    "When attention averages two values",
    explain,
    {
        "near": Topic("Keys that are close to their means", explain_near),
        "one-head": Topic("One head is fragile", explain_one),
        "two-heads": Topic("Two heads are safe", explain_two),
    },
)
