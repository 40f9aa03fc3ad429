"""Where SymPy takes over: numbers beyond roots and powers of e.  The only module that imports it.

Only numbers are handed to SymPy, never text, which it would run as code.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from functools import cmp_to_key
from math import inf, isinf, prod
from operator import itemgetter
from typing import Any, TypeAlias

import numpy as np
import sympy

from attncalc.fields.base import Array, Undecided
from attncalc.fields.combinations import Powers, Ratio, Surd
from attncalc.fields.rationals import rational
from attncalc.fields.writing import exact_term
from attncalc.terms import (
    Apply,
    Constant,
    Entry,
    Negative,
    Power,
    Product,
    Quotient,
    Sum,
    Term,
)
from attncalc.terms.functions import FUNCTIONS


def to_sympy(x: Any) -> sympy.Expr:
    """Any exact number as a SymPy expression."""
    match x:
        case int() | Fraction():
            return sympy.Rational(x.numerator, x.denominator)
        case float():
            return sympy.oo if x > 0 else -sympy.oo
        case Surd():
            return sympy.Add(*(to_sympy(c) * sympy.sqrt(n) for n, c in x.terms.items()))
        case Powers():
            return sympy.Add(*(to_sympy(c) * sympy.exp(to_sympy(a)) for a, c in x.terms.items()))
        case Ratio():
            return to_sympy(x.over) / to_sympy(x.under)
    return x


def to_expressions(numbers: Array) -> Array:
    """Exact numbers as SymPy expressions; powers, terms and denominators that they share are made once."""
    return np.asarray(np.frompyfunc(Sharing(numbers.ravel()).expression, 1, 1)(numbers), dtype=object)


class Sharing:
    """Makes expressions of some numbers.

    SymPy finds the order of a sum by comparing its terms: by their kind, then by their factors one after the
    other.  To rank the few factors once comes to the same, and takes a tenth of the time.
    """

    def __init__(self, numbers: Iterable[Any]) -> None:
        parts = (part for x in numbers for part in ((x.over, x.under) if isinstance(x, Ratio) else (x,)))
        sums = [part.terms for part in parts if isinstance(part, Powers)]
        coefficients = {c for terms in sums for c in terms.values()}
        self.powers = ranked({a: sympy.exp(to_sympy(a)) for a in {a for terms in sums for a in terms}})
        self.factors = ranked({c: to_sympy(c) for c in coefficients if isinstance(c, int | Fraction)})
        self.terms: dict[tuple[Any, Any], Placed] = {}
        self.inverses: dict[int, sympy.Expr] = {}

    def expression(self, x: Any) -> sympy.Expr:
        """The expression of one of the numbers."""
        match x:
            case Powers():
                return self.sum(x)
            case Ratio():
                if id(x.under) not in self.inverses:
                    self.inverses[id(x.under)] = 1 / self.sum(x.under)
                return product(self.expression(x.over), self.inverses[id(x.under)])
        return to_sympy(x)

    def sum(self, x: Powers) -> sympy.Expr:
        """A sum of powers of e."""
        if not self.factors.keys() >= set(x.terms.values()):
            return sympy.Add(*(to_sympy(c) * self.powers[a][1] for a, c in x.terms.items()))
        terms = tuple(term for _, term in sorted(map(self.term, x.terms.items()), key=itemgetter(0)))
        return sympy.Add._from_args(terms, is_commutative=True) if len(terms) > 1 else terms[0]

    def term(self, item: tuple[Any, Any]) -> Placed:
        """c·e^a, and where SymPy puts it in a sum."""
        if item not in self.terms:
            (place, power), (before, factor) = self.powers[item[0]], self.factors[item[1]]
            alone = factor is sympy.S.One or power is sympy.S.One
            term = factor * power if alone else sympy.Mul._from_args((factor, power), is_commutative=True)
            kind = -2 if term.is_Rational else sympy.Basic.compare(term, PRODUCT) if alone else 0
            self.terms[item] = (kind, before, place), term
        return self.terms[item]


Placed: TypeAlias = tuple[tuple[int, int, int], sympy.Expr]
"""A term and its place: by its kind (numbers first), its factor and its power."""
PRODUCT = 2 * sympy.exp(2)
"""What every product is compared like with terms of other kinds."""
ORDER = cmp_to_key(sympy.Basic.compare)
"""How SymPy sorts."""


def ranked(expressions: dict[Any, sympy.Expr]) -> dict[Any, tuple[int, sympy.Expr]]:
    """Expressions with their places in SymPy's order."""
    in_order = sorted(expressions.items(), key=lambda item: ORDER(item[1]))
    return {key: (place, expression) for place, (key, expression) in enumerate(in_order)}


