"""The numbers written in cells: two floats around the value, and the number of decimals."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from attncalc.core.fields.exact import Exact
from attncalc.core.fields.interval import Interval, Intervals, around
from attncalc.core.readings.value import evaluate
from attncalc.core.terms import Constant, Term, has_point, map_members
from attncalc.marking.answers.files import Cell, Unreadable
from attncalc.worked.blocks import BLANK

INTEGER, FRACTION, EXACT = (-(10**6) - n for n in range(3))
"""In place of a number of decimals: an integer, a fraction, and any other exact number."""


class Number(NamedTuple):
    """An answered number: two floats around it, its decimals, and the width of an expression."""

    low: float
    high: float
    places: int
    width: float = 0.0


NO_NUMBER = Number(0.0, 0.0, EXACT)


def number_of(cell: Cell) -> Number:
    """The number in one cell; `NO_NUMBER` if it is blank or cannot be read."""
    if isinstance(cell, str):
        # NumPy writes 1. for 1.0: a whole number.
        return Number(value := float(cell), value, places_of(cell) or INTEGER)
    if isinstance(cell, Unreadable) or cell == BLANK:
        return NO_NUMBER
    if isinstance(cell, Constant) and isinstance(cell.value, float):
        return Number(cell.value, cell.value, EXACT)
    if isinstance(cell, Constant):
        places = cell.places or INTEGER
        exact = cell.places is None and isinstance(cell.value, Fraction)
        return Number(*around(Fraction(cell.value)), FRACTION if exact else places)
    if has_point(cell):
        found: Intervals = evaluate(as_written(cell), {}, Widened())
        middle, width = float(found.low / 2 + found.high / 2), float(found.high - found.low)
        return Number(middle, middle, EXACT, width)
    value = exact_value(cell)
    return Number(*outside(value), FRACTION if isinstance(value, Fraction) else EXACT)


def places_of(text: str) -> int:
    """The number of decimals of a plain number."""
    return len(text.partition(".")[2])


def as_written(term: Term) -> Term:
    """An expression whose decimals know their last place."""
    match term:
        case Constant(int() | Fraction() as value, int(places)):
            return Constant(Decimal((value * Fraction(10) ** places).numerator).scaleb(-places))
    return map_members(term, as_written)


class Widened(Interval):
    """Intervals in which a decimal stands for all values that round to it."""

    def constant(self, value: int | Fraction | Decimal | float) -> Intervals:
        exact = super().constant(value)
        if not isinstance(value, Decimal):
            return exact
        half = float(Decimal(1).scaleb(int(value.as_tuple().exponent))) / 2
        return Intervals(exact.low - half, exact.high + half)


def exact_value(cell: Cell) -> Any:
    """The exact number in a cell."""
    if isinstance(cell, str):
        return Fraction(cell)
    assert not isinstance(cell, Unreadable)
    return evaluate(cell, {}, Exact())[()]


def outside(number: Any) -> tuple[float, float]:
    """Floats below and above a number."""
    if isinstance(number, float):
        return number, number
    if isinstance(number, int | Fraction):
        return around(number)
    nearest = float(Exact().decimal(number, 20))
    return float(np.nextafter(nearest, -np.inf)), float(np.nextafter(nearest, np.inf))


def written(cell: Cell) -> Term:
    """A number as it was written, with all its places."""
    if isinstance(cell, str):
        return Constant(Decimal(cell))
    assert not isinstance(cell, Unreadable)
    if isinstance(cell, Constant) and isinstance(cell.value, float):
        return cell
    return as_written(cell)
