"""Terms and formulas as text: the law with letters, the worked line with integers, S = Q Kᵀ.

One table of precedences decides where brackets go; a notation says how each piece looks.
"""

from __future__ import annotations

from copy import copy
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

from attncalc.errors import assert_never
from attncalc.terms import (
    Apply,
    Axis,
    Constant,
    Entry,
    Greatest,
    Index,
    Negative,
    Ordinal,
    Power,
    Product,
    Quotient,
    Sum,
    Term,
    Total,
    Valued,
)
from attncalc.terms.formulas import (
    Beside,
    Call,
    Equal,
    Formula,
    Indexed,
    Maths,
    Minus,
    Name,
    Over,
    Place,
    Plus,
    Raised,
    Shape,
    Stacked,
    SumOf,
    Times,
    Transposed,
    Tree,
    Words,
)
from attncalc.terms.functions import FUNCTIONS

PAIR = "p"
"""The letter of pairs of columns, which are counted from 0."""
SUM, PRODUCT, FACTOR, POWER, ATOM = range(5)
"""How tightly a piece of text holds together."""


def write(maths: Maths, notation: Notation) -> str:
    """The whole term or formula as text."""
    return notation.write(maths)[0]


class Notation:
    """How the pieces of terms and formulas look on a Unicode terminal; the others change what differs."""

    minus, times, sigma, infinity = "−", "·", "Σ", "∞"
    equal, about = "=", "≈"
    cross, turned = "×", "ᵀ"
    soft = ""
    """What marks the places where a long sum may be broken."""

    def write(self, maths: Maths) -> tuple[str, int]:
        """The text of a term or a formula, and how tightly it holds together."""
        return self.formula(maths) if isinstance(maths, Tree) else self.term(maths)

    def term(self, term: Term) -> tuple[str, int]:
        """The text of a term."""
        match term:
            case Constant(value):
                return self.number(value)
            case Entry(of, at):
                return self.entry(of, at), ATOM
            case Valued(entry, number):
                return self.valued(entry, number)
            case Ordinal(index):
                return self.number(index) if isinstance(index, int) else self.ordinal(index.letter)
            case Negative(x):
                return self.minus + self.inside(x, PRODUCT), SUM
            case Sum(terms):
                return self.sum(terms), SUM
            case Product(factors):
                return self.product(factors), PRODUCT
            case Quotient(over, under):
                return self.quotient(over, under)
            case Power(base, exponent):
                return self.power(base, exponent)
            case Apply("exp", x):
                return self.exponential(x)
            case Apply("sqrt", x):
                return self.root(x)
            case Apply(function, x):
                return (self.call(function, x), ATOM) if FUNCTIONS[function].is_written else self.write(x)
            case Total(axis, x):
                return self.along(self.sigma, axis, x), SUM
            case Greatest(axis, x):
                return self.along("max", axis, x), SUM
        assert_never(term)

    def formula(self, formula: Formula) -> tuple[str, int]:
        """The text of a formula."""
        match formula:
            case Name(name):
                return self.name(name), ATOM
            case Beside(factors, dotted):
                first, *rest = (self.inside(factor, PRODUCT) for factor in factors)
                return first + "".join((self.times if dotted else self.gap(x)) + x for x in rest), PRODUCT
            case Transposed(x):
                return self.above(self.inside(x, ATOM), self.turned), ATOM
            case Plus(parts):
                return self.inside(parts[0], SUM) + "".join(map(self.added, parts[1:])), SUM
            case Minus(x):
                return self.minus + self.inside(x, PRODUCT), SUM
            case Over(x, y):
                return self.inside(x, PRODUCT) + self.signed("/") + self.inside(y, FACTOR), PRODUCT
            case Times(x, y):
                return self.inside(x, PRODUCT) + self.signed(self.times) + self.inside(y, PRODUCT), PRODUCT
            case Raised(x, exponent):
                return self.above(self.inside(x, ATOM), self.exponent(Constant(exponent))), POWER
            case Call(function, x, square):
                return self.function(function) + self.enclosed(
                    self.write(x)[0], "[]" if square else "()"
                ), ATOM
            case SumOf(letter, x):
                return self.along(self.sigma, Axis(letter, 1), x), SUM
            case Stacked(members, below, round_):
                inner = self.listed(";" if below else ",").join(self.write(member)[0] for member in members)
                return self.enclosed(inner, "()" if round_ else "[]"), ATOM
            case Indexed(x, letters):
                return self.below(self.inside(x, ATOM), letters), ATOM
            case Place(name, at, whole):
                return self.place(name, at, whole), ATOM
            case Shape(sizes):
                return self.cross.join(self.number(size)[0] for size in sizes), PRODUCT
            case Equal(x, y):
                return self.write(x)[0] + self.signed("=") + self.write(y)[0], SUM
            case Words(parts):
                return "".join(map(self.said, parts)), SUM
        assert_never(formula)

    def gap(self, after: str) -> str:  # noqa: ARG002  it may depend on what comes after it
        """What stands between factors side by side."""
        return " "

    def added(self, part: Maths) -> str:
        """A further part of a sum, with its sign."""
        if isinstance(part, Minus):
            return self.signed(self.minus) + self.inside(part.of, PRODUCT)
        return self.signed("+") + self.inside(part, PRODUCT)

    def signed(self, sign: str) -> str:
        """A sign between two parts of a formula."""
        return f" {sign} "

    def listed(self, sign: str) -> str:
        """What stands between the members of a list."""
        return f"{sign} "

    def said(self, part: str | Maths) -> str:
        """A part of a sentence."""
        return self.text(part) if isinstance(part, str) else self.write(part)[0]

    def text(self, text: str) -> str:
        """Words."""
        return text

    def above(self, base: str, exponent: str) -> str:
        """A base with something above it."""
        return base + exponent if exponent == self.turned else f"{base}^{exponent}"

    def below(self, base: str, letters: str) -> str:
        """A base with letters below it."""
        return f"{base}_{letters}"

    def place(self, name: str, at: tuple[int, ...], whole: bool) -> str:  # noqa: ARG002  others show that columns run
        """A row or a cell as answers name it."""
        return f"{self.name(name)}[{','.join(map(str, at))}]"

    def function(self, name: str) -> str:
        """The name of a function."""
        return name

    def enclosed(self, text: str, brackets: str) -> str:
        """A text between two brackets."""
        return brackets[0] + text + brackets[1]

    def inside(self, maths: Maths, least: int) -> str:
        """A part of a larger text, in brackets where it would fall apart."""
        text, holds = self.write(maths)
        return text if holds >= least else self.bracketed(text)

    def bracketed(self, text: str) -> str:
        """A text in brackets."""
        return f"({text})"

    def number(self, value: int | Fraction | Decimal | float) -> tuple[str, int]:
        """A number: negatives hold together no better than a sum."""
        text, holds = self.unsigned(value)
        return (text, holds) if value >= 0 else (self.minus + text, SUM)

    def unsigned(self, value: int | Fraction | Decimal | float) -> tuple[str, int]:
        """A number without its sign."""
        if isinstance(value, float):
            return self.infinity, ATOM
        if isinstance(value, Fraction) and value.denominator != 1:
            return self.fraction(self.plain(str(abs(value.numerator))), self.plain(str(value.denominator)))
        plain, exponent = digits(value)
        return (self.plain(plain), ATOM) if exponent is None else self.times_ten(plain, exponent)

    def plain(self, text: str) -> str:
        """Digits, perhaps with a point."""
        return text

    def fraction(self, over: str, under: str) -> tuple[str, int]:
        """One over the other."""
        return f"{over}/{under}", PRODUCT

    def times_ten(self, plain: str, exponent: int) -> tuple[str, int]:
        """A number times a power of ten."""
        return f"{plain}e{exponent}", ATOM

    def ordinal(self, letter: str) -> tuple[str, int]:
        """The number of an index counted from 0, where its letter counts from 1; pairs count from 0."""
        return (letter, ATOM) if letter == PAIR else (f"{letter} {self.soft}{self.minus} 1", SUM)

    def valued(self, entry: Entry, number: Term) -> tuple[str, int]:  # noqa: ARG002  pages link them
        """A number that stands for an entry."""
        return self.write(number)

    def bare(self, term: Term) -> Term:
        """What decides on the signs beside a term: a number, also where it stands for an entry."""
        return term.number if isinstance(term, Valued) else term

    def sum(self, terms: tuple[Term, ...]) -> str:
        """Terms joined by + and −."""
        text = self.inside(terms[0], SUM)
        for term in map(self.bare, terms[1:]):
            if isinstance(term, Negative):
                text += f" {self.soft}{self.minus} {self.inside(term.term, PRODUCT)}"
            else:
                text += f" {self.soft}+ {self.inside(term, PRODUCT)}"
        return text

    def product(self, factors: tuple[Term, ...]) -> str:
        """Factors joined by dots, a number set directly before a root or a power of e."""
        text = self.inside(factors[0], FACTOR)
        for before, factor in pairwise(factors):
            near = beside(self.bare(before), self.bare(factor))
            text += ("" if near else self.times) + self.inside(factor, FACTOR)
        return text

    def quotient(self, over: Term, under: Term) -> tuple[str, int]:
        """A quotient on one line."""
        return f"{self.inside(over, PRODUCT)}/{self.inside(under, FACTOR)}", PRODUCT

    def power(self, base: Term, exponent: Term) -> tuple[str, int]:
        """A power."""
        return f"{self.inside(base, ATOM)}^{self.exponent(exponent)}", POWER

    def exponential(self, exponent: Term) -> tuple[str, int]:
        """A power of e."""
        if self.bare(exponent) == Constant(1):
            return "e", ATOM
        return f"e^{self.exponent(exponent)}", POWER

    def exponent(self, term: Term) -> str:
        """An exponent: a signed number or a name stands without brackets."""
        term = self.bare(term)
        if isinstance(term, Constant) and not isinstance(term.value, Fraction):
            return self.number(term.value)[0]
        sign, inner = (self.minus, term.term) if isinstance(term, Negative) else ("", term)
        text, holds = self.write(inner)
        return sign + text if holds == ATOM else f"({self.write(term)[0]})"

    def root(self, term: Term) -> tuple[str, int]:
        """A square root."""
        return f"√{self.inside(term, ATOM)}", POWER

    def call(self, function: str, term: Term) -> str:
        """A function with its argument."""
        return f"{function}({self.write(term)[0]})"

    def entry(self, of: str, at: tuple[Index, ...]) -> str:
        """An entry with its indices below."""
        name = self.name(of)
        shown = [index for index in at if index_shown(index)]
        if not shown:
            return name
        letters = any(isinstance(index, Axis) for index in shown)
        if name[-1].isdigit() or (letters and "_" in name):
            name = f"({name})"
        if letters:
            return f"{name}_{self.indices(shown)}"
        return name + self.indices(shown).translate(SUBSCRIPTS)

    def indices(self, at: list[Index]) -> str:
        """The indices one after the other, with commas where digits would run together."""
        texts = [self.index(index) for index in at]
        return ("," if any(len(text) > 1 for text in texts) else "").join(texts)

    def index(self, index: Index) -> str:
        """One index, counted from 1; pairs are counted from 0, as their formulas do."""
        if isinstance(index, int):
            return str(index + 1)
        if index.stride == 1 and index.letter != PAIR:
            return index.letter + (f"+{index.start}" if index.start else "")
        factor = str(index.stride) if index.stride > 1 else ""
        return f"{factor}{index.letter}+{index.start + 1}"

    def name(self, of: str) -> str:
        """A letter, Greek where it is spelt out, with what stands below it."""
        letter, line, rest = of.partition("_")
        return GREEK.get(letter, letter) + line + rest

    def along(self, sign: str, axis: Axis, maths: Maths) -> str:
        """A sign with the index it runs over, and what it is taken of."""
        return f"{sign}_{axis.letter} {self.inside(maths, PRODUCT)}"


