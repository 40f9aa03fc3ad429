"""Tables of cells, as spreadsheets and Markdown have them: names in the first column or above the numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from attncalc.core.record import record
from attncalc.exercise.yaml.tree import Node, Scalar, Sequence

Cells: TypeAlias = list[Scalar]
NUMBER = re.compile(
    r"[\s$≈~=(<]*[-+−–]?\s*[.,\d½√∞_?].*|[-+−]?(?:inf|nan|∞|e\^.*|exp\(.*|sqrt.*|\\frac.*)", re.IGNORECASE
)
HEADS = re.compile(
    r"(?i:steps?|names?|matrix|(?:my )?(?:answers?|solutions?)|quantity|cells?|entry|symbol|parts?|what)"
)
"""The head of a column of names, which is no name of a step."""

PLACES = re.compile(r"(?i:rows?|i|col(?:umn)?s?|j|query|key)")
"""The heads of columns with the row and the column of a cell."""


@record
class Group:
    """The rows of one matrix, and its name; with labels, the first column names rows."""

    key: Scalar
    rows: list[Cells]
    has_labels: bool


def read_rows(rows: Iterable[Cells]) -> list[tuple[Scalar, Node]]:
    """The matrices of a table, each with its name; the name is empty if there is none."""
    return [(group.key, matrix_of(group.rows)) for group in group_rows(rows) if any(group.rows)]


def with_cells_by_place(rows: Iterable[Cells]) -> Iterator[Cells]:
    """The rows of a table; below the heads step, row, column, value every row is one cell: S[1,2]."""
    is_by_place = False
    for cells in rows:
        is_head = [PLACES.fullmatch(cell.text) is not None for cell in cells[1:3]] == [True, True]
        is_by_place = is_head or (is_by_place and len(cells) > 3)
        if is_by_place and not is_head:
            name, row, column, *rest = cells
            yield [name._replace(text=f"{name.text}[{row.text},{column.text}]"), *rest]
        else:
            yield cells


def group_rows(rows: Iterable[Cells]) -> Iterator[Group]:
    """The rows that belong together: below a name, behind one, or behind the same one."""
    group: Group | None = None
    for cells in map(strip_cells, with_cells_by_place(rows)):
        if not cells:
            if group and group.rows:
                yield group
                group = None
            continue
        first, *others = cells
        filled = [cell for cell in others if cell.text]
        if not is_number(first) and not (filled and all(map(is_number, filled))):
            if group:
                yield group
            group = Group(first, [], True) if not HEADS.fullmatch(first.text) else None
        elif is_number(first):
            group = group or Group(first._replace(text=""), [], False)
            group.rows.append(cells)
        elif group and (not first.text or group.has_labels or group.key.text == first.text):
            group.rows.append(others)
        else:
            if group:
                yield group
            group = Group(first, [others], False)
    if group:
        yield group


def strip_cells(cells: Cells) -> Cells:
    """A row without the empty cells at its end."""
    while cells and not cells[-1].text:
        cells = cells[:-1]
    return cells


def is_number(cell: Scalar) -> bool:
    """Whether a cell may be a number, and is no name."""
    return bool(NUMBER.fullmatch(cell.text))


def matrix_of(lines: list[Cells]) -> Node:
    """Rows as a matrix, one row, or one number."""
    rows = [Sequence(tuple(cells), cells[0].place) for cells in lines if cells]
    if len(rows) > 1:
        return Sequence(tuple(rows), rows[0].place)
    return rows[0].items[0] if len(rows[0].items) == 1 else rows[0]
