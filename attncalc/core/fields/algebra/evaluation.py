"""Values of expressions without letters, to any number of digits.

SymPy's own evaluation computes every part again wherever it occurs, and looks for imaginary parts as well:
that takes a hundred times as long.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TypeAlias

import mpmath
import sympy

from attncalc.core.fields.approximation import widest

Known: TypeAlias = dict[sympy.Expr, mpmath.mpf]
"""The values of parts that are known."""
GUARD = 15
"""The number of digits computed beyond those that are wanted."""
MOST_PRECISION = 1000
"""The most digits tried; needed only if everything cancels."""
INFINITE_EXPONENT = 10**20
"""Beyond this exponent a power of e counts as infinite, or as 0."""
NAMES = {"Abs": "fabs"}
"""The functions whose name in mpmath differs from that in SymPy."""


def decimal(x: sympy.Expr, digits: int) -> Decimal:
    """Evaluate an expression to n correct digits, with more precision until cancellation does no harm."""
    precision = digits + GUARD
    coarse, fine = (value_at(x, precision * times) for times in (1, 2))
    while precision < MOST_PRECISION and not mpmath.almosteq(coarse, fine, mpmath.mpf(10) ** -digits, 0):
        precision *= 2
        coarse, fine = fine, value_at(x, precision * 2)
    return widest(digits).create_decimal(mpmath.nstr(fine, digits))


def value_at(x: sympy.Expr, digits: int) -> mpmath.mpf:
    """Evaluate an expression in arithmetic of n digits."""
    with mpmath.workdps(digits):
        return value_of(x, {})


def value_of(x: sympy.Expr, known: Known) -> mpmath.mpf:
    """Evaluate an expression at the current precision, each of its parts once."""
    if x not in known:
        known[x] = evaluate_parts(x, known)
    return known[x]


def evaluate_parts(x: sympy.Expr, known: Known) -> mpmath.mpf:
    """Evaluate an expression from the values of its parts."""
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
    """e^x, also for an x beyond the range of exponents."""
    if abs(x) < INFINITE_EXPONENT:
        return mpmath.exp(x)
    return mpmath.inf if x > 0 else mpmath.mpf(0)
