"""A rule read for its parts: the names in them, and which of them deserve a name in a program."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

from attncalc.core.terms import (
    Apply,
    Constant,
    Entry,
    Greatest,
    Ordinal,
    Product,
    Quotient,
    Sum,
    Term,
    Total,
    entries,
    letters_of,
    map_members,
    members,
    varies,
)
from attncalc.core.terms.functions import FUNCTIONS


def matrices_of(term: Term) -> frozenset[str]:
    """The names of the matrices in a term."""
    return frozenset(entry.of for entry in entries(term) if entry.at)


def sizes_of(term: Term) -> frozenset[str]:
    """The names of the single numbers in a term."""
    return frozenset(entry.of for entry in entries(term) if not entry.at and entry.of != "pi")


def to_decimals(term: Term) -> Term:
    """A term with its decimals as they were typed, with all their places: 0.50, not 1/2."""
    match term:
        case Constant(int() | Fraction() as value, int(places)):
            decimals = max(places, 0)
            return Constant(Decimal(int(value * 10**decimals)).scaleb(-decimals))
    return map_members(term, to_decimals)


def is_single(term: Term) -> bool:
    """Whether a term is one number for the whole matrix, such as √d_k."""
    return not varies(term) and not has_ordinal(term)


def without_idle(term: Term, hides: bool) -> Term:
    """A rule without functions that do nothing, such as the test for −∞ if no key is hidden."""
    term = map_members(term, lambda t: without_idle(t, hides))
    match term:
        case Apply("visible", x) if not hides:
            return x
        case Sum((Constant(0), x)):
            return x
        case Quotient(Constant(int() as over), Constant(int() as under)):
            return Constant(Fraction(over, under))
        case Total(axis, x) if axis.letter not in letters_of(x):
            return Product((Constant(axis.size), x))
        case Greatest(axis, x) if axis.letter not in letters_of(x):
            return x
    return term


def worth_a_name(rules: Sequence[Term]) -> frozenset[Term]:
    """The parts of a step's rules that occur twice, or are computed to be summed."""
    met: set[Term] = set(rules)
    found: set[Term] = set()

    def visit(term: Term) -> None:
        if isinstance(term, Entry | Ordinal) or not letters_of(term):
            return
        if term in met:
            found.add(term)
        else:
            met.add(term)
            visit_members(term)

    def visit_members(term: Term) -> None:
        match term:
            case Total(_, Product(factors)):
                found.update(f for f in factors if isinstance(f, Sum | Product | Quotient | Apply))
        for member in members(term):
            visit(member)

    for rule in rules:
        visit_members(rule)
    return frozenset(found)


def is_mean(term: Term) -> bool:
    """Whether a term is a sum along an axis over a number, such as a mean."""
    match term:
        case Quotient(Total(_, x), Constant()):
            return not isinstance(x, Product)
    return False


def word(term: Term) -> str:
    """The name of a part of a rule in a program."""
    match term:
        case Apply(function) if FUNCTIONS[function].word:
            return FUNCTIONS[function].word
        case Sum() | Total():
            return "inner"
    return "angle" if has_ordinal(term) else "hidden"


def has_ordinal(term: Term) -> bool:
    """Whether a term computes with the value of an index."""
    return isinstance(term, Ordinal) or any(map(has_ordinal, members(term)))
