"""Numbers, vectors and matrices as people write them, read by a small grammar of our own.

    sum      product { (+|-) product }
    product  signed { (*|/) signed | power }            2√3 and 2 sqrt(3) multiply
    signed   [+|-] power
    power    atom [ ^ [+|-] power ]
    atom     number | name | name ( sum {, sum} ) | ( sum ) | √ atom | \\frac{sum}{sum} | matrix
    matrix   [ row ; row ]  or  [ [..], [..] ]  with commas or spaces between entries

Nothing is evaluated: the result is a term, or an array of terms for a vector or matrix, on which
+ − * / act as on the numbers they stand for.  Names are only those that the caller knows.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from fractions import Fraction
from operator import mul
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from attncalc.errors import nearest, quoted
from attncalc.readings.magnitude import Unbounded, magnitude
from attncalc.terms import (
    Apply,
    Constant,
    Entry,
    Function,
    Negative,
    Power,
    Quotient,
    Term,
    members,
)

Value: TypeAlias = "Term | np.ndarray[Any, Any]"

LONGEST = 10_000
DEEPEST = 100
MOST_NUMBER_DIGITS = 1000
MOST_ENTRIES = 50_000

FUNCTIONS: dict[str, Function] = {
    "exp": "exp", "ln": "ln", "log": "ln", "sqrt": "sqrt",
    "tanh": "tanh", "sin": "sin", "cos": "cos", "erf": "erf",
}  # fmt: skip
CONSTANTS: dict[str, Term] = {"e": Apply("exp", Constant(1)), "pi": Entry("pi")}
LATEX = {r"\cdot": "*", r"\times": "*", r"\pi": "pi", r"\infty": "inf", r"\exp": "exp",
         r"\ln": "ln", r"\log": "ln", r"\tanh": "tanh", r"\sin": "sin", r"\cos": "cos"}  # fmt: skip
SAME = str.maketrans({"−": "-", "–": "-", "·": "*", "⋅": "*", "×": "*", "÷": "/", "\xa0": " ",
                      "π": "pi", "∞": "oo"})  # fmt: skip
TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<name>[A-Za-z][A-Za-z0-9_]*)|(?P<latex>\\[A-Za-z]+)|(?P<sign>\*\*|[-+*/^()\[\]{},;√])"
    r"|(?P<other>.)",
    re.DOTALL,
)
PLAIN = re.compile(r"[+-]?[0-9]{1,15}(?:\.[0-9]{1,15})?")


class ExpressionError(Exception):
    """What cannot be read in a text, and at which character."""

    def __init__(self, message: str, offset: int) -> None:
        self.message, self.offset = message, offset
        super().__init__(message)


class Token(NamedTuple):
    """A piece of the text: its kind, itself, where it starts, and whether space stands before it."""

    kind: str
    text: str
    offset: int
    spaced: bool


def parse(text: str, names: Mapping[str, Value] = {}) -> Value:
    """The term or array that a text stands for."""
    if len(text) > LONGEST:
        raise ExpressionError(f"is longer than {LONGEST:,} characters", 0)
    text, spaced = in_brackets(text)
    return Parser(text, names, spaced).whole()


def parse_number(text: str, names: Mapping[str, Value] = {}) -> Term:
    """The one number that a text stands for, of reasonable size."""
    if PLAIN.fullmatch(text):
        return number(text.lstrip("+"), 0)
    value = parse(text, names)
    if isinstance(value, np.ndarray):
        raise ExpressionError("is a matrix where one number is wanted", 0)
    return bounded(value, 0)


def in_brackets(text: str) -> tuple[str, bool]:
    """What NumPy, torch, SymPy, Mathematica and LaTeX print, as a matrix in square brackets.

    Also says whether spaces separate entries.  Every piece is replaced by one of the same length, so
    that errors keep their place.
    """
    if "..." in text or "…" in text:
        raise ExpressionError("is a shortened print: '...' stands for numbers left out", 0)
    mathematica = text.lstrip().startswith("{")
    if mathematica:
        text = MATHEMATICA_CALL.sub(lambda match: f"{match[1].lower()}({match[2]})", text)
        text = text.translate(str.maketrans("{}", "[]"))
    latex = "matrix}" in text
    for pattern, sign in PRINTS:
        text = pattern.sub(lambda match, sign=sign: sign.ljust(len(match[0])), text)  # type: ignore[misc]
    wrapped = WRAPPED.fullmatch(text)
    if wrapped is not None:
        start, end = wrapped.span("matrix")
        text = " " * start + text[start:end] + " " * (len(text) - end)
    if mathematica or wrapped:
        text = PRINTED_CONSTANT.sub(lambda match: match[0].lower(), text)
    return text, not (mathematica or latex or wrapped)


PRINTS = [
    (re.compile(r"(?:\\left\s*[\[(]\s*)?\\begin\{[bpvB]?matrix\}"), "["),
    (re.compile(r"\\end\{[bpvB]?matrix\}(?:\s*\\right\s*[\])])?"), "]"),
    (re.compile(r"\\\\"), ";"),
    (re.compile(r"&"), ","),
    (re.compile(r"np\.(?:float|int)[0-9]+(?=\()"), ""),
]
WRAPPED = re.compile(
    r"\s*(?:(?:np|numpy|torch|sp|sympy)\.)?(?:array|tensor|(?:Mutable|Immutable)?(?:Dense)?[Mm]atrix)"
    r"\((?P<matrix>[^=]*?\])\s*(?:,\s*(?:dtype|device|requires_grad|grad_fn)=[^=]*)*\)\s*"
)
MATHEMATICA_CALL = re.compile(r"\b(Sqrt|Exp|Log|Tanh|Sin|Cos)\[([^\[\]]*)\]")
PRINTED_CONSTANT = re.compile(r"\b(?:E|Pi)\b")


def bounded(term: Term, offset: int) -> Term:
    """The term, if its value is defined and neither too large nor too long."""
    if isinstance(term, Constant) and term.value == float("-inf"):
        return term
    try:
        magnitude(term)
    except Unbounded as error:
        raise ExpressionError(f"{error}", offset) from None
    return term


def number(text: str, offset: int) -> Constant:
    """A literal, read digit by digit and never through a float."""
    mantissa, _, exponent = text.lower().partition("e")
    whole, point, decimals = mantissa.partition(".")
    if len(whole) + len(decimals) > MOST_NUMBER_DIGITS:
        raise ExpressionError(f"has more than {MOST_NUMBER_DIGITS} digits", offset)
    if len(exponent) > 5 or abs(int(exponent or 0)) > MOST_NUMBER_DIGITS:
        raise ExpressionError("is outside 10^±308", offset)
    shift = int(exponent or 0) - len(decimals)
    value = int(whole + decimals or 0)
    if shift >= 0:
        return Constant(value * 10**shift, 0 if point else None)
    exact = Fraction(value, 10**-shift)
    return Constant(exact if exact.denominator > 1 else exact.numerator, -shift)


def tokens(text: str) -> list[Token]:
    """The pieces of a text, white space dropped."""
    found, spaced = [], False
    for match in TOKEN.finditer(text):
        kind, piece = match.lastgroup or "", match[0]
        if kind == "space":
            spaced = True
            continue
        if kind == "latex" and piece in (r"\left", r"\right"):
            continue
        found.append(Token(*rewritten(kind, piece, match.start()), match.start(), spaced))
        spaced = False
    return [*found, Token("end", "", len(text), spaced)]


def rewritten(kind: str, piece: str, offset: int) -> tuple[str, str]:
    """LaTeX commands and single characters as the words and signs they stand for."""
    if kind == "latex" and piece in LATEX:
        word = LATEX[piece]
        return ("sign" if word == "*" else "name"), word
    if kind == "sign" and piece in "{}":
        return kind, piece
    if piece in "_?":
        return "name", "_"
    if kind == "other":
        if unicodedata.category(piece) == "No" and "/" in unicodedata.normalize("NFKC", piece).replace(
            "⁄", "/"
        ):
            return "fraction", piece
        raise ExpressionError(f"{quoted(piece)} cannot be read here", offset)
    return kind, "^" if piece == "**" else piece


class Parser:
    """Recursive descent over the tokens of one text."""

    def __init__(self, text: str, names: Mapping[str, Value], spaced: bool) -> None:
        self.text = text.translate(SAME)
        self.names = names
        self.spaced = spaced
        self.tokens = tokens(self.text)
        self.position = 0
        self.depth = 0
        self.in_matrix = False
        self.weights: dict[int, tuple[Term, int]] = {}

    @property
    def next(self) -> Token:
        """The token to be read."""
        return self.tokens[self.position]

    def take(self, *signs: str) -> Token | None:
        """The next token if it is one of these signs."""
        token = self.next
        if token.kind == "sign" and token.text in signs:
            self.position += 1
            return token
        return None

    def expect(self, sign: str, opened: Token) -> None:
        """The closing sign of a bracket."""
        if not self.take(sign):
            raise ExpressionError(f"the '{opened.text}' is not closed", opened.offset)

    def deeper(self) -> None:
        """Goes one level down, if there are levels left."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.refused(f"is nested more than {DEEPEST} levels deep")

    def refused(self, message: str, token: Token | None = None) -> ExpressionError:
        """An error at a token."""
        return ExpressionError(message, (token or self.next).offset)

    def whole(self) -> Value:
        """The text from start to end."""
        if self.next.kind == "end":
            raise self.refused("is empty")
        value = self.sum()
        if self.next.kind == "end":
            return value
        if self.next.text == ",":
            raise self.refused("has a comma: write a decimal comma as a point, 0.62")
        raise self.refused(f"{quoted(self.next.text)} is not expected here")

    def sum(self) -> Value:
        """Terms joined by + and −."""
        self.deeper()
        value = self.product()
        while not self.entry_ends() and (sign := self.take("+", "-")):
            value = self.combined(sign, value, self.product())
        self.depth -= 1
        return value

    def entry_ends(self) -> bool:
        """Whether, between the entries of a matrix, a sign starts the next one: [1 -2] is two."""
        token, after = self.next, self.tokens[min(self.position + 1, len(self.tokens) - 1)]
        return self.in_matrix and token.spaced and token.text in "+-" and not after.spaced

    def product(self) -> Value:
        """Factors joined by * and /, or standing side by side."""
        value = self.signed()
        divided = False
        while True:
            if sign := self.take("*", "/"):
                right = self.signed()
                divided = sign.text == "/"
                value = self.combined(sign, value, right)
            elif self.starts_factor():
                if divided:
                    raise self.refused("is ambiguous: put brackets round what is divided by")
                value = self.combined(self.next, value, self.power())
            else:
                return value

    def starts_factor(self) -> bool:
        """Whether a factor follows without a sign between."""
        token, before = self.next, self.tokens[self.position - 1]
        if self.in_matrix and token.spaced:
            return False
        if token.kind in ("number", "fraction"):
            if before.kind in ("number", "fraction"):
                raise self.refused("two numbers stand side by side: write 2 1/2 as 5/2")
            raise self.refused("a number stands behind a factor: put a * between")
        return token.kind in ("name", "latex") or token.text in ("(", "√")

    def signed(self) -> Value:
        """A power with at most one sign."""
        sign = self.take("+", "-")
        if sign and self.next.text in ("+", "-"):
            raise self.refused("two signs stand in a row")
        value = self.power()
        return negative(value) if sign and sign.text == "-" else value

    def power(self) -> Value:
        """An atom, perhaps raised."""
        base = self.atom()
        if not (sign := self.take("^")):
            return base
        minus = self.take("+", "-")
        self.deeper()
        exponent = self.power()
        self.depth -= 1
        exponent = negative(exponent) if minus and minus.text == "-" else exponent
        if isinstance(base, np.ndarray) or isinstance(exponent, np.ndarray):
            raise self.refused("a matrix cannot be raised to a power here", sign)
        return Apply("exp", exponent) if base == CONSTANTS["e"] else Power(base, exponent)

    def atom(self) -> Value:
        """A number, a name, a call, or something in brackets."""
        token = self.next
        self.position += 1
        if token.kind == "number":
            return number(token.text, token.offset)
        if token.kind == "fraction":
            return Constant(Fraction(unicodedata.numeric(token.text)).limit_denominator(1000))
        if token.kind == "name":
            return self.named(token)
        if token.kind == "latex":
            return self.latex(token)
        if token.text == "√":
            self.deeper()
            inside = self.atom()
            self.depth -= 1
            return self.function(token, "sqrt", inside)
        if token.text in ("(", "{"):
            return self.bracketed(token)
        if token.text == "[":
            return self.matrix(token)
        if token.kind == "end":
            raise self.refused("ends too early", token)
        raise self.refused(f"{quoted(token.text)} is not expected here", token)

    def bracketed(self, opened: Token) -> Value:
        """What stands in round or curly brackets."""
        outside, self.in_matrix = self.in_matrix, False
        value = self.sum()
        self.expect({"(": ")", "{": "}"}[opened.text], opened)
        self.in_matrix = outside
        return value

    def group(self) -> Value:
        """The {…} behind a LaTeX command."""
        opened = self.take("{")
        if not opened:
            raise self.refused("a '{' is expected here")
        return self.bracketed(opened)

    def latex(self, token: Token) -> Value:
        r"""\\frac{a}{b} and \\sqrt{a}"""
        if token.text in (r"\frac", r"\dfrac", r"\tfrac"):
            over, under = self.group(), self.group()
            return self.combined(Token("sign", "/", token.offset, False), over, under)
        if token.text == r"\sqrt":
            return self.function(token, "sqrt", self.group())
        raise self.refused(f"{quoted(token.text)} is not known", token)

    def named(self, token: Token) -> Value:
        """A constant, a function's value, or a name that the caller knows."""
        name = token.text
        if name in self.names:
            return self.names[name]
        if name in CONSTANTS:
            return CONSTANTS[name]
        known = [*FUNCTIONS, *CONSTANTS, *MATRICES, *self.names]
        if name not in FUNCTIONS and name not in MATRICES:
            raise self.refused(f"{quoted(name)} is not known{nearest(name, known)}", token)
        opened = self.take("(", "{")
        if not opened:
            raise self.refused(f"{name} needs its argument in brackets")
        arguments = self.arguments(opened)
        if name in FUNCTIONS:
            if len(arguments) != 1:
                raise self.refused(f"{name} takes one number", token)
            return self.function(token, FUNCTIONS[name], arguments[0])
        try:
            return checked(MATRICES[name](*arguments))
        except (TypeError, ValueError) as error:
            reason = error if isinstance(error, SizeError) else "its arguments do not fit"
            raise self.refused(f"{name}: {reason}", token) from None

    def arguments(self, opened: Token) -> list[Value]:
        """What stands between a function's brackets."""
        outside, self.in_matrix = self.in_matrix, False
        values = [self.sum()]
        while self.take(","):
            values.append(self.sum())
        self.expect({"(": ")", "{": "}"}[opened.text], opened)
        self.in_matrix = outside
        return values

    def function(self, token: Token, function: Function, value: Value) -> Value:
        """A function of one number."""
        if isinstance(value, np.ndarray):
            raise self.refused(f"{function} takes one number, not a matrix", token)
        return Apply(function, value)

    def matrix(self, opened: Token) -> Value:
        """Entries in square brackets: a vector, or a matrix of rows."""
        outside, self.in_matrix = self.in_matrix, self.spaced
        rows: list[list[Value]] = [[]]
        while not self.take("]"):
            if self.next.kind == "end":
                raise self.refused("the '[' is not closed", opened)
            rows[-1].append(self.sum())
            if self.take(";"):
                rows.append([])
            else:
                self.take(",")
        self.in_matrix = outside
        try:
            return checked(stacked(rows))
        except ValueError as error:
            raise self.refused(str(error), opened) from None

    def combined(self, sign: Token, left: Value, right: Value) -> Value:
        """Two values joined by a sign; a missing sign is a product."""
        try:
            value = checked(joined(sign.text, left, right))
        except ValueError as error:
            raise self.refused(str(error), sign) from None
        entries = value.ravel() if isinstance(value, np.ndarray) else [value]
        if sum(self.weight(term) for term in entries) > MOST_ENTRIES:
            raise self.refused(f"takes more than {MOST_ENTRIES:,} numbers to write out", sign)
        return value

    def weight(self, term: Term) -> int:
        """How many numbers a term takes written out; shared parts are counted once and remembered."""
        if id(term) not in self.weights:
            weight = sum(self.weight(member) for member in members(term)) or 1
            self.weights[id(term)] = term, weight
        return self.weights[id(term)][1]


