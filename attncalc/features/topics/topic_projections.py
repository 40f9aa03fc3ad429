"""Why the projections of all tokens are one product of matrices: row i of X W is (Wᵀ x_i)ᵀ."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.core.ops.projection import Projection
from attncalc.core.terms.formulas import Equal, Maths, Name, Shape, Transposed, Words, sentence
from attncalc.exercise.solve.solution import Solution, SolvedStep
from attncalc.features.topics.base import Topic, equal
from attncalc.worked.blocks import Block, Equations, Paragraph, Table

WIDTHS = {"Q": "d_k", "K": "d_k", "V": "d_v"}


def explain(solution: Solution | None) -> Iterator[Block]:
    """One row transposed, then all rows at once, and their shapes."""
    w, x, q = Name("W_Q"), Name("x_i"), Name("q_i")
    yield Paragraph(
        sentence(
            "Row i of Q is {}, the query as a row. A product is transposed factor by factor, in the reverse "
            "order:",
            q.T,
        )
    )
    yield Equations((equal(q.T, Transposed(w.T @ x), x.T @ w),))
    rows = "{} is row i of X, and row i of a product is row i of its first factor times the second. So"
    yield Paragraph(sentence(rows, x.T))
    yield Equations((equal("Q", Name("X") @ w),))
    yield Paragraph("and the same goes for K and V. There is one row for each of the n tokens:")
    yield from shapes(solution)


def shapes(solution: Solution | None) -> Iterator[Block]:
    """The three matrices with their shapes, in letters and in a problem."""
    found = {step.step.role: step for step in solution.steps if is_projected(step)} if solution else {}
    heads = ("matrix", "is", "shape", *(["here"] if found else []))
    rows = []
    for role, width in WIDTHS.items():
        letters = Words((Name("n"), " × ", Name(width)))
        here: list[str | Maths] = [Shape(found[role].shape) if role in found else "given"] if found else []
        rows.append((Name(role), Name("X") @ Name(f"W_{role}"), letters, *here))
    yield Table(heads, tuple(rows))


def is_projected(step: SolvedStep) -> bool:
    """Whether a step is a projection of all tokens for all heads."""
    return (
        isinstance(step.step.op.core, Projection)
        and step.step.kind.stage in ("queries", "keys", "values")
        and not step.step.head
    )


topic = Topic(
    "The projections of all tokens at once",
    explain,
    answer=sentence(
        "{} and {}, of shape n × {} each, and {}, of shape n × {}.",
        Equal(Name("Q"), Name("X") @ Name("W_Q")),
        Equal(Name("K"), Name("X") @ Name("W_K")),
        Name("d_k"),
        Equal(Name("V"), Name("X") @ Name("W_V")),
        Name("d_v"),
    ),
)