def summands(maths: Maths, notation: Notation) -> list[str]:
    """The text of a term cut before its plus and minus signs."""
    marking = copy(notation)
    marking.soft = MARK
    return write(maths, marking).split(MARK)


MARK = "\0"
"""A character that no text has."""


def digits(value: int | Fraction | Decimal) -> tuple[str, int | None]:
    """A number without its sign: its digits, and the power of ten that they are multiplied with, if any."""
    if not isinstance(value, Decimal):
        return str(abs(value)), None
    exponent = value.adjusted()
    unknown_zeros = int(value.as_tuple().exponent) > 0 and value != 0
    if not -6 < exponent < 13 or unknown_zeros:
        return str(value.copy_abs().scaleb(-exponent)), exponent
    return f"{value.copy_abs():f}", None


SUBSCRIPTS = str.maketrans("0123456789,", "₀₁₂₃₄₅₆₇₈₉,")
GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "lambda": "λ",
    "mu": "μ", "sigma": "σ", "tau": "τ", "omega": "ω", "theta": "θ", "phi": "φ", "pi": "π",
}  # fmt: skip


def beside(before: Term, factor: Term) -> bool:
    """Whether two factors need no sign between them: 2√3, 16e^2."""
    return isinstance(before, Constant) and isinstance(factor, Apply) and factor.function in ("exp", "sqrt")


def index_shown(index: Index) -> bool:
    """Whether an index is written."""
    return isinstance(index, int) or bool(index.letter)


class Ascii(Notation):
    """The same on a terminal that has nothing but ASCII; it reads back as input."""

    minus, times, sigma, infinity = "-", "*", "sum", "inf"
    about = "~="
    cross, turned = "x", "^T"

    def root(self, term: Term) -> tuple[str, int]:
        return f"sqrt({self.write(term)[0]})", ATOM

    def entry(self, of: str, at: tuple[Index, ...]) -> str:
        shown = [index for index in at if index_shown(index)]
        texts = [self.index(index) for index in shown]
        return f"{of}[{','.join(texts)}]" if texts else of

    def name(self, of: str) -> str:
        return of


class Code(Ascii):
    """The same as a program writes it: every product has its sign, every power of e its exp()."""

    def product(self, factors: tuple[Term, ...]) -> str:
        return self.times.join(self.inside(factor, FACTOR) for factor in factors)

    def exponential(self, exponent: Term) -> tuple[str, int]:
        return f"exp({self.write(exponent)[0]})", ATOM
