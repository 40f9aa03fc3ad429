"""Terms and formulas as MathML Core, which browsers draw without a script.

Texts are escaped here, once; all results are markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from itertools import groupby

from attncalc.core.notations.terms import (
    ATOM,
    FACTOR,
    PAIR,
    POWER,
    PRODUCT,
    SUM,
    index_shown,
    of_limit,
    place_indices,
    split_number,
    to_greek,
)
from attncalc.core.notations.unicode import Ascii, Notation, write
from attncalc.core.terms import Axis, Constant, Index, Negative, Quotient, Sum, Term
from attncalc.core.terms.formulas import Maths

SIGNS = {"-": "−", "*": "·"}
TRANSPOSED = '<mi mathvariant="normal">T</mi>'


class Element(str):
    """Markup that is one element: a number, a letter, a sign, or a name with indices."""

    __slots__ = ()


class Leaf(Element):
    """An element with nothing but text in it."""

    __slots__ = ()


LONGEST_OVER = 48
"""The longest numerator, in characters, that fits on a phone."""
OPENED = '<mo stretchy="false">(</mo>'
CLOSED = '<mo stretchy="false">)</mo><mo lspace="0" rspace="0">/</mo>'


class MathML(Notation):
    """How the pieces of a term look in a browser."""

    limit = "<mo>lim</mo>"
    minus = '<mo form="prefix">−</mo>'
    times, sigma, infinity = "<mo>·</mo>", "<mo>∑</mo>", Leaf("<mi>∞</mi>")
    cross, turned, entrywise = "<mo>×</mo>", TRANSPOSED, "<mo>⊙</mo>"

    def ordinal(self, letter: str) -> tuple[str, int]:
        less = "" if letter == PAIR else "<mo>−</mo><mn>1</mn>"
        return (leaf("mi", letter) + less, SUM) if less else (leaf("mi", letter), ATOM)

    def bracket(self, text: str) -> str:
        return self.enclose(text, "()")

    def enclose(self, text: str, brackets: str) -> str:
        # Brackets grow only around fractions and sums.
        kind = "" if "<mfrac>" in text or "<munder>" in text else ' stretchy="false"'
        return f"<mrow><mo{kind}>{brackets[0]}</mo>{text}<mo{kind}>{brackets[1]}</mo></mrow>"

    def write_sign(self, sign: str) -> str:
        return "<mo>−</mo>" if sign == self.minus else sign if sign.startswith("<") else f"<mo>{sign}</mo>"

    def gap(self, after: str) -> str:  # noqa: ARG002
        return '<mspace width=".2em"/>'

    def write_separator(self, sign: str) -> str:
        return f"<mo>{sign}</mo>"

    def text(self, text: str) -> str:
        # Blanks at the ends would be dropped.
        whole = re.sub("^ +| +$", lambda blanks: "\xa0" * len(blanks[0]), text)
        return f"<mtext>{escape(whole)}</mtext>"

    def typed(self, text: str, maths: Maths) -> str:  # noqa: ARG002
        return self.write(maths)[0]

    def function(self, name: str) -> str:
        return f"<mi>{name}</mi>" if len(name) > 1 else f'<mi mathvariant="normal">{name}</mi>'

    def above(self, base: str, exponent: str) -> str:
        return superscript(row(base), exponent)

    def below(self, base: str, letters: str) -> str:
        return subscript(base, symbols(letters))

    def place(self, name: str, at: tuple[int, ...], whole: bool) -> str:
        if bare := of_limit(name):
            return self.limit + self.place(bare, at, whole)
        base = self.name(name)
        below = symbols(place_indices(at, whole))
        return subscript(base if isinstance(base, Leaf) else self.bracket(base), below)

    def plain(self, text: str) -> str:
        return leaf("mn", text)

    def times_ten(self, plain: str, exponent: int) -> tuple[str, int]:
        power = superscript(self.plain("10"), self.number(exponent)[0])
        return f"{self.plain(plain)}<mo>×</mo>{power}", PRODUCT

    def fraction(self, over: str, under: str) -> tuple[str, int]:
        return f"<mfrac>{row(over)}{row(under)}</mfrac>", POWER

    def sum(self, terms: tuple[Term, ...]) -> str:
        return "".join(f"<mo>{sign}</mo>{text}" if sign else text for sign, text in self.addends(Sum(terms)))

    def addends(self, term: Maths) -> Iterator[tuple[str, str]]:
        """Yield the terms of a sum, each with the sign before it; the first has none.

        A long sum over a number is written with a slash, so that the line can be broken.
        """
        match term:
            case Quotient(Sum((_, _, *_)) as over, under) if len(write(over, Ascii())) > LONGEST_OVER:
                (_, first), *between, (sign, last) = self.addends(over)
                yield "", OPENED + first
                yield from between
                yield sign, last + CLOSED + self.inside(under, ATOM)
                return
        if not isinstance(term, Sum):
            yield "", self.write(term)[0]
            return
        yield "", self.inside(term.terms[0], SUM)
        for part in map(self.bare, term.terms[1:]):
            sign, bare = ("−", part.term) if isinstance(part, Negative) else ("+", part)
            yield sign, self.inside(bare, PRODUCT)

    def quotient(self, over: Term, under: Term) -> tuple[str, int]:
        return self.fraction(self.write(over)[0], self.write(under)[0])

    def power(self, base: Term, exponent: Term) -> tuple[str, int]:
        return superscript(self.inside(base, ATOM), self.exponent(exponent)), POWER

    def exponential(self, exponent: Term) -> tuple[str, int]:
        e = leaf("mi", "e")
        if self.bare(exponent) == Constant(1):
            return e, ATOM
        return superscript(e, self.exponent(exponent)), POWER

    def exponent(self, term: Term) -> str:
        return self.small().write(term)[0]

    def small(self) -> MathML:
        """The notation of exponents, in which fractions would be too small."""
        return OneLine()

    def root(self, term: Term) -> tuple[str, int]:
        return f"<msqrt>{row(self.write(term)[0])}</msqrt>", POWER

    def call(self, function: str, term: Term) -> str:
        return f"<mi>{function}</mi>{self.bracket(self.write(term)[0])}"

    def entry(self, of: str, at: tuple[Index, ...]) -> str:
        if bare := of_limit(of):
            return self.limit + self.entry(bare, at)
        shown = [index for index in at if index_shown(index)]
        name = self.name(of)
        if not shown:
            return name
        return subscript(name if isinstance(name, Leaf) else self.bracket(name), self.indices(shown))

    def indices(self, at: list[Index]) -> str:
        return symbols(super().indices(at))

    def name(self, of: str) -> str:
        if bare := of_limit(of):
            return self.limit + self.name(bare)
        return mark_up_name(of)

    def absolute(self, term: Term) -> str:
        bar = '<mo fence="true" stretchy="false">|</mo>'
        return f"<mrow>{bar}{self.write(term)[0]}{bar}</mrow>"

    def along(self, sign: str, axis: Axis, maths: Maths) -> str:
        mark = sign if sign.startswith("<") else f"<mi>{sign}</mi>"
        return f"<munder>{mark}<mi>{axis.letter}</mi></munder>{self.inside(maths, PRODUCT)}"


class OneLine(MathML):
    """MathML with fractions written with a slash."""

    def fraction(self, over: str, under: str) -> tuple[str, int]:
        return f'{over}<mo lspace="0" rspace="0">/</mo>{under}', PRODUCT

    def quotient(self, over: Term, under: Term) -> tuple[str, int]:
        return self.fraction(self.inside(over, PRODUCT), self.inside(under, FACTOR))


def mark_up_name(name: str) -> str:
    """Mark up a name: a letter, Greek if it is spelt out, and its indices."""
    if name.endswith("'"):
        return superscript(mark_up_name(name[:-1]), leaf("mo", "′"))
    base, *below = name.split("_")
    letters, number = split_number(base)
    both = mark_up_word(letters), mark_up_word(number)
    text = f"<mrow>{''.join(both)}</mrow>" if letters and number else mark_up_word(base)
    running = below and len(below[-1]) > 1 and set(below[-1]) <= set("ijcdlm")
    kinds = [mark_up_word] * len(below[:-1]) + [symbols if running else mark_up_word]
    under = [kind(part) for kind, part in zip(kinds, below, strict=False)]
    return subscript(text, join_markup("<mo>,</mo>", under)) if below else text


def leaf(kind: str, text: str) -> Leaf:
    """An element with nothing but text in it."""
    return Leaf(f"<{kind}>{escape(text)}</{kind}>")


def mark_up_word(word: str) -> str:
    """A letter or word, or a number below one."""
    return leaf("mn", word) if word.isdigit() else leaf("mi", to_greek(word))


def symbols(text: str) -> str:
    """Mark up characters one by one: digits together, letters, signs."""
    found: list[str] = []
    for are_digits, characters in groupby(text, str.isdigit):
        if are_digits:
            found.append(leaf("mn", "".join(characters)))
        else:
            found += [leaf("mi" if c.isalpha() else "mo", SIGNS.get(c, c)) for c in characters]
    return join_markup("", found)


def join_markup(sign: str, parts: list[str]) -> str:
    """Join markup; a single element keeps its type."""
    return parts[0] if len(parts) == 1 else sign.join(parts)


def row(text: str) -> str:
    """Group elements into one; a single leaf is returned unchanged."""
    return text if isinstance(text, Leaf) else f"<mrow>{text}</mrow>"


def subscript(base: str, below: str) -> str:
    """A base with something below it."""
    return Element(f"<msub>{base}{row(below)}</msub>")


def superscript(base: str, above: str) -> str:
    """A base with something above it."""
    return f"<msup>{base}{row(above)}</msup>"
