"""When attention copies one value: a score that is far above the others."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from attncalc.core.fields.lazy_sympy import algebra
from attncalc.core.terms import Apply, Axis, Constant, Entry, Term, Total
from attncalc.core.terms.formulas import Beside, Equal, Formula, Name, sentence
from attncalc.exercise.solve.solution import Solution
from attncalc.features.topics.base import Topic, equal, example, names_of_steps, show_example
from attncalc.worked.blocks import Block, Equation, Equations, Paragraph, Table

SIZES = (1, 2, 5, 10)
LETTERS = {"beta": "positive", **{f"v_{n}": "real" for n in (1, 2, 3)}}
Q, KEYS = Name("q"), "identity(3)"
USUAL = {"S": "s", "A": "a", "O": "c"}


def explain(solution: Solution | None) -> Iterator[Block]:
    """A query along one key, its weights with a letter, their limit, and how fast it is reached."""
    names = names_of_steps(solution, USUAL)
    s, a, c = (names[step] for step in ("S", "A", "O"))
    yield Paragraph(
        sentence(
            "The output is {} = {} {} + {} {} + …, so {} ≈ {} if {} ≈ 1. A weight depends on how far its "
            "score {} = {} is ahead of the others: dividing numerator and denominator by {},",
            *map(Name, (c, f"{a}_1", "v_1", f"{a}_2", "v_2", c, "v_j", f"{a}_j", f"{s}_j")),
            dot_with_query("k_j"),
            Apply("exp", Entry(f"{s}_j")),
        )
    )
    yield Equations((law(s, a),))
    yield Paragraph(
        sentence(
            "So {} ≈ {} whenever {} is much larger than every other {}; the values do not matter. "
            "With three orthonormal keys the query {} does it:",
            *(
                Name(c),
                Name("v_j"),
                dot_with_query("k_j"),
                dot_with_query("k_l"),
                Equal(Q, Name("beta") @ Name("k_1")),
            ),
        )
    )
    copied = example(
        Q=[["beta", 0, 0]], K=KEYS, V=[["v_1"], ["v_2"], ["v_3"]], scale="none", symbols=LETTERS,
        limit="beta -> oo", names=names,
    )  # fmt: skip
    yield show_example(copied, "S", "A")
    yield Paragraph(sentence("and for {} → {}:", Name("beta"), Constant(inf)))
    yield show_example(copied, "A_limit", "O_limit")
    yield Paragraph("A β that is not very large is enough:")
    rows = []
    for size in SIZES:
        weights = example(Q=[[size, 0, 0]], K=KEYS, scale="none")["A"].value[0]
        rows.append((str(size), *(f"{weight:.5f}" for weight in weights)))
    yield Table(tuple(map(Name, ("beta", *(f"{a}_{n}" for n in (1, 2, 3))))), tuple(rows))


def dot_with_query(key: str) -> Formula:
    """The dot product of a key and the query."""
    return Beside((Name(key), Q), dotted=True)


def law(s: str, a: str) -> Equation:
    """A weight from the differences of the other scores to its score, checked against the softmax."""
    key, other = Axis("j", 1), Axis("l", 1)

    def behind(k: Axis) -> Term:
        return Apply("exp", Entry(s, (k,)) - Entry(s, (key,)))

    x, y = algebra.letter("x", "real"), algebra.letter("y", "real")
    plain = example(S=[["x", "y"]], symbols={"x": "real", "y": "real"})["A"].numbers[0, 0]
    assert algebra.tidy(plain - 1 / (1 + algebra.apply("exp", y - x))) == 0
    return equal(Entry(a, (key,)), Constant(1) / Total(other, behind(other)))


topic = Topic(
    "When attention copies one value",
    explain,
    answer="The dot product of q with k_j must be much larger than with every other key, so that all weight "
    "is on v_j; the values may be anything.",
)