def product(over: sympy.Expr, inverse: sympy.Expr) -> sympy.Expr:
    """A numerator times the inverse of a denominator that it has nothing in common with."""
    if not over.is_Add:
        return over * inverse
    return sympy.Mul._from_args(tuple(sorted((over, inverse), key=ORDER)), is_commutative=True)


def from_sympy(x: Any) -> Any:
    """The expression, as a plain rational or a float ±∞ where it is one."""
    if x.is_Rational:
        return rational(Fraction(int(x.p), int(x.q)))
    return float(x) if x.is_infinite and x.is_Number else x


def apply(function: str, x: Any) -> Any:
    """A function of one exact number."""
    return from_sympy(getattr(sympy, FUNCTIONS[function].sympy)(to_sympy(x)))


def name_of(x: Any) -> str | None:
    """The function of our own that SymPy's expression is a value of."""
    return next((name for name, row in FUNCTIONS.items() if row.sympy == x.func.__name__), None)


def power(base: Any, exponent: Any) -> Any:
    """A power of exact numbers."""
    return from_sympy(to_sympy(base) ** to_sympy(exponent))


def divide(over: Any, under: Any) -> Any:
    """A quotient of exact numbers."""
    bottom = to_sympy(under)
    if bottom.is_zero:
        raise ZeroDivisionError
    quotient = to_sympy(over) / bottom
    if quotient.free_symbols:
        return tidied(quotient)
    return from_sympy(sympy.powsimp(quotient, combine="exp"))


def pi() -> Any:
    """The circle's number."""
    return sympy.pi


def letter(name: str, kind: str = "positive") -> Any:
    """A free letter that stands for a positive or a real number."""
    return sympy.Symbol(name, **{kind: True})


MOST_TERMS, MOST_LETTERS = 60, 12


def tidied(x: Any) -> Any:
    """One quotient without common factors; a long one is left alone, for that can take for ever."""
    kinds = len(x.free_symbols) + len(x.atoms(sympy.exp))
    return from_sympy(sympy.cancel(x) if terms(x) <= MOST_TERMS and kinds <= MOST_LETTERS else x)


def terms(x: Any) -> int:
    """At most how many terms a product of sums has, multiplied out."""
    if x.is_Add:
        return sum(map(terms, x.args))
    if x.is_Mul:
        return prod(map(terms, x.args))
    if x.is_Pow and x.exp.is_Integer:
        return int(terms(x.base) ** abs(int(x.exp)))
    return max(map(terms, x.args), default=1)


def limit(x: Any, unknown: Any, target: float) -> Any:
    """What an expression tends to: its value at a point, or what the leading terms of polynomials decide."""
    if terms(x) > MOST_TERMS:
        raise Undecided("the exponents are too long")
    if isinf(target):
        if not is_polynomial(x, unknown):
            raise Undecided(f"the exponents are not polynomials in {unknown}")
        return at_infinity(x, unknown, target)
    x, point = to_sympy(tidied(x)), sympy.Rational(str(target))
    if is_continuous(x, unknown, point):
        return from_sympy(x.subs(unknown, point))
    if point == 0 and unknown.is_positive:
        return at_infinity(x.subs(unknown, 1 / unknown), unknown, inf)
    raise Undecided(f"an entry is not defined at {unknown} = {point}")


def is_continuous(x: Any, unknown: Any, point: Any) -> bool:
    """Whether every part of an expression has a value at a point; 0 to a changing power counts as none."""
    parts = list(sympy.preorder_traversal(x))
    bases = [part.base for part in parts if part.is_Pow and part.exp.has(unknown)]
    return all(is_known(part.subs(unknown, point)) for part in parts) and all(
        base.subs(unknown, point) != 0 for base in bases
    )


def is_polynomial(x: Any, unknown: Any) -> bool:
    """Whether powers of e outgrow a number as a letter grows."""
    return bool(sympy.sympify(to_sympy(x)).is_polynomial(unknown))


