"""A rule read as a matrix formula, if it has one: Σ_i A_ij · dO_id is Aᵀ dO.

Every part is read for two letters, those of its rows and its columns: an entry with both is a matrix, one
with a single letter a row or a column, and a sum over a third letter is a product of matrices.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import TypeAlias

from attncalc.core.terms import (
    Apply,
    Axis,
    Constant,
    Entry,
    Negative,
    Power,
    Product,
    Quotient,
    Sum,
    Term,
    Total,
    entries,
    letters_of,
    map_members,
    parts,
    product,
    varies,
)
from attncalc.core.terms.formulas import Beside, Call, Formula, Maths, Minus, Name, Over, Plus, Raised, Times
from attncalc.core.terms.functions import FUNCTIONS

Called: TypeAlias = Callable[[Entry], Formula | None]
"""From an entry to the name of its whole matrix."""


def formula_of(term: Term, rows: str, columns: str, called: Called) -> Maths | None:
    """The formula of a term whose rows and columns run along these letters; None if it has none."""

    def read(x: Term) -> Maths | None:
        return formula_of(x, rows, columns, called)

    if not varies(term):
        return term
    match term:
        case Entry(_, (i, j)):
            name = called(term)
            letters = letter_of(i), letter_of(j)
            if name is None or {*letters} - {rows, columns, ""}:
                return None
            return name.T if letters == (columns, rows) and rows != columns else name
        case Negative(x):
            return combine(Minus, read(x))
        case Sum(terms):
            return combine(lambda *found: Plus(found), *map(read, terms))
        case Quotient(x, y):
            return combine(Over, read(x), read(y))
        case Product(factors):
            return combine(lambda *found: multiply(found, factors), *map(read, factors))
        case Power(x, Constant(int(exponent))):
            return combine(lambda of: Raised(of, exponent), read(x))
        case Apply("sqrt", x):
            named = with_names(x, called)
            return Apply("sqrt", named) if named else None
        case Apply(function, x):
            is_written = FUNCTIONS[function].is_written
            return combine(lambda of: Call(function, of), read(x)) if is_written else read(x)
        case Total(axis, x):
            return sum_formula([axis.letter], x, rows, columns, called)
    return None


def with_names(term: Term, called: Called) -> Term | None:
    """A term with the names of matrices in place of their entries; None unless all of them are whole."""
    names = {entry: called(entry) for entry in entries(term) if entry.at}

    def put(x: Term) -> Term:
        name = names.get(x) if isinstance(x, Entry) else None
        return Entry(name.name) if isinstance(name, Name) else map_members(x, put)

    return put(term) if all(isinstance(name, Name) for name in names.values()) else None


def combine(make: Callable[..., Maths], *found: Maths | None) -> Maths | None:
    """Apply `make` to the formulas of the parts; None unless all parts have one."""
    return None if None in found else make(*found)


def multiply(found: Sequence[Maths], factors: Sequence[Term]) -> Maths:
    """An entrywise product, or a product with numbers."""
    whole, is_matrix = found[0], bool(letters_of(factors[0]))
    for formula, factor in zip(found[1:], factors[1:], strict=True):
        runs = bool(letters_of(factor))
        whole, is_matrix = Times(whole, formula, entrywise=is_matrix and runs), is_matrix or runs
    return whole


def letter_of(index: object) -> str:
    """The letter of an index that runs."""
    return index.letter if isinstance(index, Axis) else ""


def sum_formula(over: list[str], term: Term, rows: str, columns: str, called: Called) -> Maths | None:
    """The formula of a term added up along some letters: a product of matrices, or the sums of rows."""
    match term:
        case Total(axis, x):
            return sum_formula([*over, axis.letter], x, rows, columns, called)
        case Negative(x):
            return combine(Minus, sum_formula(over, x, rows, columns, called))
        case Quotient(x, y) if not letters_of(y) & {*over}:
            under = formula_of(y, rows, columns, called)
            return combine(Over, sum_formula(over, x, rows, columns, called), under)
    used = letters_of(term) - {*over}
    if len(over) == 1 and used <= {rows} and rows:
        return combine(lambda of: Call("rowsum", of), formula_of(term, rows, over[0], called))
    if len(over) == 1 and used <= {columns}:
        return combine(lambda of: Call("colsum", of), formula_of(term, over[0], columns, called))
    factors = parts(term, Product)
    numbers = [formula_of(factor, rows, columns, called) for factor in factors if not letters_of(factor)]
    matrices = chain([factor for factor in factors if letters_of(factor)], rows, columns, called)
    return combine(lambda *found: reduce(Times, found), matrices, *numbers)


def chain(factors: list[Term], start: str, end: str, called: Called) -> Maths | None:
    """A product of matrices from one letter to another: neighbours share the letter that is summed over."""
    found: list[Maths | None] = []
    at = start
    while factors:
        here = [factor for factor in factors if at in letters_of(factor)]
        letters = {letter for factor in here for letter in letters_of(factor)} - {at}
        if len(letters) != 1:
            return None
        (after,) = letters
        found.append(formula_of(product(here), at, after, called))
        factors = [factor for factor in factors if factor not in here]
        at = after
    return combine(lambda *all_: Beside(all_), *found) if at == end and found else None
