"""Terms as code on arrays: the whole matrix in one expression.

Every part is written for a layout, the letters of the last axes of its array: Σ_d Q_id · K_jd for the layout
(i, j) is Q for (i, d) times K for (d, j), which is `Q @ K.T`.  An axis of size 1 has no letter.  Batch axes
come before those of the layout and broadcast.  A dialect has what differs between array libraries.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from fractions import Fraction
from math import inf
from typing import TypeAlias

from attncalc.core.notations.terms import ATOM, FACTOR, POWER, PRODUCT, SUM
from attncalc.core.notations.unicode import Code
from attncalc.core.readings.subterms import is_mean, is_single, matrices_of, word, worth_a_name
from attncalc.core.record import record
from attncalc.core.terms import (
    Apply,
    Axis,
    Constant,
    Entry,
    Greatest,
    Index,
    Ordinal,
    Product,
    Quotient,
    Term,
    Total,
    letters_of,
)
from attncalc.core.terms.functions import FUNCTIONS


@record
class Autograd:
    """How a library computes gradients: a tracked array, the backward pass, and the gradient."""

    tracked: str
    run: str
    found: str


@record
class Dialect:
    """How a library spells the functions and arguments that all of them have."""

    module: str
    single: str  # the module of functions of a single number
    imports: str
    array: str
    zeros: str
    counted: str  # 0, 1, 2, …
    swapped: str  # the last two axes of a batch
    join: str
    axis: str
    keep: str
    largest: str
    check: str  # the function that compares a step with its solution
    autograd: Autograd | None = None

    @property
    def helpers(self) -> dict[str, str]:
        """The functions that a program defines before it calls them, because the library lacks them."""
        lacking = (row for row in FUNCTIONS.values() if self.module in row.lacking)
        return {
            "check": self.check,
            **{row.name: row.helper.replace("LIBRARY", self.module) for row in lacking},
        }


Layout: TypeAlias = tuple[str, ...]
Shapes: TypeAlias = Mapping[str, tuple[int, ...]]
NONE: Shapes = {}
LONGEST_LITERAL = 17
"""A longer literal has no more digits than a float."""
LARGEST_WHOLE = 2**53


class Arrays(Code):
    """Writes the rules of one step in a dialect; `lines` assigns names to terms that are worth one."""

    def __init__(self, dialect: Dialect, shapes: Shapes = NONE, rules: Sequence[Term] = ()) -> None:
        self.dialect, self.shapes = dialect, shapes
        self.infinity = f"{dialect.module}.inf"
        self.layout: Layout = ()
        self.worthy = worth_a_name(rules)
        self.named: dict[Term, tuple[str, Layout]] = {}
        self.lines: list[str] = []

    def within(self, layout: Layout, term: Term) -> tuple[str, int]:
        """Write a term for another layout."""
        other = copy(self)
        other.layout = layout
        return other.write(term)

    def term(self, term: Term) -> tuple[str, int]:
        return self.name_of(term) if term in self.worthy else self.write_unnamed(term)

    def name_of(self, term: Term) -> tuple[str, int]:
        """Return the name of a term; assign it in `lines` at the first use."""
        if term not in self.named:
            other = copy(self)
            other.layout = tuple(letter if letter in letters_of(term) else "" for letter in self.layout)
            text = other.write_unnamed(term)[0]
            name, before = word(term), [word(known) for known in self.named]
            name += f"_{before.count(name) + 1}" if name in before else ""
            self.lines.append(f"{name} = {text}")
            self.named[term] = name, other.layout
        name, have = self.named[term]
        if meet_layout(have, self.layout) is None:
            return self.write_unnamed(term)
        return self.arrange((name, ATOM), have, self.in_batches(term))

    def write_unnamed(self, term: Term) -> tuple[str, int]:
        """Write a term without giving it a name."""
        match term:
            case Constant(int() | Fraction() as value, decimals):
                text = literal(value, decimals)
                return text, SUM if text[0] == "-" else PRODUCT if "/" in text else ATOM
            case Entry("pi", ()):
                return f"{self.dialect.single}.pi", ATOM
            case Entry(of, at) if at:
                return self.array(of, at)
            case Ordinal(Axis() as axis):
                return self.write_range(axis)
            case Apply(function, x):
                return self.write_call(function, x), ATOM
            case Total(axis, Product(factors)):
                return self.write_product_sum(axis, factors)
            case Quotient(Total(axis, x), Constant(size)) if is_mean(term) and size == axis.size:
                return self.write_reduction("mean", axis, x), ATOM
            case Total(axis, x):
                return self.write_reduction("sum", axis, x), ATOM
            case Greatest(axis, x):
                return self.write_reduction(self.dialect.largest, axis, x), ATOM
        return super().term(term)

    def write_range(self, axis: Axis) -> tuple[str, int]:
        """Write the numbers that an index runs through."""
        ends = f"{axis.start}, {axis.at(axis.size)}, {axis.stride}"
        span = f"{axis.size}" if axis == Axis(axis.letter, axis.size) else ends
        return self.arrange((self.dialect.counted.format(span), ATOM), (axis.letter,), False)

    def array(self, of: str, at: tuple[Index, ...]) -> tuple[str, int]:
        """Write entries of a matrix, transposed if the layout has its columns first."""
        batches = len(self.shapes[of]) > 2
        text = of + write_slices(at, self.shapes[of])
        have = tuple(index.letter if isinstance(index, Axis) else "" for index in at)
        if meet_layout(have, self.layout) is None:
            text, have = (self.dialect.swapped.format(text) if batches else f"{text}.T"), have[::-1]
        return self.arrange((text, ATOM), have, batches)

    def arrange(self, written: tuple[str, int], have: Layout, batches: bool) -> tuple[str, int]:
        """Insert axes of size 1 into an array, so that its axes match those of the layout."""
        index = meet_layout(have, self.layout) or []
        matrix = len(have) == 2 and all(have)
        while not (batches or matrix) and index[:1] == ["None"]:
            index = index[1:]
        if "None" not in index:
            return written
        if batches or not have[0]:
            index = ["...", *index[index.index("None") :]]
        text, holds = written
        return f"{text if holds == ATOM else self.bracket(text)}[{', '.join(index)}]", ATOM

    def in_batches(self, term: Term) -> bool:
        """Whether the array of a term has axes before those of its letters."""
        return any(len(self.shapes[name]) > 2 for name in matrices_of(term))

    def write_call(self, function: str, x: Term) -> str:
        """Write a function of every entry, or of a single number."""
        library = self.dialect.single if is_single(x) else self.dialect.module
        return FUNCTIONS[function].write_call(library, self.write(x)[0])

    def write_product_sum(self, axis: Axis, factors: tuple[Term, ...]) -> tuple[str, int]:
        """Write the sum of a product along an axis: as a matrix product if the other letters allow it."""
        whole = Product(factors)
        first, last = Product(factors[:-1]) if len(factors) > 2 else factors[0], factors[-1]
        used = letters_of(whole)
        pair = tuple(letter for letter in self.layout if len(self.layout) == 2 or letter in used)
        for left, right in ((first, last), (last, first)):
            if len(pair) == 2 and fits(left, pair[0], axis) and fits(right, pair[1], axis):
                rows = self.operand((pair[0], axis.letter), left)
                columns = self.operand((axis.letter, pair[1]), right)
                return self.arrange((f"{rows} @ {columns}", PRODUCT), pair, self.in_batches(whole))
        return self.write_reduction("sum", axis, whole), ATOM

    def operand(self, layout: Layout, term: Term) -> str:
        """Write one side of a matrix product; products of products need no brackets."""
        text, holds = self.within(layout, term)
        return text if holds >= FACTOR or isinstance(term, Total) else self.bracket(text)

    def write_reduction(self, method: str, axis: Axis, x: Term) -> str:
        """Write a reduction along one axis: in place of an axis of the layout that x lacks, else the last."""
        lacking = [n for n, letter in enumerate(self.layout) if letter not in letters_of(x)]
        at = lacking[-1] if lacking else len(self.layout)
        layout = (*self.layout[:at], axis.letter, *self.layout[at + 1 :])
        text, holds = self.within(layout, x)
        keep = f", {self.dialect.keep}=True" if lacking else ""
        array = text if holds == ATOM else self.bracket(text)
        return f"{array}.{method}({self.dialect.axis}={at - len(layout)}{keep})"

    def float_text(self, number: float) -> str:
        """Write a float, which may be −∞."""
        return f"-{self.infinity}" if number == -inf else number_text(number)

    def product(self, factors: tuple[Term, ...]) -> str:
        sign = " * " if self.layout else "*"
        first, *rest = factors
        return sign.join([self.inside(first, PRODUCT), *(self.inside(factor, FACTOR) for factor in rest)])

    def quotient(self, over: Term, under: Term) -> tuple[str, int]:
        sign = " / " if self.layout else "/"
        return f"{self.inside(over, PRODUCT)}{sign}{self.inside(under, FACTOR)}", PRODUCT

    def power(self, base: Term, exponent: Term) -> tuple[str, int]:
        left, right = self.inside(base, ATOM), self.inside(exponent, ATOM)
        if left.isdigit() and not letters_of(exponent):
            left += ".0"  # a whole power may be too large for arrays
        sign = " ** " if self.layout and ")" in left + right else "**"
        return f"{left}{sign}{right}", POWER


def fits(factor: Term, letter: str, axis: Axis) -> bool:
    """Whether a factor is a matrix that runs along an axis and along no other letter than this one."""
    return axis.letter in letters_of(factor) <= {letter, axis.letter} and bool(matrices_of(factor))


def meet_layout(have: Layout, want: Layout) -> list[str] | None:
    """Return the index that makes an array match a layout; None if its axes are in another order."""
    rest, found = list(have), []
    for letter in reversed(want):
        if rest and (rest[-1] == letter or (not rest[-1] and letter not in rest)):
            rest.pop()
            found.append(":")
        else:
            found.append("None")
    return None if rest else found[::-1]


def write_slices(at: tuple[Index, ...], shape: tuple[int, ...]) -> str:
    """Return the slices that some indices run through; empty if they are the whole array."""
    texts = [span(index, size) for index, size in zip(at, shape[-2:], strict=True)]
    if texts == [":", ":"]:
        return ""
    if len(shape) > 2:
        return f"[..., {', '.join(texts if texts[0] != ':' else texts[1:])}]"
    return f"[{', '.join(texts if texts[1] != ':' else texts[:1])}]"


def span(index: Index, size: int) -> str:
    """Return the slice of an axis that an index runs through."""
    axis = index if isinstance(index, Axis) else Axis("", 1, index)
    if (axis.start, axis.stride, axis.size) == (0, 1, size):
        return ":"
    if axis.stride == 1:
        return f"{axis.start}:{axis.at(axis.size)}"
    stop = axis.at(axis.size)
    return f"{axis.start}:{stop if stop < size else ''}:{axis.stride}"


def literal(value: int | Fraction, decimals: int | None) -> str:
    """Write a number as it was given; as a float if that is shorter, or beyond exact integers."""
    short = number_text(float(value))
    if decimals is not None:
        written = f"{float(value):.{decimals}f}"
        return written if float(written) == float(value) and len(written) < LONGEST_LITERAL else short
    written = str(value)
    return written if len(written) <= len(short) and -LARGEST_WHOLE < value < LARGEST_WHOLE else short


def number_text(number: float) -> str:
    """Write a float; whole numbers without a point."""
    return repr(number).removesuffix(".0").replace("e-0", "e-")
