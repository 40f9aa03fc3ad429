"""Terms as lists, numbers and words, for a program in another language that evaluates the rules.

    3  "0.50"  "-1/2"  "-inf"           numbers, as they are written
    ["@", "Q", "i", 2]                  an entry, its indices counted from 0; ["@", "d_k"] a named number
    ["#", "i"]                          the number of an index, counted from 0
    ["+", x, y]  ["*", x, y]            sums and products, of two or more
    ["-", x]  ["/", x, y]  ["^", x, y]  ["exp", x]
    ["sum", ["d", 4], x]                along an axis with this number of values; ["max", ["l", 3], x]

An index is an integer, the letter of an axis, or [letter, first value, step]; the one row or column of a
vector has the letter "".
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import inf
from typing import TypeAlias

from attncalc.core.errors import assert_never
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

Data: TypeAlias = "str | int | float | list[Data]"
LARGEST_INTEGER = 2**53
"""The integers below this are exact in every program."""


def to_data(term: Term) -> Data:
    """Convert a term to nested lists."""
    match term:
        case Constant(value):
            return number_data(value)
        case Entry(of, at):
            return ["@", of, *map(index_data, at)]
        case Valued(_, number):
            return to_data(number)
        case Ordinal(index):
            return ["#", index_data(index)]
        case Negative(x):
            return ["-", to_data(x)]
        case Sum(terms):
            return ["+", *map(to_data, terms)]
        case Product(factors):
            return ["*", *map(to_data, factors)]
        case Quotient(x, y):
            return ["/", to_data(x), to_data(y)]
        case Power(x, y):
            return ["^", to_data(x), to_data(y)]
        case Apply(function, x):
            return [function, to_data(x)]
        case Total(axis, x):
            return ["sum", axis_data(axis), to_data(x)]
        case Greatest(axis, x):
            return ["max", axis_data(axis), to_data(x)]
    assert_never(term)


def number_data(value: int | Fraction | Decimal | float) -> Data:
    """Convert a number; all but small integers to text, so that no digit is lost."""
    if value in (inf, -inf):
        return "inf" if value > 0 else "-inf"
    return value if isinstance(value, int) and abs(value) < LARGEST_INTEGER else str(value)


def index_data(index: Index) -> Data:
    """Convert an index: an integer, or the letter, start and step of an axis."""
    if isinstance(index, int):
        return index
    is_plain = (index.start, index.stride) == (0, 1)
    return index.letter if is_plain else [index.letter, index.start, index.stride]


def axis_data(axis: Axis) -> Data:
    """Return the letter of an axis and its size."""
    return [axis.letter, axis.size]
