"""A student's cells as text, which reads back as the same cells."""

from __future__ import annotations

import numpy as np

from attncalc.core.fields import Array
from attncalc.core.notations.unicode import Ascii, write
from attncalc.exercise.problem import Problem
from attncalc.exercise.solve.letters import restore_letters
from attncalc.marking.answers.files import Cell, Unreadable
from attncalc.marking.answers.numbers import written
from attncalc.worked.blocks import BLANK

NOTHING = "_"


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
