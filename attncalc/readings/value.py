"""A term read with named axes: the whole matrix at once.

Every part of a term becomes an array whose last axes carry the letters of its indices, so that
Σ_d Q_id · K_jd is one matrix product at full speed.  Axes before the named ones (batches) broadcast
as NumPy does it.  The same code serves every field: floats, exact numbers, intervals.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any, Generic

import numpy as np

from attncalc.errors import assert_never
from attncalc.fields import Field, Values
from attncalc.terms import (
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
)


class Named(Generic[Values]):
    """An array and the letters of its last axes."""

    __slots__ = ("data", "letters")

    def __init__(self, data: Values, letters: tuple[str, ...]) -> None:
        self.data, self.letters = data, letters


def evaluate(
    term: Term, operands: Mapping[str, Values], field: Field[Values], axes: tuple[Axis, ...] = ()
) -> Values:
    """The values of a term for all integers that `axes` run through."""
    with np.errstate(all="ignore"):
        named = value(term, operands, field)
    data = aligned(named, tuple(axis.letter for axis in axes))
    lead = data.shape[: data.ndim - len(axes)]
    return field.broadcast(data, (*lead, *(axis.size for axis in axes)))


def value(term: Term, operands: Mapping[str, Values], field: Field[Values]) -> Named[Values]:
    """The values of a term, with the letters of the axes they run along."""

    def read(t: Term) -> Named[Values]:
        return value(t, operands, field)

    def times(a: Named[Values], b: Named[Values]) -> Named[Values]:
        return joined(field.multiply, a, b)

    match term:
        case Constant(number):
            return Named(field.constant(number), ())
        case Entry(name, ()) if name not in operands:
            return Named(field.named(name), ())
        case Entry(of, at):
            return entries(field.array(operands[of]), at)
        case Valued(_, number):
            return read(number)
        case Ordinal(index):
            return ordinals(index, field)
        case Negative(x):
            inner = read(x)
            return Named(field.negative(inner.data), inner.letters)
        case Sum(terms):
            return reduce(lambda a, b: joined(field.add, a, b), map(read, terms))
        case Product(factors):
            return reduce(times, map(read, factors))
        case Quotient(over, under):
            return joined(field.divide, read(over), read(under))
        case Power(base, exponent):
            return joined(field.power, read(base), read(exponent))
        case Apply(function, x):
            inner = read(x)
            return Named(field.apply(function, inner.data), inner.letters)
        case Total(axis, Product(factors)):
            *left, right = map(read, factors)
            return contracted(field, axis, reduce(times, left), right)
        case Total(axis, x):
            return along(field, axis, read(x), field.total)
        case Greatest(axis, x):
            return along(field, axis, read(x), field.greatest)
    assert_never(term)


def ordinals(index: Index, field: Field[Values]) -> Named[Values]:
    """The number of an index, or all numbers that it runs through."""
    if isinstance(index, int):
        return Named(field.constant(index), ())
    return Named(field.given(np.array([index.at(n) for n in range(index.size)], float)), (index.letter,))


def entries(array: Values, at: tuple[Index, ...]) -> Named[Values]:
    """The entries of an array at integer indices and along running ones."""
    running = [index for index in at if isinstance(index, Axis) and index.letter]
    where = tuple(
        slice(index.start, index.at(index.size - 1) + 1, index.stride) if index in running
        else index.start if isinstance(index, Axis) else index
        for index in at
    )  # fmt: skip
    return Named(array[(..., *where)], tuple(axis.letter for axis in running))


def aligned(x: Named[Values], letters: tuple[str, ...]) -> Values:
    """The array with exactly these letters as its last axes, of size 1 where it has none."""
    lead = x.data.ndim - len(x.letters)
    present = [letter for letter in letters if letter in x.letters]
    data = x.data
    if present != list(x.letters):
        data = data.transpose(*range(lead), *(lead + x.letters.index(letter) for letter in present))
    if len(present) == len(letters):
        return data
    return data[(..., *(slice(None) if letter in x.letters else None for letter in letters))]


def joined(
    operation: Callable[[Values, Values], Values], a: Named[Values], b: Named[Values]
) -> Named[Values]:
    """Two arrays combined entry by entry along the letters of both."""
    letters = (*a.letters, *(letter for letter in b.letters if letter not in a.letters))
    return Named(operation(aligned(a, letters), aligned(b, letters)), letters)


def along(
    field: Field[Values], axis: Axis, x: Named[Values], operation: Callable[[Values], Values]
) -> Named[Values]:
    """An array summed up, or its maximum taken, along one letter; a constant as often as it runs."""
    if axis.letter not in x.letters:
        x = joined(field.multiply, x, Named(field.ones(axis.size), (axis.letter,)))
    rest = tuple(letter for letter in x.letters if letter != axis.letter)
    return Named(operation(aligned(x, (*rest, axis.letter))), rest)


def contracted(field: Field[Values], axis: Axis, a: Named[Values], b: Named[Values]) -> Named[Values]:
    """Σ along an axis of a product: a matrix product where the other letters allow it."""
    rows = tuple(letter for letter in a.letters if letter != axis.letter)
    cols = tuple(letter for letter in b.letters if letter != axis.letter)
    shared = axis.letter in a.letters and axis.letter in b.letters
    if not shared or len(rows) > 1 or len(cols) > 1 or (rows and rows == cols):
        return along(field, axis, joined(field.multiply, a, b), field.total)
    left = aligned(a, (*(rows or ("",)), axis.letter))
    right = aligned(b, (axis.letter, *(cols or ("",))))
    unnamed: tuple[Any, ...] = (slice(None) if rows else 0, slice(None) if cols else 0)
    return Named(field.matmul(left, right)[(..., *unnamed)], (*rows, *cols))
