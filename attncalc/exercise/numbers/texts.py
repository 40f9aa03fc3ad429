"""From a text to the number, vector or matrix that it stands for, within bounds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from attncalc.core.fields.rationals import rational
from attncalc.core.readings.magnitude import Unbounded, magnitude
from attncalc.core.terms import Constant, Term
from attncalc.exercise.numbers.matrices import Value
from attncalc.exercise.numbers.tokens import ExpressionError

LONGEST_EXPRESSION = 10_000
PLAIN = re.compile(r"[+-]?[0-9]{1,15}(?:\.[0-9]{1,15})?")


def parse(text: str, names: Mapping[str, Value] = {}) -> Value:
    """Parse a text into a term or an array of terms."""
    from attncalc.exercise.numbers.parser import Parser

    return Parser(*prepare_text(text), names).whole()


def prepare_text(text: str) -> tuple[str, bool]:
    """Return the text with matrices in square brackets, and whether spaces separate entries."""
    if len(text) > LONGEST_EXPRESSION:
        raise ExpressionError(f"is longer than {LONGEST_EXPRESSION:,} characters", 0)
    from attncalc.exercise.numbers.printed import in_brackets

    return in_brackets(text)


def parse_number(text: str, names: Mapping[str, Value] = {}) -> Term:
    """Parse one number and check its size."""
    value = parse_value(text, names)
    if isinstance(value, np.ndarray):
        raise ExpressionError("is a matrix where one number is wanted", 0)
    return value


def parse_value(text: str, names: Mapping[str, Value]) -> Value:
    """Parse a number, vector or matrix and check the size of every entry."""
    if PLAIN.fullmatch(text):
        whole, _, decimals = text.partition(".")
        if not decimals:
            return Constant(int(whole))
        return Constant(rational(Fraction(int(whole + decimals), 10 ** len(decimals))), len(decimals))
    value = parse(text, names)
    for term in value.ravel() if isinstance(value, np.ndarray) else (value,):
        check_bounds(term, 0)
    return value


def check_bounds(term: Term, offset: int) -> Term:
    """Return the term if its value is defined and neither too large nor too long; else raise an error."""
    if isinstance(term, Constant) and term.value == float("-inf"):
        return term
    try:
        magnitude(term)
    except Unbounded as error:
        raise ExpressionError(f"{error}", offset) from None
    return term
