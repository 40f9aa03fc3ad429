"""Read the formulas of a sentence, such as e^β/(2e^β + n − 2) or softmax(Q Kᵀ/√d) V, as formulas.

formula = sum ["=" sum]            only with something that words do not have: ^ _ √ ᵀ Σ or a Greek letter
sum = product {(+ | − | -) product}
product = power {[·] power | / power}   side by side only if no word can be meant: 2β, β(…), Q Kᵀ
power = atom {ᵀ | ^ exponent}
atom = number | name | √atom | function(sum) | (sum)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from math import inf
from typing import cast

from attncalc.core.notations.terms import GREEK
from attncalc.core.terms import Apply, Constant, Entry, Negative, Power, Product, Quotient, Sum, Term
from attncalc.core.terms.formulas import (
    Beside,
    Call,
    Equal,
    Formula,
    Maths,
    Minus,
    Name,
    Over,
    Plus,
    Raised,
    Times,
    Transposed,
    Typed,
    factors,
)

FUNCTIONS = "softmax|exp|ln|log|max|min|tanh|relu"
LETTER = rf"(?:[A-Za-zα-ω]\d*|{'|'.join(GREEK)})"
TOKEN = re.compile(
    rf"(?P<call>{FUNCTIONS})(?=\()|(?P<name>{LETTER}(?:_(?:limit|[A-Za-z\d]{{1,5}}))+|(?:{'|'.join(GREEK)})(?=[\^)])|[A-Za-zα-ω])"
    r"|(?P<number>\d+(?:\.\d+)?)|(?P<infinity>∞)|(?P<sign>[()+−\-·/^=√ᵀ])"
)
BLANKS = re.compile(" *")
EVIDENCE = re.compile(r"[\^_√ᵀα-ω]")
"""What formulas have and sentences have not."""
OPERATION = re.compile(r"[√ᵀ·/=+−(]|[α-ω][A-Z]|_\S+ |\^(?!-?\d+$)|\d\^| - ")
"""What is more than a name, or a letter to a power."""
START = re.compile(r"(?<![\w.’'/^)\]])(?=[\w√(−∞])")
AFTER = re.compile(r"[\w\[^ᵀ’']|\.\w|-\w")
"""What a formula does not end before."""
INDEXED = re.compile(r"[A-Za-zα-ω]_\w{1,5}(?:ᵀ|\^T)?\Z")
"""A name with an index."""
LONGEST = 60
"""The most atoms that are read."""


class Unread(Exception):
    """The text is not a formula from here on."""


def find_formulas(words: str) -> Iterator[str | Maths]:
    """Yield the words, with formulas that have an operation in them as formulas."""
    end = 0
    for start in START.finditer(words):
        if start.start() < end:
            continue
        found = read_formula(words, start.start())
        if found:
            formula, stop = found
            if start.start() > end:
                yield words[end : start.start()]
            yield Typed(words[start.start() : stop], formula)
            end = stop
    if end < len(words):
        yield words[end:]


def read_formula(words: str, start: int) -> tuple[Maths, int] | None:
    """Read the longest formula that starts at a place; None if there is none worth it."""
    reader = Reader(words, start)
    try:
        formula = reader.equation()
    except Unread:
        return None
    text = words[start : reader.at]
    is_worth_it = EVIDENCE.search(text) and OPERATION.search(text) and not AFTER.match(words, reader.at)
    return (formula, reader.at) if is_worth_it else None


class Reader:
    """Reads one formula; `at` is the end of what is read so far."""

    def __init__(self, words: str, at: int) -> None:
        self.words, self.at, self.depth = words, at, 0

    def token(self) -> re.Match[str] | None:
        """The next token, after blanks."""
        return TOKEN.match(self.words, BLANKS.match(self.words, self.at).end())  # type: ignore[union-attr]

    def accept(self, *signs: str) -> str:
        """Go past one of these signs, if it is next; a hyphen is a minus between blanks only."""
        found = self.token()
        if not found or found["sign"] not in signs:
            return ""
        if found[0] == "-" and self.words[self.at : found.end() + 1] != " - ":
            return ""
        self.at = found.end()
        return found[0]

    def further(self, signs: str, read: Callable[[], Formula]) -> tuple[str, Formula] | None:
        """An operator and the operand after it; None, and nothing read, if it is not part of the formula."""
        before = self.at
        try:
            sign = self.accept(*signs)
            return (sign, read()) if sign else None
        except Unread:
            self.at = before
            return None

    def equation(self) -> Formula:
        """A sum, or two with a sign of equality between them."""
        left = self.sum()
        right = self.further("=", self.sum)
        return Equal(left, right[1]) if right else left

    def sum(self) -> Formula:
        """Products with signs before and between them."""
        parts: list[Maths] = [Minus(self.product()) if self.accept("−") else self.product()]
        while found := self.further("+−-", self.product):
            sign, part = found
            parts.append(part if sign == "+" else Minus(part))
        return Plus(tuple(parts)) if len(parts) > 1 else cast("Formula", parts[0])

    def product(self) -> Formula:
        """Factors with signs between them, or side by side."""
        formula = self.power()
        while True:
            if found := self.further("·/", self.power):
                sign, factor = found
                formula = Over(formula, factor) if sign == "/" else Times(formula, factor)
            elif self.is_side_by_side():
                formula = Beside((*factors(formula), *factors(self.power())))
            else:
                return formula

    def is_side_by_side(self) -> bool:
        """Whether the next factor follows without a sign: 2β, β(…), and matrices with or without a blank."""
        last, next_ = self.words[self.at - 1], self.words[self.at :]
        if last.isdigit() and not self.words[: self.at].endswith(tuple("_^")):
            return bool(re.match(r"[A-Za-zα-ω√](?![A-Za-z])|[A-Za-zα-ω]_", next_))
        if INDEXED.search(self.words, 0, self.at) and re.match(r" [A-Za-zα-ω]_", next_):
            return True
        if "α" <= last <= "ω" and re.match(r"[B-Z](?!\w)", next_):
            return True
        is_matrix = last.isupper() or last in ")ᵀ"
        return bool(
            re.match(r"\(", next_) or (is_matrix and re.match(r" ?[B-HJ-Z](?![a-z])|ᵀ?[kq](?!\w)", next_))
        )

    def power(self) -> Formula:
        """An atom with what stands above it."""
        formula = self.atom()
        while self.words[self.at : self.at + 1] in ("ᵀ", "^"):
            sign = self.accept("ᵀ", "^")
            if sign == "ᵀ":
                formula = Transposed(formula)
                continue
            if re.match(r"T(?!\w)", self.words[self.at :]):
                self.at += 1
                formula = Transposed(formula)
                continue
            minus = bool(self.accept("−")) or (self.words[self.at : self.at + 1] == "-" and self.skip())
            exponent = as_term(self.atom())
            formula = raise_to(formula, Negative(exponent) if minus else exponent)
        return formula

    def skip(self) -> bool:
        """Go past one character."""
        self.at += 1
        return True

    def atom(self) -> Formula:
        """A number, a name, a root, a call, or a formula in brackets."""
        found = self.token()
        self.depth += 1
        if not found or self.depth > LONGEST:
            raise Unread
        self.at = found.end()
        if found["number"]:
            value = Decimal(found[0]) if "." in found[0] else int(found[0])
            return cast("Formula", Constant(value))
        if found["infinity"]:
            return cast("Formula", Constant(inf))
        if found["name"]:
            return Name(found[0])
        if found["call"]:
            self.accept("(")
            return Call(found[0], self.closed())
        if found["sign"] == "√":
            return cast("Formula", Apply("sqrt", as_term(self.atom())))
        if found["sign"] == "(":
            return self.closed()
        raise Unread

    def closed(self) -> Formula:
        """A sum, and the bracket after it."""
        inner = self.sum()
        if not self.accept(")"):
            raise Unread
        return inner


def raise_to(base: Formula, exponent: Term) -> Formula:
    """A power; of e, an exponential."""
    if base == Name("e"):
        return cast("Formula", Apply("exp", exponent))
    if isinstance(base, Name) and isinstance(exponent, Constant) and isinstance(exponent.value, int):
        return Raised(base, exponent.value)
    return cast("Formula", Power(as_term(base), exponent))


def as_term(formula: Maths) -> Term:
    """A formula of numbers and letters as a term, as exponents need it."""
    match formula:
        case Name(name):
            return Entry(name)
        case Plus(terms):
            return Sum(tuple(map(as_term, terms)))
        case Minus(x):
            return Negative(as_term(x))
        case Beside(factors):
            return Product(tuple(map(as_term, factors)))
        case Times(x, y):
            return Product((as_term(x), as_term(y)))
        case Over(x, y):
            return Quotient(as_term(x), as_term(y))
        case Raised(x, exponent):
            return Power(as_term(x), Constant(exponent))
        case Constant() | Power() | Apply() | Quotient() | Sum() | Product() | Negative() | Entry():
            return formula
    raise Unread
