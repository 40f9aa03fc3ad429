"""Why the projections of all tokens are one product of matrices: row i of X W is (Wᵀ x_i)ᵀ."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.core.ops.projection import Projection
from attncalc.core.terms.formulas import (
    Beside,
    Equal,
    Maths,
    Name,
    Shape,
    Text,
    Transposed,
    Words,
    sentence,
)
from attncalc.exercise.solve.solution import Solution, SolvedStep
from attncalc.features.topics.base import Topic, equal
from attncalc.worked.blocks import Block, Equations, Paragraph, Table
from attncalc.worked.overview import in_rows

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
    told = "and the same goes for K and V. There is one row for each of the {} tokens:"
    yield Paragraph(sentence(told, Name("n")))
    yield from shapes(solution)


def shapes(solution: Solution | None) -> Iterator[Block]:
    """The three matrices with their shapes, in letters and in a problem."""
    found = [step for step in solution.steps if is_projected(step)] if solution else []
    if solution and found:
        heads = len(solution.graph.heads)
        rows = [
            (Name(step.symbol), in_rows(solution, step), letters_of(step, heads), Shape(step.shape[-2:]))
            for step in found
        ]
        yield Table(("matrix", "is", "shape", "here"), tuple(rows))
        return
    general = (
        (Name(role), Name("X") @ Name(f"W_{role}"), Words((Name("n"), " × ", Name(width))))
        for role, width in WIDTHS.items()
    )
    yield Table(("matrix", "is", "shape"), tuple(general))
    if solution and solution.steps:
        yield Paragraph("In this problem Q, K and V are given, or are the tokens themselves.")


def letters_of(step: SolvedStep, heads: int) -> Maths:
    """n × d_k; if one product makes all heads, n × heads·d_k."""
    width: Maths = Name(WIDTHS[step.step.role])
    are_all = heads > 1 and not step.step.head
    return Words((Name("n"), " × ", Beside((Name("heads"), width), dotted=True) if are_all else width))


def is_projected(step: SolvedStep) -> bool:
    """Whether a step is a projection of all tokens."""
    is_one = isinstance(step.step.op.core, Projection) and not step.step.label.of
    return is_one and step.step.kind.stage in ("queries", "keys", "values")


def say_shapes(solution: Solution | None) -> Text:
    """The three products and their shapes; the widths of all heads together where one product makes them."""
    found = [step for step in solution.steps if is_projected(step)] if solution else []
    heads = len(solution.graph.heads) if solution else 1
    are_all = heads > 1 and any(not step.step.head for step in found)
    d_k, d_v = (
        Beside((Name("heads"), Name(width)), dotted=True) if are_all else Name(width)
        for width in ("d_k", "d_v")
    )
    products = [Equal(Name(role), Name("X") @ Name(f"W_{role}")) for role in WIDTHS]
    ending = " for every head" if heads > 1 and not are_all else ""
    return sentence(
        f"{{}} and {{}}, of shape {{}} × {{}} each, and {{}}, of shape {{}} × {{}}{ending}.",
        *(products[0], products[1], Name("n"), d_k, products[2], Name("n"), d_v),
    )


topic = Topic("The projections of all tokens at once", explain, answer=say_shapes)
