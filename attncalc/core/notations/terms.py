"""Terms as text: precedences decide where brackets go, a notation says how each piece looks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

from attncalc.core.errors import assert_never
from attncalc.core.terms import (
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
from attncalc.core.terms.formulas import Maths
from attncalc.core.terms.functions import FUNCTIONS

PAIR = "p"
"""The letter of pairs of columns, which are counted from 0."""
SUM, PRODUCT, FACTOR, POWER, ATOM = range(5)
"""The precedences of a piece of text, from the loosest."""


class TermNotation(ABC):
    """How the pieces of terms look on a Unicode terminal."""

    minus, times, sigma, infinity = "−", "·", "Σ", "∞"
    limit = "lim "
    """What stands before the name of a matrix for its limit."""
    slash = "/"
    soft = ""
    """A mark at the places where a long sum may be broken."""

    @abstractmethod
    def write(self, maths: Maths) -> tuple[str, int]:
        """Return the text of a term or a formula, and its precedence."""

    def term(self, term: Term) -> tuple[str, int]:
        """Return the text of a term, and its precedence."""
        match term:
            case Constant(value):
                return self.number(value)
            case Entry(of, at):
                return self.entry(of, at), ATOM
            case Valued(entry, number):
                return self.write_value(entry, number)
            case Ordinal(index):
                return self.number(index) if isinstance(index, int) else self.ordinal(index.letter)
            case Negative(x):
                return self.minus + self.inside(x, PRODUCT), SUM
            case Sum(terms):
                return self.sum(self.from_one(terms)), SUM
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
            case Apply("abs", x):
                return self.absolute(x), ATOM
            case Apply(function, x):
                return (self.call(function, x), ATOM) if FUNCTIONS[function].is_written else self.write(x)
            case Total(axis, x):
                return self.along(self.sigma, axis, x), SUM
            case Greatest(axis, x):
                return self.along("max", axis, x), SUM
        assert_never(term)

    def inside(self, maths: Maths, least: int) -> str:
        """Return a part of a larger text, in brackets if its precedence is below `least`."""
        text, holds = self.write(maths)
        return text if holds >= least else self.bracket(text)

    def bracket(self, text: str) -> str:
        """A text in brackets."""
        return f"({text})"

    def number(self, value: int | Fraction | Decimal | float) -> tuple[str, int]:
        """A number; a negative one has the precedence of a sum."""
        text, holds = self.write_unsigned(value)
        return (text, holds) if value >= 0 else (self.minus + text, SUM)

    def write_unsigned(self, value: int | Fraction | Decimal | float) -> tuple[str, int]:
        """A number without its sign."""
        if isinstance(value, int) and value % LONG == 0 and value:
            value = Decimal(value).normalize()
        if isinstance(value, int):
            return self.plain(str(abs(value))), ATOM
        if isinstance(value, float):
            return self.infinity, ATOM
        if isinstance(value, Fraction):
            over, under = self.plain(str(abs(value.numerator))), self.plain(str(value.denominator))
            return (over, ATOM) if value.denominator == 1 else self.fraction(over, under)
        plain, exponent = digits(value)
        return (self.plain(plain), ATOM) if exponent is None else self.times_ten(plain, exponent)

    def plain(self, text: str) -> str:
        """Digits, optionally with a point."""
        return text

    def fraction(self, over: str, under: str) -> tuple[str, int]:
        """A fraction of two numbers."""
        return f"{over}{self.slash}{under}", PRODUCT

    def times_ten(self, plain: str, exponent: int) -> tuple[str, int]:
        """A number times a power of ten."""
        return f"{plain}e{exponent}", ATOM

    def ordinal(self, letter: str) -> tuple[str, int]:
        """An index counted from 0: its letter minus 1, because letters count from 1; pairs count from 0."""
        return (letter, ATOM) if letter == PAIR else (f"{letter} {self.soft}{self.minus} 1", SUM)

    def write_value(self, entry: Entry, number: Term) -> tuple[str, int]:  # noqa: ARG002  pages link them
        """A number that stands for an entry."""
        return self.write(number)

    def bare(self, term: Term) -> Term:
        """Return the number of a term that stands for an entry; any other term unchanged."""
        return term.number if isinstance(term, Valued) else term

    def from_one(self, terms: tuple[Term, ...]) -> tuple[Term, ...]:
        """Return a difference of indices (counted from 0) as that of their letters (counted from 1)."""
        match terms:
            case (Ordinal(i), *between, Negative(Ordinal(j))):
                return letter_of(i), *between, Negative(letter_of(j))
        return terms

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
        """Factors joined by dots; none between a number and a root or a power of e."""
        text = self.inside(factors[0], FACTOR)
        for before, factor in pairwise(factors):
            near = are_side_by_side(self.bare(before), self.bare(factor))
            text += ("" if near else self.times) + self.inside(factor, FACTOR)
        return text

    def quotient(self, over: Term, under: Term) -> tuple[str, int]:
        """A quotient on one line."""
        return f"{self.inside(over, PRODUCT)}{self.slash}{self.inside(under, FACTOR)}", PRODUCT

    def power(self, base: Term, exponent: Term) -> tuple[str, int]:
        """A power, whose base is not broken."""
        whole = self.inside(base, ATOM).replace(self.soft, "")
        return f"{whole}^{self.exponent(exponent)}", POWER

    def exponential(self, exponent: Term) -> tuple[str, int]:
        """A power of e."""
        if self.bare(exponent) == Constant(1):
            return "e", ATOM
        return f"e^{self.exponent(exponent)}", POWER

    def exponent(self, term: Term) -> str:
        """An exponent; a signed number or a name has no brackets."""
        term = self.bare(term)
        if isinstance(term, Constant) and not isinstance(term.value, Fraction):
            return self.number(term.value)[0]
        sign, inner = (self.minus, term.term) if isinstance(term, Negative) else ("", term)
        text, holds = self.write(inner)
        return sign + text if holds == ATOM else f"({self.write(term)[0]})"

    def root(self, term: Term) -> tuple[str, int]:
        """A square root."""
        return f"√{self.inside(term, ATOM)}", POWER

    def absolute(self, term: Term) -> str:
        """An absolute value."""
        return f"|{self.write(term)[0]}|"

    def call(self, function: str, term: Term) -> str:
        """A function with its argument."""
        return f"{function}({self.write(term)[0]})"

    def entry(self, of: str, at: tuple[Index, ...]) -> str:
        """An entry with its indices below."""
        if bare := of_limit(of):
            return self.limit + self.entry(bare, at)
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
        """The indices one after the other."""
        return join_indices([self.index(index) for index in at])

    def index(self, index: Index) -> str:
        """One index, counted from 1; pairs are counted from 0, as their formulas do."""
        if isinstance(index, int):
            return str(index + 1)
        if index.stride == 1 and index.letter != PAIR:
            return index.letter + (f"+{index.start}" if index.start else "")
        factor = str(index.stride) if index.stride > 1 else ""
        return f"{factor}{index.letter}+{index.start + 1}"

    def name(self, of: str) -> str:
        """A letter, Greek if it is spelt out, with its index."""
        if bare := of_limit(of):
            return self.limit + self.name(bare)
        letter, line, rest = of.partition("_")
        return to_greek(letter) + line + rest

    def along(self, sign: str, axis: Axis, maths: Maths) -> str:
        """A sum or a maximum, with the index it runs over."""
        return f"{sign}_{axis.letter} {self.inside(maths, PRODUCT)}"


def of_limit(name: str) -> str:
    """Return the name of the matrix whose limit has this name; empty if it is no limit.

    >>> of_limit("alpha_limit"), of_limit("c_2_limit"), of_limit("c_limit_i"), of_limit("alpha")
    ('alpha', 'c_2', 'c_i', '')
    """
    first, *rest = name.split("_")
    return "_".join((first, *(part for part in rest if part != "limit"))) if "limit" in rest else ""


def digits(value: int | Fraction | Decimal) -> tuple[str, int | None]:
    """Return the digits of a number without its sign, and the power of ten that they are multiplied by.

    A zero keeps its places: 0.000000.
    """
    if not isinstance(value, Decimal):
        return str(abs(value)), None
    _, figures, last = value.as_tuple()
    if value != 0 and (not -6 < value.adjusted() < 13 or int(last) > 0):
        return str(Decimal((0, figures, 1 - len(figures)))), value.adjusted()
    return f"{value.copy_abs():f}", None


LONG = 10**21
"""Its multiples end in 21 zeros or more, and are written with a power of ten."""
DIGITS = "0123456789"
SUBSCRIPTS = str.maketrans("0123456789,", "₀₁₂₃₄₅₆₇₈₉,")
GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "lambda": "λ",
    "mu": "μ", "sigma": "σ", "tau": "τ", "omega": "ω", "theta": "θ", "phi": "φ", "pi": "π",
}  # fmt: skip


def letter_of(index: Index) -> Term:
    """Return an index counted from 1."""
    return Entry(index.letter) if isinstance(index, Axis) else Constant(index + 1)


def split_number(word: str) -> tuple[str, str]:
    """Split a word and the number at its end: mu and 1."""
    letters = word.rstrip(DIGITS)
    return letters, word[len(letters) :]


@lru_cache(maxsize=256)
def to_greek(word: str) -> str:
    """Replace the name of a Greek letter by the letter, also before a number or behind a d."""
    letters, number = split_number(word)
    before = "d" if letters[:1] == "d" and letters[1:] in GREEK else ""
    letters = letters.removeprefix(before)
    return before + GREEK.get(letters, letters) + number


def are_side_by_side(before: Term, factor: Term) -> bool:
    """Whether two factors need no sign between them: 2√3, 16e^2."""
    return isinstance(before, Constant) and isinstance(factor, Apply) and factor.function in ("exp", "sqrt")


def index_shown(index: Index) -> bool:
    """Whether an index is written."""
    return isinstance(index, int) or bool(index.letter)


def join_indices(texts: Sequence[str]) -> str:
    """Join indices, with commas if one has several digits."""
    return ("," if any(len(text) > 1 for text in texts) else "").join(texts)


def place_indices(at: tuple[int, ...], whole: bool) -> str:
    """Return the indices of a cell as in worked lines, or of a row, with a colon for its columns."""
    texts = [str(index) for index in at]
    return join_indices(texts) if whole else ",".join((*texts, ":"))
