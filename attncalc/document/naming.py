"""Vectors said by their names: a row as a sum of the vectors that the problem defines."""

from __future__ import annotations

import numpy as np

from attncalc.document.rounding import count_characters
from attncalc.fields import Array, Real
from attncalc.fields.algebra import combination
from attncalc.fields.writing import sum_term
from attncalc.graph.graph import numbers_of
from attncalc.solution.solution import Solution
from attncalc.terms import Constant, Entry, Term

MOST = 12
LONGEST_FACTOR = 12


def named_rows(solution: Solution, name: str) -> dict[int, Term]:
    """The rows of a matrix that are short sums of the problem's own vectors."""
    rows = solution.trace.values[name]
    vectors = {key: vector for key, vector in vectors_of(solution).items() if len(vector) == rows.shape[-1]}
    if rows.ndim != 2 or not vectors or max(*rows.shape, len(vectors)) > MOST:
        return {}
    said = {n: named_sum(combination(row, list(vectors.values())), vectors) for n, row in enumerate(rows)}
    return {n: term for n, term in said.items() if term is not None}


def vectors_of(solution: Solution) -> dict[str, Array]:
    """The vectors that the problem defines by name."""
    defined = solution.problem.let.items()
    vectors = {name: x for name, x in defined if isinstance(x, np.ndarray) and x.ndim == 1 and len(x) > 1}
    return {name: numbers_of(x, solution.trace.field) for name, x in vectors.items()}


def named_sum(factors: list[Real] | None, vectors: dict[str, Array]) -> Term | None:
    """Σ factor · name, where the factors are short."""
    if factors is None:
        return None
    terms = [(c, Entry(name), False) for c, name in zip(factors, vectors, strict=True) if c != 0]
    said = sum_term(terms) if terms else Constant(0)
    return said if count_characters(said) <= LONGEST_FACTOR * max(1, len(terms)) else None
