"""Slips in single entries: a sign, a term, a power of ten."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.mistakes.base import Slip
from attncalc.notations.unicode import Ascii, write
from attncalc.terms import Apply, Constant, Negative, Product, Quotient, Sum, Term, parts

POWERS_OF_TEN = (1, 2, 3)


class SignSlip(Slip):
    """An entry has the wrong sign."""

    code = "sign-slip"

    def alternatives(self, rule: Term, name: str) -> Iterator[tuple[Term, str]]:
        yield Negative(rule), f"{name} has the wrong sign."
        if isinstance(rule, Apply):
            yield Apply(rule.function, Negative(rule.term)), f"The exponent of {name} has the wrong sign."
        for number, term, others in apart(rule):
            turned = (*others[:number], Negative(term), *others[number:])
            yield Sum(turned), f"In {name} the term {write(term, Ascii())} has the wrong sign."


class TermMissing(Slip):
    """One product term of an entry is left out, or taken twice."""

    code = "term-missing"

    def alternatives(self, rule: Term, name: str) -> Iterator[tuple[Term, str]]:
        for _, term, others in apart(rule):
            said = f"In {name} the term {write(term, Ascii())} is"
            yield Sum(others), f"{said} left out."
            yield Sum((*parts(rule, Sum), term)), f"{said} taken twice."


class DecimalSlip(Slip):
    """An entry is too large or too small by a power of ten."""

    code = "decimal-slip"

    def alternatives(self, rule: Term, name: str) -> Iterator[tuple[Term, str]]:
        for power in POWERS_OF_TEN:
            times = Constant(10**power)
            said = "10" if power == 1 else f"10^{power}"
            yield Product((times, rule)), f"{name} is too large by a factor of {said}."
            yield Quotient(rule, times), f"{name} is too small by a factor of {said}."


def apart(rule: Term) -> Iterator[tuple[int, Term, tuple[Term, ...]]]:
    """Every term of a sum with its number, and the others."""
    terms = parts(rule, Sum)
    for number, term in enumerate(terms) if len(terms) > 1 else ():
        yield number, term, (*terms[:number], *terms[number + 1 :])


class CellSlip(Slip):
    """One entry is off by a slip of arithmetic."""

    code = "cell-slip"
