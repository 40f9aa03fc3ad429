"""A term with what cancels cancelled: p·(y/p) is y, and what all parts of a sum share stands once.

Products are multiplied out into parts, each a sign, factors and divisors; Σ keeps only what runs along it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from attncalc.terms import (
    ONE,
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
)


class Part(NamedTuple):
    """One part of a sum: whether it is subtracted, what it is the product of, and what that is divided by."""

    is_negative: bool
    over: tuple[Term, ...]
    under: tuple[Term, ...] = ()

    def times(self, other: Part) -> Part:
        """The product of two parts, without what cancels."""
        over, under = [*self.over, *other.over], [*self.under, *other.under]
        for factor in [*over]:
            if factor in under:
                over.remove(factor)
                under.remove(factor)
        return Part(self.is_negative ^ other.is_negative, tuple(over), tuple(under))


def simplified(term: Term) -> Term:
    """The same in fewer numbers, where multiplying out and cancelling leads there."""
    found = joined([*parts_of(term)])
    return found if count_leaves(found) < count_leaves(term) else term


def factored(terms: Iterable[Term]) -> Term:
    """A sum with what all its terms share outside; nothing is multiplied out."""
    return joined([part_of(term) for term in terms])


def part_of(term: Term) -> Part:
    """A term by its sign, its factors and its divisors."""
    match term:
        case Negative(x):
            part = part_of(x)
            return Part(not part.is_negative, part.over, part.under)
        case Quotient(x, y):
            return part_of(x).times(Part(False, (), parts(y, Product)))
    return Part(False, parts(term, Product))


def parts_of(term: Term) -> Iterable[Part]:
    """What a term adds up, multiplied out."""
    match term:
        case Constant(1):
            return [Part(False, ())]
        case Negative(x):
            return [Part(not part.is_negative, part.over, part.under) for part in parts_of(x)]
        case Sum(terms):
            return [part for x in terms for part in parts_of(x)]
        case Product((first, *rest)):
            found = parts_of(first)
            for factor in rest:
                found = [one.times(other) for one in found for other in parts_of(factor)]
            return found
        case Quotient(x, y):
            (below, *others) = parts_of(y)
            if others or below.is_negative:
                return [part.times(Part(False, (), (y,))) for part in parts_of(x)]
            return [part.times(Part(False, below.under, below.over)) for part in parts_of(x)]
        case Total(axis, x):
            return [summed(term, part) for part in parts_of(x) if axis.letter in letters_of(x)] or [
                alone(term)
            ]
    return [alone(term)]


def alone(term: Term) -> Part:
    """A term as a part of its own."""
    return Part(False, (term,))


def summed(whole: Total, part: Part) -> Part:
    """A part added up along an axis; what does not run along it stands before the Σ."""
    letter = whole.axis.letter
    over, under = ([x for x in factors if letter in letters_of(x)] for factors in (part.over, part.under))
    inside = Total(whole.axis, divided(product(over), under))
    return Part(part.is_negative, (*without(part.over, over), inside), tuple(without(part.under, under)))


def joined(parts: list[Part]) -> Term:
    """The sum of some parts, those that are added first, and what they all share outside."""
    ordered = sorted(parts, key=lambda part: part.is_negative)
    over = [x for x in ordered[0].over if all(x in part.over for part in ordered)]
    under = [x for x in ordered[0].under if all(x in part.under for part in ordered)]
    inside = [signed(part, without(part.over, over), without(part.under, under)) for part in ordered]
    whole = Sum(tuple(inside)) if len(inside) > 1 else inside[0]
    return divided(product((*over, *([] if whole == ONE and over else [whole]))), under)


def signed(part: Part, over: Iterable[Term], under: Iterable[Term]) -> Term:
    """A part with its sign."""
    found = divided(product(over), under)
    return Negative(found) if part.is_negative else found


def without(factors: Iterable[Term], shared: list[Term]) -> list[Term]:
    """Factors without those that stand outside, each once."""
    left = [*factors]
    for factor in shared:
        left.remove(factor)
    return left


def product(factors: Iterable[Term]) -> Term:
    """The product of some factors, of which there may be none."""
    first, *rest = [*factors] or [ONE]
    return Product((first, *rest)) if rest else first


def divided(term: Term, under: Iterable[Term]) -> Term:
    """A term over some divisors, if there are any."""
    below = [*under]
    return Quotient(term, product(below)) if below else term
