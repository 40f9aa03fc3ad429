"""A term read for its size, before anything is computed: a term too large or undefined is refused."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from attncalc.core.errors import assert_never
from attncalc.core.fields import find_field
from attncalc.core.readings.value import evaluate
from attncalc.core.terms import (
    Apply,
    Constant,
    Entry,
    Greatest,
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
    members,
)
from attncalc.core.terms.functions import FUNCTIONS, Function

MOST_WRITTEN_DIGITS = 10_000
LARGEST = 308
SMALLEST_MAGNITUDE = 1e-308
CLOSE = 1e-9
"""The float below which a number may stand for 0."""
MOST_EXAMINED_PARTS, MOST_TIMES = 200, 100
"""The most parts of a term, and of exponents and roots in it, that are examined exactly."""
UNLIKELY = 1_000_003
"""An arbitrary value for a letter, which no problem subtracts from it."""


class Size(NamedTuple):
    """An approximate value of a number, and the number of digits it has if written exactly."""

    value: float
    digits: int


UNKNOWN = Size(math.nan, 1)
"""A free letter, or a size of the problem."""


class Unbounded(Exception):
    """A term has no value of reasonable size."""


OUTSIDE = f"is outside 10^±{LARGEST}"


def magnitude(term: Term) -> Size:
    """The size of a term; raises `Unbounded` if it is undefined, too large or too long."""
    try:
        size = measure(term)
    except OverflowError:
        raise Unbounded(OUTSIDE) from None
    if math.isinf(size.value):
        raise Unbounded(OUTSIDE)
    if size.digits > MOST_WRITTEN_DIGITS:
        raise Unbounded(f"takes more than {MOST_WRITTEN_DIGITS:,} digits to write")
    return size


def measure(term: Term) -> Size:
    """The size of a node from the sizes of its members."""
    match term:
        case Constant(value):
            return size_of_number(value)
        case Entry("pi", ()):
            return Size(math.pi, 1)
        case Entry() | Ordinal() | Total() | Greatest():
            return UNKNOWN
        case Valued(_, number):
            return magnitude(number)
        case Negative(x):
            value, digits = magnitude(x)
            return Size(-value, digits)
        case Sum(terms):
            sizes = [magnitude(t) for t in terms]
            return Size(math.fsum(size.value for size in sizes), sum(s.digits for s in sizes))
        case Product(factors):
            return size_of_product([magnitude(f) for f in factors])
        case Quotient(over, under):
            return size_of_quotient(magnitude(over), size_below(under))
        case Power(base, exponent):
            raised = magnitude(exponent)
            return size_of_power(size_below(base) if raised.value < 0 else magnitude(base), raised)
        case Apply(function, x):
            return size_of_value(FUNCTIONS[function], magnitude(x))
    assert_never(term)


def size_of_number(value: int | Fraction | Decimal | float) -> Size:
    """The size of a number."""
    if isinstance(value, float):
        raise Unbounded("is infinite")
    exact = Fraction(value)
    bits = exact.numerator.bit_length() + exact.denominator.bit_length()
    number = float(exact)
    if exact and abs(number) < SMALLEST_MAGNITUDE:
        raise Unbounded(OUTSIDE)
    return Size(number, bits // 3 + 1)


def size_of_product(sizes: list[Size]) -> Size:
    """The size of a product."""
    value = math.prod(size.value for size in sizes)
    if value == 0 and all(size.value for size in sizes):
        raise Unbounded(OUTSIDE)
    return Size(value, sum(size.digits for size in sizes))


def size_below(term: Term) -> Size:
    """The size of a denominator, with the value 0 if it vanishes exactly."""
    size = magnitude(term)
    return Size(0.0, size.digits) if not abs(size.value) > CLOSE and vanishes(term) else size


def vanishes(term: Term) -> bool:
    """Whether a term is 0 for all values of its letters, tested with arbitrary values."""
    unlikely: dict[Term, Constant] = {}

    def to_number(part: Term) -> Term:
        match part:
            case Apply("sqrt", Constant(int(n))) | Power(_, Constant(int(n))) if abs(n) <= MOST_TIMES:
                return map_members(part, to_number)
            case Entry() | Apply() | Power():
                return unlikely.setdefault(part, Constant(UNLIKELY + len(unlikely)))
        return map_members(part, to_number)

    return may_cancel(term) and bool(evaluate(to_number(term), {}, find_field("exact"))[()] == 0)


def may_cancel(term: Term) -> bool:
    """Whether a term holds a sum and is short enough to be examined exactly."""
    parts, found = [term], 0
    while found < len(parts) <= MOST_EXAMINED_PARTS:
        parts.extend(members(parts[found]))
        found += 1
    return len(parts) <= MOST_EXAMINED_PARTS and any(isinstance(part, Sum) for part in parts)


def size_of_quotient(over: Size, under: Size) -> Size:
    """The size of a quotient."""
    if under.value == 0:
        raise Unbounded("divides by zero")
    value = over.value / under.value
    if value == 0 != over.value:
        raise Unbounded(OUTSIDE)
    return Size(value, over.digits + under.digits)


def size_of_power(base: Size, exponent: Size) -> Size:
    """The size of a power; the digits multiply."""
    if base.value == 0 and exponent.value < 0:
        raise Unbounded("divides by zero")
    if base.value < 0 and not exponent.value.is_integer():
        raise Unbounded("is a root of a negative number")
    times = 1 if math.isnan(exponent.value) else abs(int(exponent.value))
    digits = base.digits * max(1, times)
    if digits > MOST_WRITTEN_DIGITS:
        raise Unbounded(f"takes more than {MOST_WRITTEN_DIGITS:,} digits to write")
    value = base.value**exponent.value
    if value == 0 != base.value:
        raise Unbounded(OUTSIDE)
    return Size(float(value), digits)


def size_of_value(function: Function, x: Size) -> Size:
    """The size of a function's value."""
    if function.undefined is not None and function.undefined(x.value):
        raise Unbounded(function.why)
    with np.errstate(all="ignore"):
        value = float(function.floats(np.asarray(x.value)))
    if function.vanishes is not None and value < SMALLEST_MAGNITUDE:
        # A power of e may underflow to 0 beside others: weights are written so.
        if x.value <= function.vanishes:
            raise Unbounded(OUTSIDE)
        return Size(SMALLEST_MAGNITUDE, x.digits)
    return Size(value, x.digits)
