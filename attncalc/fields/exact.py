"""Exact numbers: rationals, roots and powers of e by themselves, everything beyond in SymPy.

SymPy costs more to import than all else together, so it is loaded by the first number that needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from math import inf, isinf, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attncalc.fields.base import Array, Numbers, Undecided
from attncalc.fields.budget import ALGEBRA, BUDGET
from attncalc.fields.combinations import (
    Combination,
    Known,
    Powers,
    Ratio,
    Surd,
    approximate,
    divide,
    dot,
    exponential,
    rational,
    square_root,
)
from attncalc.fields.writing import exact_term
from attncalc.terms import Term
from attncalc.terms.functions import FUNCTIONS

Own = int | Fraction | Combination | Ratio


def quotient(over: Any, under: Any) -> Any:
    """over / under, in SymPy where one of them is; nothing is left of what is divided by ∞."""
    if isinstance(under, float):
        return 0
    if isinstance(over, float):
        return multiplied(over, under)
    result = divide(over, under)
    if result is not NotImplemented:
        return result
    from attncalc.fields import algebra

    spend(over, under)
    return algebra.divide(over, under)


def raised(base: Any, exponent: Any) -> Any:
    """base ^ exponent; whole powers of rationals and roots stay outside SymPy."""
    if isinstance(exponent, int) and isinstance(base, Own):
        power = product([base] * abs(exponent))
        return power if exponent >= 0 else divide(1, power)
    if isinstance(base, int | Fraction) and exponent == Fraction(1, 2):
        return function_of("sqrt", base)
    from attncalc.fields import algebra

    spend(base, exponent)
    return algebra.power(base, exponent)


def product(factors: Iterable[Any]) -> Any:
    """The factors multiplied."""
    result: Any = 1
    for factor in factors:
        result = result * factor
    return result


def function_of(function: str, x: Any) -> Any:
    """f(x): by cases, as a number of our own, or in SymPy."""
    cases = FUNCTIONS[function].cases
    if cases is not None:
        return decided(cases, x)
    own = OWN[function](x) if function in OWN else None
    if own is not None:
        return own
    from attncalc.fields import algebra

    spend(x)
    return algebra.apply(function, x)


def own_exponential(x: Any) -> Any:
    """e^x, where x is rational, a sum of roots, or −∞."""
    if isinstance(x, float):
        return 0 if x < 0 else x
    return exponential(x) if isinstance(x, int | Fraction | Surd) else None


def own_root(x: Any) -> Any:
    """√x, where x is rational."""
    return square_root(x) if isinstance(x, int | Fraction) and x >= 0 else None


def own_logarithm(x: Any) -> Any:
    """ln x, where x is a power of e."""
    return next(iter(x.terms)) if isinstance(x, Powers) and list(x.terms.values()) == [1] else None


OWN: dict[str, Callable[[Any], Any]] = {
    "exp": own_exponential,
    "sqrt": own_root,
    "ln": own_logarithm,
}
"""The functions whose values are kept outside SymPy; None where one is not."""


def pieces(number: Any) -> int:
    """How many numbers and letters it takes to write a number."""
    match number:
        case Ratio():
            return pieces(number.over) + pieces(number.under)
        case Combination():
            return len(number.terms)
        case int() | Fraction() | float():
            return 1
    from attncalc.fields import algebra

    return algebra.leaves(number)


def spend(*numbers: Any) -> None:
    """Counts an operation of SymPy on some numbers: the longer they are, the more it takes."""
    BUDGET.spend(ALGEBRA * sum(map(pieces, numbers)))


def decided(test: Callable[[Any], Any], x: Any) -> Any:
    """What a comparison of x gives, if it is known."""
    try:
        return test(x)
    except TypeError:
        raise Undecided("whether an entry with letters is above 0 is not known") from None


def is_positive(x: Any) -> bool:
    """Whether a number is above 0, if that is known."""
    return bool(decided(lambda number: bool(number > 0), x))


def added(x: Any, y: Any) -> Any:
    """x + y, where −∞ stays a float: SymPy has an infinity of its own."""
    return x if isinstance(x, float) else y if isinstance(y, float) else x + y


def multiplied(x: Any, y: Any) -> Any:
    """x · y, where −∞ stays a float, too."""
    if not isinstance(x, float) and not isinstance(y, float):
        return x * y
    infinite, factor = (x, y) if isinstance(x, float) else (y, x)
    return infinite * (is_positive(factor) - is_positive(-factor))


ADDED = np.frompyfunc(added, 2, 1)
MULTIPLIED = np.frompyfunc(multiplied, 2, 1)
QUOTIENT = np.frompyfunc(quotient, 2, 1)
POWER = np.frompyfunc(raised, 2, 1)
FUNCTION = np.frompyfunc(function_of, 2, 1)


class Exact(Numbers):
    """Numbers without rounding."""

    name = "exact"
    dtype = object

    def __init__(self, letters: Mapping[str, str] = {}, limit: tuple[str, float] | None = None) -> None:
        self.letters, self.limit = letters, limit

    def constant(self, value: int | Fraction | Decimal | float) -> Array:
        return self.array(value if isinstance(value, float) else rational(Fraction(value)))

    def named(self, name: str) -> Array:
        from attncalc.fields import algebra

        return self.array(algebra.pi() if name == "pi" else self.letter(name))

    def letter(self, name: str) -> Any:
        """A free letter of the problem."""
        from attncalc.fields import algebra

        return algebra.letter(name, self.letters[name])

    def is_plain(self, number: Any) -> bool:
        return isinstance(number, Own | float)

    def is_open(self, number: Any) -> bool:
        return bool(getattr(number, "free_symbols", False))

    def given(self, array: Array) -> Array:
        if array.dtype == object:
            return array
        exact = [x if np.isneginf(x) else rational(Fraction(repr(x))) for x in array.ravel().tolist()]
        result = np.empty(len(exact), dtype=object)
        result[:] = exact
        return result.reshape(array.shape)

    def divide(self, over: Array, under: Array) -> Array:
        return self.array(QUOTIENT(over, under))

    def power(self, base: Array, exponent: Array) -> Array:
        return self.array(POWER(base, exponent))

    def apply(self, function: str, x: Array) -> Array:
        if function == "lim":
            return self.array(np.frompyfunc(self.tends_to, 1, 1)(x))
        return self.array(FUNCTION(function, x))

    def are_real(self, x: Array) -> bool:
        if not self.letters:
            return True
        from attncalc.fields import algebra

        return all(algebra.is_known(number) for number in x.ravel() if self.is_open(number))

    def is_outgrown(self, x: Array) -> bool:
        from attncalc.fields import algebra

        assert self.limit is not None
        name, target = self.limit
        if not isinf(target):
            return not any(isinstance(self.tends_to(number), float) for number in x.ravel())
        open_ = [number for number in x.ravel() if self.is_open(number)]
        return all(algebra.is_polynomial(number, self.letter(name)) for number in open_)

    def tends_to(self, number: Any) -> Any:
        """What a number with letters tends to in the problem's limit."""
        if not self.is_open(number):
            return number
        from attncalc.fields import algebra

        assert self.limit is not None
        name, target = self.limit
        return algebra.limit(number, self.letter(name), target)

    def add(self, x: Array, y: Array) -> Array:
        return self.array(ADDED(x, y))

    def multiply(self, x: Array, y: Array) -> Array:
        return self.array(MULTIPLIED(x, y))

    def matmul(self, left: Array, right: Array) -> Array:
        rows, columns = left[..., :, None, :], np.swapaxes(right, -1, -2)[..., None, :, :]
        shape = np.broadcast_shapes(rows.shape, columns.shape)
        rows, columns = np.broadcast_to(rows, shape), np.broadcast_to(columns, shape)
        result = np.empty(shape[:-1], dtype=object)
        for at in np.ndindex(result.shape):
            result[at] = self.tidied(dot(rows[at], columns[at]))
        return result

    def total(self, x: Array) -> Array:
        return self.array(np.frompyfunc(self.tidied, 1, 1)(x.sum(axis=-1)))

    def tidied(self, number: Any) -> Any:
        """A number with letters as one short quotient; any other as it is."""
        if self.is_plain(number):
            return number
        spend(number)
        if not self.is_open(number):
            return number
        from attncalc.fields import algebra

        return algebra.tidied(number)

    def floats(self, x: Array) -> NDArray[np.float64]:
        known: Known = {}
        values = [self.float(number, known) for number in x.ravel()]
        return np.array(values, dtype=np.float64).reshape(x.shape)

    def float(self, number: Any, known: Known) -> float:
        """The nearest float."""
        if isinstance(number, Combination | Ratio):
            return float(approximate(number, 20, known))
        try:
            return nan if self.is_open(number) else float(number)
        except OverflowError:
            return inf if number > 0 else -inf

    def term(self, number: Any) -> Term:
        return exact_term(number)

    def pieces(self, number: Any) -> int:
        return pieces(number)

    def decimal(self, number: Any, digits: int) -> Decimal:
        if isinstance(number, float):
            return Decimal(number)
        if isinstance(number, Own):
            return approximate(number, digits)
        from attncalc.fields import algebra

        return algebra.decimal(number, digits)
