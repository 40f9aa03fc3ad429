"""Simplified terms: p·(y/p) is y, and common factors of a sum are factored out.

Products are multiplied out into addends, each a sign, factors and divisors; factors that do not depend on
the index of a Σ stand before it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from attncalc.core.terms import (
    ONE,
    Axis,
    Constant,
    Negative,
    Product,
    Quotient,
    Sum,
    Term,
    Total,
    count_leaves,
    letters_of,
    parts,
    product,
)

Factors = tuple[Term, ...]


class Addend(NamedTuple):
    """One addend of a sum: its sign, its factors and its divisors."""

    is_negative: bool
    over: Factors
    under: Factors = ()

    @property
    def negated(self) -> Addend:
        """The addend with the other sign."""
        return Addend(not self.is_negative, self.over, self.under)

    @property
    def term(self) -> Term:
        """The addend as a term, its sign in front."""
        found = quotient(self.over, self.under)
        return Negative(found) if self.is_negative else found

    def times(self, other: Addend) -> Addend:
        """The product of two addends, after cancelling."""
        over, under = [*self.over, *other.over], [*self.under, *other.under]
        for factor in [*over]:
            if factor in under:
                over.remove(factor)
                under.remove(factor)
        return Addend(self.is_negative ^ other.is_negative, tuple(over), tuple(under))

    def without(self, over: Factors, under: Factors) -> Addend:
        """The addend without some factors and divisors."""
        return Addend(self.is_negative, remove_factors(self.over, over), remove_factors(self.under, under))


def simplify(term: Term) -> Term:
    """A term multiplied out and cancelled, if that makes it shorter; else the term itself."""
    found = add_up(addends_of(term))
    return found if count_leaves(found) < count_leaves(term) else term


def factor_out(terms: Iterable[Term]) -> Term:
    """A sum with its common factors outside; nothing is multiplied out."""
    return add_up([addend_of(term) for term in terms])


def addend_of(term: Term) -> Addend:
    """A term by its sign, its factors and its divisors."""
    match term:
        case Negative(x):
            return addend_of(x).negated
        case Quotient(x, y):
            return addend_of(x).times(Addend(False, (), parts(y, Product)))
    return Addend(False, parts(term, Product))


def addends_of(term: Term) -> list[Addend]:
    """The addends of a term, multiplied out."""
    match term:
        case Constant(1):
            return [Addend(False, ())]
        case Negative(x):
            return [one.negated for one in addends_of(x)]
        case Sum(terms):
            return [one for x in terms for one in addends_of(x)]
        case Product((first, *rest)):
            found = addends_of(first)
            for factor in rest:
                found = [one.times(other) for one in found for other in addends_of(factor)]
            return found
        case Quotient(x, y):
            (below, *others) = addends_of(y)
            divisor = Addend(False, below.under, below.over)
            if others or below.is_negative:
                divisor = Addend(False, (), (y,))
            return [one.times(divisor) for one in addends_of(x)]
        case Total(axis, x) if axis.letter in letters_of(x):
            return [sum_along(axis, one) for one in addends_of(x)]
    return [Addend(False, (term,))]


def sum_along(axis: Axis, addend: Addend) -> Addend:
    """An addend summed along an axis; factors that do not depend on it stand before the Σ."""
    over, under = (
        tuple(x for x in factors if axis.letter in letters_of(x)) for factors in (addend.over, addend.under)
    )
    outside = addend.without(over, under)
    return Addend(addend.is_negative, (*outside.over, Total(axis, quotient(over, under))), outside.under)


def add_up(addends: list[Addend]) -> Term:
    """The sum of some addends, subtracted ones last, with their common factors outside."""
    ordered = sorted(addends, key=lambda one: one.is_negative)
    over = in_common([one.over for one in ordered])
    under = in_common([one.under for one in ordered])
    inside = [one.without(over, under).term for one in ordered]
    whole = Sum(tuple(inside)) if len(inside) > 1 else inside[0]
    return quotient(over if whole == ONE else (*over, whole), under)


def in_common(all_factors: list[Factors]) -> Factors:
    """The common factors, with multiplicity."""
    found: list[Term] = []
    for x in all_factors[0]:
        if all(found.count(x) < factors.count(x) for factors in all_factors):
            found.append(x)
    return tuple(found)


def remove_factors(factors: Factors, outside: Factors) -> Factors:
    """Factors without others, each removed once."""
    left = [*factors]
    for factor in outside:
        left.remove(factor)
    return tuple(left)


def quotient(over: Factors, under: Factors) -> Term:
    """The product of some factors over that of some divisors, if there are any."""
    return Quotient(product(over), product(under)) if under else product(over)
