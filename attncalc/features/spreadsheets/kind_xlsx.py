"""Answers in a workbook: a filled worksheet, or an own layout with a name above or beside every matrix.

A worksheet names its blocks, so that nothing depends on where they stand.  In other workbooks a block of
numbers belongs to the nearest text above it or to its left.
"""

from __future__ import annotations

from itertools import product

from attncalc.core.errors import Place, fault
from attncalc.exercise.yaml.tree import Mapped, Node, Scalar
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
from attncalc.marking.answers.layouts import LARGEST_BLOCK, NO_BLOCKS, Box, Cell, Layout
from attncalc.marking.answers.tables import is_number

LONGEST, SMALLEST = 99, 1e-300


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
        taken = [Box(area.first, area.last) for area in book.names.values() if area.sheet == sheet]
        blocks += table.blocks(taken)
        items += [*table.words(), *blocks] if blocks else []
    if not items:
        raise fault(NO_BLOCKS, Place(file))
    return Mapped(tuple(items), Place(file), has_prose=True)


def name_of(block: str) -> str:
    """The step that a block is named after, or the sequence of a batch.

    >>> name_of("step_S"), name_of("step_S..2")
    ('S', 'S[2]')
    """
    name, _, batch = block.removeprefix(BLOCK).partition(IN_BATCH)
    return f"{name}[{batch.replace('.', ',')}]" if batch else name


class Table(Layout):
    """The cells of one sheet, as scalars with their places."""

    def __init__(self, sheet: StoredSheet, file: str) -> None:
        self.sheet, self.file = sheet, file
        found = {at: self.scalar(at, cell) for at, cell in sheet.cells.items()}
        numbers = {at for at, scalar in found.items() if is_numeric(sheet.cells[at], scalar)}
        super().__init__(found, numbers)

    def place(self, at: Cell) -> Place:
        """The place of a cell in messages: answers.xlsx, Sheet1!C7."""
        return Place(f"{self.file}, {self.sheet.name}!{cell_name(*at)}")

    def scalar(self, at: Cell, cell: Stored) -> Scalar:
        """The content of a cell as a student would type it."""
        return Scalar(write_number(cell.text) if cell.kind == "n" else cell.text.strip(), self.place(at))

    def entries(self, box: Box) -> list[list[Scalar]]:
        """The cells of a block; numbers with the zeros at their ends that a workbook does not store."""
        places = self.places_of(box)
        at = product(box.rows, box.columns)
        stored = {one for one in at if one in self.cells and self.sheet.cells[one].kind == "n"}
        return [
            [
                cell._replace(text=with_zeros(cell.text, places)) if (i, j) in stored else cell
                for j, cell in zip(box.columns, row, strict=True)
            ]
            for i, row in zip(box.rows, super().entries(box), strict=True)
        ]

    def places_of(self, box: Box) -> int:
        """The decimals to which the numbers of a block were rounded; 0 if they are not, or it is not known.

        They are those of the longest, or of whole numbers those that are shown.
        """
        filled = (at for at in product(box.rows, box.columns) if at in self.cells)
        stored = [at for at in filled if self.sheet.cells[at].kind == "n"]
        shown = min((self.sheet.cells[at].places or 0 for at in stored), default=0)
        longest = max((count_places(self.cells[at].text) for at in stored), default=0)
        return (longest or shown) if longest <= shown else 0


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


kind = Kind((".xlsx", ".xlsm"), read_answers_in_workbook, LARGEST, is_text=False)
