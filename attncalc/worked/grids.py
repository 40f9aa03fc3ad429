"""The layout of matrices: which rows and columns are shown, with which labels."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from attncalc.core.fields import Array, Real
from attncalc.core.record import record
from attncalc.core.terms import Constant, Negative, Term
from attncalc.worked.blocks import Grid
from attncalc.worked.rounding import count_characters

MOST_ACROSS = 12
FEW_ACROSS = 8
"""The most rows and columns that are shown unfolded; fewer if a page has very many entries."""


@record
class Frame:
    """The rows and columns of a matrix that are shown, None for a gap, with their labels."""

    rows: list[int | None]
    columns: list[int | None]
    row_labels: tuple[str, ...]
    column_labels: tuple[str, ...]
    place: Callable[[int, int], tuple[int, ...]]
    """Returns the indices of a cell in the whole array, which may have batch axes."""

    def grid(self, matrix: Array, shown: Callable[[Real], Term | None]) -> Grid | None:
        """Return the cells as terms; None if one of them cannot be shown."""
        lines = []
        for i in self.rows:
            line = [None if i is None or j is None else shown(matrix[i, j]) for j in self.columns]
            if any(cell is None and None not in (i, j) for j, cell in zip(self.columns, line, strict=True)):
                return None
            lines.append(tuple(line))
        return Grid(
            tuple(lines),
            pick_labels(self.rows, self.row_labels),
            pick_labels(self.columns, self.column_labels),
            places=tuple(
                tuple(None if i is None or j is None else self.place(i, j) for j in self.columns)
                for i in self.rows
            ),
        )


def pick_labels(kept_indices: list[int | None], labels: tuple[str, ...]) -> tuple[str, ...]:
    """Return the labels of the shown indices, an empty one for a gap."""
    return tuple("" if n is None else labels[n] for n in kept_indices) if labels else ()


def fold_indices(size: int, fold: bool, most: int = MOST_ACROSS) -> list[int | None]:
    """Return all indices along an axis, or the first and last few with None for the gap between them."""
    if not fold or size <= most:
        return list(range(size))
    return [*range(5), None, *range(size - 2, size)]


def grid_width(grid: Grid) -> int:
    """Estimate the width of a grid in characters."""
    return sum(
        max((count_characters(cell) for cell in column if cell is not None), default=1) + 2
        for column in zip(*grid.cells, strict=True)
    )


def is_literal(term: Term | None) -> bool:
    """Whether a term is a plain number."""
    return term is None or isinstance(term.term if isinstance(term, Negative) else term, Constant)


def is_plain(term: Term | None) -> bool:
    """Whether a term is a number on one line, without a fraction bar; a gap counts as one."""
    bare = term.term if isinstance(term, Negative) else term
    if not isinstance(bare, Constant):
        return bare is None
    signed_twice = bare is not term and bare.value < 0
    return not signed_twice and (not isinstance(bare.value, Fraction) or bare.value.denominator == 1)


def is_decimal(term: Term | None) -> bool:
    """Whether a term is digits, perhaps with a point."""
    infinite = isinstance(term, Constant) and isinstance(term.value, float)
    return is_plain(term) and not infinite
