"""Operations on exact numbers in SymPy, and limits as a letter grows or approaches a point."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf, isinf, lcm, prod

import sympy
from sympy.polys.rings import sring

from attncalc.core.fields.algebra.evaluation import decimal
from attncalc.core.fields.algebra.expressions import from_sympy, is_known, to_sympy
from attncalc.core.fields.base import Array, Real, Undecided
from attncalc.core.fields.work_counter import BUDGET, ENDLESS
from attncalc.core.terms.functions import FUNCTIONS

LARGEST_POWER = 10_000


def apply(function: str, x: Real) -> Real:
    """A function of one exact number."""
    argument = to_sympy(x)
    if function == "exp" and is_long_power(argument):
        BUDGET.spend(ENDLESS)
    # A long argument has no simpler value, and SymPy would take long to find that out.
    is_short = leaves(argument) <= MOST_CANCELLED_TERMS
    return from_sympy(getattr(sympy, FUNCTIONS[function].sympy)(argument, evaluate=is_short))


def is_long_power(exponent: sympy.Expr) -> bool:
    """Whether e^exponent is a power such as 2^(10^20), which SymPy would multiply out."""
    return exponent.has(sympy.log) and any(abs(n) > LARGEST_POWER for n in exponent.atoms(sympy.Rational))


def power(base: Real, exponent: Real) -> Real:
    """A power of exact numbers."""
    return from_sympy(to_sympy(base) ** to_sympy(exponent))


def divide(over: Real, under: Real) -> Real:
    """A quotient of exact numbers."""
    bottom = to_sympy(under)
    # With letters it is 0 for some of their values at most; SymPy would factor it to decide.
    if not bottom.free_symbols and decimal(bottom, 1) == 0:
        raise ZeroDivisionError
    quotient = to_sympy(over) / bottom
    if quotient.free_symbols:
        return tidy(quotient)
    simple = leaves(quotient) <= MOST_CANCELLED_TERMS and not is_steep(quotient)
    return from_sympy(sympy.powsimp(quotient, combine="exp") if simple else quotient)


def is_steep(x: sympy.Expr) -> bool:
    """Whether there are powers of e so large that SymPy takes too long to find the sign of their sum."""
    numbers = (n for power in x.atoms(sympy.exp) for n in power.args[0].atoms(sympy.Rational))
    return any(abs(n) > STEEPEST for n in numbers)


def is_nested(x: sympy.Expr) -> bool:
    """Whether there is a number that is a function of a function."""
    numbers = (outer for outer in x.atoms(sympy.Function) if not outer.free_symbols)
    return any(argument.has(sympy.Function) for number in numbers for argument in number.args)


def pi() -> sympy.Expr:
    """π"""
    return sympy.pi


def letter(name: str, kind: str = "positive") -> sympy.Symbol:
    """A free letter that stands for a positive or a real number."""
    return sympy.Symbol(name, **{kind: True})


STEEPEST = 10**6
MOST_DEGREES = 300_000
"""The product of the degrees up to which a common factor of two sums is found in about 0.1 s."""
MOST_CANCELLED_TERMS, MOST_LETTERS, MOST_DEGREE = 60, 12, 64
"""Limits of what is cancelled: terms, letters and powers of e, and the degree in these."""


def tidy(x: sympy.Expr) -> Real:
    """One quotient without common factors; a long one unchanged, because cancelling takes too long."""
    kinds = len(x.free_symbols) + len(x.atoms(sympy.exp))
    short = terms(x) <= MOST_CANCELLED_TERMS and kinds <= MOST_LETTERS and degree(x) <= MOST_DEGREE
    return from_sympy(cancel(x) if short else x)


def cancel(x: sympy.Expr) -> sympy.Expr:
    """The quotient that `sympy.cancel` returns; x itself if that would take too long.

    SymPy finds a common factor by putting integers in for the letters and powers of e, whose digits grow
    with the product of the degrees in all of them.
    """
    factored = sympy.factor_terms(x, radical=True)
    ring, (over, under) = sring(factored.as_numer_denom())
    if not ring.ngens:
        return factored.expand()
    degrees = zip(over.degrees(), under.degrees(), strict=True)
    if min(len(over), len(under)) > 1 and prod(1 + max(pair) for pair in degrees) > MOST_DEGREES:
        return x
    over, under = over.cancel(under)
    return over.as_expr() / under.as_expr()


def degree(x: sympy.Expr) -> int:
    """An upper bound of the degree in powers of e: in terms of e^(β/256), e^β has degree 256."""
    numbers = [n for power in x.atoms(sympy.exp) for n in power.args[0].atoms(sympy.Rational)]
    finest = lcm(*(int(n.q) for n in numbers))
    return max((abs(int(n * finest)) for n in numbers), default=0)


def terms(x: sympy.Expr) -> int:
    """An upper bound of the number of terms after multiplying out."""
    if x.is_Add:
        return sum(map(terms, x.args))
    if x.is_Mul:
        return prod(map(terms, x.args))
    if x.is_Pow and x.exp.is_Integer:
        return int(terms(x.base) ** abs(int(x.exp)))
    return max(map(terms, x.args), default=1)


def integer(value: int) -> sympy.Expr:
    """An integer as a SymPy expression."""
    return sympy.Integer(value)


def expand(x: sympy.Expr) -> sympy.Expr:
    """A polynomial multiplied out."""
    return sympy.expand(x)


def factor(x: sympy.Expr) -> sympy.Expr:
    """A polynomial as a product."""
    return sympy.factor(x)


def coefficients(x: sympy.Expr) -> dict[sympy.Expr, Real] | None:
    """The coefficients of a polynomial by monomial; None if it is no polynomial."""
    letters = sorted(x.free_symbols, key=str)
    try:
        found = sympy.Poly(x, *letters, domain="EX") if terms(x) <= MOST_CANCELLED_TERMS else None
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
    """The coefficients of a row as a combination of some vectors, the first preferred; None if it is none."""
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
"""From this number of leaves on an expression counts as endless."""


def leaves(x: sympy.Expr) -> int:
    """The number of numbers and letters in an expression, counted up to `MOST_LEAVES`."""
    waiting, found = [x], 0
    while waiting:
        inside = waiting.pop().args
        waiting.extend(inside)
        found += not inside
        if found > MOST_LEAVES:
            return ENDLESS
    return found


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
