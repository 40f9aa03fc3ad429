"""Exact numbers as expressions of SymPy, and back; expressions written as hand arithmetic."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cmp_to_key
from operator import itemgetter
from typing import TypeAlias

import numpy as np
import sympy

from attncalc.core.fields.algebra.evaluation import Known, value_of
from attncalc.core.fields.base import Array, Real
from attncalc.core.fields.combinations import Powers, Ratio, Surd
from attncalc.core.fields.rationals import rational
from attncalc.core.fields.writing import exact_term
from attncalc.core.terms import Apply, Constant, Entry, Negative, Power, Product, Quotient, Sum, Term
from attncalc.core.terms.functions import FUNCTIONS


def to_sympy(x: Real) -> sympy.Expr:
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
    """Exact numbers as SymPy expressions; shared powers, terms and denominators are built once."""
    return np.asarray(np.frompyfunc(Sharing(numbers.ravel()).expression, 1, 1)(numbers), dtype=object)


class Sharing:
    """Builds the expressions of some numbers.

    SymPy finds the order of a sum by comparing its terms: by their kind, then by their factors one after the
    other.  To rank the few factors once gives the same order in a tenth of the time.
    """

    def __init__(self, numbers: Iterable[Real]) -> None:
        parts = (part for x in numbers for part in ((x.over, x.under) if isinstance(x, Ratio) else (x,)))
        sums = [part.terms for part in parts if isinstance(part, Powers)]
        coefficients = {c for terms in sums for c in terms.values()}
        self.powers = rank({a: sympy.exp(to_sympy(a)) for a in {a for terms in sums for a in terms}})
        self.factors = rank({c: to_sympy(c) for c in coefficients if isinstance(c, int | Fraction)})
        self.terms: dict[tuple[Real, Real], Placed] = {}
        self.inverses: dict[int, sympy.Expr] = {}

    def expression(self, x: Real) -> sympy.Expr:
        """The expression of one of the numbers."""
        match x:
            case Powers():
                return self.sum(x)
            case Ratio():
                if id(x.under) not in self.inverses:
                    self.inverses[id(x.under)] = 1 / self.sum(x.under)
                return multiply_apart(self.expression(x.over), self.inverses[id(x.under)])
        return to_sympy(x)

    def sum(self, x: Powers) -> sympy.Expr:
        """A sum of powers of e."""
        if not self.factors.keys() >= set(x.terms.values()):
            return sympy.Add(*(to_sympy(c) * self.powers[a][1] for a, c in x.terms.items()))
        terms = tuple(term for _, term in sorted(map(self.term, x.terms.items()), key=itemgetter(0)))
        return sympy.Add._from_args(terms, is_commutative=True) if len(terms) > 1 else terms[0]

    def term(self, item: tuple[Real, Real]) -> Placed:
        """c·e^a, and its place in SymPy's order of a sum."""
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
"""A stand-in for any product in comparisons with terms of other kinds."""
ORDER = cmp_to_key(sympy.Basic.compare)
"""SymPy's order, as a sort key."""


def rank(expressions: dict[Real, sympy.Expr]) -> dict[Real, tuple[int, sympy.Expr]]:
    """Expressions with their places in SymPy's order."""
    in_order = sorted(expressions.items(), key=lambda item: ORDER(item[1]))
    return {key: (place, expression) for place, (key, expression) in enumerate(in_order)}


def multiply_apart(over: sympy.Expr, inverse: sympy.Expr) -> sympy.Expr:
    """A numerator times the inverse of a denominator with no common factor, built without evaluation."""
    if not over.is_Add:
        return over * inverse
    return sympy.Mul._from_args(tuple(sorted((over, inverse), key=ORDER)), is_commutative=True)


def from_sympy(x: sympy.Expr) -> Real:
    """An expression as an exact number: a plain rational or a float ±∞ if it is one."""
    if x.is_Rational:
        return rational(Fraction(int(x.p), int(x.q)))
    # Only a number is asked whether it is infinite: SymPy would evaluate anything else to find out.
    return float(x) if x.is_Number and x.is_infinite else x


def name_of(x: sympy.Expr) -> str | None:
    """Our name of the function that a SymPy expression applies."""
    return next((name for name, row in FUNCTIONS.items() if row.sympy == x.func.__name__), None)


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
        return Sum(tuple(term(argument) for argument in order_terms(x)))
    if x.is_Mul:
        return product_term(x)
    if x.is_Pow:
        return power_term(x)
    if isinstance(x, sympy.Abs):
        return Apply("sqrt", Power(term(x.args[0]), Constant(2)))
    name = name_of(x)
    assert name is not None, f"{x} cannot be written"
    return Apply(name, term(x.args[0]))


def order_terms(x: sympy.Expr) -> list[sympy.Expr]:
    """The terms of a sum in SymPy's order; without letters the smallest first, subtracted terms last."""
    if x.free_symbols:
        return list(x.as_ordered_terms())
    first, *others = sorted(x.args, key=lambda term: not (term.is_Number or term.is_NumberSymbol))
    if (
        len(others) == 1
        and (first.is_Number or first.is_NumberSymbol)
        and first.is_positive
        and is_taken_off(others[0])
    ):
        return [first, *others]
    known: Known = {}
    return sorted(x.args, key=lambda term: value_of(term, known))


def is_taken_off(x: sympy.Expr) -> bool:
    """Whether a term is a negative number times one factor."""
    return bool(x.is_Mul and len(x.args) == 2 and x.args[0].is_Number and x.args[0].is_negative)


def product_term(x: sympy.Expr) -> Term:
    """A product, with its sign in front and negative powers in the denominator."""
    if x.could_extract_minus_sign():
        return Negative(term(-x))
    over, under = x.as_numer_denom()
    if under != 1:
        return Quotient(term(over), term(under))
    return Product(tuple(term(factor) for factor in x.as_ordered_factors()))


def power_term(x: sympy.Expr) -> Term:
    """A power, as a root or a quotient if it is one."""
    base, exponent = x.as_base_exp()
    if base is sympy.E:
        return Apply("exp", term(exponent))
    if exponent == sympy.Rational(1, 2):
        return Apply("sqrt", term(base))
    if exponent.could_extract_minus_sign():
        return Quotient(Constant(1), term(base ** (-exponent)))
    return Power(term(base), term(exponent))
