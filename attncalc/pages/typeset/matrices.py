"""Typeset cells with their labels, measured, and split if they are too large for a page."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from attncalc.core.record import record

GAP = 2
"""The space between columns, in characters."""


@record
class LaidOut:
    """Cells in rows, with labels before the rows and heads above the columns, or none."""

    cells: list[list[str]]
    labels: list[str]
    heads: list[str]
    measure: Callable[[str], int]
    """The width of a formula in characters."""

    @property
    def widths(self) -> list[int]:
        """The widths of the columns."""
        columns = [list(column) for column in zip(*self.cells, strict=True)]
        tops = self.heads or [""] * len(columns)
        return [
            max(map(self.measure, [top, *column])) + GAP for top, column in zip(tops, columns, strict=True)
        ]

    @property
    def margin(self) -> int:
        """The width of the labels."""
        return max(map(self.measure, self.labels), default=0) + 2 * GAP

    @property
    def width(self) -> int:
        """The whole width."""
        return self.margin + sum(self.widths)

    def pieces(self, room: int, tallest: int) -> Iterator[LaidOut]:
        """The sheet split between columns and rows so that every piece fits."""
        for top in range(0, len(self.cells), tallest):
            rows = slice(top, top + tallest)
            for columns in groups(self.widths, room - self.margin):
                cells = [row[columns] for row in self.cells[rows]]
                yield LaidOut(cells, self.labels[rows], self.heads[columns], self.measure)


def groups(widths: list[int], room: int) -> Iterator[slice]:
    """Neighbouring columns that fit together, at least one at a time."""
    start = used = 0
    for column, extent in enumerate(widths):
        if column > start and used + extent > room:
            yield slice(start, column)
            start, used = column, 0
        used += extent
    yield slice(start, len(widths))
