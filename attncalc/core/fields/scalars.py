"""Arithmetic of single exact numbers: in our own types if possible, else in SymPy."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal
from fractions import Fraction
from math import prod

from attncalc.core.fields.base import Real, Undecided
from attncalc.core.fields.combinations import (
    OwnNumber,
    Powers,
    Ratio,
    Surd,
    divide,
    ratio,
)
from attncalc.core.fields.lazy_sympy import algebra
from attncalc.core.fields.rationals import Exponent, rational, squarefree
from attncalc.core.fields.work_counter import ALGEBRA, BUDGET, LETTERS, NESTED, ROOTS
from attncalc.core.terms.functions import FUNCTIONS

Own = int | Fraction | OwnNumber
FEW_DIGITS = 5
NEGLIGIBLE = Decimal("1e-900")
"""A smaller value counts as 0: everything cancels."""
UNKNOWN_SIGN = "whether an entry is above 0 is not known"


def divide_exact(over: Real, under: Real) -> Real:
    """over / under, in SymPy if one of them is; a number divided by ∞ is 0."""
    if isinstance(under, float):
        return 0
    if isinstance(over, float):
        return multiply_exact(over, under)
    result = divide(over, under)
    if result is not NotImplemented:
        return result
    spend(over, under)
    return algebra.divide(over, under)


def power_exact(base: Real, exponent: Real) -> Real:
    """base ^ exponent; whole powers of rationals and roots stay outside SymPy."""
    if isinstance(exponent, int) and isinstance(base, Own):
        factors: list[Real] = [base] * abs(exponent)
        power = prod(factors)
        return power if exponent >= 0 else divide(1, power)
    if isinstance(base, int | Fraction) and exponent == Fraction(1, 2):
        return function_of("sqrt", base)
    spend(base, exponent)
    return algebra.power(base, exponent)


def function_of(function: str, x: Real) -> Real:
    """f(x): by cases, as a number of our own, or in SymPy."""
    cases = FUNCTIONS[function].cases
    if cases is not None:
        return decide(cases, x)
    own = OWN[function](x) if function in OWN else None
    if own is not None:
        return own
    spend(x)
    return algebra.apply(function, x)


def own_exponential(x: Real) -> Real:
    """e^x for a rational, a sum of roots, or −∞."""
    if isinstance(x, float):
        return 0 if x < 0 else x
    if not isinstance(x, int | Fraction | Surd):
        return None
    return Powers.simplest({Exponent(x) if isinstance(x, Fraction) else x: 1})


def own_root(x: Real) -> Real:
    """√x as a multiple of a squarefree root, for a rational small enough to be factored."""
    if not isinstance(x, int | Fraction) or x < 0:
        return None
    found = squarefree(x.numerator * x.denominator)
    if found is None:
        return None
    outside, inside = found
    return Surd.simplest({inside: rational(Fraction(outside, x.denominator))})


def own_logarithm(x: Real) -> Real:
    """ln x for a power of e."""
    return next(iter(x.terms)) if isinstance(x, Powers) and list(x.terms.values()) == [1] else None


def own_elu(x: Real) -> Real:
    """x above 0, e^x − 1 below."""
    return x if is_positive(x) else add_exact(function_of("exp", x), -1)


def own_bend(x: Real) -> Real:
    """tanh x, or −∞."""
    return x if isinstance(x, float) else function_of("tanh", x)


OWN: dict[str, Callable[[Real], Real]] = {
    "bend": own_bend,
    "elu": own_elu,
    "exp": own_exponential,
    "sqrt": own_root,
    "ln": own_logarithm,
}
"""The functions with values outside SymPy; they return None for other arguments."""


def count_pieces(number: Real) -> int:
    """The number of numbers and letters that a number is written with."""
    if isinstance(number, int | Fraction | float):
        return 1
    return number.pieces() if isinstance(number, OwnNumber) else algebra.leaves(number)


def spend(*numbers: Real) -> None:
    """Count an operation of SymPy on some numbers, which costs more the longer they are."""
    BUDGET.spend(ALGEBRA * max(map(weight, numbers), default=1) * sum(map(count_pieces, numbers)))


def weight(number: Real) -> int:
    """The cost factor of a number with letters, functions of functions, or roots in exponents."""
    if isinstance(number, Ratio):
        return max(weight(number.over), weight(number.under))
    if isinstance(number, Powers):
        return ROOTS if any(isinstance(exponent, Surd) for exponent in number.terms) else 1
    if getattr(number, "free_symbols", ()):
        return NESTED if algebra.is_nested(number) else LETTERS
    return 1


def decide(test: Callable[[Real], Real], x: Real) -> Real:
    """The result of a comparison of x; raises `Undecided` if it is not known."""
    value = comparable(x)
    try:
        found = test(value)
    except TypeError:
        raise Undecided(UNKNOWN_SIGN) from None
    return x if found is value else found


def comparable(x: Real) -> Real:
    """A number for comparison: a SymPy number without letters becomes a decimal, which is faster."""
    if isinstance(x, Own | float) or x.free_symbols:
        return x
    spend(x)
    value = algebra.decimal(x, FEW_DIGITS)
    if value.copy_abs() < NEGLIGIBLE:  # abs() would round it, and fail beyond the range of exponents
        raise Undecided(UNKNOWN_SIGN)
    return value


def is_positive(x: Real) -> bool:
    """Whether a number is above 0; raises `Undecided` if it is not known."""
    return bool(decide(lambda number: bool(number > 0), x))


def larger(x: Real, y: Real) -> Real:
    """The larger of two numbers; raises `Undecided` if it is not known."""
    return x if is_positive(add_exact(x, -y)) else y


def add_exact(x: Real, y: Real) -> Real:
    """x + y; −∞ stays a float, because SymPy has another infinity."""
    return x if isinstance(x, float) else y if isinstance(y, float) else x + y


def multiply_exact(x: Real, y: Real) -> Real:
    """x · y; −∞ stays a float."""
    if not isinstance(x, float) and not isinstance(y, float):
        return count_and_multiply(x, y)
    infinite, factor = (x, y) if isinstance(x, float) else (y, x)
    return infinite * (is_positive(factor) - is_positive(-factor))


def count_and_multiply(x: Real, y: Real) -> Real:
    """x · y; a SymPy product is counted before it is computed, because it looks for signs in all its parts.

    With letters, whose signs are known, it is counted later, when it is simplified.
    """
    if not all(isinstance(number, Own | float) or number.free_symbols for number in (x, y)):
        spend(x, y)
    return x * y


def dot(xs: Iterable[Real], ys: Iterable[Real]) -> Real:
    """Σ x·y; numerators with the same denominator are added before the division."""
    result: Real = 0
    rows: dict[int, tuple[Powers, dict[Real, Real]]] = {}
    for x, y in zip(xs, ys, strict=True):
        if isinstance(x, Ratio) and isinstance(x.over, Powers) and isinstance(y, int | Fraction):
            _, gathered = rows.setdefault(id(x.under), (x.under, {}))
            for exponent, c in x.over.terms.items():
                gathered[exponent] = gathered.get(exponent, 0) + c * y
        else:
            result = result + count_and_multiply(x, y)
    for under, gathered in rows.values():
        result = result + ratio(Powers.simplest(gathered), under)
    return result
