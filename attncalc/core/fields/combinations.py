"""Exact numbers of one attention layer, without computer algebra.

Over rational inputs, scores lie in the rationals with square roots adjoined, and everything after
the softmax is a quotient of sums c·e^a with c and a of that kind.  Kept as dictionaries
    Surd     {n: c}   for  Σ c·√n     n a squarefree integer, c rational
    Powers   {a: c}   for  Σ c·e^a    a and c rational or Surd
they are added and multiplied like polynomials.  A sum with distinct exponents is 0 only if all its
coefficients are (Lindemann–Weierstrass), so equality is equality of dictionaries: nothing is ever
simplified.  Every result falls back to the simplest type that holds it: int, Fraction, Surd, Powers,
Ratio.  Terms keep the order in which they came up, which is the order a teacher writes.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from math import gcd
from operator import ge, gt, le, lt
from typing import Any, ClassVar

from attncalc.core.fields.approximation import (
    Found,
    Known,
    approximate,
    evaluate_at,
    evaluate_power,
    evaluate_sum,
    sign,
)
from attncalc.core.fields.base import Real
from attncalc.core.fields.lazy_sympy import algebra
from attncalc.core.fields.rationals import Rational, prime_factors, rational
from attncalc.core.fields.work_counter import BUDGET, EVALUATION, ROOTS


class OwnNumber:
    """Base of sums and quotients: the operations that follow from adding, multiplying and evaluating."""

    __slots__ = ()
    evaluate_at: Callable[[Known], Found]
    """Its value at the current precision."""
    pieces: Callable[[], int]
    """The number of terms it is written with."""

    def __sub__(self: Real, other: Real) -> Real:
        return self + (-other)

    def __rsub__(self: Real, other: Real) -> Real:
        return (-self) + other

    def __truediv__(self, other: Real) -> Real:
        return divide(self, other)

    def __rtruediv__(self, other: Real) -> Real:
        return divide(other, self)

    def __lt__(self, other: Real) -> bool:
        return compare(self, other, lt)

    def __gt__(self, other: Real) -> bool:
        return compare(self, other, gt)

    def __le__(self, other: Real) -> bool:
        return compare(self, other, le)

    def __ge__(self, other: Real) -> bool:
        return compare(self, other, ge)

    def _sympy_(self) -> Any:
        """Convert to SymPy, which calls this in mixed arithmetic."""
        return algebra.to_sympy(self)


class Combination(OwnNumber):
    """A sum of coefficients times basis elements.

    The subclasses say which basis element is 1, what may be a coefficient, and what the product of two basis
    elements is: a coefficient and a basis element.  These are attributes, because a call of an abstract
    method costs as much as a sum.
    """

    __slots__ = ("hashed", "terms")
    unit: ClassVar[Any]
    coefficients: ClassVar[tuple[type, ...]]
    times: ClassVar[staticmethod[[Any, Any], tuple[Any, Any]]]

    def __init__(self, terms: dict[Any, Any]) -> None:
        self.terms = terms
        self.hashed: int | None = None

    @classmethod
    def simplest(cls, terms: dict[Any, Any]) -> Real:
        """The sum of these terms, or a plain coefficient if no other term is left."""
        terms = {basis: c for basis, c in terms.items() if c != 0}
        if not terms:
            return 0
        return terms[cls.unit] if len(terms) == 1 and cls.unit in terms else cls(terms)

    @classmethod
    def of(cls, x: Real) -> dict[Any, Any] | None:
        """The terms of a number; None if a sum of this kind cannot hold it."""
        if isinstance(x, cls):
            return x.terms
        return {cls.unit: x} if isinstance(x, cls.coefficients) else None

    def __add__(self, other: Real) -> Real:
        terms = self.of(other)
        if terms is None:
            return other if isinstance(other, float) else NotImplemented
        summed = dict(self.terms)
        for basis, c in terms.items():
            summed[basis] = summed[basis] + c if basis in summed else c
        return self.simplest(summed)

    def __radd__(self, other: Real) -> Real:
        terms = self.of(other)
        if terms is None:
            return other if isinstance(other, float) else NotImplemented
        return type(self)(terms) + self

    def __mul__(self, other: Real) -> Real:
        if isinstance(other, int | Fraction):
            return self if other == 1 else self.scale_by(other)
        terms = self.of(other)
        if terms is None:
            return other if isinstance(other, float) else NotImplemented
        BUDGET.spend(len(self.terms) * len(terms) * (ROOTS if isinstance(next(iter(terms)), Surd) else 1))
        product: dict[Any, Any] = {}
        for a, c in self.terms.items():
            for b, d in terms.items():
                factor, basis = self.times(a, b)
                value = c * d if factor == 1 else c * d * factor
                product[basis] = product[basis] + value if basis in product else value
        return self.simplest(product)

    __rmul__ = __mul__

    def scale_by(self, factor: Rational) -> Real:
        """Every coefficient times a rational."""
        return type(self)({basis: c * factor for basis, c in self.terms.items()}) if factor else 0

    def __neg__(self) -> Real:
        return self.scale_by(-1)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.terms == other.terms

    def __hash__(self) -> int:
        if self.hashed is None:
            self.hashed = hash((type(self), frozenset(self.terms.items())))
        return self.hashed

    def pieces(self) -> int:
        return len(self.terms)


def compare(x: OwnNumber, y: Real, holds: Callable[[int, int], bool]) -> bool:
    """Whether a relation holds, found by evaluating to some digits; SymPy compares its own numbers."""
    difference: Real = x - y
    if not isinstance(difference, int | Fraction | float | OwnNumber):
        return NotImplemented  # type: ignore[no-any-return]
    BUDGET.spend(EVALUATION * (difference.pieces() if isinstance(difference, OwnNumber) else 1))
    return holds(sign(difference), 0)


def times_root(a: int, b: int) -> tuple[int, int]:
    """√a·√b"""
    shared = gcd(a, b)
    return shared, (a // shared) * (b // shared)


def times_power(a: Real, b: Real) -> tuple[int, Real]:
    """e^a·e^b"""
    return 1, a + b


class Surd(Combination):
    """Σ c·√n"""

    __slots__ = ()
    unit = 1
    coefficients = (int, Fraction)
    times = staticmethod(times_root)

    def evaluate_at(self, known: Known) -> Found:
        return evaluate_sum(((Decimal(n).sqrt(), 1), evaluate_at(c, known)) for n, c in self.terms.items())


class Powers(Combination):
    """Σ c·e^a"""

    __slots__ = ()
    unit = 0
    coefficients = (int, Fraction, Surd)
    times = staticmethod(times_power)

    def evaluate_at(self, known: Known) -> Found:
        return evaluate_sum((evaluate_power(a, known), evaluate_at(c, known)) for a, c in self.terms.items())


class Ratio(OwnNumber):
    """A quotient of two sums of powers of e, not both of one term."""

    __slots__ = ("over", "under")

    def __init__(self, over: Real, under: Powers) -> None:
        self.over, self.under = over, under

    @staticmethod
    def split(x: Real) -> tuple[Real, Real] | None:
        """Numerator and denominator of any exact number."""
        if isinstance(x, Ratio):
            return x.over, x.under
        return (x, 1) if isinstance(x, int | Fraction | Combination) else None

    def __add__(self, other: Real) -> Real:
        pair = self.split(other)
        if pair is None:
            return other if isinstance(other, float) else NotImplemented
        over, under = pair
        if self.under is under or self.under == under:
            return ratio(self.over + over, self.under)
        return ratio(self.over * under + over * self.under, self.under * under)

    def __radd__(self, other: Real) -> Real:
        pair = self.split(other)
        if pair is None:
            return other if isinstance(other, float) else NotImplemented
        return ratio(pair[0] * self.under + self.over, self.under)

    def __mul__(self, other: Real) -> Real:
        pair = self.split(other)
        if pair is None:
            return other if isinstance(other, float) else NotImplemented
        over, under = pair
        return ratio(self.over * over, self.under if under == 1 else self.under * under)

    __rmul__ = __mul__

    def __neg__(self) -> Real:
        return Ratio(-self.over, self.under)

    def __eq__(self, other: object) -> bool:
        pair = self.split(other)
        return pair is not None and bool(self.over * pair[1] == pair[0] * self.under)

    def __hash__(self) -> int:
        return hash(float(approximate(self, 15)))

    def pieces(self) -> int:
        return sum(part.pieces() if isinstance(part, OwnNumber) else 1 for part in (self.over, self.under))

    def evaluate_at(self, known: Known) -> Found:
        over, lost_over = evaluate_at(self.over, known)
        under, lost_under = evaluate_at(self.under, known)
        return over / under, max(lost_over, lost_under) + 1


def ratio(over: Real, under: Real) -> Real:
    """over / under in its simplest type: one term below is divided out, equal multiples cancel."""
    if under == 0:
        raise ZeroDivisionError
    if not isinstance(under, Powers):
        return over * inverse(under)
    if len(under.terms) == 1:
        ((exponent, c),) = under.terms.items()
        return over * Powers.simplest({-exponent: inverse(c)})
    top = Powers.of(over)
    if not top or over == 0:
        return 0
    BUDGET.spend(len(top) + len(under.terms))
    if top.keys() == under.terms.keys():
        first, *rest = (c * inverse(under.terms[exponent]) for exponent, c in top.items())
        if all(quotient == first for quotient in rest):
            return first
    return Ratio(over, under)


def divide(x: Real, y: Real) -> Real:
    """x / y for any two exact numbers."""
    if isinstance(x, float):
        return x
    if isinstance(x, int | Fraction) and isinstance(y, int | Fraction):
        return rational(Fraction(x) / y)
    a, b = Ratio.split(x), Ratio.split(y)
    if a is None or b is None:
        return NotImplemented
    return ratio(a[0] * b[1], a[1] * b[0])


def inverse(x: Real) -> Real:
    """1 / x for a rational, or for a sum of roots by rationalising the denominator root by root."""
    if not isinstance(x, Surd):
        return rational(1 / Fraction(x))
    prime = next(factor for n in x.terms if n > 1 for factor in prime_factors(n))
    conjugate = Surd.simplest({n: -c if n % prime == 0 else c for n, c in x.terms.items()})
    return conjugate * inverse(x * conjugate)
