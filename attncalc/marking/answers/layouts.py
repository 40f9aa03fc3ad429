"""Matrices anywhere on a sheet: a block of numbers belongs to the nearest text above or beside it."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from attncalc.core.errors import Place
from attncalc.core.record import record
from attncalc.exercise.yaml.tree import Node, Scalar, Sequence
from attncalc.marking.answers.student import is_about_student

Cell: TypeAlias = tuple[int, int]
"""The row and column of a cell, counted from 0."""
BLANK = "_"
FARTHEST = 4
"""The most rows or columns between a block and its name."""
LARGEST_BLOCK = 20_000
NO_BLOCKS = "names no step: write its name above its numbers, or to their left"
WORDS = ("problem",)
HEADING = r"\s{2,}"
"""What stands between the name of a step and its title on a worksheet."""


@record
class Box:
    """A block of cells: its first cell, and its last."""

    first: Cell
    last: Cell

    @property
    def size(self) -> int:
        """The number of its cells."""
        return len(self.rows) * len(self.columns)

    def touches(self, other: Box) -> bool:
        """Whether cells of another block are among its own, or next to them."""
        pairs = ((self.rows, other.rows), (self.columns, other.columns))
        return all(one.start <= two.stop and two.start <= one.stop for one, two in pairs)

    @property
    def rows(self) -> range:
        """Its rows."""
        return range(self.first[0], self.last[0] + 1)

    @property
    def columns(self) -> range:
        """Its columns."""
        return range(self.first[1], self.last[1] + 1)


def is_word(key: str) -> bool:
    """Whether a key says something of the student or of the problem."""
    return key.lower() in WORDS or is_about_student(key)


class Layout(ABC):
    """The cells of a sheet that hold something, and which of them hold numbers."""

    def __init__(self, cells: Mapping[Cell, Scalar], numbers: set[Cell]) -> None:
        self.cells = {at: scalar for at, scalar in cells.items() if scalar.text}
        self.numbers = numbers & self.cells.keys()

    @abstractmethod
    def place(self, at: Cell) -> Place:
        """The place of a cell in messages."""

    def entries(self, box: Box) -> list[list[Scalar]]:
        """The cells of a block; one that is empty is blank."""
        return [
            [self.cells.get((i, j), Scalar(BLANK, self.place((i, j)))) for j in box.columns] for i in box.rows
        ]

    def matrix(self, box: Box) -> Node:
        """A block as a matrix."""
        rows = (Sequence(tuple(row), row[0].place) for row in self.entries(box))
        return Sequence(tuple(rows), self.place(box.first))

    def words(self) -> Iterator[tuple[Scalar, Node]]:
        """Yield what is said of the student and the problem: a word, and the cell to its right."""
        for (i, j), scalar in self.cells.items():
            beside = self.cells.get((i, j + 1))
            if beside is not None and is_word(scalar.text.rstrip(":")):
                yield scalar._replace(text=scalar.text.rstrip(":").lower()), beside

    def blocks(self, others: list[Box]) -> Iterator[tuple[Scalar, Node]]:
        """Yield the blocks of numbers that have a name, but for other blocks and their labels."""
        taken: set[Cell] = set()
        for box in self.boxes():
            if any(box.touches(other) for other in others):
                continue
            name = self.name_of(box, taken)
            found = self.without_labels(box, name) if name is not None else None
            if name is not None and found is not None:
                taken.add(name)
                text = re.split(HEADING + r"|\s*[:=]\s*$", self.cells[name].text)[0]
                yield self.cells[name]._replace(text=text), self.matrix(found)

    def without_labels(self, box: Box, name: Cell) -> Box | None:
        """A block without the labels of its rows and columns; None if they are all that it has.

        On a worksheet it is known where they stand: below the heading, or below its law and its sentence.
        """
        if not re.search(HEADING, self.cells[name].text):
            return self.without_counts(box)
        row, column = name
        first = (row + (4 if (row + 1, column) in self.cells else 2), column + 1)
        inside = Box((max(box.first[0], first[0]), max(box.first[1], first[1])), box.last)
        return inside if inside.size else None

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
