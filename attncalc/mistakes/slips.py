"""Slips in single entries: a sign, a term, a power of ten."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.core.terms import Apply, Constant, Negative, Product, Quotient, Sum, Term, parts
from attncalc.core.terms.formulas import Place, Text, sentence
from attncalc.mistakes.base import Slip

POWERS_OF_TEN = (1, 2, 3)


class SignSlip(Slip):
    """An entry has the wrong sign."""

    code = "sign-slip"
    question = "Which sign does this entry have?"

    def alternatives(self, rule: Term, name: Place) -> Iterator[tuple[Term, Text]]:
        yield Negative(rule), sentence("{} has the wrong sign.", name)
        if isinstance(rule, Apply):
            exponent = Apply(rule.function, Negative(rule.term))
            yield exponent, sentence("The exponent of {} has the wrong sign.", name)
        for number, term, others in take_apart(rule):
            turned = Sum((*others[:number], Negative(term), *others[number:]))
            yield turned, sentence("In {} the term {} may have the wrong sign.", name, term)


class TermMissing(Slip):
    """One product term of an entry is left out, or taken twice."""

    code = "term-missing"
    question = "How many products does this entry add up?"

    def alternatives(self, rule: Term, name: Place) -> Iterator[tuple[Term, Text]]:
        for _, term, others in take_apart(rule):
            yield Sum(others), sentence("In {} the term {} may have been left out.", name, term)
            yield (
                Sum((*parts(rule, Sum), term)),
                sentence("In {} the term {} may have been taken twice.", name, term),
            )


class DecimalSlip(Slip):
    """An entry is too large or too small by a power of ten."""

    code = "decimal-slip"
    question = "Where does the decimal point stand in this entry?"

    def alternatives(self, rule: Term, name: Place) -> Iterator[tuple[Term, Text]]:
        for power in POWERS_OF_TEN:
            times = Constant(10**power)
            yield Product((times, rule)), sentence("{} is too large by a factor of {}.", name, times)
            yield Quotient(rule, times), sentence("{} is too small by a factor of {}.", name, times)


def take_apart(rule: Term) -> Iterator[tuple[int, Term, tuple[Term, ...]]]:
    """Each term of a sum with its index and the other terms."""
    terms = parts(rule, Sum)
    for number, term in enumerate(terms) if len(terms) > 1 else ():
        yield number, term, (*terms[:number], *terms[number + 1 :])


class CellSlip(Slip):
    """One entry is off by a slip of arithmetic."""

    code = "cell-slip"
    question = "What do you get if you work this entry out again?"
