"""What is done with exact numbers in SymPy."""

from __future__ import annotations

from collections.abc import Iterable
from math import lcm, prod

import sympy

from attncalc.core.fields.algebra.evaluation import decimal
from attncalc.core.fields.algebra.expressions import from_sympy, to_sympy
from attncalc.core.fields.base import Array, Real
from attncalc.core.fields.budget import BUDGET, ENDLESS
from attncalc.core.terms.functions import FUNCTIONS

LARGEST_EXPONENT = 10_000


def apply(function: str, x: Real) -> Real:
    """A function of one exact number."""
    argument = to_sympy(x)
    if function == "exp" and is_long_power(argument):
        BUDGET.spend(ENDLESS)
    # What is long has no value of its own, and SymPy would take long to see that.
    is_short = leaves(argument) <= MOST_TERMS
    return from_sympy(getattr(sympy, FUNCTIONS[function].sympy)(argument, evaluate=is_short))


def is_long_power(exponent: sympy.Expr) -> bool:
    """Whether e^exponent is a power such as 2^(10^20), which SymPy would multiply out."""
    return exponent.has(sympy.log) and any(abs(n) > LARGEST_EXPONENT for n in exponent.atoms(sympy.Rational))


def power(base: Real, exponent: Real) -> Real:
    """A power of exact numbers."""
    return from_sympy(to_sympy(base) ** to_sympy(exponent))


def divide(over: Real, under: Real) -> Real:
    """A quotient of exact numbers."""
    bottom = to_sympy(under)
    # With letters it is 0 for some of their values at most; SymPy would factor it to tell.
    if not bottom.free_symbols and decimal(bottom, 1) == 0:
        raise ZeroDivisionError
    quotient = to_sympy(over) / bottom
    if quotient.free_symbols:
        return tidied(quotient)
    simple = leaves(quotient) <= MOST_TERMS and not is_steep(quotient)
    return from_sympy(sympy.powsimp(quotient, combine="exp") if simple else quotient)


def is_steep(x: sympy.Expr) -> bool:
    """Whether there are powers of e so large that SymPy takes for ever to tell the sign of their sum."""
    numbers = (n for power in x.atoms(sympy.exp) for n in power.args[0].atoms(sympy.Rational))
    return any(abs(n) > STEEPEST for n in numbers)


def is_nested(x: sympy.Expr) -> bool:
    """Whether there is a number that is a function of a function."""
    numbers = (outer for outer in x.atoms(sympy.Function) if not outer.free_symbols)
    return any(argument.has(sympy.Function) for number in numbers for argument in number.args)


def pi() -> sympy.Expr:
    """The circle's number."""
    return sympy.pi


def letter(name: str, kind: str = "positive") -> sympy.Symbol:
    """A free letter that stands for a positive or a real number."""
    return sympy.Symbol(name, **{kind: True})


STEEPEST = 10**6
MOST_TERMS, MOST_LETTERS, MOST_DEGREE = 60, 12, 64
"""The terms, the letters and powers of e, and the degree in them of what is cancelled."""


def tidied(x: sympy.Expr) -> Real:
    """One quotient without common factors; a long one is left alone, for that can take for ever."""
    kinds = len(x.free_symbols) + len(x.atoms(sympy.exp))
    short = terms(x) <= MOST_TERMS and kinds <= MOST_LETTERS and degree(x) <= MOST_DEGREE
    return from_sympy(sympy.cancel(x) if short else x)


def degree(x: sympy.Expr) -> int:
    """At most which power of a power of e there is: e^(β/256) and e^β are the first and the 256th of one."""
    numbers = [n for power in x.atoms(sympy.exp) for n in power.args[0].atoms(sympy.Rational)]
    finest = lcm(*(int(n.q) for n in numbers))
    return max((abs(int(n * finest)) for n in numbers), default=0)


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


def coefficients(x: sympy.Expr) -> dict[sympy.Expr, Real] | None:
    """What every product of letters is multiplied by in a polynomial; None in anything else."""
    letters = sorted(x.free_symbols, key=str)
    try:
        found = sympy.Poly(x, *letters, domain="EX") if terms(x) <= MOST_TERMS else None
    except sympy.PolynomialError:
        return None
    if found is None:
        return None
    return {
        sympy.Mul(*map(sympy.Pow, letters, powers)): from_sympy(factor) for powers, factor in found.terms()
    }


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


MOST_LEAVES = 500
"""How long an expression may get before it is as good as endless: nobody reads it."""


def leaves(x: sympy.Expr) -> int:
    """How many numbers and letters an expression takes, as far as one cares to count."""
    waiting, found = [x], 0
    while waiting:
        inside = waiting.pop().args
        waiting.extend(inside)
        found += not inside
        if found > MOST_LEAVES:
            return ENDLESS
    return found
