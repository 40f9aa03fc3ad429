"""Terms and formulas as MathML, of which only the Core is used: what browsers draw without help.

Texts that come in are escaped here, once; texts that go out are markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from html import escape

from attncalc.notations.unicode import (
    ATOM,
    GREEK,
    PAIR,
    POWER,
    PRODUCT,
    SUM,
    Notation,
    digits,
    index_shown,
)
from attncalc.terms import Axis, Constant, Function, Index, Negative, Ordinal, Sum, Term
from attncalc.terms.formulas import Maths

SIGNS = {"-": "−", "*": "·"}
TRANSPOSED = '<mi mathvariant="normal">T</mi>'


class MathML(Notation):
    """How the pieces of a term look in a browser."""

    minus = '<mo form="prefix">−</mo>'
    times, sigma, infinity = "<mo>·</mo>", "<mo>∑</mo>", "<mi>∞</mi>"
    cross, turned = "<mo>×</mo>", TRANSPOSED

    def term(self, term: Term) -> tuple[str, int]:
        match term:
            case Ordinal(Axis(letter)):
                less = "" if letter == PAIR else "<mo>−</mo><mn>1</mn>"
                return f"<mi>{letter}</mi>{less}", SUM if less else ATOM
        return super().term(term)

    def bracketed(self, text: str) -> str:
        return self.enclosed(text, "()")

    def enclosed(self, text: str, brackets: str) -> str:
        # Brackets grow only with what is taller than a letter.
        kind = "" if "<mfrac>" in text or "<munder>" in text else ' stretchy="false"'
        return f"<mrow><mo{kind}>{brackets[0]}</mo>{text}<mo{kind}>{brackets[1]}</mo></mrow>"

    def signed(self, sign: str) -> str:
        return "<mo>−</mo>" if sign == self.minus else sign if sign.startswith("<") else f"<mo>{sign}</mo>"

    def gap(self, after: str) -> str:  # noqa: ARG002
        return '<mspace width=".2em"/>'

    def listed(self, sign: str) -> str:
        return f"<mo>{sign}</mo>"

    def text(self, text: str) -> str:
        return f"<mtext>{escape(text)}</mtext>"

    def function(self, name: str) -> str:
        return f"<mi>{name}</mi>" if len(name) > 1 else f'<mi mathvariant="normal">{name}</mi>'

    def above(self, base: str, exponent: str) -> str:
        return superscript(row(base), exponent)

    def below(self, base: str, letters: str) -> str:
        return subscript(base, symbols(letters))

    def place(self, name: str, at: tuple[int, ...], whole: bool) -> str:
        return subscript(self.name(name), symbols(",".join([*map(str, at), *([] if whole else [":"])])))

    def number(self, value: int | Fraction | Decimal | float) -> tuple[str, int]:
        if isinstance(value, float):
            return (self.minus if value < 0 else "") + self.infinity, SUM
        text, holds = self.unsigned(value)
        return (text, holds) if value >= 0 else (self.minus + text, SUM)

    def unsigned(self, value: int | Fraction | Decimal) -> tuple[str, int]:
        """A number without its sign; powers of ten are written as such."""
        if isinstance(value, Fraction) and value.denominator != 1:
            return self.fraction(f"<mn>{abs(value.numerator)}</mn>", f"<mn>{value.denominator}</mn>")
        plain, _, exponent = digits(value).partition("e")
        if not exponent:
            return f"<mn>{plain}</mn>", ATOM
        power = superscript("<mn>10</mn>", self.number(int(exponent))[0])
        return f"<mn>{plain}</mn><mo>×</mo>{power}", PRODUCT

    def fraction(self, over: str, under: str) -> tuple[str, int]:
        """One over the other."""
        return f"<mfrac>{row(over)}{row(under)}</mfrac>", POWER

    def sum(self, terms: tuple[Term, ...]) -> str:
        return "".join(f"<mo>{sign}</mo>{text}" if sign else text for sign, text in self.addends(Sum(terms)))

    def addends(self, term: Maths) -> Iterator[tuple[str, str]]:
        """What a term adds up, each with the sign before it; the first has none."""
        if not isinstance(term, Sum):
            yield "", self.write(term)[0]
            return
        yield "", self.inside(term.terms[0], SUM)
        for part in term.terms[1:]:
            sign, bare = ("−", part.term) if isinstance(part, Negative) else ("+", part)
            yield sign, self.inside(bare, PRODUCT)

    def quotient(self, over: Term, under: Term) -> tuple[str, int]:
        return self.fraction(self.write(over)[0], self.write(under)[0])

    def power(self, base: Term, exponent: Term) -> tuple[str, int]:
        return superscript(self.inside(base, ATOM), self.exponent(exponent)), POWER

    def exponential(self, exponent: Term) -> tuple[str, int]:
        if exponent == Constant(1):
            return "<mi>e</mi>", ATOM
        return superscript("<mi>e</mi>", self.exponent(exponent)), POWER

    def exponent(self, term: Term) -> str:
        return self.small().write(term)[0]

    def small(self) -> MathML:
        """The notation of exponents, in which fractions would be too small."""
        return OneLine()

    def root(self, term: Term) -> tuple[str, int]:
        return f"<msqrt>{row(self.write(term)[0])}</msqrt>", POWER

    def call(self, function: Function, term: Term) -> str:
        return f"<mi>{function}</mi>{self.bracketed(self.write(term)[0])}"

    def entry(self, of: str, at: tuple[Index, ...]) -> str:
        shown = [index for index in at if index_shown(index)]
        name = self.name(of)
        if not shown:
            return name
        return subscript(name if name.startswith("<mi>") else self.bracketed(name), self.indices(shown))

    def indices(self, at: list[Index]) -> str:
        return symbols(super().indices(at))

    def name(self, of: str) -> str:
        return letters(of)

    def along(self, sign: str, axis: Axis, maths: Maths) -> str:
        mark = sign if sign.startswith("<") else f"<mi>{sign}</mi>"
        return f"<munder>{mark}<mi>{axis.letter}</mi></munder>{self.inside(maths, PRODUCT)}"


class OneLine(MathML):
    """The same with fractions on one line."""

    def fraction(self, over: str, under: str) -> tuple[str, int]:
        return f'{over}<mo lspace="0" rspace="0">/</mo>{under}', PRODUCT

    def quotient(self, over: Term, under: Term) -> tuple[str, int]:
        return self.fraction(self.inside(over, PRODUCT), self.inside(under, ATOM))


def letters(name: str) -> str:
    """A name: a letter, a Greek one where it is spelt out, and what stands below it."""
    if name.endswith("'"):
        return superscript(letters(name[:-1]), "<mo>′</mo>")
    base, *below = name.split("_")
    number = re.fullmatch(r"([^\W\d_])(\d+)", base)
    text = f"<mrow><mi>{number[1]}</mi><mn>{number[2]}</mn></mrow>" if number else symbol(base)
    running = below and len(below[-1]) > 1 and set(below[-1]) <= set("ijcdlm")
    kinds = [symbol] * len(below[:-1]) + [symbols if running else symbol]
    under = "<mo>,</mo>".join(kind(part) for kind, part in zip(kinds, below, strict=False))
    return subscript(text, under) if below else text


def symbol(word: str) -> str:
    """A letter or word, or a number below one."""
    return f"<mn>{word}</mn>" if word.isdigit() else f"<mi>{escape(GREEK.get(word, word))}</mi>"


def symbols(text: str) -> str:
    """Characters one by one: digits together, letters, signs."""
    found = []
    for piece in re.findall(r"\d+(?:\.\d+)?|.", text, re.DOTALL):
        kind = "mn" if piece[0].isdigit() else "mi" if piece.isalpha() else "mo"
        found.append(f"<{kind}>{escape(SIGNS.get(piece, piece))}</{kind}>")
    return "".join(found)


def row(text: str) -> str:
    """Several elements as one; one stays alone."""
    return text if re.fullmatch(r"<(\w+)>[^<]*</\1>", text) else f"<mrow>{text}</mrow>"


def subscript(base: str, below: str) -> str:
    """A base with something below it."""
    return f"<msub>{base}{row(below)}</msub>"


def superscript(base: str, above: str) -> str:
    """A base with something above it."""
    return f"<msup>{base}{row(above)}</msup>"
