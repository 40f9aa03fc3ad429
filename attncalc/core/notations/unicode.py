"""Terms and formulas as text, in Unicode or ASCII: laws with letters, worked lines with numbers, S = Q Kᵀ."""

from __future__ import annotations

from copy import copy

from attncalc.core.errors import assert_never
from attncalc.core.notations.terms import (
    ATOM,
    FACTOR,
    POWER,
    PRODUCT,
    SUM,
    TermNotation,
    index_shown,
    of_limit,
)
from attncalc.core.terms import Axis, Constant, Index, Term
from attncalc.core.terms.formulas import (
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
    Typed,
    Words,
)


def write(maths: Maths, notation: Notation) -> str:
    """Return the whole term or formula as text."""
    return notation.write(maths)[0]


class Notation(TermNotation):
    """Terms and formulas on a Unicode terminal; other notations override what differs."""

    equal, about = "=", "≈"
    cross, turned, entrywise = "×", "ᵀ", "⊙"

    def write(self, maths: Maths) -> tuple[str, int]:
        return self.formula(maths) if isinstance(maths, Tree) else self.term(maths)

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
                return self.inside(parts[0], SUM) + "".join(map(self.write_summand, parts[1:])), SUM
            case Minus(x):
                return self.minus + self.inside(x, PRODUCT), SUM
            case Over(x, y):
                return self.inside(x, PRODUCT) + self.write_sign("/") + self.inside(y, FACTOR), PRODUCT
            case Times(x, y, True):
                first = self.inside(x, PRODUCT if isinstance(x, Times) else FACTOR)
                return first + self.write_sign(self.entrywise) + self.inside(y, FACTOR), PRODUCT
            case Times(x, y):
                return self.inside(x, PRODUCT) + self.write_sign(self.times) + self.inside(
                    y, PRODUCT
                ), PRODUCT
            case Raised(x, exponent):
                return self.above(self.inside(x, ATOM), self.exponent(Constant(exponent))), POWER
            case Call(function, x, square):
                return self.function(function) + self.enclose(
                    self.write(x)[0], "[]" if square else "()"
                ), ATOM
            case SumOf(letter, x):
                return self.along(self.sigma, Axis(letter, 1), x), SUM
            case Stacked(members, below, round_):
                inner = self.write_separator(";" if below else ",").join(
                    self.write(member)[0] for member in members
                )
                return self.enclose(inner, "()" if round_ else "[]"), ATOM
            case Indexed(x, letters):
                base = self.bracket(self.write(x)[0]) if isinstance(x, Transposed) else self.inside(x, ATOM)
                return self.below(base, letters), ATOM
            case Place(name, at, whole):
                return self.place(name, at, whole), ATOM
            case Shape(sizes):
                return self.cross.join(self.number(size)[0] for size in sizes), PRODUCT
            case Equal(x, y):
                return self.write(x)[0] + self.write_sign("=") + self.write(y)[0], SUM
            case Words(parts):
                return "".join(map(self.write_part, parts)), SUM
            case Typed(text, x):
                return self.typed(text, x), SUM
        assert_never(formula)

    def gap(self, after: str) -> str:  # noqa: ARG002  it may depend on what comes after it
        """The text between factors side by side."""
        return " "

    def write_summand(self, part: Maths) -> str:
        """A further part of a sum, with its sign."""
        if isinstance(part, Minus):
            return self.soft + self.write_sign(self.minus) + self.inside(part.of, PRODUCT)
        return self.soft + self.write_sign("+") + self.inside(part, PRODUCT)

    def write_sign(self, sign: str) -> str:
        """A sign between two parts of a formula."""
        return f" {sign} "

    def write_separator(self, sign: str) -> str:
        """The text between the members of a list."""
        return f"{sign} "

    def write_part(self, part: str | Maths) -> str:
        """A part of a sentence."""
        return self.text(part) if isinstance(part, str) else self.write(part)[0]

    def typed(self, text: str, maths: Maths) -> str:  # noqa: ARG002  typeset pages write the formula
        """A formula that a user typed."""
        return text

    def text(self, text: str) -> str:
        """Words."""
        return text

    def above(self, base: str, exponent: str) -> str:
        """A base with something above it."""
        return base + exponent if exponent == self.turned else f"{base}^{exponent}"

    def below(self, base: str, letters: str) -> str:
        """A base with letters below it."""
        return f"{base}_{letters}"

    def place(self, name: str, at: tuple[int, ...], whole: bool) -> str:
        """A row or a cell as answers name it."""
        if bare := of_limit(name):
            return self.limit + self.place(bare, at, whole)
        return f"{self.name(name)}[{','.join(map(str, at))}]"

    def function(self, name: str) -> str:
        """The name of a function."""
        return name

    def enclose(self, text: str, brackets: str) -> str:
        """A text between two brackets."""
        return brackets[0] + text + brackets[1]


def summands(maths: Maths, notation: Notation) -> list[str]:
    """Return the text of a term, split before its plus and minus signs."""
    marking = copy(notation)
    marking.soft = MARK
    return write(maths, marking).split(MARK)


MARK = "\0"
"""A character that no text has."""


class Ascii(Notation):
    """The notation of an ASCII terminal, which can be read as input."""

    minus, times, sigma, infinity = "-", "*", "sum", "inf"
    about = "~="
    cross, turned, entrywise = "x", "^T", "*"

    def root(self, term: Term) -> tuple[str, int]:
        return f"sqrt({self.write(term)[0]})", ATOM

    def absolute(self, term: Term) -> str:
        return f"abs({self.write(term)[0]})"

    def entry(self, of: str, at: tuple[Index, ...]) -> str:
        shown = [index for index in at if index_shown(index)]
        texts = [self.index(index) for index in shown]
        return f"{of}[{','.join(texts)}]" if texts else of

    def name(self, of: str) -> str:
        return of

    def place(self, name: str, at: tuple[int, ...], whole: bool) -> str:  # noqa: ARG002  it can be typed
        return f"{name}[{','.join(map(str, at))}]"


class Code(Ascii):
    """The notation of programs: every product has a sign, every power of e is exp()."""

    def from_one(self, terms: tuple[Term, ...]) -> tuple[Term, ...]:
        return terms

    def product(self, factors: tuple[Term, ...]) -> str:
        return self.times.join(self.inside(factor, FACTOR) for factor in factors)

    def exponential(self, exponent: Term) -> tuple[str, int]:
        return f"exp({self.write(exponent)[0]})", ATOM
