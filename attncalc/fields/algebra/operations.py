"""What is done with exact numbers in SymPy."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from math import prod

import sympy

from attncalc.fields.algebra.expressions import from_sympy, to_sympy
from attncalc.fields.base import Array, Real
from attncalc.terms.functions import FUNCTIONS


def apply(function: str, x: Real) -> Real:
    """A function of one exact number."""
    return from_sympy(getattr(sympy, FUNCTIONS[function].sympy)(to_sympy(x)))


def power(base: Real, exponent: Real) -> Real:
    """A power of exact numbers."""
    return from_sympy(to_sympy(base) ** to_sympy(exponent))


def divide(over: Real, under: Real) -> Real:
    """A quotient of exact numbers."""
    bottom = to_sympy(under)
    if bottom.is_zero:
        raise ZeroDivisionError
    quotient = to_sympy(over) / bottom
    if quotient.free_symbols:
        return tidied(quotient)
    return from_sympy(sympy.powsimp(quotient, combine="exp"))


def pi() -> sympy.Expr:
    """The circle's number."""
    return sympy.pi


def letter(name: str, kind: str = "positive") -> sympy.Symbol:
    """A free letter that stands for a positive or a real number."""
    return sympy.Symbol(name, **{kind: True})


MOST_TERMS, MOST_LETTERS = 60, 12


def tidied(x: sympy.Expr) -> Real:
    """One quotient without common factors; a long one is left alone, for that can take for ever."""
    kinds = len(x.free_symbols) + len(x.atoms(sympy.exp))
    return from_sympy(sympy.cancel(x) if terms(x) <= MOST_TERMS and kinds <= MOST_LETTERS else x)


def terms(x: sympy.Expr) -> int:
    """At most how many terms a product of sums has, multiplied out."""
    if x.is_Add:
        return sum(map(terms, x.args))
    if x.is_Mul:
        return prod(map(terms, x.args))
    if x.is_Pow and x.exp.is_Integer:
        return int(terms(x.base) ** abs(int(x.exp)))
    return max(map(terms, x.args), default=1)


def integer(value: int) -> sympy.Expr:
    """A whole number that letters can be computed with."""
    return sympy.Integer(value)


def expanded(x: sympy.Expr) -> sympy.Expr:
    """A polynomial multiplied out."""
    return sympy.expand(x)


def factored(x: sympy.Expr) -> sympy.Expr:
    """A polynomial as a product."""
    return sympy.factor(x)


def derivative(x: sympy.Expr, unknown: sympy.Symbol) -> sympy.Expr:
    """The derivative by a letter."""
    return sympy.diff(x, unknown)


def positive_root(x: sympy.Expr, unknown: sympy.Symbol) -> sympy.Expr:
    """The positive value of a letter for which an expression is 0."""
    return next(root for root in sympy.solve(x, unknown) if root.is_positive)


def combination(row: Iterable[Real], vectors: list[Array]) -> list[Real] | None:
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
