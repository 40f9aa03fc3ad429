"""Answers in a workbook: a filled worksheet, or an own layout with a name above or beside every matrix.

A worksheet names its blocks, so that nothing depends on where they stand.  In other workbooks a block of
numbers belongs to the nearest text above it or to its left.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import product
from typing import TypeAlias

from attncalc.core.errors import Place, fault
from attncalc.core.record import record
from attncalc.exercise.yaml.tree import Mapped, Node, Scalar, Sequence
from attncalc.features.spreadsheets.formulas import HIDDEN, cell_name
from attncalc.features.spreadsheets.read_workbook import (
    ERROR,
    LARGEST,
    Stored,
    StoredSheet,
    read_workbook,
)
from attncalc.features.spreadsheets.workbook import BLOCK, IN_BATCH
from attncalc.marking.answers.kinds.base import Kind
from attncalc.marking.answers.student import is_about_student
from attncalc.marking.answers.tables import is_number

Cell: TypeAlias = tuple[int, int]
BLANK = "_"
FARTHEST = 4
"""The most rows or columns between a block and its name."""
LARGEST_BLOCK = 20_000
LONGEST, SMALLEST = 99, 1e-300
NO_BLOCKS = "names no step: write its name above its numbers, or to their left"
WORDS = ("problem",)


@record
class Box:
    """A block of cells: its first cell, and its last."""

    first: Cell
    last: Cell

    @property
    def size(self) -> int:
        """The number of its cells."""
        return len(self.rows) * len(self.columns)

    @property
    def rows(self) -> range:
        """Its rows."""
        return range(self.first[0], self.last[0] + 1)

    @property
    def columns(self) -> range:
        """Its columns."""
        return range(self.first[1], self.last[1] + 1)


def read_answers_in_workbook(data: bytes, file: str) -> Mapped:
    """Read the matrices of a workbook, each under its name."""
    book = read_workbook(data, file)
    tables = {sheet.name: Table(sheet, file) for sheet in book.sheets}
    named = {name_of(name): area for name, area in book.names.items() if name.startswith(BLOCK)}
    items: list[tuple[Scalar, Node]] = []
    for sheet, table in tables.items():
        own = {name: Box(area.first, area.last) for name, area in named.items() if area.sheet == sheet}
        if sum(box.size for box in own.values()) > LARGEST_BLOCK:
            raise fault(f"names blocks of more than {LARGEST_BLOCK:,} cells", Place(file))
        blocks = [(Scalar(name, table.place(box.first)), table.matrix(box)) for name, box in own.items()]
        blocks = blocks if named else [*table.blocks()]
        items += [*table.words(), *blocks] if blocks else []
    if not items:
        raise fault(NO_BLOCKS, Place(file))
    return Mapped(tuple(items), Place(file), has_prose=not named)


def name_of(block: str) -> str:
    """The step that a block is named after, or the sequence of a batch.

    >>> name_of("step_S"), name_of("step_S..2")
    ('S', 'S[2]')
    """
    name, _, batch = block.removeprefix(BLOCK).partition(IN_BATCH)
    return f"{name}[{batch.replace('.', ',')}]" if batch else name


def is_word(key: str) -> bool:
    """Whether a key says something of the student or of the problem."""
    return key.lower() in WORDS or is_about_student(key)


class Table:
    """The cells of one sheet, as scalars with their places."""

    def __init__(self, sheet: StoredSheet, file: str) -> None:
        self.sheet, self.file = sheet, file
        cells = {at: self.scalar(at, cell) for at, cell in sheet.cells.items()}
        self.cells = {at: scalar for at, scalar in cells.items() if scalar.text}
        self.numbers = {at for at, scalar in self.cells.items() if is_numeric(sheet.cells[at], scalar)}

    def place(self, at: Cell) -> Place:
        """The place of a cell in messages: answers.xlsx, Sheet1!C7."""
        return Place(f"{self.file}, {self.sheet.name}!{cell_name(*at)}")

    def scalar(self, at: Cell, cell: Stored) -> Scalar:
        """The content of a cell as a student would type it."""
        return Scalar(write_number(cell.text) if cell.kind == "n" else cell.text.strip(), self.place(at))

    def matrix(self, box: Box) -> Node:
        """The cells of a block; one that is empty is blank."""
        places = self.places_of(box)
        rows = [[self.entry((i, j), places) for j in box.columns] for i in box.rows]
        return Sequence(tuple(Sequence(tuple(row), row[0].place) for row in rows), self.place(box.first))

    def entry(self, at: Cell, places: int) -> Scalar:
        """A cell of a block; a number with the zeros at its end that a workbook does not store."""
        found = self.cells.get(at, Scalar(BLANK, self.place(at)))
        is_stored = at in self.cells and self.sheet.cells[at].kind == "n"
        return found._replace(text=with_zeros(found.text, places)) if is_stored else found

    def places_of(self, box: Box) -> int:
        """The decimals to which the numbers of a block were rounded; 0 if they are not, or it is not known.

        They are those of the longest, or of whole numbers those that are shown.
        """
        filled = (at for at in product(box.rows, box.columns) if at in self.cells)
        stored = [at for at in filled if self.sheet.cells[at].kind == "n"]
        shown = min((self.sheet.cells[at].places or 0 for at in stored), default=0)
        longest = max((count_places(self.cells[at].text) for at in stored), default=0)
        return (longest or shown) if longest <= shown else 0

    def words(self) -> Iterator[tuple[Scalar, Node]]:
        """Yield what is said of the student and the problem: a word, and the cell to its right."""
        for (i, j), scalar in self.cells.items():
            beside = self.cells.get((i, j + 1))
            if beside is not None and is_word(scalar.text.rstrip(":")):
                yield scalar._replace(text=scalar.text.rstrip(":").lower()), beside

    # Own layouts

    def blocks(self) -> Iterator[tuple[Scalar, Node]]:
        """Yield the blocks of numbers that have a name."""
        taken: set[Cell] = set()
        for box in self.boxes():
            name = self.name_of(box, taken)
            if name is not None:
                taken.add(name)
                text = re.split(r"\s{2,}|\s*[:=]\s*$", self.cells[name].text)[0]
                yield self.cells[name]._replace(text=text), self.matrix(self.without_counts(box))

    def boxes(self) -> Iterator[Box]:
        """Yield the blocks of numbers that touch each other, from above and from the left."""
        rest = set(self.numbers)
        found = []
        while rest:
            inside, edge = set[Cell](), [rest.pop()]
            while edge:
                i, j = edge.pop()
                inside.add((i, j))
                near = {(i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)} & rest
                rest -= near
                edge += near
            rows, columns = zip(*inside, strict=True)
            box = Box((min(rows), min(columns)), (max(rows), max(columns)))
            if box.size <= LARGEST_BLOCK:
                found.append(box)
        yield from sorted(found, key=lambda box: box.first)

    def name_of(self, box: Box, taken: set[Cell]) -> Cell | None:
        """The cell with the name of a block: to its left, else above it; rows of labels are passed over."""
        top, left = box.first
        for distance in range(1, FARTHEST + 1):
            beside = [(i, left - distance) for i in box.rows]
            found = self.only_text(beside, taken)
            if found is not None and (len(box.rows) == 1 or found[0] in (top, top + len(box.rows) // 2)):
                return found
            above = [(top - distance, j) for j in (*([left - 1] if left else []), *box.columns)]
            found = self.only_text(above, taken)
            if found is not None:
                return found
        return None

    def only_text(self, cells: Iterable[Cell], taken: set[Cell]) -> Cell | None:
        """The one cell among some that holds words; None if there are several, which are labels."""
        words = [at for at in cells if at in self.cells and at not in self.numbers]
        return words[0] if len(words) == 1 and words[0] not in taken else None

    def without_counts(self, box: Box) -> Box:
        """A block without the numbers of its rows and columns: 1, 2, 3 above and to the left of it."""
        (top, left), last = box.first, box.last
        is_counted = (top, left) not in self.cells and len(box.rows) > 1 and len(box.columns) > 1
        above = [self.cells.get((top, j)) for j in box.columns][1:]
        beside = [self.cells.get((i, left)) for i in box.rows][1:]
        counts = (above, beside)
        if is_counted and all(is_count(n, cell) for some in counts for n, cell in enumerate(some, 1)):
            return Box((top + 1, left + 1), last)
        return box


def is_count(number: int, cell: Scalar | None) -> bool:
    """Whether a cell holds a number of a row or a column."""
    return cell is not None and cell.text == str(number)


def is_numeric(cell: Stored, scalar: Scalar) -> bool:
    """Whether a cell holds a number, or something in the place of one."""
    return cell.kind in ("n", "b", ERROR) or scalar.text == HIDDEN or is_number(scalar)


def write_number(text: str) -> str:
    """A stored number with all its digits, as short as possible.

    >>> write_number("0.57604210000000001"), write_number("3.0")
    ('0.5760421', '3')
    """
    try:
        value = float(text)
    except ValueError:
        return text
    return repr(value).removesuffix(".0") if abs(value) > SMALLEST else "0"


def count_places(text: str) -> int:
    """The decimals of a number; very many if it is written with an exponent."""
    return LONGEST if "e" in text else len(text.partition(".")[2])


def with_zeros(text: str, places: int) -> str:
    """A number with zeros behind its decimals.

    >>> with_zeros("0.5", 2), with_zeros("3", 2), with_zeros("0.123", 2)
    ('0.50', '3.00', '0.123')
    """
    missing = places - count_places(text)
    return text + "." * ("." not in text) + "0" * missing if missing > 0 else text


kind = Kind((".xlsx", ".xlsm"), read_answers_in_workbook, LARGEST)
