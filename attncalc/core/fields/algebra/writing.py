"""Expressions written as hand arithmetic."""

from __future__ import annotations

import sympy

from attncalc.core.fields.algebra.evaluation import Known, value_of
from attncalc.core.fields.algebra.expressions import from_sympy
from attncalc.core.fields.writing import exact_term
from attncalc.core.terms import Apply, Constant, Entry, Negative, Power, Product, Quotient, Sum, Term
from attncalc.core.terms.functions import FUNCTIONS


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