class SizeError(ValueError):
    """Sizes that do not fit or are too large."""


def checked(value: Value) -> Value:
    """The value, if it is not too large."""
    if isinstance(value, np.ndarray) and value.size > MOST_ENTRIES:
        raise SizeError(f"has more than {MOST_ENTRIES:,} entries")
    return value


def negative(value: Value) -> Value:
    """−value; a literal takes the sign itself."""
    if isinstance(value, np.ndarray):
        return over_entries(negative, value)
    if isinstance(value, Constant):
        return Constant(-value.value, value.places)
    return Negative(value)


def over_entries(change: Any, *values: Value) -> np.ndarray[Any, Any]:
    """A function of every entry."""
    return np.asarray(np.frompyfunc(change, len(values), 1)(*values), dtype=object)


def joined(sign: str, left: Value, right: Value) -> Value:
    """left sign right, for numbers, vectors and matrices."""
    matrices = [v for v in (left, right) if isinstance(v, np.ndarray)]
    if sign in "+-":
        if len(matrices) == 1 or (len(matrices) == 2 and matrices[0].shape != matrices[1].shape):
            raise SizeError("sizes differ: " + " and ".join(map(size_of, (left, right))))
        return left + (right if sign == "+" else negative(right))
    if sign == "/":
        if isinstance(right, np.ndarray):
            raise SizeError("divides by a matrix")
        return over_entries(Quotient, left, right) if matrices else Quotient(left, right)  # type: ignore[arg-type]
    if len(matrices) == 2:
        return product_of(left, right)  # type: ignore[arg-type]
    return over_entries(mul, left, right) if matrices else left * right


