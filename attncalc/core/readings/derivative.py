"""A term read backwards: the gradient of every entry in it, from the gradient of its value.

`pull_back(term, d)` carries the gradient d of the term's value down to its entries, node by node, by the
chain rule.  What arrives at an entry still runs along the axes of every Σ that encloses it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import reduce
from operator import mul
from typing import NamedTuple

from attncalc.core.errors import assert_never
from attncalc.core.terms import (
    ONE,
    TWO,
    ZERO,
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
    map_members,
    varies,
)
from attncalc.core.terms.functions import FUNCTIONS


class Contribution(NamedTuple):
    """The gradient that one occurrence of an entry receives, along these axes."""

    entry: Entry
    gradient: Term
    axes: tuple[Axis, ...]


def pull_back(term: Term, d: Term, axes: tuple[Axis, ...] = ()) -> Iterator[Contribution]:
    """The gradients of all matrix entries in a term whose value has the gradient d."""
    if not varies(term):
        return
    match term:
        case Entry():
            yield Contribution(term, d, axes)
        case Negative(x):
            yield from pull_back(x, Negative(d), axes)
        case Sum(terms):
            for x in terms:
                yield from pull_back(x, d, axes)
        case Product(factors):
            for n, x in enumerate(factors):
                yield from pull_back(x, times(d, *factors[:n], *factors[n + 1 :]), axes)
        case Quotient(x, y):
            yield from pull_back(x, over(d, y), axes)
            yield from pull_back(y, Negative(over(times(d, x), Power(y, TWO))), axes)
        case Power(x, y):
            yield from pull_back(x, times(d, y, power_less_one(x, y)), axes)
            yield from pull_back(y, times(d, term, Apply("ln", x)), axes)
        case Apply(function, x):
            slope = FUNCTIONS[function].slope(x)
            if slope != ZERO:
                yield from pull_back(x, times_slope(d, slope), axes)
        case Total(axis, x):
            yield from pull_back(x, d, (*axes, axis))
        case Greatest():
            # A maximum only shifts the exponents of a softmax, which leaves its value unchanged.
            return
        case Constant() | Valued() | Ordinal():
            return
        case _:
            assert_never(term)


def power_less_one(x: Term, exponent: Term) -> Term:
    """x^(exponent − 1)"""
    match exponent:
        case Constant(2):
            return x
        case Constant(int(n)):
            return Power(x, Constant(n - 1))
    return Power(x, exponent - ONE)


def times_slope(d: Term, slope: Term) -> Term:
    """A gradient times a slope, the denominator of the slope kept below."""
    match slope:
        case Negative(x):
            return Negative(times_slope(d, x))
        case Quotient(x, y):
            return over(times_slope(d, x), y)
    return times(d, slope)


def times(d: Term, *factors: Term) -> Term:
    """A gradient times factors, without factors of 1, its sign in front and its denominator below."""
    match d:
        case Negative(x):
            return Negative(times(x, *factors))
        case Quotient(x, y):
            return Quotient(times(x, *factors), y)
    return reduce(mul, (factor for factor in factors if factor != ONE), d)


def over(d: Term, under: Term) -> Term:
    """A gradient divided, its sign in front."""
    return Negative(over(d.term, under)) if isinstance(d, Negative) else Quotient(d, under)


def reletter(term: Term, letters: Mapping[str, str]) -> Term:
    """A term with other letters for its axes, all replaced at once."""

    def axis(a: Axis) -> Axis:
        return Axis(letters.get(a.letter, a.letter), a.size, a.start, a.stride)

    def index(i: Index) -> Index:
        return axis(i) if isinstance(i, Axis) else i

    def change(t: Term) -> Term:
        match t:
            case Entry(of, at):
                return Entry(of, tuple(map(index, at)))
            case Ordinal(i):
                return Ordinal(index(i))
            case Total(a, x):
                return Total(axis(a), change(x))
            case Greatest(a, x):
                return Greatest(axis(a), change(x))
            case Constant() | Valued() | Negative() | Sum() | Product() | Quotient() | Power() | Apply():
                return map_members(t, change)
        assert_never(t)

    return change(term)
