"""Numbers, vectors and matrices as people write them, read by a small grammar.

    sum      product { (+|-) product }
    product  signed { (*|/) signed | power }            2√3 and 2 sqrt(3) multiply
    signed   [+|-] power
    power    atom { ᵀ } [ ^ [+|-] power ]               ^T, ^\\top and .T are ᵀ, too
    atom     number | name | name ( sum {, sum} ) | ( sum ) | √ atom | \\frac{sum}{sum} | matrix
    matrix   [ row ; row ]  or  [ [..], [..] ]  with commas or spaces between entries,  or  ( sum , sum )

Nothing is evaluated: the result is a term, or an array of terms for a vector or matrix.  The caller gives
the names that may be used.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from attncalc.core.errors import nearest, quote
from attncalc.core.terms import Apply, Constant, Power, Term, members
from attncalc.core.terms.functions import find_spelt, spellings
from attncalc.exercise.numbers.matrices import (
    LARGEST_MATRIX,
    MATRICES,
    SizeError,
    Value,
    apply_sign,
    check_size,
    negative,
    stack,
    transpose,
)
from attncalc.exercise.numbers.tokens import CONSTANTS, PRINTED, Cursor, ExpressionError, Token, parse_literal


class Parser(Cursor):
    """Recursive descent over the tokens of one text."""

    def __init__(self, text: str, spaced: bool, names: Mapping[str, Value]) -> None:
        super().__init__(text)
        self.names = names
        self.spaced = spaced
        self.in_matrix = False
        self.weights: dict[int, tuple[Term, int]] = {}

    def whole(self) -> Value:
        """Parse the whole text."""
        if self.next.kind == "end":
            raise self.refuse("is empty")
        # Rows may stand without the brackets of their matrix: 1 0; 0 1.
        is_bare = ";" in self.text and not set("[{") & set(self.text)
        value = self.rows("") if is_bare else self.sum()
        if self.next.kind == "end":
            return value
        if self.next.text == ",":
            raise self.refuse("has a comma: write a decimal comma as a point, 0.62, and a row as [0, 62]")
        hint = ": leave it out" if self.next.text in (")", "]", "}") else ""
        raise self.refuse(f"{quote(self.next.text)} is not expected here{hint}")

    def sum(self) -> Value:
        """Terms joined by + and −."""
        self.deeper()
        value = self.product()
        while not self.entry_ends() and (sign := self.take("+", "-")):
            value = self.combine(sign, value, self.product())
        self.depth -= 1
        return value

    def entry_ends(self) -> bool:
        """Whether a sign starts the next entry of a matrix: [1 -2] has two entries."""
        token, after = self.next, self.tokens[min(self.position + 1, len(self.tokens) - 1)]
        return self.in_matrix and token.spaced and token.text in "+-" and not after.spaced

    def product(self) -> Value:
        """Factors joined by * and /, or standing side by side."""
        value = self.read_signed()
        divided = False
        while True:
            if sign := self.take("*", "/"):
                right = self.read_signed()
                divided = sign.text == "/"
                value = self.combine(sign, value, right)
            elif self.starts_factor():
                token, right = self.next, self.power()
                if divided and not isinstance(right, np.ndarray):
                    raise self.refuse("is ambiguous: put brackets round what is divided by", token)
                value = self.combine(token, value, right)
            else:
                return value

    def starts_factor(self) -> bool:
        """Whether a factor follows without a sign between."""
        token, before = self.next, self.tokens[self.position - 1]
        if self.in_matrix and token.spaced:
            return False
        if token.kind in ("number", "fraction"):
            if before.kind == "number" and token.text[0] == "." and not token.spaced:
                raise self.refuse("a number has one point")
            if before.kind in ("number", "fraction"):
                raise self.refuse("two numbers stand side by side")
            raise self.refuse("a number stands behind a factor: put a * between")
        return token.kind in ("name", "latex") or token.text in ("(", "√")

    def read_signed(self) -> Value:
        """A power with at most one sign."""
        sign = self.take("+", "-")
        if sign and self.next.text in ("+", "-"):
            raise self.refuse("two signs stand in a row")
        value = self.power()
        return negative(value) if sign and sign.text == "-" else value

    def power(self) -> Value:
        """An atom, optionally transposed, optionally raised to a power."""
        base = self.atom()
        while self.next.kind == "turned":
            self.position += 1
            base = self.transpose(self.tokens[self.position - 1], base)
        if not (sign := self.take("^")):
            return base
        minus = self.take("+", "-")
        self.deeper()
        exponent = self.power()
        self.depth -= 1
        exponent = negative(exponent) if minus and minus.text == "-" else exponent
        return self.raise_to(sign, base, exponent)

    def raise_to(self, sign: Token, base: Value, exponent: Value) -> Term:
        """A power of numbers."""
        if isinstance(base, np.ndarray) or isinstance(exponent, np.ndarray):
            raise self.refuse("a matrix cannot be raised to a power here", sign)
        return Apply("exp", exponent) if base == CONSTANTS["e"] else Power(base, exponent)

    def transpose(self, sign: Token, base: Value) -> Value:
        """The transpose of a vector or matrix; a number is raised to T, if T is a known name."""
        if "T" in self.names and not isinstance(base, np.ndarray):
            return self.raise_to(sign, base, self.names["T"])
        try:
            return transpose(base)
        except SizeError as error:
            raise self.refuse(str(error), sign) from None

    def atom(self) -> Value:
        """A number, a name, a call, or something in brackets."""
        token = self.next
        self.position += 1
        if token.kind == "number":
            return parse_literal(token.text, token.offset)
        if token.kind == "fraction":
            return Constant(Fraction(unicodedata.numeric(token.text)).limit_denominator(1000))
        if token.kind == "name":
            return self.read_name(token)
        if token.kind == "latex":
            return self.latex(token)
        if token.text == "√":
            self.deeper()
            inside = self.atom()
            self.depth -= 1
            return self.function(token, "sqrt", inside)
        if token.text in ("(", "{"):
            return self.read_brackets(token)
        if token.text == "[":
            return self.matrix(token)
        if token.kind == "end":
            raise self.refuse("ends too early", token)
        raise self.refuse(f"{quote(token.text)} is not expected here", token)

    def read_brackets(self, opened: Token) -> Value:
        """A value in round or curly brackets; several with commas between them are a row."""
        values = self.arguments(opened)
        return values[0] if len(values) == 1 else self.stack([values], opened)

    def group(self) -> Value:
        """The {…} behind a LaTeX command, or one digit."""
        opened, digit = self.take("{"), self.next
        if not opened and digit.kind == "number" and len(digit.text) == 1:
            self.position += 1
            return Constant(int(digit.text))
        if not opened:
            raise self.refuse("a '{' is expected here")
        return self.read_brackets(opened)

    def latex(self, token: Token) -> Value:
        r"""\\frac{a}{b}, and \\mathrm{erf}(a)"""
        if token.text in (r"\frac", r"\dfrac", r"\tfrac"):
            over, under = self.two_digits() or (self.group(), self.group())
            return self.combine(Token("sign", "/", token.offset, False), over, under)
        if token.text in (r"\mathrm", r"\operatorname"):
            return self.upright()
        raise self.refuse(f"{quote(token.text)} is not known", token)

    def two_digits(self) -> tuple[Value, Value] | None:
        r"""What stands over and under the line of \\frac12, which needs no brackets."""
        digits = self.next.text if self.next.kind == "number" and self.next.text.isdigit() else ""
        if len(digits) > 2:
            ways = f"write \\frac{{{digits[0]}}}{{{digits[1:]}}}"
            raise self.refuse(f"\\frac{digits} may be several fractions: {ways}")
        if len(digits) < 2:
            return None
        self.position += 1
        return Constant(int(digits[0])), Constant(int(digits[1]))

    def upright(self) -> Value:
        """The value of a {name} that LaTeX sets upright."""
        opened, token = self.take("{"), self.next
        if not opened or token.kind != "name":
            raise self.refuse("a name in {} is expected here")
        self.position += 1
        self.expect("}", opened)
        return self.read_name(token)

    def read_name(self, token: Token) -> Value:
        """A constant, a function's value, or a name that the caller knows."""
        name = token.text
        if name in self.names:
            return self.names[name]
        if name in CONSTANTS:
            return CONSTANTS[name]
        if name in PRINTED:
            return PRINTED[name]
        function = find_spelt(name)
        if function is None and name not in MATRICES:
            known = [*spellings(), *CONSTANTS, *MATRICES, *self.names]
            hint = nearest(name, known)
            message = f"{quote(name)} is not known{hint}"
            raise ExpressionError(message, token.offset, not hint and self.next.text != "(")
        opened = self.take("(", "{")
        if not opened:
            raise self.refuse(f"{name} needs its argument in brackets")
        arguments = self.arguments(opened)
        if function is not None:
            if len(arguments) != 1:
                raise self.refuse(f"{name} takes one number", token)
            return self.function(token, function.name, arguments[0])
        try:
            return check_size(MATRICES[name](*arguments))
        except (TypeError, ValueError) as error:
            reason = error if isinstance(error, SizeError) else "its arguments do not fit"
            raise self.refuse(f"{name}: {reason}", token) from None

    def arguments(self, opened: Token) -> list[Value]:
        """The arguments between a function's brackets."""
        outside, self.in_matrix = self.in_matrix, False
        values = [self.sum()]
        while self.take(","):
            values.append(self.sum())
        self.expect({"(": ")", "{": "}"}[opened.text], opened)
        self.in_matrix = outside
        return values

    def function(self, token: Token, function: str, value: Value) -> Value:
        """A function of one number."""
        if isinstance(value, np.ndarray):
            raise self.refuse(f"{function} takes one number, not a matrix", token)
        return Apply(function, value)

    def matrix(self, opened: Token) -> Value:
        """Entries in square brackets."""
        return self.rows("]", opened)

    def rows(self, closing: str, opened: Token | None = None) -> Value:
        """Rows of entries up to the bracket that closes them, or to the end of a text without brackets."""
        outside, self.in_matrix = self.in_matrix, self.spaced
        rows: list[list[Value]] = [[]]
        while not (self.take(closing) or (not closing and self.next.kind == "end")):
            if self.next.kind == "end":
                raise self.refuse("the '[' is not closed", opened)
            rows[-1].append(self.sum())
            if self.take(";"):
                rows.append([])
            else:
                self.take(",")
        self.in_matrix = outside
        return self.stack(rows, opened)

    def stack(self, rows: list[list[Value]], opened: Token | None) -> Value:
        """Rows of entries as one matrix."""
        try:
            return check_size(stack(rows))
        except ValueError as error:
            raise self.refuse(str(error), opened) from None

    def combine(self, sign: Token, left: Value, right: Value) -> Value:
        """Two values joined by a sign; a missing sign is a product."""
        try:
            value = check_size(apply_sign(sign.text, left, right))
        except ValueError as error:
            raise self.refuse(str(error), sign) from None
        entries = value.ravel() if isinstance(value, np.ndarray) else [value]
        if sum(self.weight(term) for term in entries) > LARGEST_MATRIX:
            raise self.refuse(f"takes more than {LARGEST_MATRIX:,} numbers to write out", sign)
        return value

    def weight(self, term: Term) -> int:
        """Return the number of leaves of a term; those of shared parts are computed once."""
        if id(term) not in self.weights:
            weight = sum(self.weight(member) for member in members(term)) or 1
            self.weights[id(term)] = term, weight
        return self.weights[id(term)][1]
