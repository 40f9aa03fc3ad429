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

from collections.abc import Iterable, Iterator
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, getcontext, localcontext
from fractions import Fraction
from math import gcd, isqrt
from typing import Any, ClassVar, TypeAlias

from attncalc.fields.budget import BUDGET

Rational: TypeAlias = int | Fraction
Real: TypeAlias = Any
"""int, Fraction, Surd, Powers or Ratio; the float −∞ passes through as the score of a hidden key."""


def rational(value: Fraction) -> Rational:
    """An integer where it is one: far faster to compute with."""
    return value.numerator if value.denominator == 1 else value


class Combination:
    """A sum of coefficients times basis elements.

    The subclasses say which basis element is 1, what may be a coefficient, and what the product of two basis
    elements is: a coefficient and a basis element.  They say it as attributes, for every look at an abstract
    class costs as much as a sum.
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
        """The sum of these terms, as a plain coefficient where nothing else is left."""
        terms = {basis: c for basis, c in terms.items() if c != 0}
        if not terms:
            return 0
        return terms[cls.unit] if len(terms) == 1 and cls.unit in terms else cls(terms)

    @classmethod
    def of(cls, x: Real) -> dict[Any, Any] | None:
        """The terms of a number that such a sum can hold."""
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
            return self if other == 1 else self.scaled(other)
        terms = self.of(other)
        if terms is None:
            return other if isinstance(other, float) else NotImplemented
        BUDGET.spend(len(self.terms) * len(terms))
        product: dict[Any, Any] = {}
        for a, c in self.terms.items():
            for b, d in terms.items():
                factor, basis = self.times(a, b)
                value = c * d if factor == 1 else c * d * factor
                product[basis] = product[basis] + value if basis in product else value
        return self.simplest(product)

    __rmul__ = __mul__

    def scaled(self, factor: Rational) -> Real:
        """Every coefficient times a rational."""
        return type(self)({basis: c * factor for basis, c in self.terms.items()}) if factor else 0

    def __neg__(self) -> Real:
        return self.scaled(-1)

    def __sub__(self, other: Real) -> Real:
        return self + (-other)

    def __rsub__(self, other: Real) -> Real:
        return (-self) + other

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.terms == other.terms

    def __hash__(self) -> int:
        if self.hashed is None:
            self.hashed = hash((type(self), frozenset(self.terms.items())))
        return self.hashed

    def __truediv__(self, other: Real) -> Real:
        return divide(self, other)

    def __rtruediv__(self, other: Real) -> Real:
        return divide(other, self)

    def __lt__(self, other: Real) -> bool:
        return sign(self - other) < 0

    def __gt__(self, other: Real) -> bool:
        return sign(self - other) > 0

    def __le__(self, other: Real) -> bool:
        return sign(self - other) <= 0

    def __ge__(self, other: Real) -> bool:
        return sign(self - other) >= 0

    def _sympy_(self) -> Any:
        """How SymPy takes such a number into its own arithmetic."""
        from attncalc.fields.algebra import to_sympy

        return to_sympy(self)


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


class Exponent(Fraction):
    """A rational exponent that remembers its hash, which Fraction works out anew each time."""

    __slots__ = ("hashed",)
    hashed: int

    def __hash__(self) -> int:  # type: ignore[override]
        try:
            return self.hashed
        except AttributeError:
            self.hashed = super().__hash__()
            return self.hashed


class Powers(Combination):
    """Σ c·e^a"""

    __slots__ = ()
    unit = 0
    coefficients = (int, Fraction, Surd)
    times = staticmethod(times_power)


class Ratio:
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

    __sub__ = Combination.__sub__
    __rsub__ = Combination.__rsub__
    __truediv__ = Combination.__truediv__
    __rtruediv__ = Combination.__rtruediv__
    __lt__ = Combination.__lt__
    __gt__ = Combination.__gt__
    __le__ = Combination.__le__
    __ge__ = Combination.__ge__
    _sympy_ = Combination._sympy_

    def __eq__(self, other: object) -> bool:
        pair = self.split(other)
        return pair is not None and bool(self.over * pair[1] == pair[0] * self.under)

    def __hash__(self) -> int:
        return hash(float(approximate(self, 15)))


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
    """1 / x for a rational or a sum of roots, whose denominator is made rational root by root."""
    if not isinstance(x, Surd):
        return rational(1 / Fraction(x))
    prime = next(factor for n in x.terms if n > 1 for factor in prime_factors(n))
    conjugate = Surd.simplest({n: -c if n % prime == 0 else c for n, c in x.terms.items()})
    return conjugate * inverse(x * conjugate)


def prime_factors(n: int) -> Iterator[int]:
    """The primes of n, smallest first."""
    factor = 2
    while factor * factor <= n:
        while n % factor == 0:
            yield factor
            n //= factor
        factor += 1
    if n > 1:
        yield n


LARGEST_ROOT = 10**12
"""Roots of larger integers are not split into squarefree parts here: factoring would take long."""


def square_root(x: Rational) -> Real | None:
    """√x as a multiple of a squarefree root, if x is small enough to be factored."""
    x = Fraction(x)
    n = x.numerator * x.denominator
    if isqrt(n) ** 2 == n:
        return rational(Fraction(isqrt(n), x.denominator))
    if n > LARGEST_ROOT:
        return None
    outside, inside = 1, 1
    for prime in prime_factors(n):
        inside *= prime
        if inside % (prime * prime) == 0:
            inside //= prime * prime
            outside *= prime
    return Surd.simplest({inside: rational(Fraction(outside, x.denominator))})


def exponential(x: Real) -> Real:
    """e^x for a rational or a sum of roots."""
    return Powers.simplest({Exponent(x) if isinstance(x, Fraction) else x: 1})


def sign(x: Real) -> int:
    """−1, 0 or 1."""
    if isinstance(x, Combination | Ratio):
        x = approximate(x, 3)
    return int(x > 0) - int(x < 0)


FINEST = 20_000
"""Digits beyond which no finer look is taken; reached only where a value underflows every range."""


Known: TypeAlias = dict[tuple[int, Real], tuple[Decimal, int]]
"""Powers of e found so far, by precision and exponent: a row of weights shares its denominator."""


def approximate(x: Real, digits: int, known: Known | None = None) -> Decimal:
    """x to so many right significant digits: repeated more finely until no cancellation is left."""
    precision = digits + 10
    known = {} if known is None else known
    while True:
        with localcontext(Context(prec=precision, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])):
            value, lost = evaluated(x, known)
        if precision - lost >= digits + 5 or precision > FINEST:
            return value
        precision = max(2 * precision, digits + lost + 10)


def evaluated(x: Real, known: Known) -> tuple[Decimal, int]:
    """x at the current precision, and a bound of the digits lost."""
    match x:
        case int():
            return +Decimal(x), 1
        case Ratio():
            over, lost_over = evaluated(x.over, known)
            under, lost_under = evaluated(x.under, known)
            return over / under, max(lost_over, lost_under) + 1
        case Surd():
            roots = (((Decimal(n).sqrt(), 1), c) for n, c in x.terms.items())
            return summed([(root, evaluated(c, known)) for root, c in roots])
        case Powers():
            return summed([(power(a, known), evaluated(c, known)) for a, c in x.terms.items()])
    return Decimal(x.numerator) / Decimal(x.denominator), 1


def power(exponent: Real, known: Known) -> tuple[Decimal, int]:
    """e^exponent, and a bound of the digits lost: those before the exponent's point."""
    key = getcontext().prec, exponent
    if key not in known:
        value, lost = evaluated(exponent, known)
        known[key] = value.exp(), lost + max(0, value.adjusted() + 1)
    return known[key]


def summed(products: list[tuple[tuple[Decimal, int], tuple[Decimal, int]]]) -> tuple[Decimal, int]:
    """A sum of products, and a bound of the digits lost, mostly to cancellation."""
    terms = [a * b for (a, _), (b, _) in products]
    total = sum(terms, Decimal(0))
    worst = max(term.adjusted() for term in terms)
    lost = max(max(a, b) for (_, a), (_, b) in products) + 2 + len(str(len(terms)))
    return total, lost + (worst - total.adjusted() if total else getcontext().prec)


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
            result = result + x * y
    for under, gathered in rows.values():
        result = result + ratio(Powers.simplest(gathered), under)
    return result
