"""Matrices with decimal commas: which of their commas are points, if only one reading gives matrices."""

from __future__ import annotations

import re
from collections.abc import Mapping

POINT = r"(?<=[0-9]),(?=[0-9])"
ENTRY = r"[-+−]?[0-9]+(?:\.[0-9]+)?"


def find_points(sources: Mapping[str, str]) -> dict[str, str]:
    """Return all matrices with points for their commas; nothing unless one can only be read so."""
    if not any(re.search(POINT, source) for source in sources.values()):
        return {}
    pointed = {name: with_points(source) for name, source in sources.items()}
    separated = [with_commas(source) for source in sources.values()]
    if None in pointed.values() or None not in separated:
        return {}
    return {name: f"[{'; '.join(', '.join(row) for row in rows or [])}]" for name, rows in pointed.items()}


def with_points(source: str) -> list[list[str]] | None:
    """Read the rows of a matrix in which a comma between digits is a point."""
    if re.search(r",\s", source):
        return None
    plain = re.sub(POINT, ".", source)
    if "[" in plain.strip()[1:]:
        # Brackets round each row: semicolons or blanks divide the entries.
        return even_rows(re.findall(r"\[([^\[\]]*)\]", plain), r"\s*;\s*|\s+")
    return even_rows(plain.strip().strip("[]()").split(";"), r"\s+")


def with_commas(source: str) -> list[list[str]] | None:
    """Read the rows of a matrix in which every comma divides."""
    if "[" in source.strip()[1:]:
        if ";" in source and "," in source:
            return None
        return even_rows(re.findall(r"\[([^\[\]]*)\]", source), r"\s*[;,]\s*|\s+")
    return even_rows(source.strip().strip("[]()").split(";"), r"\s*,\s*|\s+")


def even_rows(rows: list[str], separator: str) -> list[list[str]] | None:
    """Return the entries of rows that are equally long, and of numbers alone."""
    split = [re.split(separator, row.strip()) for row in rows]
    if not split or len({len(row) for row in split}) > 1:
        return None
    return split if all(re.fullmatch(ENTRY, entry) for row in split for entry in row) else None
