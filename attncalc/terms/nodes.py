"""The closed vocabulary of hand arithmetic: all that the rule for one cell may say.

An operation states its rule once, as a term; `readings` say what a term means: its value, its law,
its worked line, its cost.  Numbers typed in a problem file are terms too.

    x, y    terms                   Q[i, d]   the entry of matrix Q in row i, column d
    i, j    an index: either an integer, or an axis that runs through all its integers

Indices count from 0 here and from 1 in everything that people see.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Literal, TypeAlias

from attncalc.record import record

Function: TypeAlias = Literal[
    "exp",
    "ln",
    "sqrt",
    "tanh",
    "sin",
    "cos",
    "erf",
    "relu",
    "visible",
    "nonzero",
    "lim",
    "step",
    "seen",
]
"""The functions of one number.

`visible` is the number itself, and 0 for the score −∞ of a hidden key; `nonzero` is the number
itself, and 1 for the total 0 of a row that is hidden whole; `lim` is what a number with a free letter
tends to in the problem's limit.  `step` and `seen` are the slopes of `relu` and `visible`: 1 for a positive
number and 0 for any other, 0 for −∞ and 1 for any other.
"""


@record
class Axis:
    """An index that runs: its letter, how many values it takes, the first of them, and the step between."""

    letter: str
    size: int
    start: int = 0
    stride: int = 1

    def at(self, number: int) -> int:
        """The value it takes, counted from 0."""
        return self.start + self.stride * number


Index: TypeAlias = int | Axis

ONLY = Axis("", 1)
"""The index of the one row or column of a vector: not written, not counted as running."""


class Term:
    """Anything that stands for one number."""

    def __add__(self, other: Term) -> Term:
        return Sum((*parts(self, Sum), *parts(other, Sum)))

    def __mul__(self, other: Term) -> Term:
        return Product((*parts(self, Product), *parts(other, Product)))

    def __sub__(self, other: Term) -> Term:
        return self + Negative(other)

    def __truediv__(self, other: Term) -> Term:
        return Quotient(self, other)


@record
class Constant(Term):
    """A number; `places` are the decimals it was written with, if it was written with a point."""

    value: int | Fraction | Decimal | float
    places: int | None = None


@record
class Entry(Term):
    """An entry of a named matrix, or a named number when there is no index."""

    of: str
    at: tuple[Index, ...] = ()


@record
class Ordinal(Term):
    """The number of an index itself, counted from 0."""

    index: Index


@record
class Negative(Term):
    """−x"""

    term: Term


@record
class Sum(Term):
    """x + y + …"""

    terms: tuple[Term, ...]


@record
class Product(Term):
    """x · y · …"""

    factors: tuple[Term, ...]


@record
class Quotient(Term):
    """x / y"""

    over: Term
    under: Term


@record
class Power(Term):
    """x ^ y"""

    base: Term
    exponent: Term


@record
class Apply(Term):
    """f(x)"""

    function: Function
    term: Term


@record
class Total(Term):
    """Σ over an axis"""

    axis: Axis
    term: Term


@record
class Greatest(Term):
    """The largest value along an axis."""

    axis: Axis
    term: Term


def parts(term: Term, kind: type[Sum] | type[Product]) -> tuple[Term, ...]:
    """The members of a sum or product, so that a + b + c is one sum of three."""
    if isinstance(term, kind):
        return term.terms if isinstance(term, Sum) else term.factors
    return (term,)


def total(letter: str, size: int, rule: Callable[[Axis], Term]) -> Term:
    """Σ over `size` values of the index `letter`."""
    axis = Axis(letter, size)
    return Total(axis, rule(axis))


def greatest(letter: str, size: int, rule: Callable[[Axis], Term]) -> Term:
    """The largest over `size` values of the index `letter`."""
    axis = Axis(letter, size)
    return Greatest(axis, rule(axis))
