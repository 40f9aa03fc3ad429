"""Matrices as YAML, as a person lays them out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attncalc.core.fields import Array


def write_entry(key: str, cells: Any, comment: str = "", indent: int = 0, column: int = 0) -> Iterator[str]:
    """A key with a number, a row or a matrix, a row a line; the comment stands behind the first."""
    start = f"{' ' * indent}{key}: ".ljust(column)
    lines = matrix_lines(widened(cells))
    width = max(map(len, lines))
    first = f"{lines[0].ljust(width)}  # {comment}" if comment else lines[0]
    yield start + first
    yield from (" " * len(start) + line for line in lines[1:])


def matrix_lines(cells: Any) -> list[str]:
    """A row on a line; the rows of a matrix below each other."""
    if isinstance(cells, str):
        return [cells]
    if all(isinstance(cell, str) for cell in cells):
        return [f"[{', '.join(cells)}]"]
    blocks = [matrix_lines(cell) for cell in cells]
    inside = ",\n".join("\n".join(block) for block in blocks)
    return f"[{inside}]".replace("\n", "\n ").split("\n")


def widened(cells: Any) -> Any:
    """The same with all entries as wide as the widest of their matrix."""
    width = max(map(len, entries(cells))) if not isinstance(cells, str) else 0
    return padded(cells, width)


def entries(cells: Any) -> Iterator[str]:
    """All entries, one after the other."""
    if isinstance(cells, str):
        yield cells
    else:
        for cell in cells:
            yield from entries(cell)


def padded(cells: Any, width: int) -> Any:
    """The entries set to the right."""
    return cells.rjust(width) if isinstance(cells, str) else [padded(cell, width) for cell in cells]


def listed(array: Array) -> Any:
    """Return an array of texts as nested lists; without axes, as one text."""
    return array.tolist() if array.ndim else str(array[()])
