"""The student's cells as text: what is written is read again as the same."""

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
    """Rows of texts."""
    array: Array = np.empty((len(rows), len(rows[0])), dtype=object)
    array[:] = rows
    return array


def write_cell(cell: Cell | None) -> str:
    """A cell as it may be typed."""
    if isinstance(cell, Unreadable):
        return cell.text or NOTHING
    if cell is None or cell == BLANK:
        return NOTHING
    return cell if isinstance(cell, str) else write(written(cell), Ascii())


def write_cells(cells: Array) -> Array:
    """Cells as they may be typed."""
    return np.asarray(np.frompyfunc(write_cell, 1, 1)(cells), dtype=object)


def with_letters(cells: Array, problem: Problem) -> Array:
    """Cells in which a problem's letters stand again, for which they were read with numbers."""
    if not problem.symbols:
        return cells

    def put(cell: Cell) -> Cell:
        return cell if isinstance(cell, str | Unreadable) else restore_letters(cell, problem)

    return np.asarray(np.frompyfunc(put, 1, 1)(cells), dtype=object)
