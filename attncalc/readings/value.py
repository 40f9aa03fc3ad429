"""A term read with named axes: the whole matrix at once.

Every part of a term becomes an array whose last axes carry the letters of its indices, so that
Σ_d Q_id · K_jd is one matrix product at full speed.  Axes before the named ones (batches) broadcast
as NumPy does it.  The same code serves every field: floats, or exact numbers in object arrays.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from attncalc.fields import Array, Field
from attncalc.terms import (
    Apply,
    Axis,
    Constant,
    Entry,
    Greatest,
    Index,
    Negative,
    Power,
    Product,
    Quotient,
    Sum,
    Term,
    Total,
)


class Named(NamedTuple):
    """An array and the letters of its last axes."""

    data: Array
    letters: tuple[str, ...]


def evaluate(term: Term, operands: Mapping[str, Array], field: Field, axes: tuple[Axis, ...] = ()) -> Array:
    """The values of a term for all integers that `axes` run through."""
    with np.errstate(all="ignore"):
        named = value(term, operands, field)
    data = aligned(named, tuple(axis.letter for axis in axes))
    lead = data.shape[: data.ndim - len(axes)]
    return np.broadcast_to(data, (*lead, *(axis.size for axis in axes)))


def value(term: Term, operands: Mapping[str, Array], field: Field) -> Named:
    """The values of a term, with the letters of the axes they run along."""

    def read(t: Term) -> Named:
        return value(t, operands, field)

    match term:
        case Constant(number):
            return Named(field.constant(number), ())
        case Entry("pi", ()) if "pi" not in operands:
            return Named(field.pi(), ())
        case Entry(of, at):
            return entries(field.array(operands[of]), at)
        case Negative(x):
            data, letters = read(x)
            return Named(field.array(-data), letters)
        case Sum(terms):
            return reduce(lambda a, b: joined(field, np.add, a, b), map(read, terms))
        case Product(factors):
            return reduce(lambda a, b: joined(field, np.multiply, a, b), map(read, factors))
        case Quotient(over, under):
            return joined(field, field.divide, read(over), read(under))
        case Power(base, exponent):
            return joined(field, field.power, read(base), read(exponent))
        case Apply(function, x):
            data, letters = read(x)
            return Named(field.apply(function, data), letters)
        case Total(axis, Product(factors)):
            *left, right = map(read, factors)
            before = reduce(lambda a, b: joined(field, np.multiply, a, b), left)
            return contracted(field, axis, before, right)
        case Total(axis, x):
            return along(field, axis, read(x), np.sum)
        case Greatest(axis, x):
            return along(field, axis, read(x), np.max)
    raise AssertionError(term)


def entries(array: Array, at: tuple[Index, ...]) -> Named:
    """The entries of an array at integer indices and along running ones."""
    running = [index for index in at if isinstance(index, Axis) and index.letter]
    where = tuple(
        slice(index.start, index.start + index.size) if index in running
        else index.start if isinstance(index, Axis) else index
        for index in at
    )  # fmt: skip
    return Named(array[(..., *where)], tuple(axis.letter for axis in running))


def aligned(x: Named, letters: tuple[str, ...]) -> Array:
    """The array with exactly these letters as its last axes, of size 1 where it has none."""
    lead = x.data.ndim - len(x.letters)
    present = [letter for letter in letters if letter in x.letters]
    data = x.data.transpose(*range(lead), *(lead + x.letters.index(letter) for letter in present))
    missing = tuple(n for n, letter in enumerate(letters) if letter not in x.letters)
    return np.expand_dims(data, tuple(lead + n for n in missing)) if missing else data


def joined(field: Field, operation: Any, a: Named, b: Named) -> Named:
    """Two arrays combined entry by entry along the letters of both."""
    letters = (*a.letters, *(letter for letter in b.letters if letter not in a.letters))
    return Named(field.array(operation(aligned(a, letters), aligned(b, letters))), letters)


def along(field: Field, axis: Axis, x: Named, operation: Any) -> Named:
    """An array summed up, or its maximum taken, along one letter; a constant as often as it runs."""
    if axis.letter not in x.letters:
        x = joined(field, np.multiply, x, Named(np.ones(axis.size, dtype=int), (axis.letter,)))
    rest = tuple(letter for letter in x.letters if letter != axis.letter)
    return Named(field.array(operation(aligned(x, (*rest, axis.letter)), axis=-1)), rest)


def contracted(field: Field, axis: Axis, a: Named, b: Named) -> Named:
    """Σ along an axis of a product: a matrix product where the other letters allow it."""
    rows = tuple(letter for letter in a.letters if letter != axis.letter)
    cols = tuple(letter for letter in b.letters if letter != axis.letter)
    shared = axis.letter in a.letters and axis.letter in b.letters
    if not shared or len(rows) > 1 or len(cols) > 1 or (rows and rows == cols):
        return along(field, axis, joined(field, np.multiply, a, b), np.sum)
    left = aligned(a, (*(rows or ("",)), axis.letter))
    right = aligned(b, (axis.letter, *(cols or ("",))))
    unnamed = tuple(n for n, letters in ((-2, rows), (-1, cols)) if not letters)
    return Named(np.squeeze(field.matmul(left, right), unnamed), (*rows, *cols))
