"""A term read with named axes: the whole matrix at once.

Every part of a term becomes an array whose last axes carry the letters of its indices, so that
Σ_d Q_id · K_jd is one matrix product at full speed.  Axes before the named ones (batches) broadcast
as NumPy does it.  The same code serves every field: floats, exact numbers, intervals.

A term is read once, into functions of the arrays it takes: which axes are turned, which products are
products of matrices and what constants come to does not change from one set of numbers to the next.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeAlias

import numpy as np

from attncalc.core.errors import assert_never
from attncalc.core.fields import Field, Values
from attncalc.core.terms import (
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

Run: TypeAlias = Callable[[Mapping[str, Values]], Values]
"""From the arrays that a term takes to its own."""


class Part(Generic[Values]):
    """A part of a term, ready to be computed, and the letters of its array's last axes."""

    __slots__ = ("letters", "run")

    def __init__(self, run: Run[Values], letters: tuple[str, ...]) -> None:
        self.run, self.letters = run, letters


def evaluate(
    term: Term, operands: Mapping[str, Values], field: Field[Values], axes: tuple[Axis, ...] = ()
) -> Values:
    """The values of a term for all integers that `axes` run through."""
    return prepared(term, field, axes)(operands)


def prepared(term: Term, field: Field[Values], axes: tuple[Axis, ...] = ()) -> Run[Values]:
    """The function that computes a term for all integers that `axes` run through."""
    whole = part(term, field)
    run, turn = whole.run, aligned(whole.letters, tuple(axis.letter for axis in axes))
    sizes = tuple(axis.size for axis in axes)

    def compute(operands: Mapping[str, Values]) -> Values:
        with np.errstate(all="ignore"):
            data = turn(run(operands))
        shape = (*data.shape[: data.ndim - len(sizes)], *sizes)
        return data if data.shape == shape else field.broadcast(data, shape)

    return compute


def part(term: Term, field: Field[Values]) -> Part[Values]:
    """A term made ready, with the letters of the axes it runs along."""

    def read(t: Term) -> Part[Values]:
        return part(t, field)

    match term:
        case Constant(number):
            return always(field.constant(number))
        case Entry(name, ()):
            return single(name, field)
        case Entry(of, at):
            return entries(of, at)
        case Valued(_, number):
            return read(number)
        case Ordinal(index):
            return ordinals(index, field)
        case Negative(x):
            return after(field.negative, read(x))
        case Sum(terms):
            return joined(field.add, *map(read, terms))
        case Product(factors):
            return joined(field.multiply, *map(read, factors))
        case Quotient(over, under):
            return joined(field.divide, read(over), read(under))
        case Power(base, exponent):
            return joined(field.power, read(base), read(exponent))
        case Apply(function, x):
            return after(lambda data: field.apply(function, data), read(x))
        case Total(axis, Product(factors)):
            *left, right = map(read, factors)
            return contracted(field, axis, joined(field.multiply, *left), right)
        case Total(axis, x):
            return along(field, axis, read(x), field.total)
        case Greatest(axis, x):
            return along(field, axis, read(x), field.greatest)
    assert_never(term)


def always(data: Values, *letters: str) -> Part[Values]:
    """The same numbers whatever is given."""
    return Part(lambda _: data, letters)


def ordinals(index: Index, field: Field[Values]) -> Part[Values]:
    """The number of an index, or all numbers that it runs through."""
    if isinstance(index, int):
        return always(field.constant(index))
    return always(field.given(np.array([index.at(n) for n in range(index.size)], float)), index.letter)


def single(name: str, field: Field[Values]) -> Part[Values]:
    """A number by its name: one that is given, else one that the field knows."""

    def run(operands: Mapping[str, Values]) -> Values:
        return operands[name] if name in operands else field.named(name)

    return Part(run, ())


def entries(of: str, at: tuple[Index, ...]) -> Part[Any]:
    """The entries of an array at integer indices and along running ones."""
    running = [index for index in at if isinstance(index, Axis) and index.letter]
    where = tuple(
        slice(index.start, index.at(index.size - 1) + 1, index.stride) if index in running
        else index.start if isinstance(index, Axis) else index
        for index in at
    )  # fmt: skip
    return Part(lambda operands: operands[of][(..., *where)], tuple(axis.letter for axis in running))


def after(operation: Callable[[Values], Values], x: Part[Values]) -> Part[Values]:
    """An operation on every entry."""
    run = x.run
    return Part(lambda operands: operation(run(operands)), x.letters)


def aligned(have: tuple[str, ...], want: tuple[str, ...]) -> Callable[[Any], Any]:
    """How an array is turned so that its last axes carry just these letters, of size 1 where it has none."""
    present = [letter for letter in want if letter in have]
    order = [have.index(letter) for letter in present]
    index = (..., *(slice(None) if letter in have else None for letter in want))
    in_order, whole = order == list(range(len(have))), len(present) == len(want)

    def turned(data: Any) -> Any:
        lead = data.ndim - len(have)
        return data.transpose(*range(lead), *(lead + n for n in order))

    if in_order and whole:
        return lambda data: data
    if whole:
        return turned
    return (lambda data: data[index]) if in_order else (lambda data: turned(data)[index])


def joined(
    operation: Callable[[Values, Values], Values], first: Part[Values], *others: Part[Values]
) -> Part[Values]:
    """Arrays combined one after the other, entry by entry along the letters of all."""
    letters = first.letters
    rest = []
    for other in others:
        both = (*letters, *(letter for letter in other.letters if letter not in letters))
        rest.append((aligned(letters, both), aligned(other.letters, both), other.run))
        letters = both

    def run(operands: Mapping[str, Values]) -> Values:
        data = first.run(operands)
        for left, right, other_run in rest:
            data = operation(left(data), right(other_run(operands)))
        return data

    return Part(run, letters) if others else first


def along(
    field: Field[Values], axis: Axis, x: Part[Values], operation: Callable[[Values], Values]
) -> Part[Values]:
    """An array summed up, or its maximum taken, along one letter; a constant as often as it runs."""
    if axis.letter not in x.letters:
        x = joined(field.multiply, x, always(field.ones(axis.size), axis.letter))
    rest = tuple(letter for letter in x.letters if letter != axis.letter)
    turn, run = aligned(x.letters, (*rest, axis.letter)), x.run
    return Part(lambda operands: operation(turn(run(operands))), rest)


def contracted(field: Field[Values], axis: Axis, a: Part[Values], b: Part[Values]) -> Part[Values]:
    """Σ along an axis of a product: a matrix product where the other letters allow it."""
    rows = tuple(letter for letter in a.letters if letter != axis.letter)
    cols = tuple(letter for letter in b.letters if letter != axis.letter)
    shared = axis.letter in a.letters and axis.letter in b.letters
    if not shared or len(rows) > 1 or len(cols) > 1 or (rows and rows == cols):
        return along(field, axis, joined(field.multiply, a, b), field.total)
    left = aligned(a.letters, (*(rows or ("",)), axis.letter))
    right = aligned(b.letters, (axis.letter, *(cols or ("",))))
    unnamed: tuple[Any, ...] = (slice(None) if rows else 0, slice(None) if cols else 0)

    def run(operands: Mapping[str, Values]) -> Values:
        found = field.matmul(left(a.run(operands)), right(b.run(operands)))
        return found if rows and cols else found[(..., *unnamed)]

    return Part(run, (*rows, *cols))
