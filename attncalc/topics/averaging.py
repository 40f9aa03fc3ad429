"""When attention averages two values, and why two heads do it more safely than one."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.document.blocks import Block, Heading, Paragraph, Table
from attncalc.document.spread import describe_problem as spread
from attncalc.solution.sampling import sampled
from attncalc.solution.solution import Solution
from attncalc.terms.formulas import Name, Words, sentence
from attncalc.topics.base import Topic, example, shown

LETTERS = {"beta": "positive", "epsilon": "positive", **{f"v_{n}": "real" for n in (1, 2, 3)}}
SHARED = {
    "V": [["v_1"], ["v_2"], ["v_3"]], "scale": "none", "symbols": LETTERS, "limit": "beta -> oo",
}  # fmt: skip
ORTHONORMAL = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
LONGER, SHORTER = [["1 + epsilon", 0, 0], *ORTHONORMAL[1:]], [["1/(1 + epsilon)", 0, 0], *ORTHONORMAL[1:]]
LENGTHS = ("1/2", "9/10", "1", "11/10", "3/2")
K_1, K_2, V_1, V_2 = map(Name, ("k_1", "k_2", "v_1", "v_2"))
BOTH, FIRST, SECOND = [["beta", "beta", 0]], [["beta", 0, 0]], [[0, "beta", 0]]


def explain(solution: Solution | None) -> Iterator[Block]:
    """One query between two keys; what a longer key does to it; two heads; and draws of a problem."""
    yield Paragraph(
        sentence(
            "Two keys that have the same score share their weight. With orthonormal keys, q = β ({} + {}) "
            "has the score β with both and 0 with all others:",
            *(K_1, K_2),
        )
    )
    average = example(Q=BOTH, K=ORTHONORMAL, **SHARED)
    yield shown(average, "S", "A", "A_limit", "O_limit")
    yield Heading("One head is fragile", 3)
    yield Paragraph("Let the first key be a little longer than the others, by a factor 1 + ε:")
    yield shown(example(Q=BOTH, K=LONGER, **SHARED), "S", "A_limit", "O_limit")
    yield Paragraph(
        sentence(
            "However small ε is, a large β makes the longer key win, and c ≈ {}. A key that is shorter by a "
            "factor 1/(1 + ε) loses, and c ≈ {}:",
            *(V_1, V_2),
        )
    )
    yield shown(example(Q=BOTH, K=SHORTER, **SHARED), "S", "A_limit", "O_limit")
    yield from two_heads()
    if solution and solution.problem.sample:
        yield Heading("Draws of this problem", 3)
        yield from spread(solution.problem, sampled(solution.problem))


def two_heads() -> Iterator[Block]:
    """A head for each key, and their mean."""
    yield Heading("Two heads are not", 3)
    yield Paragraph(
        sentence(
            "With one head for each key, {} = β {} and {} = β {}, and their outputs averaged:",
            *(Name("q_1"), K_1, Name("q_2"), K_2),
        )
    )
    longer = example(Q_1=FIRST, Q_2=SECOND, K=LONGER, combine="mean", heads=2, **SHARED)
    yield shown(longer, "S_1", "A_1_limit", "O_1_limit")
    yield shown(longer, "S_2", "A_2_limit", "O_2_limit")
    yield Paragraph(
        sentence(
            "Each head looks for one key, and a longer or shorter one is still the best match there is. The "
            "mean of the two outputs stays ({} + {})/2.",
            *(V_1, V_2),
        )
    )
    yield Paragraph(
        sentence("The share of {} in the output for a first key of other lengths, with β = 30:", V_1)
    )
    yield Table((Words(("length of ", K_1)), "one head", "two heads"), tuple(map(shares, LENGTHS)))


def shares(length: str) -> tuple[str, str, str]:
    """How much of v_1 comes out of one head and of two, for a length of the first key."""
    keys = {"K": [[length, 0, 0], *ORTHONORMAL[1:]], "V": ORTHONORMAL, "scale": "none"}
    one = example(Q=[[30, 30, 0]], **keys)["O"]
    two = example(Q_1=[[30, 0, 0]], Q_2=[[0, 30, 0]], heads=2, combine="mean", **keys)["H"]
    return length, f"{one.value[0, 0]:.4f}", f"{two.value[0, 0]:.4f}"


topic = Topic("When attention averages two values", explain)
