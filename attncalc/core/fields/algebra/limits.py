"""Limits of expressions as a letter grows, or approaches a point."""

from __future__ import annotations

from math import inf, isinf

import sympy

from attncalc.core.fields.algebra.expressions import from_sympy, to_sympy
from attncalc.core.fields.algebra.operations import MOST_CANCELLED_TERMS, terms, tidy
from attncalc.core.fields.algebra.writing import is_known
from attncalc.core.fields.base import Real, Undecided


def limit(x: sympy.Expr, unknown: sympy.Symbol, target: float) -> Real:
    """The limit of an expression: its value at a point, or the limit of a quotient of polynomials."""
    if terms(x) > MOST_CANCELLED_TERMS:
        raise Undecided("the exponents are too long")
    if isinf(target):
        if not is_polynomial(x, unknown):
            raise Undecided(f"the exponents are not polynomials in {unknown}")
        return at_infinity(x, unknown, target)
    x, point = to_sympy(tidy(x)), sympy.Rational(str(target))
    if is_continuous(x, unknown, point):
        return from_sympy(x.subs(unknown, point))
    if point == 0 and unknown.is_positive:
        return at_infinity(x.subs(unknown, 1 / unknown), unknown, inf)
    raise Undecided(f"an entry is not defined at {unknown} = {point}")


def is_continuous(x: sympy.Expr, unknown: sympy.Symbol, point: sympy.Rational) -> bool:
    """Whether every part of an expression has a value at a point; 0 to a changing power counts as none."""
    parts = list(sympy.preorder_traversal(x))
    bases = [part.base for part in parts if part.is_Pow and part.exp.has(unknown)]
    return all(is_known(part.subs(unknown, point)) for part in parts) and all(
        base.subs(unknown, point) != 0 for base in bases
    )


def is_polynomial(x: Real, unknown: sympy.Symbol) -> bool:
    """Whether a number is a polynomial in a letter, so that powers of e outgrow it."""
    return bool(sympy.sympify(to_sympy(x)).is_polynomial(unknown))


def at_infinity(x: sympy.Expr, unknown: sympy.Symbol, target: float) -> Real:
    """The limit of a quotient of polynomials as a letter grows."""
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