def at_infinity(x: Any, unknown: Any, target: float) -> Any:
    """What a quotient of polynomials tends to as a letter grows."""
    try:
        over, under = (sympy.Poly(part, unknown) for part in sympy.fraction(sympy.together(x)))
    except sympy.PolynomialError:
        raise Undecided(f"an entry is not a quotient of polynomials in {unknown}") from None
    degree = over.degree() - under.degree()
    leading = sympy.factor(over.LC() / under.LC()) * (-1 if target < 0 and degree % 2 else 1)
    if over.is_zero or degree < 0:
        return 0
    if degree == 0:
        return from_sympy(leading)
    if leading.is_positive is None:
        raise Undecided(f"the sign of {leading} is not known")
    return inf if leading.is_positive else -inf


def number(value: int) -> Any:
    """A whole number that letters can be computed with."""
    return sympy.Integer(value)


def expanded(x: Any) -> Any:
    """A polynomial multiplied out."""
    return sympy.expand(x)


def factored(x: Any) -> Any:
    """A polynomial as a product."""
    return sympy.factor(x)


def derivative(x: Any, unknown: Any) -> Any:
    """The derivative by a letter."""
    return sympy.diff(x, unknown)


def positive_root(x: Any, unknown: Any) -> Any:
    """The positive value of a letter for which an expression is 0."""
    return next(root for root in sympy.solve(x, unknown) if root.is_positive)


def combination(row: Any, vectors: list[Any]) -> list[Any] | None:
    """The factors with which some vectors add up to a row, the first vectors that can first; else None."""
    columns = sympy.Matrix([[to_sympy(x) for x in vector] for vector in vectors]).T
    if any(x.free_symbols and not x.is_Atom for x in columns):
        return None  # sums of letters take long to eliminate
    target = sympy.Matrix([to_sympy(x) for x in row])
    for n in range(len(vectors)):
        if columns[:, n] == target:
            return [int(k == n) for k in range(len(vectors))]
    _, pivots = columns.rref()
    try:
        factors, _ = columns[:, list(pivots)].gauss_jordan_solve(target)
    except ValueError:
        return None
    found = dict(zip(pivots, factors, strict=True))
    return [from_sympy(sympy.cancel(found.get(n, sympy.S.Zero))) for n in range(len(vectors))]


def decimal(x: sympy.Expr, digits: int) -> Decimal:
    """The expression to so many digits."""
    return Decimal(str(sympy.N(x, digits)))


MOST_LEAVES = 500


def leaves(x: sympy.Expr) -> int:
    """How many numbers and letters an expression takes, as far as one cares to count."""
    waiting, found = [x], 0
    while waiting and found < MOST_LEAVES:
        inside = waiting.pop().args
        waiting.extend(inside)
        found += not inside
    return found


def is_known(x: sympy.Expr) -> bool:
    """Whether an expression holds nothing but real numbers, letters and functions that can be written."""
    functions = x.atoms(sympy.Function)
    return not x.has(sympy.I, sympy.zoo, sympy.nan) and all(
        isinstance(f, sympy.Abs) or name_of(f) for f in functions
    )


def term(x: sympy.Expr) -> Term:
    """The expression written as hand arithmetic."""
    if x.is_Rational:
        return exact_term(from_sympy(x))
    if x is sympy.E:
        return Apply("exp", Constant(1))
    if x is sympy.pi:
        return Entry("pi")
    if x.is_Symbol:
        return Entry(x.name)
    if x.is_Add:
        return Sum(tuple(term(argument) for argument in x.as_ordered_terms()))
    if x.is_Mul:
        return product_term(x)
    if x.is_Pow:
        return power_term(x)
    if isinstance(x, sympy.Abs):
        return Apply("sqrt", Power(term(x.args[0]), Constant(2)))
    name = name_of(x)
    assert name is not None, f"{x} cannot be written"
    return Apply(name, term(x.args[0]))


def product_term(x: sympy.Expr) -> Term:
    """A product, with its sign in front and what has a negative exponent below a line."""
    if x.could_extract_minus_sign():
        return Negative(term(-x))
    over, under = x.as_numer_denom()
    if under != 1:
        return Quotient(term(over), term(under))
    return Product(tuple(term(factor) for factor in x.as_ordered_factors()))


def power_term(x: sympy.Expr) -> Term:
    """A power, as a root or a quotient where it is one."""
    base, exponent = x.as_base_exp()
    if base is sympy.E:
        return Apply("exp", term(exponent))
    if exponent == sympy.Rational(1, 2):
        return Apply("sqrt", term(base))
    if exponent.could_extract_minus_sign():
        return Quotient(Constant(1), term(base ** (-exponent)))
    return Power(term(base), term(exponent))
