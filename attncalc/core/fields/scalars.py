"""Arithmetic of single exact numbers: our own as far as it reaches, beyond that SymPy's."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal
from fractions import Fraction
from math import prod

from attncalc.core.fields.base import Real, Undecided
from attncalc.core.fields.budget import ALGEBRA, BUDGET, LETTERS, NESTED, ROOTS
from attncalc.core.fields.combinations import (
    OwnNumber,
    Powers,
    Ratio,
    Surd,
    divide,
    ratio,
)
from attncalc.core.fields.rationals import Exponent, rational, squarefree
from attncalc.core.fields.waiting import algebra
from attncalc.core.terms.functions import FUNCTIONS

Own = int | Fraction | OwnNumber
FEW_DIGITS = 5
NOTHING = Decimal("1e-900")
"""What is left where everything cancels, as far as digits are looked at."""
UNKNOWN_SIGN = "whether an entry is above 0 is not known"


def quotient(over: Real, under: Real) -> Real:
    """over / under, in SymPy where one of them is; nothing is left of what is divided by ∞."""
    if isinstance(under, float):
        return 0
    if isinstance(over, float):
        return multiplied(over, under)
    result = divide(over, under)
    if result is not NotImplemented:
        return result
    spend(over, under)
    return algebra.divide(over, under)


def raised(base: Real, exponent: Real) -> Real:
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
        return decided(cases, x)
    own = OWN[function](x) if function in OWN else None
    if own is not None:
        return own
    spend(x)
    return algebra.apply(function, x)


def own_exponential(x: Real) -> Real:
    """e^x, where x is rational, a sum of roots, or −∞."""
    if isinstance(x, float):
        return 0 if x < 0 else x
    if not isinstance(x, int | Fraction | Surd):
        return None
    return Powers.simplest({Exponent(x) if isinstance(x, Fraction) else x: 1})


def own_root(x: Real) -> Real:
    """√x as a multiple of a squarefree root, where x is rational and small enough to be factored."""
    if not isinstance(x, int | Fraction) or x < 0:
        return None
    found = squarefree(x.numerator * x.denominator)
    if found is None:
        return None
    outside, inside = found
    return Surd.simplest({inside: rational(Fraction(outside, x.denominator))})


def own_logarithm(x: Real) -> Real:
    """ln x, where x is a power of e."""
    return next(iter(x.terms)) if isinstance(x, Powers) and list(x.terms.values()) == [1] else None


def own_elu(x: Real) -> Real:
    """x above 0, e^x − 1 below."""
    return x if is_positive(x) else added(function_of("exp", x), -1)


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
"""The functions whose values are kept outside SymPy; None where one is not."""


def count_pieces(number: Real) -> int:
    """How many numbers and letters it takes to write a number."""
    if isinstance(number, int | Fraction | float):
        return 1
    return number.pieces() if isinstance(number, OwnNumber) else algebra.leaves(number)


def spend(*numbers: Real) -> None:
    """Counts an operation of SymPy on some numbers: the more the longer they are."""
    BUDGET.spend(ALGEBRA * max(map(weight, numbers), default=1) * sum(map(count_pieces, numbers)))


def weight(number: Real) -> int:
    """How many times as much a piece counts: with letters, functions of functions, or roots in exponents."""
    if isinstance(number, Ratio):
        return max(weight(number.over), weight(number.under))
    if isinstance(number, Powers):
        return ROOTS if any(isinstance(exponent, Surd) for exponent in number.terms) else 1
    if getattr(number, "free_symbols", ()):
        return NESTED if algebra.is_nested(number) else LETTERS
    return 1


def decided(test: Callable[[Real], Real], x: Real) -> Real:
    """What a comparison of x gives, if it is known."""
    value = comparable(x)
    try:
        found = test(value)
    except TypeError:
        raise Undecided(UNKNOWN_SIGN) from None
    return x if found is value else found


def comparable(x: Real) -> Real:
    """A number, or the decimal that stands for one of SymPy's without letters: that is found sooner."""
    if isinstance(x, Own | float) or x.free_symbols:
        return x
    spend(x)
    value = algebra.decimal(x, FEW_DIGITS)
    if value.copy_abs() < NOTHING:  # abs() would round it, and end where it is beyond all exponents
        raise Undecided(UNKNOWN_SIGN)
    return value


def is_positive(x: Real) -> bool:
    """Whether a number is above 0, if that is known."""
    return bool(decided(lambda number: bool(number > 0), x))


def larger(x: Real, y: Real) -> Real:
    """The larger of two numbers, if that is known."""
    return x if is_positive(added(x, -y)) else y


def added(x: Real, y: Real) -> Real:
    """x + y, where −∞ stays a float: SymPy has an infinity of its own."""
    return x if isinstance(x, float) else y if isinstance(y, float) else x + y


def multiplied(x: Real, y: Real) -> Real:
    """x · y, where −∞ stays a float, too."""
    if not isinstance(x, float) and not isinstance(y, float):
        return counted_product(x, y)
    infinite, factor = (x, y) if isinstance(x, float) else (y, x)
    return infinite * (is_positive(factor) - is_positive(-factor))


def counted_product(x: Real, y: Real) -> Real:
    """x · y; a product of SymPy's is counted before it is made, for it looks for signs in all its parts.

    With letters, where they are known, it is counted as it is tidied.
    """
    if not all(isinstance(number, Own | float) or number.free_symbols for number in (x, y)):
        spend(x, y)
    return x * y


def dot(xs: Iterable[Real], ys: Iterable[Real]) -> Real:
    """Σ x·y, with all numerators over one denominator gathered before it is divided."""
    result: Real = 0
    rows: dict[int, tuple[Powers, dict[Real, Real]]] = {}
    for x, y in zip(xs, ys, strict=True):
        if isinstance(x, Ratio) and isinstance(x.over, Powers) and isinstance(y, int | Fraction):
            _, gathered = rows.setdefault(id(x.under), (x.under, {}))
            for exponent, c in x.over.terms.items():
                gathered[exponent] = gathered.get(exponent, 0) + c * y
        else:
            result = result + counted_product(x, y)
    for under, gathered in rows.values():
        result = result + ratio(Powers.simplest(gathered), under)
    return result
