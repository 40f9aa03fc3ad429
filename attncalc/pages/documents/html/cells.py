"""The cells that a page shows, their keys, and the entries and numbers that point at them."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from html import escape

from attncalc.core.notations.mathml import Element, MathML, OneLine
from attncalc.core.record import record
from attncalc.core.terms import Axis, Constant, Entry, Index, Term, entries
from attncalc.core.terms.formulas import Maths, Tree
from attncalc.exercise.solve.selection import At, integers
from attncalc.worked.blocks import (
    Display,
    Displays,
    Document,
    Equation,
    Equations,
    Grid,
    Heading,
    Map,
    Relation,
)

GIVEN = "Given"
"""The heading of the given matrices."""


def key(of: str, at: At) -> str:
    """The key of a cell: the name that worked lines use, and its indices from 0."""
    return f"{of}:{','.join(map(str, at))}"


def key_of(term: Maths) -> str | None:
    """The key of the cell that a term names, if it names one."""
    if not isinstance(term, Entry) or is_running(term) or not term.at:
        return None
    return key(term.of, integers(term))


def entries_of(maths: Maths) -> Iterator[Entry]:
    """The entries in a term; a formula of whole matrices has none."""
    return iter(()) if isinstance(maths, Tree) else entries(maths)


def is_running(entry: Entry) -> bool:
    """Whether an entry stands for many cells, one for each value of an index."""
    return any(isinstance(index, Axis) and index.letter for index in entry.at)


def of_map(block: Map) -> Display:
    """A map as a matrix of shares."""
    cells = tuple(tuple(Constant(Decimal(f"{weight:.2f}")) for weight in row) for row in block.weights)
    places = tuple(
        tuple((*block.batch, i, j) for j in range(len(row))) for i, row in enumerate(block.weights)
    )
    grid = Grid(cells, block.rows, block.columns, places=places, hidden=block.hidden)
    return Display(block.symbol, (("≈", grid),), block.symbol, shaded=True)


@record
class PageCell:
    """A cell on the page: its place, how it is first written, and whether it is wrong."""

    at: At
    first: tuple[Relation, Term]
    wrong: bool


class Cells:
    """All cells of a page that one can point at."""

    def __init__(self, document: Document) -> None:
        self.shown: dict[str, dict[str, PageCell]] = {}
        self.worked: set[str] = set()
        self.named: dict[str, Entry] = {}
        self.given: set[str] = set()
        self.computed = set(document.model.names) if document.model else set()
        section = ""
        for block in document.blocks:
            match block:
                case Heading(text):
                    section = text
                case Displays(displays):
                    self.given |= {display.of for display in displays} if section == GIVEN else set()
                    for display in displays:
                        self.add(display)
                case Map():
                    self.add(of_map(block))
                case Equations(lines):
                    for line in lines:
                        self.work(line)

    def add(self, display: Display) -> None:
        """Register the cells of a matrix."""
        cells = self.shown.setdefault(display.of, {})
        for relation, grid in display.grids if display.of else ():
            for (i, j), at, cell in cells_of(grid):
                if at is not None and cell is not None:
                    shown = PageCell(at, (relation, cell), (i, j) in grid.marked)
                    cells.setdefault(key(display.of, at), shown)

    def work(self, line: Equation) -> None:
        """Register a worked line, and the cells that it uses."""
        found = key_of(line.left)
        if found is None:
            return
        self.worked.add(found)
        for entry in entries_of(line.sides[0][1]):
            if name := key_of(entry):
                self.named.setdefault(name, entry)

    def has(self, term: Maths) -> bool:
        """Whether a term names a cell of a matrix on the page."""
        return isinstance(term, Entry) and key_of(term) in self.shown.get(term.of, {})

    def sources(self, entry: Entry) -> list[str]:
        """The keys on the page that an entry of a worked line stands for."""
        cells = self.shown.get(entry.of, {})
        if is_running(entry):
            return [name for name, shown in cells.items() if runs_through(entry, shown.at)]
        name = key_of(entry)
        return [name] if name in cells or name in self.worked else []

    def find_unworked(self) -> Iterator[tuple[str, Equation, str]]:
        """The cells without a worked line: key, value, and the reason why there is none."""
        for of, cells in self.shown.items():
            for name, shown in cells.items():
                if name not in self.worked and of not in self.computed:
                    left = self.named.get(name, Entry(of, shown.at))
                    why = "not right" if shown.wrong else "given" if of in self.given else ""
                    yield name, Equation(left, (shown.first,)), why


def cells_of(grid: Grid) -> Iterator[tuple[tuple[int, int], At | None, Term | None]]:
    """The cells of a grid: row and column, place in the whole matrix, and what is written."""
    for i, row in enumerate(grid.places):
        for j, at in enumerate(row):
            yield (i, j), at, grid.cells[i][j]


def runs_through(entry: Entry, at: At) -> bool:
    """Whether a cell is one of those that an entry with running indices stands for."""
    return len(entry.at) == len(at) and all(map(takes, entry.at, at))


def takes(index: Index, value: int) -> bool:
    """Whether an index takes a value."""
    if isinstance(index, int):
        return index == value
    number, rest = divmod(value - index.start, index.stride)
    return rest == 0 and 0 <= number < index.size


class Linked(MathML):
    """Mathematics in which entries, and the numbers put in their place, carry the keys of their cells."""

    def __init__(self, cells: Cells) -> None:
        self.cells = cells

    def write_value(self, entry: Entry, number: Term) -> tuple[str, int]:
        text, holds = self.write(number)
        return (with_keys(text, [key_of(entry) or ""]) if self.cells.has(entry) else text), holds

    def bare(self, term: Term) -> Term:
        # A linked number stays one piece, with its sign.
        return term

    def entry(self, of: str, at: tuple[Index, ...]) -> str:
        text = super().entry(of, at)
        keys = self.cells.sources(Entry(of, at)) if at else []
        return with_keys(text, keys) if keys else text

    def small(self) -> MathML:
        return LinkedOneLine(self.cells)


class LinkedOneLine(OneLine, Linked):
    """The same with fractions on one line."""


def with_keys(text: str, keys: list[str]) -> str:
    """Markup that carries keys: its one element, or a row of several."""
    attribute = f' data-k="{escape(" ".join(keys))}"'
    if isinstance(text, Element):
        return text.replace(">", f"{attribute}>", 1)
    return f"<mrow{attribute}>{text}</mrow>"
