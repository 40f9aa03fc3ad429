"""A term read with named axes: the whole matrix at once.

Every part of a term becomes an array whose last axes carry the letters of its indices, so that
Σ_d Q_id · K_jd is one matrix product at full speed.  Axes before the named ones (batches) broadcast
as NumPy does it.  The same code serves every field: floats, exact numbers, intervals.

A term is read once, into functions of the arrays it takes: which axes are turned, which products are
products of matrices and the values of constants do not change from one set of numbers to the next.
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
"""From the arrays of the matrices in a term to the array of the term."""


class Part(Generic[Values]):
    """A compiled part of a term, and the letters of the last axes of its array."""

    __slots__ = ("letters", "run")

    def __init__(self, run: Run[Values], letters: tuple[str, ...]) -> None:
        self.run, self.letters = run, letters


def evaluate(
    term: Term, operands: Mapping[str, Values], field: Field[Values], axes: tuple[Axis, ...] = ()
) -> Values:
    """The values of a term for all integers that `axes` run through."""
    return prepare(term, field, axes)(operands)


def prepare(term: Term, field: Field[Values], axes: tuple[Axis, ...] = ()) -> Run[Values]:
    """The function that computes a term for all integers that `axes` run through."""
    whole = compile_part(term, field)
    run, turn = whole.run, align(whole.letters, tuple(axis.letter for axis in axes))
    sizes = tuple(axis.size for axis in axes)

    def compute(operands: Mapping[str, Values]) -> Values:
        with np.errstate(all="ignore"):
            data = turn(run(operands))
        shape = (*data.shape[: data.ndim - len(sizes)], *sizes)
        return data if data.shape == shape else field.broadcast(data, shape)

    return compute


def compile_part(term: Term, field: Field[Values]) -> Part[Values]:
    """Compile a term, with the letters of the axes it runs along."""

    def read(t: Term) -> Part[Values]:
        return compile_part(t, field)

    match term:
        case Constant(number):
            return constant_part(field.constant(number))
        case Entry(name, ()):
            return number_part(name, field)
        case Entry(of, at):
            return entry_part(of, at)
        case Valued(_, number):
            return read(number)
        case Ordinal(index):
            return ordinal_part(index, field)
        case Negative(x):
            return apply_part(field.negative, read(x))
        case Sum(terms):
            return join(field.add, *map(read, terms))
        case Product(factors):
            return join(field.multiply, *map(read, factors))
        case Quotient(over, under):
            return join(field.divide, read(over), read(under))
        case Power(base, exponent):
            return join(field.power, read(base), read(exponent))
        case Apply(function, x):
            return apply_part(lambda data: field.apply(function, data), read(x))
        case Total(axis, Product(factors)):
            *left, right = map(read, factors)
            return contract(field, axis, join(field.multiply, *left), right)
        case Total(axis, x):
            return reduce_part(field, axis, read(x), field.total)
        case Greatest(axis, x):
            return reduce_part(field, axis, read(x), field.greatest)
    assert_never(term)


def constant_part(data: Values, *letters: str) -> Part[Values]:
    """A part with constant numbers."""
    return Part(lambda _: data, letters)


def ordinal_part(index: Index, field: Field[Values]) -> Part[Values]:
    """The number of an index, or all numbers that it runs through."""
    if isinstance(index, int):
        return constant_part(field.constant(index))
    return constant_part(
        field.from_floats(np.array([index.at(n) for n in range(index.size)], float)), index.letter
    )


def number_part(name: str, field: Field[Values]) -> Part[Values]:
    """A number by its name: given, or else known to the field."""

    def run(operands: Mapping[str, Values]) -> Values:
        return operands[name] if name in operands else field.from_name(name)

    return Part(run, ())


def entry_part(of: str, at: tuple[Index, ...]) -> Part[Any]:
    """The entries of an array at integer indices and along running ones."""
    where = (..., *map(place_of, at))
    letters = tuple(index.letter for index in at if isinstance(index, Axis) and index.letter)
    return Part(lambda operands: operands[of][where], letters)


def place_of(index: Index) -> int | slice:
    """The values that an index runs through; an axis without a letter counts as its first value."""
    if isinstance(index, int):
        return index
    return slice(index.start, index.at(index.size - 1) + 1, index.stride) if index.letter else index.start


def apply_part(operation: Callable[[Values], Values], x: Part[Values]) -> Part[Values]:
    """A part followed by an operation on its array."""
    run = x.run
    return Part(lambda operands: operation(run(operands)), x.letters)


def align(have: tuple[str, ...], want: tuple[str, ...]) -> Callable[[Any], Any]:
    """The function that transposes an array to these letters as last axes, of size 1 for letters it lacks."""
    present = [letter for letter in want if letter in have]
    order = [have.index(letter) for letter in present]
    index = (..., *(slice(None) if letter in have else None for letter in want))
    in_order, whole = order == list(range(len(have))), len(present) == len(want)

    def transpose_axes(data: Any) -> Any:
        lead = data.ndim - len(have)
        return data.transpose(*range(lead), *(lead + n for n in order))

    if in_order and whole:
        return lambda data: data
    if whole:
        return transpose_axes
    return (lambda data: data[index]) if in_order else (lambda data: transpose_axes(data)[index])


def join(
    operation: Callable[[Values, Values], Values], first: Part[Values], *others: Part[Values]
) -> Part[Values]:
    """Combine arrays entry by entry, broadcast along the letters of all."""
    letters = first.letters
    rest = []
    for other in others:
        both = (*letters, *(letter for letter in other.letters if letter not in letters))
        rest.append((align(letters, both), align(other.letters, both), other.run))
        letters = both

    def run(operands: Mapping[str, Values]) -> Values:
        data = first.run(operands)
        for left, right, other_run in rest:
            data = operation(left(data), right(other_run(operands)))
        return data

    return Part(run, letters) if others else first


def reduce_part(
    field: Field[Values], axis: Axis, x: Part[Values], operation: Callable[[Values], Values]
) -> Part[Values]:
    """Reduce an array (sum or maximum) along one letter; a constant is repeated for each of its values."""
    if axis.letter not in x.letters:
        x = join(field.multiply, x, constant_part(field.ones(axis.size), axis.letter))
    rest = tuple(letter for letter in x.letters if letter != axis.letter)
    turn, run = align(x.letters, (*rest, axis.letter)), x.run
    return Part(lambda operands: operation(turn(run(operands))), rest)


def contract(field: Field[Values], axis: Axis, a: Part[Values], b: Part[Values]) -> Part[Values]:
    """Σ along an axis of a product: a matrix product if the other letters allow it."""
    rows = tuple(letter for letter in a.letters if letter != axis.letter)
    cols = tuple(letter for letter in b.letters if letter != axis.letter)
    shared = axis.letter in a.letters and axis.letter in b.letters
    if not shared or len(rows) > 1 or len(cols) > 1 or (rows and rows == cols):
        return reduce_part(field, axis, join(field.multiply, a, b), field.total)
    left = align(a.letters, (*(rows or ("",)), axis.letter))
    right = align(b.letters, (axis.letter, *(cols or ("",))))
    unnamed: tuple[Any, ...] = (slice(None) if rows else 0, slice(None) if cols else 0)

    def run(operands: Mapping[str, Values]) -> Values:
        found = field.matmul(left(a.run(operands)), right(b.run(operands)))
        return found if rows and cols else found[(..., *unnamed)]

    return Part(run, (*rows, *cols))
