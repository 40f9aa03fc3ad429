"""The worked lines of a solution in plain text, each side worked out by Python."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import mpmath
import numpy as np

from tests.fuzzing.answers import Steps
from tests.fuzzing.commands import Found
from tests.fuzzing.comparing import EXACTLY, floats, with_letters
from tests.fuzzing.reading import LETTERS, NotCovered, evaluate

CELL = re.compile(r"  (\w+)\[([\d,]+)\] (~?=) (.+)")
"""A line: a cell, and what it is or is about."""
DECIMAL = re.compile(r"(-?\d+(?:\.(\d+))?)(?:\*10\^(-?\d+))?")
CLOSE, EPSILON = 1e-8, 1e-14
FUNCTIONS = {**EXACTLY, "relu": lambda x: max(x, 0), "max": max}


class Cells:
    """A step whose entries are counted from 1; the one row or column of a vector is not counted."""

    def __init__(self, step: dict[str, Any]) -> None:
        with suppress(NotCovered):  # There are other letters than those that we know.
            step = with_letters(step)
        self.values = np.array(floats(step["value"]), dtype=float)

    def __getitem__(self, at: int | tuple[int, ...]) -> mpmath.mpf:
        found = self.values[tuple(n - 1 for n in (at if isinstance(at, tuple) else (at,)))]
        if found.size != 1 or np.isnan(found).any():
            raise NotCovered("not one number")
        return mpmath.mpf(float(found.ravel()[0]))


def check_lines(text: str, steps: Steps) -> int:
    """Every side of every line equals the cell on its left; returns the number of lines."""
    cells = {step["symbol"]: Cells(step) for step in steps}
    names = {**FUNCTIONS, **LETTERS, **cells}
    looked = 0
    for name, at, relation, rest in CELL.findall(text):
        if name not in cells:
            continue
        try:
            value = cells[name][tuple(map(int, at.split(",")))]
        except (NotCovered, IndexError):
            continue
        for about, side in sides(relation, rest):
            reach = reach_of(side, value) if about else CLOSE * max(1.0, abs(value))
            found = worked_out(side, names)
            if found is not None and mpmath.isinf(found) and not mpmath.isinf(value):
                found = None  # The logarithm of a number below the range of floats, in which cells are held.
            looked += found is not None
            if found is not None and reach is not None and found != value and abs(found - value) > reach:
                raise Found("a line is wrong", f"{name}[{at}] is {value}: {side} is {found}")
    return looked


def sides(relation: str, rest: str) -> Iterator[tuple[bool, str]]:
    """The sides of a line, each with whether it is only about what stands on the left."""
    about = relation == "~="
    for piece in re.split(r" (~?=) ", rest):
        if piece in ("=", "~="):
            about = about or piece == "~="
        else:
            yield about, piece


def reach_of(side: str, value: float) -> float | None:
    """How far off a rounded decimal may be that comes from a float; nothing of what is computed with such."""
    match = DECIMAL.fullmatch(side)
    if not match:
        return None
    _, decimals, exponent = match.groups()
    return 0.5 * 10.0 ** (int(exponent or 0) - len(decimals or "")) + EPSILON * abs(value)


def worked_out(side: str, names: dict[str, Any]) -> mpmath.mpf | None:
    """The value of a side; None if it holds signs that only people read."""
    try:
        found = evaluate(re.sub(r"(?<=\d)(?=e\^|pi|beta|x\b)", "*", side), names)
        return mpmath.mpf(found)
    except (NotCovered, TypeError, ValueError):
        return None
