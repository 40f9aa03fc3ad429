"""Numbers as students write them: signs around them are dropped, and matrices must be worked out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from attncalc.core.fields.rationals import rational
from attncalc.core.terms import Constant
from attncalc.exercise.numbers.matrices import MATRICES, Value
from attncalc.exercise.numbers.parser import Parser
from attncalc.exercise.numbers.texts import prepare_text
from attncalc.exercise.numbers.tokens import Token

NUMBERS_ASKED = "write the numbers, not what they are computed from"
AROUND = ("~", "≈", "=", "$")
"""Signs before a number that do not change its value."""
BRACKET = r"[\[({]"
ROWS = r"\n|;|[0-9],[0-9]+,[0-9]"
THOUSANDS = r"(?<![0-9])[1-9][0-9]{0,2},[0-9]{3}(?![0-9])"


def parse_answer(text: str, names: Mapping[str, Value]) -> Value:
    """Return the term or array that a student's text stands for."""
    return AnswerParser(*prepare_text(text), names).whole()


def parse_sum(text: str, names: Mapping[str, Value]) -> Value:
    """Return the row that a sum of weighted rows stands for: 0.2*[16, 27] + 0.8*[-8, 0]."""
    return SumParser(*prepare_text(text), names).whole()


def with_point(text: str) -> str:
    """Replace a decimal comma by a point if it can be nothing else: not in 1,020, in brackets or in rows."""
    if "," not in text or any(re.search(sign, text) for sign in (BRACKET, THOUSANDS, ROWS)):
        return text
    return to_points(text)


def to_points(text: str) -> str:
    """Replace each comma between two digits by a point."""
    return re.sub(r"(?<=[0-9]),(?=[0-9])", ".", text)


class AnswerParser(Parser):
    """The grammar of numbers, without products, sums and functions of matrices.

    Only vectors that the problem defines may be added, by their names: u_a + u_c.
    """

    signs = (*AROUND, "%")
    deepest = 40
    written = False
    """Whether a matrix was read that is written in numbers."""

    def sum(self) -> Value:
        while self.take(*AROUND):
            pass
        value = super().sum()
        self.take("$")
        return value

    def atom(self) -> Value:
        is_number = self.next.kind == "number"
        value = super().atom()
        if is_number and isinstance(value, Constant) and self.take("%"):
            part = Fraction(str(value.value)) / 100
            return Constant(rational(part), (value.places or 0) + 2)
        return value

    def read_name(self, token: Token) -> Value:
        if token.text in MATRICES and token.text not in self.names:
            raise self.refuse(NUMBERS_ASKED, token)
        return super().read_name(token)

    def transpose(self, sign: Token, base: Value) -> Value:  # noqa: ARG002  nothing is transposed
        raise self.refuse(NUMBERS_ASKED, sign)

    def matrix(self, opened: Token) -> Value:
        value = super().matrix(opened)
        self.written = True
        return value

    def combine(self, sign: Token, left: Value, right: Value) -> Value:
        both = isinstance(left, np.ndarray) and isinstance(right, np.ndarray)
        if both and (self.written or sign.text not in ("+", "-")):
            raise self.refuse(NUMBERS_ASKED, sign)
        return super().combine(sign, left, right)


class SumParser(AnswerParser):
    """The grammar of answers with sums of written rows, each times a number."""

    def combine(self, sign: Token, left: Value, right: Value) -> Value:
        both = isinstance(left, np.ndarray) and isinstance(right, np.ndarray)
        if both and sign.text not in ("+", "-"):
            raise self.refuse(NUMBERS_ASKED, sign)
        return Parser.combine(self, sign, left, right)
