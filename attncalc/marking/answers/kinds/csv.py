"""Answers in a table: names stand in the first column, above the numbers, or in the name of the file."""

from __future__ import annotations

import csv
import io
import os
import re

from attncalc.core.errors import Place, fault
from attncalc.exercise.yaml.reader import SPACES
from attncalc.exercise.yaml.tree import MOST_NODES, Mapped, Scalar, decode
from attncalc.marking.answers.kinds.base import Kind, name_of_step
from attncalc.marking.answers.kinds.text import to_mapping
from attncalc.marking.answers.layouts import Cell, Layout
from attncalc.marking.answers.tables import is_number, read_rows


def read_table(data: bytes, name: str) -> Mapped:
    """Read the matrices of a table; numbers without a name belong to the step in the file's name."""
    text = decode(data, name).translate(SPACES)
    sign = "\t" if "\t" in text else ";" if ";" in text else ","
    rows, count = [], 0
    if text.count("\n") > MOST_NODES:
        raise fault(f"holds more than {MOST_NODES:,} lines", Place(name))
    lines = csv.reader(io.StringIO(text), delimiter=sign)
    try:
        for line in lines:
            place = Place(name, lines.line_num, 1)
            count += len(line)
            if count > MOST_NODES:
                raise fault(f"holds more than {MOST_NODES:,} values", place)
            rows.append([Scalar(cell.strip(), place) for cell in line])
    except csv.Error as error:
        raise fault(f"this line is no row of a table: {error}", Place(name, lines.line_num, 1)) from None
    if stand_side_by_side(rows):
        table = Rows(rows)
        return to_mapping([*table.words(), *table.blocks([])], name)
    stem = name_of_step(os.path.splitext(os.path.basename(name))[0])
    # A small letter such as a.csv is hardly the name of a step.
    stem = "" if len(stem) == 1 and stem.islower() else stem
    found = read_rows(join_keys(rows))
    return to_mapping([(key if key.text else key._replace(text=stem), node) for key, node in found], name)


class Rows(Layout):
    """The cells of a table in which matrices stand side by side, as on a sheet."""

    def __init__(self, rows: list[list[Scalar]]) -> None:
        self.rows = rows
        cells = {(i, j): cell for i, row in enumerate(rows) for j, cell in enumerate(row)}
        super().__init__(cells, {at for at, cell in cells.items() if is_number(cell)})

    def place(self, at: Cell) -> Place:
        """The line of a cell."""
        return self.rows[at[0]][0].place


def stand_side_by_side(rows: list[list[Scalar]]) -> bool:
    """Whether several names stand on one line, with empty cells between them."""
    return any(count_apart([bool(cell.text) and not is_number(cell) for cell in row]) > 1 for row in rows)


def count_apart(filled: list[bool]) -> int:
    """The number of groups of filled cells in a row.

    >>> count_apart([True, True, False, True])
    2
    """
    return sum(here and not before for before, here in zip([False, *filled], filled, strict=False))


def join_keys(rows: list[list[Scalar]]) -> list[list[Scalar]]:
    """The rows, with a name put together that a comma has cut, or whose row has a column of its own.

    S[1,2] is one cell; below the headings step and row, S and 1 are S[1].
    """
    headings = ",".join(cell.text.lower() for cell in rows[0][1:3]) if rows else ""
    if re.fullmatch(r"rows?( number)?,(?!col(umn)?$).+", headings) and all(
        len(row) > 2 and row[1].text.isdecimal() for row in rows[1:]
    ):
        return [[row[0]._replace(text=f"{row[0].text}[{row[1].text}]"), *row[2:]] for row in rows[1:]]
    return [join_key(row) for row in rows]


def join_key(row: list[Scalar]) -> list[Scalar]:
    """A row whose first cells are one name if a bracket is open in the first."""
    if (
        len(row) > 1
        and re.fullmatch(r"[^\[\]]+\[\s*\d+", row[0].text)
        and re.fullmatch(r"\d+\s*\]", row[1].text)
    ):
        return [row[0]._replace(text=f"{row[0].text},{row[1].text}"), *row[2:]]
    return row


kind = Kind((".csv", ".tsv", ".tab"), read_table)
