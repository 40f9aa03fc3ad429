"""Slips in single entries: a sign, a term, a power of ten."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.core.errors import count_of
from attncalc.core.graph.graph import Graph, Step
from attncalc.core.terms import Apply, Constant, Negative, Product, Quotient, Sum, Term, parts
from attncalc.core.terms.formulas import Name, Place, Text, sentence
from attncalc.mistakes.base import Rounding, Slip, Variation

POWERS_OF_TEN = (1, 2, 3)


class SignSlip(Slip):
    """An entry has the wrong sign."""

    code = "sign-slip"
    question = "Which sign does this entry have?"

    def alternatives(self, rule: Term, name: Place | Name) -> Iterator[tuple[Term, Text]]:
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

    def alternatives(self, rule: Term, name: Place | Name) -> Iterator[tuple[Term, Text]]:
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

    def alternatives(self, rule: Term, name: Place | Name) -> Iterator[tuple[Term, Text]]:
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


EARLY_PLACES = (3, 2, 1, 0)


class RoundedEarly(Rounding):
    """A result was rounded to fewer digits than the answer needs."""

    code = "rounded-early"
    question = "How many digits are kept on the way?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:  # noqa: ARG002
        for places in EARLY_PLACES:
            decimals = count_of(places, "decimal") if places else "whole numbers"
            said = f"{step.name} was rounded to {decimals}, fewer than the answer needs."
            yield Variation(step, places=places, message=said)
