"""References to steps, rows and cells as users write them: `S`, `S[3]`, `A_2[3,1]`."""

from __future__ import annotations

import re
from collections.abc import Iterable

from attncalc.core.record import record

REFERENCE = re.compile(r"\s*([^\[\]\s]+)\s*(?:\[\s*([0-9]{1,9}(?:\s*,\s*[0-9]{1,9})*)\s*\])?\s*")


@record
class Reference:
    """A step, or one of its rows or cells, counted from 1."""

    step: str
    at: tuple[int, ...] = ()

    @classmethod
    def to_cell(cls, step: str, at: Iterable[int]) -> Reference:
        """The reference to a cell, from indices that count from 0."""
        return cls(step, tuple(int(n) + 1 for n in at))

    def __str__(self) -> str:
        return f"{self.step}[{','.join(map(str, self.at))}]" if self.at else self.step


def count_from_one(at: tuple[int, ...]) -> str:
    """Indices counted from 1: 3,1"""
    return ",".join(str(index + 1) for index in at)


def parse_reference(text: str) -> Reference | None:
    """Parse a reference; None if the text has another form."""
    match = REFERENCE.fullmatch(text)
    if not match:
        return None
    at = tuple(int(index) for index in match[2].split(",")) if match[2] else ()
    return Reference(match[1], at)
