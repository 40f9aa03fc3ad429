"""Exact numbers to any number of correct digits, however much cancels in them."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, getcontext, localcontext
from fractions import Fraction
from typing import Any, Protocol, TypeAlias

MOST_DIGITS_OF_RANGE = 20_000
"""The most digits tried; needed only if a value underflows every range."""

Found: TypeAlias = tuple[Decimal, int]
"""A value at some precision, and a bound of the number of digits lost."""
Known: TypeAlias = dict[tuple[int, Any], Found]
"""Known powers of e, by precision and exponent: a row of weights shares its denominator."""


class Approximable(Protocol):
    """An exact number that is more than a fraction."""

    def evaluate_at(self, known: Known) -> Found:
        """Its value at the current precision."""


Exactly: TypeAlias = int | Fraction | Approximable


def widest(digits: int) -> Context:
    """Decimals of n digits in the widest range of exponents; what underflows it is 0."""
    return Context(prec=digits, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])


def approximate(x: Exactly, digits: int, known: Known | None = None) -> Decimal:
    """x to n correct significant digits, with more precision until cancellation does no harm."""
    precision = digits + 10
    known = {} if known is None else known
    while True:
        with localcontext(widest(precision)):
            value, lost = evaluate_at(x, known)
        if precision - lost >= digits + 5 or precision > MOST_DIGITS_OF_RANGE:
            return value
        precision = max(2 * precision, digits + lost + 10)


def evaluate_at(x: Exactly, known: Known) -> Found:
    """x at the current precision."""
    if isinstance(x, int):
        return +Decimal(x), 1
    if isinstance(x, Fraction):
        return Decimal(x.numerator) / Decimal(x.denominator), 1
    return x.evaluate_at(known)


def evaluate_power(exponent: Exactly, known: Known) -> Found:
    """e^exponent; it loses as many digits as the exponent has before the point."""
    key = getcontext().prec, exponent
    if key not in known:
        value, lost = evaluate_at(exponent, known)
        known[key] = value.exp(), lost + max(0, value.adjusted() + 1)
    return known[key]


def evaluate_sum(products: Iterable[tuple[Found, Found]]) -> Found:
    """A sum of products; digits are lost mostly to cancellation."""
    terms, losses = [], []
    for (a, lost_a), (b, lost_b) in products:
        terms.append(a * b)
        losses += [lost_a, lost_b]
    if not any(terms):
        # Each is too small for any range: more precision does not help.
        return Decimal(0), max(losses)
    total = sum(terms, Decimal(0))
    worst = max(term.adjusted() for term in terms)
    lost = max(losses) + 2 + len(str(len(terms)))
    return total, lost + (worst - total.adjusted() if total else getcontext().prec)


def sign(x: Exactly | float) -> int:
    """−1, 0 or 1."""
    value = x if isinstance(x, int | Fraction | float) else approximate(x, 3)
    return int(value > 0) - int(value < 0)
