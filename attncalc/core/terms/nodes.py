"""The closed vocabulary of hand arithmetic: all that the rule for one cell may say.

An operation states its rule once, as a term; `readings` say what a term means: its value, its law,
its worked line, its cost.  Numbers typed in a problem file are terms too.

    x, y    terms                   Q[i, d]   the entry of matrix Q in row i, column d
    i, j    an index: either an integer, or an axis that runs through all its integers

Indices count from 0 here and from 1 in everything that people see.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal
from fractions import Fraction
from typing import TypeAlias, cast

from attncalc.core.record import record


@record
class Axis:
    """An index that runs: its letter, the number of its values, the first of them, and the step between."""

    letter: str
    size: int
    start: int = 0
    stride: int = 1

    def at(self, number: int) -> int:
        """Its value number n, counted from 0."""
        return self.start + self.stride * number


Index: TypeAlias = int | Axis

ONLY = Axis("", 1)
"""The index of the one row or column of a vector: not written, not counted as running."""


class Arithmetic:
    """The operators that build terms."""

    def __add__(self, other: Term) -> Term:
        return Sum((*parts(self.node, Sum), *parts(other, Sum)))

    def __mul__(self, other: Term) -> Term:
        return Product((*parts(self.node, Product), *parts(other, Product)))

    def __sub__(self, other: Term) -> Term:
        return self + Negative(other)

    def __truediv__(self, other: Term) -> Term:
        return Quotient(self.node, other)

    @property
    def node(self) -> Term:
        """Itself, typed as one of the nodes: there are no others."""
        return cast("Term", self)


@record
class Constant(Arithmetic):
    """A number; `places` are the decimals it was written with, if it has a point: −2 those of 1.23e4."""

    value: int | Fraction | Decimal | float
    places: int | None = None


@record
class Entry(Arithmetic):
    """An entry of a named matrix, or a named number when there is no index."""

    of: str
    at: tuple[Index, ...] = ()


@record
class Valued(Arithmetic):
    """A number that stands for an entry, and keeps it: written and read as the number."""

    entry: Entry
    number: Term


@record
class Ordinal(Arithmetic):
    """The value of an index as a number, counted from 0."""

    index: Index


@record
class Negative(Arithmetic):
    """−x"""

    term: Term


@record
class Sum(Arithmetic):
    """x + y + …"""

    terms: tuple[Term, ...]


@record
class Product(Arithmetic):
    """x · y · …"""

    factors: tuple[Term, ...]


@record
class Quotient(Arithmetic):
    """x / y"""

    over: Term
    under: Term


@record
class Power(Arithmetic):
    """x ^ y"""

    base: Term
    exponent: Term


@record
class Apply(Arithmetic):
    """f(x), for a function by its name in the table of functions."""

    function: str
    term: Term


@record
class Total(Arithmetic):
    """Σ over an axis"""

    axis: Axis
    term: Term


@record
class Greatest(Arithmetic):
    """The largest value along an axis."""

    axis: Axis
    term: Term


Term: TypeAlias = (
    Constant
    | Entry
    | Valued
    | Ordinal
    | Negative
    | Sum
    | Product
    | Quotient
    | Power
    | Apply
    | Total
    | Greatest
)
"""Anything that stands for one number."""


ZERO, ONE, TWO = map(Constant, range(3))


def parts(term: Term, kind: type[Sum] | type[Product]) -> tuple[Term, ...]:
    """The members of a sum or product, so that a + b + c is one sum of three."""
    if isinstance(term, kind):
        return term.terms if isinstance(term, Sum) else term.factors
    return (term,)


def product(factors: Iterable[Term]) -> Term:
    """The product of some factors: a single factor itself, and 1 if there are none."""
    first, *rest = [*factors] or [ONE]
    return Product((first, *rest)) if rest else first


def total(letter: str, size: int, rule: Callable[[Axis], Term]) -> Term:
    """Σ over `size` values of the index `letter`."""
    axis = Axis(letter, size)
    return Total(axis, rule(axis))


def greatest(letter: str, size: int, rule: Callable[[Axis], Term]) -> Term:
    """The largest over `size` values of the index `letter`."""
    axis = Axis(letter, size)
    return Greatest(axis, rule(axis))
