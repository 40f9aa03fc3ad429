"""Expressions without letters, to as many digits as one likes.

SymPy's own evaluation works every part anew wherever it occurs, and looks for imaginary parts on the way:
that takes a hundred times as long.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TypeAlias

import mpmath
import sympy

from attncalc.core.fields.approximation import widest

Known: TypeAlias = dict[sympy.Expr, mpmath.mpf]
"""The values of parts, found so far."""
GUARD = 15
"""How many digits are worked out beyond those that are wanted."""
FINEST = 1000
"""Digits beyond which no finer look is taken; reached only where everything cancels."""
LARGEST_EXPONENT = 10**20
"""Beyond this a power of e is as good as infinite, or 0."""
NAMES = {"Abs": "fabs"}
"""The functions that mpmath calls by another name than SymPy."""


def decimal(x: sympy.Expr, digits: int) -> Decimal:
    """An expression to so many right digits: repeated more finely until no cancellation is left."""
    precision = digits + GUARD
    coarse, fine = (value_at(x, precision * times) for times in (1, 2))
    while precision < FINEST and not mpmath.almosteq(coarse, fine, mpmath.mpf(10) ** -digits, 0):
        precision *= 2
        coarse, fine = fine, value_at(x, precision * 2)
    return widest(digits).create_decimal(mpmath.nstr(fine, digits))


def value_at(x: sympy.Expr, digits: int) -> mpmath.mpf:
    """An expression in arithmetic of so many digits."""
    with mpmath.workdps(digits):
        return value_of(x, {})


def value_of(x: sympy.Expr, known: Known) -> mpmath.mpf:
    """An expression in the arithmetic at hand, each of its parts once."""
    if x not in known:
        known[x] = work_out(x, known)
    return known[x]


def work_out(x: sympy.Expr, known: Known) -> mpmath.mpf:
    """An expression from the values of its parts."""
    if x.is_Rational:
        return mpmath.mpf(int(x.p)) / int(x.q)
    if x.is_Number:  # ±∞
        return mpmath.mpf(float(x))
    if x.is_NumberSymbol:
        return +(mpmath.pi if x is sympy.pi else mpmath.e)
    values = [value_of(part, known) for part in x.args]
    if x.is_Add:
        return mpmath.fsum(values)
    if x.is_Mul:
        return mpmath.fprod(values)
    if isinstance(x, sympy.exp):
        return exponential(values[0])
    if x.is_Pow:
        return mpmath.power(*values)
    name = x.func.__name__
    return getattr(mpmath, NAMES.get(name, name))(*values)


def exponential(x: mpmath.mpf) -> mpmath.mpf:
    """e^x, where x may be larger than any exponent."""
    if abs(x) < LARGEST_EXPONENT:
        return mpmath.exp(x)
    return mpmath.inf if x > 0 else mpmath.mpf(0)
