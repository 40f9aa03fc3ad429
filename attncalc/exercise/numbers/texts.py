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
    """The term or array that a text stands for."""
    from attncalc.exercise.numbers.parser import Parser

    return Parser(*prepare_text(text), names).whole()


def prepare_text(text: str) -> tuple[str, bool]:
    """A text of bounded length, its matrices in square brackets, and whether spaces separate entries."""
    if len(text) > LONGEST_EXPRESSION:
        raise ExpressionError(f"is longer than {LONGEST_EXPRESSION:,} characters", 0)
    from attncalc.exercise.numbers.printed import in_brackets

    return in_brackets(text)


def parse_number(text: str, names: Mapping[str, Value] = {}) -> Term:
    """The one number that a text stands for, of reasonable size."""
    value = parse_value(text, names)
    if isinstance(value, np.ndarray):
        raise ExpressionError("is a matrix where one number is wanted", 0)
    return value


def parse_value(text: str, names: Mapping[str, Value]) -> Value:
    """The number, vector or matrix that a text stands for, every entry of reasonable size."""
    if PLAIN.fullmatch(text):
        whole, _, decimals = text.partition(".")
        if not decimals:
            return Constant(int(whole))
        return Constant(rational(Fraction(int(whole + decimals), 10 ** len(decimals))), len(decimals))
    value = parse(text, names)
    for term in value.ravel() if isinstance(value, np.ndarray) else (value,):
        bounded(term, 0)
    return value


def bounded(term: Term, offset: int) -> Term:
    """The term, if its value is defined and neither too large nor too long."""
    if isinstance(term, Constant) and term.value == float("-inf"):
        return term
    try:
        magnitude(term)
    except Unbounded as error:
        raise ExpressionError(f"{error}", offset) from None
    return term
