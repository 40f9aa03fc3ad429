"""What a student types: a command, or numbers on one line or row by row; cells as text that reads back."""

from __future__ import annotations

import re
from math import prod

import numpy as np

from attncalc.core.errors import Place, ProblemError, count_of
from attncalc.core.fields import Array
from attncalc.core.notations.unicode import Ascii, write
from attncalc.core.record import record
from attncalc.core.repair import Repair, choose_proposal, propose
from attncalc.core.terms import Constant
from attncalc.exercise.problem import Problem
from attncalc.exercise.solve.letters import restore_letters
from attncalc.exercise.yaml.reader import read_yaml
from attncalc.exercise.yaml.tree import Node, Scalar, from_python
from attncalc.exercise.yaml.writing import to_lists
from attncalc.marking.answers.files import Cell, Unreadable
from attncalc.marking.answers.kinds.yaml import with_blanks
from attncalc.marking.answers.precision import written
from attncalc.worked.blocks import BLANK

NOTHING = "_"


COMMANDS = ("hint", "show", "skip", "back", "given", "quit")
HELP = f"Type numbers, or {', '.join(COMMANDS[:-1])} or {COMMANDS[-1]}."
SPELT_OUT = {"?": "hint", "help": "help"}
"""Commands that cannot be abbreviated: h is hint."""
PLACE = "answer"
"""The name of the input in the places of errors."""
KEYED = re.compile(
    r"\s*(?P<key>[^\W\d][^=:\[\]\n]{0,60}(?:\[[\d\s,]{1,60}\])?)\s*[=:]\s*(?P<rest>.*)", re.DOTALL
)
"""S[1,2] = 3"""
BETWEEN_ROWS = re.compile(r"[;\n]|\]\s*,?\s*\[")
REPAIRS = (
    Repair(
        r"\s*[\w.]+\((\[.*?)(?:,\s*dtype=[\w.]+\s*)?\)?\s*", "{1}", "", "array([[1., 2.]])", "[[1., 2.]]",
    ),
)  # fmt: skip
"""Leave out what NumPy and torch print around a matrix."""
ROW = re.compile(r"[-+−.,0-9/%_\s]*[0-9_][-+−.,0-9/%_ \t]*")
"""Plain numbers side by side."""
PAIRS = (("[", "]"), ("(", ")"), ("{", "}"))
LATEX = ("\\begin", "\\end")


@record
class Typed:
    """Numbers as they were typed, and the key before them, if there is one."""

    key: str
    text: str


def find_commands(line: str) -> list[str]:
    """The commands that a word may stand for."""
    word = line.strip().lower()
    if word in SPELT_OUT:
        return [SPELT_OUT[word]]
    return [command for command in COMMANDS if word and command.startswith(word)]


def split_key(text: str) -> Typed:
    """Split a text into the key before an equals sign or colon, and the numbers after it."""
    match = KEYED.fullmatch(text)
    return Typed(match["key"].strip(), match["rest"]) if match else Typed("", text)


def is_open(text: str) -> bool:
    """Whether a bracket is still to be closed in a later line."""
    begin, end = LATEX
    return text.count(begin) > text.count(end) or any(text.count(a) > text.count(b) for a, b in PAIRS)


def find_rows(text: str, width: int) -> list[list[str]] | None:
    """The cells of every row of a text, if each has `width` cells; else None."""
    if LATEX[0] in text:
        return None
    found = choose_proposal(propose(text, REPAIRS), bool)
    inside = found.text if found else text
    pieces = [piece.strip(" \t,[]") for piece in BETWEEN_ROWS.split(inside)]
    rows = [find_cells(piece, width) for piece in pieces if piece]
    return [row for row in rows if row is not None] if rows and None not in rows else None


def find_cells(row: str, width: int) -> list[str] | None:
    """The cells of a row, separated by blanks or commas, if there are `width`; else None."""
    for pieces in (row.split(), row.split(","), [row]):
        cells = [piece.strip(" \t,") for piece in pieces]
        if len(cells) == width and all(map(is_cell, cells)):
            return cells
    return None


def is_cell(text: str) -> bool:
    """Whether a text may be one number: it is not empty, and every bracket is closed."""
    return bool(text) and "[" not in text and all(text.count(a) == text.count(b) for a, b in PAIRS)


def width_of(shape: tuple[int, ...]) -> int:
    """The number of cells in a row."""
    return shape[-1] if shape else 1


def has_all_rows(text: str, shape: tuple[int, ...]) -> bool:
    """Whether a text has all rows of a shape."""
    rows = find_rows(split_key(text).text, width_of(shape))
    return rows is not None and len(rows) == prod(shape[:-1]) > 1


def count_missing(text: str, shape: tuple[int, ...]) -> int:
    """The number of rows of a shape that are still missing."""
    rows = find_rows(text, width_of(shape))
    return max(0, prod(shape[:-1]) - len(rows)) if rows else 0


def read_typed(text: str, shape: tuple[int, ...]) -> Node:
    """Typed text as a node of an answers file: cell by cell if it has the shape, else read as YAML.

    Missing rows are blank.
    """
    width = width_of(shape)
    rows = find_rows(text, width)
    if rows is not None and len(rows) <= prod(shape[:-1]):
        missing = [[NOTHING] * width] * count_missing(text, shape)
        return from_python(to_lists(as_array([*rows, *missing]).reshape(shape)), PLACE)
    indented = text.strip().replace("\n", "\n ")
    try:
        root = read_yaml(with_blanks(f"x: {indented}\n".encode()), PLACE)
        return root.items[0][1]
    except ProblemError:
        return Scalar(text, Place(PLACE, 1, 1))


def find_miscount(text: str, shape: tuple[int, ...]) -> str:
    """The error message for a row of plain numbers that has too many or too few; else empty."""
    width = width_of(shape)
    if not ROW.fullmatch(text) or find_rows(text, width):
        return ""
    count = len(text.replace(",", " ").split())
    wanted = "one number is asked" if width == 1 else f"a row has {width}"
    blank = ": write _ for one you leave out" if count < width else ""
    return f"This line has {count_of(count, 'number')}, and {wanted}{blank}."


def as_array(rows: list[list[str]]) -> Array:
    """An array of texts, row by row."""
    array: Array = np.empty((len(rows), len(rows[0])), dtype=object)
    array[:] = rows
    return array


def write_cell(cell: Cell | None) -> str:
    """A cell as a student could type it."""
    if isinstance(cell, Unreadable):
        return cell.text or NOTHING
    if cell is None or cell == BLANK:
        return NOTHING
    if isinstance(cell, Constant) and cell.value != cell.value:
        return "nan"
    return cell if isinstance(cell, str) else write(written(cell), Ascii())


def write_cells(cells: Array) -> Array:
    """Cells as a student could type them."""
    return np.asarray(np.frompyfunc(write_cell, 1, 1)(cells), dtype=object)


def with_letters(cells: Array, problem: Problem) -> Array:
    """Put the letters of a problem back into cells that were read with numbers for them."""
    if not problem.symbols:
        return cells

    def restore(cell: Cell) -> Cell:
        return cell if isinstance(cell, str | Unreadable) else restore_letters(cell, problem)

    return np.asarray(np.frompyfunc(restore, 1, 1)(cells), dtype=object)
