"""Walks through terms: their members and entries, their running letters, and copies with changed members."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from attncalc.core.errors import assert_never
from attncalc.core.terms.nodes import (
    Apply,
    Axis,
    Constant,
    Entry,
    Greatest,
    Index,
    Negative,
    Ordinal,
    Power,
    Product,
    Quotient,
    Sum,
    Term,
    Total,
    Valued,
    parts,
)


def members(term: Term) -> tuple[Term, ...]:
    """The terms directly inside a term."""
    match term:
        case Sum(terms) | Product(terms):
            return terms
        case Quotient(x, y) | Power(x, y):
            return (x, y)
        case Valued(_, x) | Negative(x) | Apply(_, x) | Total(_, x) | Greatest(_, x):
            return (x,)
        case Constant() | Entry() | Ordinal():
            return ()
    assert_never(term)


def entries(term: Term) -> Iterator[Entry]:
    """The entries in a term."""
    if isinstance(term, Entry):
        yield term
    for member in members(term):
        yield from entries(member)


def count_leaves(term: Term) -> int:
    """The number of numbers and entries in a term, its sums written out."""
    inside = sum(map(count_leaves, members(term))) or 1
    return term.axis.size * inside if isinstance(term, Total) else inside


def has_function(term: Term, function: str) -> bool:
    """Whether a function is part of a term."""
    here = isinstance(term, Apply) and term.function == function
    return here or any(has_function(member, function) for member in members(term))


def has_point(term: Term) -> bool:
    """Whether a number written with a point is part of a term."""
    return term.places is not None if isinstance(term, Constant) else any(map(has_point, members(term)))


def varies(term: Term) -> bool:
    """Whether a term holds an entry of a matrix."""
    return any(entry.at for entry in entries(term))


def letters_of(term: Term) -> frozenset[str]:
    """The letters of the free indices of a term."""
    match term:
        case Entry(_, at):
            return frozenset(index.letter for index in at if isinstance(index, Axis) and index.letter)
        case Ordinal(index):
            return frozenset((index.letter,) if isinstance(index, Axis) else ())
        case Total(axis, x) | Greatest(axis, x):
            return letters_of(x) - {axis.letter}
        case Constant() | Valued() | Negative() | Sum() | Product() | Quotient() | Power() | Apply():
            return frozenset().union(*map(letters_of, members(term)))
    assert_never(term)


def map_members(term: Term, change: Callable[[Term], Term]) -> Term:
    """The same node over changed members."""
    match term:
        case Constant() | Entry() | Ordinal():
            return term
        case Valued(entry, number):
            return Valued(entry, change(number))
        case Negative(x):
            return Negative(change(x))
        case Sum(terms):
            return Sum(tuple(change(t) for t in terms))
        case Product(factors):
            return Product(tuple(change(f) for f in factors))
        case Quotient(over, under):
            return Quotient(change(over), change(under))
        case Power(base, exponent):
            return Power(change(base), change(exponent))
        case Apply(function, x):
            return Apply(function, change(x))
        case Total(axis, x):
            return Total(axis, change(x))
        case Greatest(axis, x):
            return Greatest(axis, change(x))
    assert_never(term)


def place_indices(term: Term, where: Mapping[str, int], expand: bool = True) -> Term:
    """The term with integers for its running indices, and every Σ written out if `expand` is true."""
    match term:
        case Entry(of, at):
            return Entry(of, tuple(at_integer(index, where) for index in at))
        case Ordinal(index):
            return Ordinal(at_integer(index, where))
        case Sum(terms):
            return Sum(tuple(part for t in terms for part in parts(place_indices(t, where, expand), Sum)))
        case Total(axis, x) if expand:
            return Sum(tuple(place_indices(x, {**where, axis.letter: n}) for n in range(axis.size)))
        case Total(axis) | Greatest(axis):
            outside = {letter: n for letter, n in where.items() if letter != axis.letter}
            return map_members(term, lambda t: place_indices(t, outside, expand))
        case Constant() | Valued() | Negative() | Product() | Quotient() | Power() | Apply():
            return map_members(term, lambda t: place_indices(t, where, expand))
    assert_never(term)


def at_integer(index: Index, where: Mapping[str, int]) -> Index:
    """The index itself, or the integer of its axis."""
    if isinstance(index, int) or not index.letter or index.letter not in where:
        return index
    return index.at(where[index.letter])