def product_of(left: np.ndarray[Any, Any], right: np.ndarray[Any, Any]) -> Value:
    """The matrix product."""
    if left.shape[-1] != right.shape[0]:
        raise SizeError(f"sizes do not fit: {size_of(left)} times {size_of(right)}")
    if left.size * right.size // left.shape[-1] > MOST_ENTRIES:
        raise SizeError(f"takes more than {MOST_ENTRIES:,} products")
    return np.matmul(left, right)  # type: ignore[no-any-return]


def size_of(value: Value) -> str:
    """Rows × columns, or 'a number'."""
    return "×".join(map(str, value.shape)) if isinstance(value, np.ndarray) else "a number"


def stacked(rows: list[list[Value]]) -> np.ndarray[Any, Any]:
    """Rows of entries as one array; rows that are lists themselves are stacked."""
    if rows[-1] == [] and len(rows) > 1:
        rows = rows[:-1]
    lengths = [len(row) for row in rows]
    if 0 in lengths:
        raise SizeError("is empty")
    if len(set(lengths)) > 1:
        raise SizeError(f"rows have different lengths: {', '.join(map(str, lengths))}")
    if len(rows) > 1:
        return np.stack([stacked([row]) for row in rows])
    (row,) = rows
    shapes = {v.shape if isinstance(v, np.ndarray) else () for v in row}
    if len(shapes) > 1:
        raise SizeError("rows have different lengths")
    if shapes == {()}:
        array = np.empty(len(row), dtype=object)
        array[:] = row
        return array
    return np.stack(row)  # type: ignore[arg-type]


