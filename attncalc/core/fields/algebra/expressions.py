"""Exact numbers as expressions of SymPy, and back."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cmp_to_key
from operator import itemgetter
from typing import TypeAlias

import numpy as np
import sympy

from attncalc.core.fields.base import Array, Real
from attncalc.core.fields.combinations import Powers, Ratio, Surd
from attncalc.core.fields.rationals import rational


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
