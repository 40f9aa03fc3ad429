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

INTEGER, EXACT = -(10**6), -(10**6) - 1
"""In place of a number of decimals: an integer, and an exact number."""


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
        value = float(cell)
        point = cell.find(".")
        return Number(value, value, len(cell) - point - 1 if point >= 0 else INTEGER)
    if isinstance(cell, Unreadable) or cell == BLANK:
        return NO_NUMBER
    if isinstance(cell, Constant) and not isinstance(cell.value, float):
        places = cell.places or INTEGER
        exact = cell.places is None and isinstance(cell.value, Fraction)
        return Number(*around(Fraction(cell.value)), EXACT if exact else places)
    if has_point(cell):
        found: Intervals = evaluate(as_written(cell), {}, Widened())
        middle, width = float(found.low / 2 + found.high / 2), float(found.high - found.low)
        return Number(middle, middle, EXACT, width)
    return Number(*outside(exact_value(cell)), EXACT)


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
