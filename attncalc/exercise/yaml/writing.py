"""Matrices as YAML, with one row on each line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attncalc.core.fields import Array


def write_entry(key: str, cells: Any, comment: str = "", indent: int = 0, column: int = 0) -> Iterator[str]:
    """Yield the lines of a key with a number, a row or a matrix; the comment is behind the first line."""
    start = f"{' ' * indent}{key}: ".ljust(column)
    lines = matrix_lines(align_entries(cells))
    width = max(map(len, lines))
    first = f"{lines[0].ljust(width)}  # {comment}" if comment else lines[0]
    yield start + first
    yield from (" " * len(start) + line for line in lines[1:])


def matrix_lines(cells: Any) -> list[str]:
    """Return the lines of a matrix, one for each row."""
    if isinstance(cells, str):
        return [cells]
    if all(isinstance(cell, str) for cell in cells):
        return [f"[{', '.join(cells)}]"]
    blocks = [matrix_lines(cell) for cell in cells]
    inside = ",\n".join("\n".join(block) for block in blocks)
    return f"[{inside}]".replace("\n", "\n ").split("\n")


def align_entries(cells: Any) -> Any:
    """Pad all entries to the width of the widest one."""
    width = max(map(len, entries(cells))) if not isinstance(cells, str) else 0
    return pad_entries(cells, width)


def entries(cells: Any) -> Iterator[str]:
    """Yield all entries in order."""
    if isinstance(cells, str):
        yield cells
    else:
        for cell in cells:
            yield from entries(cell)


def pad_entries(cells: Any, width: int) -> Any:
    """Pad entries on the left to a width."""
    return cells.rjust(width) if isinstance(cells, str) else [pad_entries(cell, width) for cell in cells]


def to_lists(array: Array) -> Any:
    """Return an array of texts as nested lists; without axes, as one text."""
    return array.tolist() if array.ndim else str(array[()])
