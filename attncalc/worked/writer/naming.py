"""Rows and matrices written as sums of the vectors that the problem defines by name."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from attncalc.core.fields import Array, Real, algebra
from attncalc.core.fields.algebra import combination
from attncalc.core.fields.writing import exact_term, sum_term
from attncalc.core.graph.graph import numbers_of
from attncalc.core.terms import Constant, Entry, Product, Quotient, Sum, Term
from attncalc.core.terms.formulas import Beside, Maths, Minus, Name, Plus
from attncalc.exercise.solve.solution import Solution
from attncalc.worked.rounding import count_characters

MOST_NAMES = 12
LONGEST_FACTOR = 12


def name_rows(solution: Solution, rows: Array) -> dict[tuple[int, ...], Term]:
    """Return the rows of a matrix that are short sums of the problem's vectors, by their indices."""
    vectors = {key: vector for key, vector in vectors_of(solution).items() if len(vector) == rows.shape[-1]}
    if not vectors or max(*rows.shape, len(vectors)) > MOST_NAMES:
        return {}
    named = list(vectors.values())
    said = {at: name_sum(combination(rows[at], named), vectors) for at in np.ndindex(rows.shape[:-1])}
    return {at: term for at, term in said.items() if term is not None}


def vectors_of(solution: Solution) -> dict[str, Array]:
    """The vectors that the problem defines by name."""
    defined = solution.problem.let.items()
    vectors = {name: x for name, x in defined if isinstance(x, np.ndarray) and x.ndim == 1 and len(x) > 1}
    return {name: numbers_of(x, solution.trace.field) for name, x in vectors.items()}


def name_sum(factors: list[Real] | None, vectors: dict[str, Array]) -> Term | None:
    """Return Σ factor · name; None if the factors are long."""
    if factors is None:
        return None
    terms = [(c, Entry(name), False) for c, name in zip(factors, vectors, strict=True) if c != 0]
    if len(terms) > 1 and len({c for c, *_ in terms}) == 1 and terms[0][0] != 1:
        return Product((exact_term(terms[0][0]), Sum(tuple(name for _, name, _ in terms))))
    said = sum_term(terms) if terms else Constant(0)
    return said if count_characters(said) <= LONGEST_FACTOR * max(1, len(terms)) else None


def as_outer_products(solution: Solution, matrix: Array) -> Maths | None:
    """Return a matrix as a short sum of outer products of the problem's vectors: (u_d u_aᵀ + u_c u_dᵀ)/β²."""
    size = len(matrix)
    vectors = {key: vector for key, vector in vectors_of(solution).items() if len(vector) == size}
    if matrix.shape != (size, size) or not vectors or max(size, len(vectors)) > MOST_NAMES:
        return None
    named = list(vectors.values())
    rows = combinations(matrix, named)
    columns = combinations(zip(*rows, strict=True), named) if rows else None
    if columns is None:
        return None
    found = {
        (left, right): columns[j][i] for i, left in enumerate(vectors) for j, right in enumerate(vectors)
    }
    parts = {Name(left) @ Name(right).T: c for (left, right), c in found.items() if c != 0}
    if (matrix == np.eye(size, dtype=int)).all():
        return Name("I")
    return common_sum(parts) if 0 < len(parts) < size else None


def combinations(rows: Iterable[Iterable[Real]], vectors: list[Array]) -> list[list[Real]] | None:
    """Return the factors of every row; None if one of them is no sum of the vectors."""
    found = [combination(row, vectors) for row in rows]
    return [factors for factors in found if factors is not None] if None not in found else None


def common_sum(parts: dict[Beside, Real]) -> Maths | None:
    """Return the sum of products with one common factor, up to signs; None without one."""
    factor = next(iter(parts.values()))
    if any(c not in (factor, -factor) for c in parts.values()):
        return None
    whole = Plus(tuple(part if c == factor else Minus(part) for part, c in parts.items()))
    over, under = exact_term(factor), exact_term(algebra.divide(1, factor))
    if count_characters(under) < count_characters(over):
        return whole / under
    # Behind a quotient, a bracket might stand below the line.
    over, below = (over.over, over.under) if isinstance(over, Quotient) else (over, Constant(1))
    times = whole if over == Constant(1) else Beside((over, whole))
    return times if below == Constant(1) else times / below
