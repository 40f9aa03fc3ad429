"""Terms as formulas of a spreadsheet: an entry is the reference of its cell, a sum one over a range.

A spreadsheet has no −∞: a hidden score is the text −∞, and what is computed from it is guarded by IF.
Only functions are used that Excel, LibreOffice and Google Sheets know.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import isinf
from typing import cast

from attncalc.core.errors import fault
from attncalc.core.notations.terms import ATOM, FACTOR, POWER, PRODUCT, SUM, TermNotation
from attncalc.core.record import record
from attncalc.core.terms import (
    Apply,
    Axis,
    Constant,
    Entry,
    Greatest,
    Negative,
    Ordinal,
    Power,
    Product,
    Quotient,
    Sum,
    Term,
    Total,
    Valued,
    letters_of,
    members,
    place_indices,
    product,
)
from attncalc.core.terms.formulas import Maths
from attncalc.core.terms.functions import FUNCTIONS
from attncalc.core.terms.turned import turn_indices

HIDDEN = "−∞"
"""The text in the cell of a hidden score."""
OF_ARRAYS = ("exp", "ln", "sqrt", "tanh", "sin", "cos", "abs")
"""The functions that give an array for an array inside SUMPRODUCT."""
OF_HIDDEN = ("exp", "visible", "seen")
"""The functions that give a number for −∞."""
LONGEST_FORMULA = 8192
"""The most characters of a formula in Excel."""
MOST_COLUMNS = 16_384


def column_letters(column: int) -> str:
    """Return the letters of a column that is counted from 0.

    >>> [column_letters(n) for n in (0, 25, 26, 701, 702)]
    ['A', 'Z', 'AA', 'ZZ', 'AAA']
    """
    before, last = divmod(column, 26)
    return (column_letters(before - 1) if before else "") + chr(ord("A") + last)


def cell_name(row: int, column: int) -> str:
    """Return the name of a cell that is counted from 0: B3."""
    return f"{column_letters(column)}{row + 1}"


@record
class Placed:
    """Where the entries of a matrix stand: its first cell, and whether it is written as its transpose.

    The matrices of a batch stand one below the other.
    """

    row: int
    column: int
    shape: tuple[int, ...]
    is_turned: bool = False

    def find(self, at: tuple[int, ...]) -> tuple[int, int]:
        """Return the row and column of an entry."""
        *batch, i, j = turn_indices(at) if self.is_turned else at
        *sizes, rows, _ = turn_indices(self.shape) if self.is_turned else self.shape
        number = 0
        for index, size in zip(batch, sizes, strict=True):
            number = number * size + index
        return self.row + number * rows + i, self.column + j


@record
class Range:
    """The cells of a matrix along one index."""

    first: tuple[int, int]
    last: tuple[int, int]

    @property
    def name(self) -> str:
        """Its name in formulas."""
        ends = (cell_name(*self.first), cell_name(*self.last))
        return ends[0] if ends[0] == ends[1] else ":".join(ends)

    @property
    def direction(self) -> str:
        """Whether it runs across or down; empty for a single cell."""
        if self.first == self.last:
            return ""
        return "across" if self.first[0] == self.last[0] else "down"


class Formulas(TermNotation):
    """Writes terms as formulas; `hiding` are the matrices in which a cell may be −∞."""

    minus, times, sigma = "-", "*", "SUM"

    def __init__(self, placed: Mapping[str, Placed], hiding: Iterable[str]) -> None:
        self.placed, self.hiding = placed, {*hiding}

    def formula(self, term: Term) -> str:
        """Return the formula of a cell."""
        text = self.guarded(term, self.write(term)[0], f'"{HIDDEN}"')
        if len(text) >= LONGEST_FORMULA:
            raise fault(f"is too large for a spreadsheet: a formula has {len(text):,} characters")
        return f"={text}"

    def write(self, maths: Maths) -> tuple[str, int]:
        # Rules hold no formulas of whole matrices.
        return self.term(cast("Term", maths))

    def term(self, term: Term) -> tuple[str, int]:
        match term:
            case Constant(float() as value) if isinf(value):
                return f'"{HIDDEN}"', ATOM
            case Entry("pi", ()):
                return "PI()", ATOM
            case Entry(of, ()):
                return cell_name(*self.placed[of].find((0, 0))), ATOM
            case Entry():
                return self.range_of(term).name, ATOM
            case Ordinal(int() as index):
                return str(index), ATOM
            case Negative(x):
                # -x^2 is (-x)^2 in a spreadsheet.
                text = self.inside(x, PRODUCT)
                return self.minus + (self.bracket(text) if "^" in text else text), SUM
            case Apply(function, x):
                return self.apply(function, x), ATOM
            case Total(axis, x):
                return self.sum_along(axis, x)
            case Greatest(axis, x):
                inside = self.along_range(x, axis)
                return f"MAX({inside.name if inside else ','.join(self.each(axis, x))})", ATOM
        return super().term(term)

    def times_ten(self, plain: str, exponent: int) -> tuple[str, int]:
        return f"{plain}E{exponent}", ATOM

    def product(self, factors: tuple[Term, ...]) -> str:
        first, *rest = factors
        return self.times.join([self.inside(first, PRODUCT), *(self.inside(x, FACTOR) for x in rest)])

    def sum(self, terms: tuple[Term, ...]) -> str:
        return super().sum(terms).replace(" - ", "-").replace(" + ", "+")

    def power(self, base: Term, exponent: Term) -> tuple[str, int]:
        return f"{self.inside(base, ATOM)}^{self.inside(exponent, ATOM)}", POWER

    def apply(self, function: str, x: Term) -> str:
        """Write a function of one number."""
        inner = self.write(x)[0]
        match function:
            case "exp":
                return self.guarded(x, f"EXP({inner})", "0")
            case "visible":
                return self.guarded(x, inner, "0")
            case "seen":
                return self.guarded(x, "1", "0")
            case "bend":
                return f"TANH({inner})"
            case "lim":
                raise fault("is a limit; a spreadsheet computes with numbers only")
        return FUNCTIONS[function].calls.get("sheet", f"{function.upper()}({{0}})").format(inner)

    # Hidden keys

    def guarded(self, term: Term, text: str, otherwise: str) -> str:
        """Write what a term gives, and what in place of it if one of its scores is hidden."""
        cells = [*dict.fromkeys(self.hidden_cells(term))]
        if not cells:
            return text
        test = f"ISNUMBER({cells[0]})" if len(cells) == 1 else f"COUNT({','.join(cells)})={len(cells)}"
        return f"IF({test},{text},{otherwise})"

    def hidden_cells(self, term: Term) -> Iterator[str]:
        """Yield the cells in a term that may hold −∞ and make it −∞."""
        match term:
            case Entry(of, at) if at and of in self.hiding and not letters_of(term):
                yield self.range_of(term).name
            case Total() | Greatest():
                return
            case Apply(function) if function in OF_HIDDEN:
                return
        for member in members(term):
            yield from self.hidden_cells(member)

    def hides(self, term: Term) -> bool:
        """Whether a rule gives −∞ if one of its scores is hidden."""
        match term:
            case Entry(of):
                return of in self.hiding
            case Constant(float() as value):
                return isinf(value)
            case Total() | Greatest():
                return False
            case Apply(function) if function in OF_HIDDEN:
                return False
        return any(map(self.hides, members(term)))

    # Ranges

    def range_of(self, entry: Entry) -> Range:
        """Return the cells of an entry along its running index, or its only cell."""
        first = tuple(index.start if isinstance(index, Axis) else index for index in entry.at)
        last = tuple(index.at(index.size - 1) if isinstance(index, Axis) else index for index in entry.at)
        placed = self.placed[entry.of]
        return Range(placed.find(first), placed.find(last))

    def along_range(self, term: Term, axis: Axis) -> Range | None:
        """Return the cells of an entry along an axis; None for any other term."""
        if not isinstance(term, Entry) or letters_of(term) != {axis.letter}:
            return None
        strides = [index.stride for index in term.at if isinstance(index, Axis) and index.letter]
        return self.range_of(term) if strides == [1] else None

    def each(self, axis: Axis, x: Term) -> list[str]:
        """Write a term for every value of an index."""
        terms = (place_indices(x, {axis.letter: n}, expand=False) for n in range(axis.size))
        return [self.inside(term, SUM) for term in terms]

    def sum_along(self, axis: Axis, x: Term) -> tuple[str, int]:
        """Write a sum along an index: of a range, a product of ranges, or an array; else term by term."""
        if axis.size == 1:
            return self.write(place_indices(x, {axis.letter: 0}, expand=False))
        factors = x.factors if isinstance(x, Product) else (x,)
        outside = [factor for factor in factors if axis.letter not in letters_of(factor)]
        inside = [factor for factor in factors if factor not in outside]
        found = self.sum_of_product(axis, inside) if inside else None
        if found is None:
            return "+".join(self.each(axis, x)).replace("+-", "-"), SUM
        if not outside:
            return found, ATOM
        return f"{self.inside(product(outside), PRODUCT)}{self.times}{found}", PRODUCT

    def sum_of_product(self, axis: Axis, factors: list[Term]) -> str | None:
        """Write the sum of a product along an index, if ranges can stand for its factors."""
        ranges = [self.along_range(factor, axis) for factor in factors]
        known = [one for one in ranges if one is not None]
        if len(known) == len(factors):
            directions = {one.direction for one in known} - {""}
            if len(directions) < 2:
                names = ",".join(one.name for one in known)
                return f"SUM({names})" if len(known) == 1 else f"SUMPRODUCT({names})"
            if len(known) == 2:
                row, column = sorted(known, key=lambda one: one.direction)
                return f"MMULT({row.name},{column.name})"
        return self.array_sum(axis, product(factors))

    def array_sum(self, axis: Axis, x: Term) -> str | None:
        """Write the sum of an array that is computed from ranges of one direction; None if there is none."""
        directions = {*self.directions(axis, x)} - {""}
        if len(directions) != 1 or None in directions:
            return None
        return f"SUMPRODUCT({self.write(x)[0]})"

    def directions(self, axis: Axis, x: Term) -> Iterator[str | None]:
        """Yield the directions of the ranges in a term; None for what gives no array."""
        if axis.letter not in letters_of(x):
            return
        match x:
            case Entry(of):
                found = self.along_range(x, axis)
                yield found.direction if found and of not in self.hiding else None
            case Apply(function, inner):
                yield from self.directions(axis, inner) if function in OF_ARRAYS else (None,)
            case Negative() | Sum() | Product() | Quotient() | Power() | Valued():
                for member in members(x):
                    yield from self.directions(axis, member)
            case _:
                yield None
