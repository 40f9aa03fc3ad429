"""Rows of numbers below a name, below each other, or side by side; prints with numbered rows."""

from __future__ import annotations

import re

from attncalc.exercise.pasted.literals import row_of
from attncalc.exercise.pasted.names import find_name, is_matrix_name, is_name
from attncalc.exercise.pasted.reader import Reader, to_matrix
from attncalc.exercise.pasted.signs import BULLET
from attncalc.exercise.written_names import plain

LABEL = r"(?P<label>[^\W\d][\w'’.-]*)"


def read_below_name(reader: Reader, start: int, line: str) -> bool:
    """Read a matrix below its name, or behind it without a sign: Q [[1, 0]]."""
    match = re.match(r"\s*", line)
    at = start + (match.end() if match else 0)
    bullet = re.compile(BULLET).match(reader.text, start)
    if reader.pending:
        block = find_block(reader, start)
        if block:
            reader.add(reader.pending, block[0], reader.pending_line)
            reader.at = block[1]
            return True
        if found := reader.literal(bullet.end() if bullet else at):
            reader.add(reader.pending, found[0], reader.pending_line)
            reader.note_row([*reader.found][-1], found[0], reader.line)
            reader.at = reader.skip_separators(found[1])
            return True
    inside = re.match(
        r"(?P<name>[^\[({\\0-9]*?[^\W\d]\w*[^\S\n]*)(?=[\[({⎡]|\\begin|\\left|[a-z.]*(?:array|tensor|matrix)\()",
        line,
    )
    if inside:
        name, before = find_name(inside["name"])
        found = reader.literal(start + inside.end()) if is_matrix_name(name) else None
        if found:
            reader.words_before(before)
            reader.add(name, found[0], reader.line)
            reader.note_row(name, found[0], reader.line)
            reader.at = reader.skip_separators(found[1])
            return True
    name, before = find_name(line)
    below = reader.text[start + len(line) + 1 :].lstrip("\n")
    if is_matrix_name(name) and below and starts_matrix(below):
        if reader.pending:
            reader.leave_out(reader.pending, reader.pending_line)
        reader.words_before(before)
        reader.pending, reader.pending_line = name, reader.line
        reader.at = start + len(line) + 1
        return True
    return False


def find_printed(reader: Reader, start: int) -> tuple[str, int] | None:
    """Return the matrix of a print whose rows and columns are numbered, as in R and pandas."""
    head, _, _ = reader.text[start:].lstrip("\n").partition("\n")
    columns = re.findall(r"\[,([0-9]+)\]|(?<!\S)([0-9]+)(?!\S)", head)
    counted = [int(one or other) for one, other in columns]
    if not counted or counted not in ([*range(len(counted))], [*range(1, len(counted) + 1)]):
        return None
    if not re.fullmatch(r"\s+(?:\[,[0-9]+\]\s*)+|\s+[0-9]+(?:\s+[0-9]+)*\s*", head):
        return None
    at = start + reader.text[start:].index(head) + len(head) + 1
    rows: list[list[str]] = []
    for line in reader.text[at:].split("\n"):
        label = re.match(r"\s*(?:\[([0-9]+),\]|([0-9]+))(?=\s)", line)
        row = row_of(line[label.end() :]) if label else None
        if not label or row is None or len(row) != len(counted):
            break
        if int(label[1] or label[2]) != counted[0] + len(rows):
            return None
        rows.append(row)
        at += len(line) + 1
    return (to_matrix(rows, reader), min(at, len(reader.text))) if rows else None


def find_block(reader: Reader, start: int) -> tuple[str, int] | None:
    """Return rows of numbers below each other, and where they end."""
    if printed := find_printed(reader, start):
        return printed
    rows: list[list[str]] = []
    labels: list[str] = []
    at = start
    for line in reader.text[start:].split("\n"):
        bare = re.sub(r"^\s*[-*•]\s+(?=[\[(0-9])", "", line)
        row = row_of(bare)
        label = re.match(rf"\s*{LABEL}(?:\s*[:|,]\s*|\s+|\t)(?=[-+−.0-9\[(])", bare)
        if row is None and label and not is_name(label["label"]):
            row = row_of(bare[label.end() :])
            labels += [label["label"]] if row else []
        if row is None:
            if not rows and not line.strip():
                at += len(line) + 1
                continue
            break
        rows.append(row)
        at += len(line) + 1
    if not rows or len({len(row) for row in rows}) > 1 or (labels and len(labels) != len(rows)):
        return None
    if len(rows) == 1 and re.match(r"\s*[\[({]", reader.text[start:]) and not labels:
        return None
    reader.labels = labels or reader.labels
    return to_matrix(rows, reader), min(at, len(reader.text))


def read_further_rows(reader: Reader, line: str, end: int) -> bool:
    """Read further rows of the matrices of the line before: of one, or of several side by side."""
    groups = re.findall(r"[\[({⎡⎢⎣⎛⎜⎝|][^\[\](){}⎡⎢⎣⎤⎥⎦⎛⎜⎝⎞⎟⎠|]*[\])}⎤⎥⎦⎞⎟⎠|]", line)
    rows = [row_of(group) for group in groups]
    if (
        not reader.rows
        or len(groups) != len(reader.rows)
        or None in rows
        or len("".join(groups)) < len("".join(line.split()))
    ):
        return False
    for name, row in zip(reader.rows, rows, strict=True):
        before, number = reader.found[name]
        reader.found[name] = f"{before.strip()[:-1]}; {', '.join(row or [])}]", number
    reader.at = end + 1
    return True


def read_side_by_side(reader: Reader, line: str, end: int) -> bool:
    """Read the rows below a line of names: Q =    K =."""
    names = [name.strip() for name in re.split(r"[=:]|\t+|\s{3,}", line) if name.strip()]
    if (
        len(names) > 1
        and all(is_matrix_name(plain(name)) for name in names)
        and not re.search("[0-9]", re.sub(r"_?[0-9]", "", line))
    ):
        reader.columns = [plain(name) for name in names]
        below = reader.text[end + 1 :].lstrip("\n").split("\n", 1)[0]
        if len(groups_of(below)) == len(names):
            reader.at = end + 1
            return True
        reader.columns = []
    groups = groups_of(line) if reader.columns else []
    rows = [row_of(group) for group in groups]
    if not reader.columns or len(groups) != len(reader.columns) or None in rows:
        reader.columns = []
        return False
    for name, row in zip(reader.columns, rows, strict=True):
        listed = f"[{', '.join(row or [])}]"
        before = reader.found[name][0][:-1] + ", " if name in reader.found else "["
        reader.found[name] = f"{before}{listed}]", reader.line
    reader.at = end + 1
    return True


def starts_matrix(text: str) -> bool:
    """Whether a text starts with a matrix or a row of numbers."""
    first = text.split("\n", 1)[0]
    labelled = re.sub(rf"^\s*{LABEL}(?:\s*[:|,]\s*|\s+)", "", first)
    call = re.match(r"\s*(?:Parameter containing|\||[\w.]*(?:tensor|array|Array|matrix|Matrix)\()", first)
    return (
        row_of(first) is not None
        or bool(re.match(r"\s+\[,1\]", first))
        or row_of(labelled) is not None
        or bool(re.match(r"\s*(?:[\[({⎡⎛]|\\begin|\\left)", first) or call)
    )


def groups_of(line: str) -> list[str]:
    """Return the pieces of a line that wide gaps separate."""
    return [piece for piece in re.split(r"\t+|\s{3,}", line.strip()) if piece]
