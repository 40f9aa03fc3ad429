"""A term with what cancels cancelled: p·(y/p) is y, and what all addends of a sum share stands once.

Products are multiplied out into addends, each a sign, factors and divisors; Σ keeps only what runs along it.
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
    """One part of a sum: whether it is subtracted, what it is the product of, and what that is divided by."""

    is_negative: bool
    over: Factors
    under: Factors = ()

    @property
    def negated(self) -> Addend:
        """The same with the other sign."""
        return Addend(not self.is_negative, self.over, self.under)

    @property
    def term(self) -> Term:
        """The addend as a term, its sign in front."""
        found = quotient(self.over, self.under)
        return Negative(found) if self.is_negative else found

    def times(self, other: Addend) -> Addend:
        """The product of two addends, without what cancels."""
        over, under = [*self.over, *other.over], [*self.under, *other.under]
        for factor in [*over]:
            if factor in under:
                over.remove(factor)
                under.remove(factor)
        return Addend(self.is_negative ^ other.is_negative, tuple(over), tuple(under))

    def without(self, over: Factors, under: Factors) -> Addend:
        """What is left where some factors and divisors stand outside."""
        return Addend(self.is_negative, remaining(self.over, over), remaining(self.under, under))


def simplify(term: Term) -> Term:
    """The same in fewer numbers, where multiplying out and cancelling leads there."""
    found = add_up(addends_of(term))
    return found if count_leaves(found) < count_leaves(term) else term


def factor_out(terms: Iterable[Term]) -> Term:
    """A sum with what all its terms share outside; nothing is multiplied out."""
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
    """What a term adds up, multiplied out."""
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
    """An addend added up along an axis; what does not run along it stands before the Σ."""
    over, under = (
        tuple(x for x in factors if axis.letter in letters_of(x)) for factors in (addend.over, addend.under)
    )
    outside = addend.without(over, under)
    return Addend(addend.is_negative, (*outside.over, Total(axis, quotient(over, under))), outside.under)


def add_up(addends: list[Addend]) -> Term:
    """The sum of some addends, those that are subtracted last, and what they all share outside."""
    ordered = sorted(addends, key=lambda one: one.is_negative)
    over = in_common([one.over for one in ordered])
    under = in_common([one.under for one in ordered])
    inside = [one.without(over, under).term for one in ordered]
    whole = Sum(tuple(inside)) if len(inside) > 1 else inside[0]
    return quotient(over if whole == ONE else (*over, whole), under)


def in_common(all_factors: list[Factors]) -> Factors:
    """The factors that all have, each as often as all have it."""
    found: list[Term] = []
    for x in all_factors[0]:
        if all(found.count(x) < factors.count(x) for factors in all_factors):
            found.append(x)
    return tuple(found)


def remaining(factors: Factors, outside: Factors) -> Factors:
    """Factors without those that stand outside, each once."""
    left = [*factors]
    for factor in outside:
        left.remove(factor)
    return tuple(left)


def quotient(over: Factors, under: Factors) -> Term:
    """The product of some factors over that of some divisors, if there are any."""
    return Quotient(product(over), product(under)) if under else product(over)
