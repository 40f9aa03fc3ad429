"""The tokens of a text: numbers, names and signs; and a cursor that moves along them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from fractions import Fraction
from typing import NamedTuple

from attncalc.core.errors import quote
from attncalc.core.fields.rationals import rational
from attncalc.core.notations.terms import GREEK
from attncalc.core.terms import Apply, Constant, Entry, Term
from attncalc.core.terms.functions import find_spelt

MOST_NUMBER_DIGITS = 1000
DEEPEST_BRACKETS = 100
"""The deepest nesting of brackets."""

LATEX = {r"\approx": "≈", r"\cdot": "*", r"\times": "*", r"\infty": "inf"}
WIDE = dict(zip("［］｛｝（），；＋＊／．０１２３４５６７８９", "[]{}(),;+*/.0123456789", strict=True))
SAME = str.maketrans({**dict.fromkeys("−–—‐‑‒﹣－", "-"), **dict.fromkeys("·⋅×", "*"), **WIDE,
                      **dict.fromkeys("÷⁄∕", "/"), "\xa0": " ", "π": "pi", "∞": "oo", "µ": "μ"})  # fmt: skip
RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-", strict=True))
"""Superscript digits and signs of an exponent: 10⁻³."""
LETTERS = {sign: name for name, sign in GREEK.items()}
INDEX = r"\{[A-Za-z0-9]+\}"
# Not compiled here: plain digits do not need it.
TOKEN = (
    r"(?P<space>\s+)|(?P<turned>ᵀ|⊤|\.T\b|\^\s*(?:T\b|\\top\b|\{\s*(?:T|\\top)\s*\}))"
    rf"|(?P<greek>(?:[{''.join(LETTERS)}]|\\(?:{'|'.join(GREEK)})(?![A-Za-z]))(?:_(?:[A-Za-z0-9]+|{INDEX}))?)"
    r"|(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    rf"|(?P<name>[A-Za-z][A-Za-z0-9_]*(?:(?<=_){INDEX})?)"
    r"|(?P<latex>\\[A-Za-z]+)|(?P<sign>\*\*|[-+*/^()\[\]{},;√])"
    r"|(?P<raised>[⁺⁻]?[⁰¹²³⁴-⁹]+)|(?P<other>(?s:.))"
)


CONSTANTS: dict[str, Term] = {"e": Apply("exp", Constant(1)), "pi": Entry("pi")}
"""The numbers that have a name in every problem."""
PRINTED: dict[str, Term] = {"E": CONSTANTS["e"]}
"""Constants as SymPy prints them; unlike the others, a problem may define these names."""


class ExpressionError(Exception):
    """An error in a text, and the character where it is."""

    def __init__(self, message: str, offset: int, is_undefined: bool = False) -> None:
        self.message, self.offset = message, offset
        self.is_undefined = is_undefined
        """Whether the error is a name that the caller does not know."""
        super().__init__(message)


class Token(NamedTuple):
    """A token: its kind, its text, its start, and whether there is space before it."""

    kind: str
    text: str
    offset: int
    spaced: bool


def parse_literal(text: str, offset: int) -> Constant:
    """Parse a literal exactly, not through a float."""
    mantissa, _, exponent = text.lower().partition("e")
    whole, point, decimals = mantissa.partition(".")
    if len(whole) + len(decimals) > MOST_NUMBER_DIGITS:
        raise ExpressionError(f"has more than {MOST_NUMBER_DIGITS} digits", offset)
    if len(exponent) > 5 or abs(int(exponent or 0)) > MOST_NUMBER_DIGITS:
        raise ExpressionError("is outside 10^±308", offset)
    shift = int(exponent or 0) - len(decimals)
    value = int(whole + decimals or 0)
    if shift >= 0:
        return Constant(value * 10**shift, -shift if point else None)
    return Constant(rational(Fraction(value, 10**-shift)), -shift)


def tokens(text: str, further: Collection[str] = ()) -> list[Token]:
    """Return the tokens of a text, without white space; `further` are signs besides the usual ones."""
    found, spaced = [], False
    for match in re.finditer(TOKEN, text):
        kind, piece = match.lastgroup or "", match[0]
        if kind == "space":
            spaced = True
            continue
        if piece in further:
            kind = "sign"
        elif kind == "latex" and piece in (r"\left", r"\right"):
            continue
        for one in split_piece(kind, piece, match.start()):
            found.append(Token(*one, match.start(), spaced))
            spaced = False
    return [*found, Token("end", "", len(text), spaced)]


def split_piece(kind: str, piece: str, offset: int) -> list[tuple[str, str]]:
    """Return the tokens of a piece; a superscript number gives a sign and a number."""
    if kind != "raised":
        return [rewrite(kind, piece, offset)]
    exponent = "".join(RAISED[sign] for sign in piece)
    signs = [("sign", sign) for sign in ("^", exponent[:1]) if not sign.isdigit()]
    return [*signs, ("number", exponent.lstrip("+-"))]


def rewrite(kind: str, piece: str, offset: int) -> tuple[str, str]:
    """Return the kind and text of a piece, with LaTeX commands and Greek letters as words and signs."""
    if kind == "latex" and piece in LATEX:
        word = LATEX[piece]
        return ("sign" if word in ("*", "≈") else "name"), word
    if kind in ("sign", "turned"):
        return kind, "^" if piece == "**" else piece
    if kind == "name":
        return kind, drop_braces(piece)
    if kind == "greek":
        letter = piece.lstrip("\\")
        return "name", drop_braces(LETTERS.get(letter[0], letter[0]) + letter[1:])
    if piece in "_?":
        return "name", "_"
    if kind == "latex" and find_spelt(piece[1:]):
        return "name", piece[1:]
    if kind == "other":
        if unicodedata.category(piece) == "No" and "/" in unicodedata.normalize("NFKC", piece).replace(
            "⁄", "/"
        ):
            return "fraction", piece
        hint = ": leave out what cannot be seen" if unicodedata.category(piece) == "Cf" else ""
        raise ExpressionError(f"{quote(piece)} cannot be read here{hint}", offset)
    return kind, piece


def drop_braces(name: str) -> str:
    """Convert u_{a} to u_a."""
    return name.translate({ord("{"): None, ord("}"): None})


class Cursor:
    """Goes through the tokens of one text."""

    signs: tuple[str, ...] = ()
    """Further signs besides those of the grammar."""
    deepest = DEEPEST_BRACKETS

    def __init__(self, text: str) -> None:
        self.text = text.translate(SAME)
        self.tokens = tokens(self.text, self.signs)
        self.position = 0
        self.depth = 0

    @property
    def next(self) -> Token:
        """The next token, which is not consumed."""
        return self.tokens[self.position]

    def take(self, *signs: str) -> Token | None:
        """Consume the next token if it is one of these signs, and return it."""
        token = self.next
        if token.kind == "sign" and token.text in signs:
            self.position += 1
            return token
        return None

    def expect(self, sign: str, opened: Token) -> None:
        """Consume the closing sign of a bracket, or raise an error at the opening one."""
        if not self.take(sign):
            raise ExpressionError(f"the '{opened.text}' is not closed", opened.offset)

    def deeper(self) -> None:
        """Enter a nested level; raise an error if there are too many."""
        self.depth += 1
        if self.depth > self.deepest:
            raise self.refuse(f"is nested more than {self.deepest} levels deep")

    def refuse(self, message: str, token: Token | None = None) -> ExpressionError:
        """Return an error at a token, by default the next one."""
        return ExpressionError(message, (token or self.next).offset)
