"""Tables: cells of a spreadsheet with the name in the first, and tables of Markdown."""

from __future__ import annotations

import re

from attncalc.core.errors import inert
from attncalc.exercise.keys.meant import ROW_OF
from attncalc.exercise.pasted.literals import read_literal, row_of
from attncalc.exercise.pasted.names import is_matrix_name, is_name, is_vector_name
from attncalc.exercise.pasted.reader import Reader, to_matrix
from attncalc.exercise.written_names import plain


def read_named_cells(reader: Reader, start: int, line: str) -> bool:
    """Read cells of a spreadsheet: the name, and the first row behind it."""
    separator = next((sign for sign in "\t;," if sign in line), "")
    cells = [cell.strip().strip('"') for cell in line.rstrip().split(separator)] if separator else []
    name = plain(cells[0]).rstrip(":=").strip() if cells else ""
    if (
        len(cells) < 2
        or not (is_matrix_name(name) or is_vector_name(name))
        or row_of(",".join(cells[1:])) is None
    ):
        return False
    if separator == "," and not all(re.fullmatch(r"\s*[-+−.0-9eE/]+\s*", cell) for cell in cells[1:] if cell):
        return False
    rows: list[list[str]] = []
    at, line_of_name = start, reader.line
    for other in reader.text[start:].split("\n"):
        found = [cell.strip().strip('"') for cell in other.rstrip().split(separator)]
        label = plain(found[0]).rstrip(":=").strip()
        if (rows and label not in ("", name)) or len(found) < 2:
            break
        rows.append([cell for cell in found[1:] if cell])
        at += len(other) + 1
    if len({len(row) for row in rows}) > 1:
        raise reader.refuse(f"the rows of {inert(name)} have different lengths")
    reader.add(name, to_matrix(rows, reader, separator), line_of_name)
    reader.at = min(at, len(reader.text))
    return True


def read_table(reader: Reader, start: int) -> bool:
    """Read a table of Markdown: of one matrix, of names and matrices, or of columns of rows."""
    lines = []
    for line in reader.text[start:].split("\n"):
        if not re.match(r"\s*\|.*\|\s*$", line):
            break
        lines.append(line)
    if len(lines) < 2 or not any(re.fullmatch(r"[\s|:-]+", line) and "-" in line for line in lines[:2]):
        return False
    table = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]
    rule = next(n for n, line in enumerate(lines) if "-" in line and re.fullmatch(r"[\s|:-]+", line))
    head, rows, number = (table[0] if rule == 1 else []), table[rule + 1 :], reader.line
    reader.at = min(start + sum(len(line) + 1 for line in lines), len(reader.text))
    head = head if any(head) else []
    names = [plain(cell) for cell in head]
    if not rows:
        raise reader.refuse("this table has no rows", number)
    if all(is_name(plain(row[0])) and len(row) == 2 for row in rows):
        for n, row in enumerate(rows):
            found = read_literal(row[1], 0) if row[1][:1] in "[({" or "(" in row[1] else None
            reader.add(plain(row[0]), found[0] if found else row[1], number + rule + 1 + n)
        return True
    vectors = [
        n
        for n, name in enumerate(names)
        if is_matrix_name(name) or (len(name) == 1 and name.upper() in ROW_OF)
    ]
    if vectors and all(
        n < len(row) and re.fullmatch(r"[\[(].*[\])]", row[n]) for row in rows for n in vectors
    ):
        for n in vectors:
            listed = ", ".join(f"[{row[n].strip('[]() ')}]" for row in rows)
            reader.add(names[n].upper(), f"[{listed}]", number)
        reader.take_labels([row[0] for row in rows] if 0 not in vectors else [])
        return True
    is_labelled = all(row_of(row[0]) is None for row in rows) or (head[:1] == [""] and len(head) > 1)
    if head and is_labelled and head[0] and all(row_of(cell) for cell in head[1:]):
        raise reader.refuse("the head of this table may be a row, or numbers of columns: say which", number)
    cells = [row[1:] if is_labelled else row for row in rows]
    if head and not is_labelled and all(row_of(cell) for cell in head):
        counts = [str(n) for n in range(len(head))], [str(n + 1) for n in range(len(head))]
        if head in counts:
            raise reader.refuse(
                "the head of this table may be a row, or numbers of columns: say which", number
            )
        cells = [head, *cells]
    name = names[0] if names and is_matrix_name(names[0]) else reader.pending
    if not name:
        raise reader.refuse("this table has no name: write Q: above it, if it is Q", number)
    if any(row_of(cell) is None for row in cells for cell in row):
        raise reader.refuse("this table holds more than numbers", number)
    reader.add(name, to_matrix(cells, reader), number)
    reader.take_labels([row[0] for row in rows] if is_labelled else [])
    return True
