"""Exact numbers written as hand arithmetic."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from attncalc.core.fields.base import Real
from attncalc.core.fields.combinations import Powers, Ratio, Surd
from attncalc.core.fields.lazy_sympy import algebra
from attncalc.core.terms import Apply, Constant, Negative, Product, Quotient, Sum, Term


def exact_term(number: Real) -> Term:
    """An exact number written as hand arithmetic, its terms in the order they came up."""
    match number:
        case float():
            return Constant(number)
        case int():
            return Constant(number) if number >= 0 else Negative(Constant(-number))
        case Fraction():
            return fraction_term(Constant(1), number)
        case Surd():
            return sum_term((c, Apply("sqrt", Constant(n)), n == 1) for n, c in number.terms.items())
        case Powers():
            return sum_term((c, Apply("exp", exact_term(a)), a == 0) for a, c in number.terms.items())
        case Ratio():
            return Quotient(exact_term(number.over), exact_term(number.under))
    return algebra.term(number)


def sum_term(terms: Iterable[tuple[Real, Term, bool]]) -> Term:
    """Σ coefficient · basis, a unit basis left out."""
    written = tuple(exact_term(c) if unit else coefficient_term(c, basis) for c, basis, unit in terms)
    return written[0] if len(written) == 1 else Sum(written)


def coefficient_term(coefficient: Real, basis: Term) -> Term:
    """coefficient · basis as it is written: 2√3, −√3, 2√3/3."""
    if isinstance(coefficient, int | Fraction):
        return fraction_term(basis, Fraction(coefficient))
    return Product((exact_term(coefficient), basis))


def fraction_term(basis: Term, factor: Fraction) -> Term:
    """basis · factor, with the sign in front and the denominator below."""
    if factor < 0:
        return Negative(fraction_term(basis, -factor))
    if basis == Constant(1):
        over: Term = Constant(factor.numerator)
    else:
        over = basis if factor.numerator == 1 else Product((Constant(factor.numerator), basis))
    return over if factor.denominator == 1 else Quotient(over, Constant(factor.denominator))