def whole_number(value: Value) -> int:
    """A size given as an argument."""
    if not isinstance(value, Constant) or not isinstance(value.value, int):
        raise SizeError("a size is a whole number")
    if not 1 <= value.value <= MOST_ENTRIES:
        raise SizeError(f"a size is from 1 to {MOST_ENTRIES:,}")
    return value.value


def filled(rows: Value, columns: Value, value: int) -> np.ndarray[Any, Any]:
    """A matrix of one number."""
    shape = whole_number(rows), whole_number(columns)
    if shape[0] * shape[1] > MOST_ENTRIES:
        raise SizeError(f"has more than {MOST_ENTRIES:,} entries")
    return np.full(shape, Constant(value), dtype=object)


def diagonal(*entries: Value) -> np.ndarray[Any, Any]:
    """A matrix with these on its diagonal, from numbers or one vector."""
    values = entries[0] if len(entries) == 1 and isinstance(entries[0], np.ndarray) else entries
    size = Constant(len(values))
    matrix = filled(size, size, 0)
    np.fill_diagonal(matrix, np.array(values, dtype=object))
    return matrix


def identity(size: Value) -> np.ndarray[Any, Any]:
    """The identity matrix."""
    matrix = filled(size, size, 0)
    np.fill_diagonal(matrix, Constant(1))
    return matrix


MATRICES: dict[str, Any] = {
    "transpose": lambda a: np.asarray(a).T,
    "outer": lambda u, v: product_of(u[:, None], v[None, :]),
    "dot": lambda u, v: product_of(u[None, :], v[:, None])[0, 0],  # type: ignore[index]
    "identity": identity,
    "zeros": lambda m, n: filled(m, n, 0),
    "ones": lambda m, n: filled(m, n, 1),
    "diag": diagonal,
    "stack": lambda *rows: np.stack(rows),
}
"""Functions of vectors and matrices."""
