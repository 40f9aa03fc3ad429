"""What a written number may stand for: the box of all values that are written so.

u    the unit of the last place that is judged
B    the box [x − u/2, x + u/2], closed at both ends
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import floor, log10
from typing import Any

import numpy as np

from attncalc.checking.answers import BLANK, Unreadable
from attncalc.fields import Array
from attncalc.fields.combinations import Combination, Known, Ratio, approximate, sign
from attncalc.fields.exact import Exact
from attncalc.fields.interval import EPSILON, around
from attncalc.readings.value import evaluate
from attncalc.record import record
from attncalc.terms import Constant, Term

JUDGED_DIGITS = 6
USUAL_PLACES = 2
EQUAL_DIGITS = 40


@record
class Box:
    """One written number: itself, its value, and the power of ten that is its unit.

    Without a unit it must be equal; `short` says that it has fewer places than are asked for, `cut` that
    it has digits beyond those judged, which may round the last of them either way.
    """

    cell: Term
    value: Any
    last: int | None = None
    short: bool = False
    cut: bool = False

    @property
    def bounds(self) -> tuple[Any, Any]:
        """The ends of the box, exactly."""
        if self.last is None:
            return self.value, self.value
        reach = Fraction(10) ** self.last / (1 if self.cut else 2)
        return self.value - reach, self.value + reach

    def floats(self) -> tuple[float, float, float, float, float]:
        """The value and the box, as floats on or just outside them, and the unit."""
        low, high = outside(self.value)
        if self.last is None:
            return low, high, low, high, 0.0
        unit = 10.0**self.last
        reach = (unit if self.cut else unit / 2) + EPSILON * (abs(high) + unit)
        return low, high, low - reach, high + reach, unit

    @property
    def written(self) -> Term:
        """The number as it was written, with all its places."""
        if not isinstance(self.cell, Constant) or self.cell.places is None:
            return self.cell
        digits = Fraction(self.cell.value) * 10**self.cell.places
        return Constant(Decimal(digits.numerator).scaleb(-self.cell.places))


def outside(number: Any) -> tuple[float, float]:
    """Floats on either side of a number."""
    if isinstance(number, float):
        return number, number
    if isinstance(number, int | Fraction):
        return around(number)
    nearest = float(Exact().decimal(number, 20))
    return float(np.nextafter(nearest, -np.inf)), float(np.nextafter(nearest, np.inf))


def boxes(cells: Array, whole: bool, places: int | None) -> Array:
    """The boxes of told cells; None for what is blank or unreadable.

    `whole` says that all right values of the step are integers; `places` are asked for by the problem.
    """
    decimals = [cell.places for cell in cells.ravel() if isinstance(cell, Constant) and cell.places]
    usual = max(decimals, default=USUAL_PLACES if places is None else places)
    result = np.empty(cells.shape, dtype=object)
    for at in np.ndindex(cells.shape):
        result[at] = box(cells[at], whole, usual, places)
    return result


def box(cell: Any, whole: bool, usual: int, places: int | None) -> Box | None:
    """The box of one told cell."""
    if isinstance(cell, Constant) and not isinstance(cell.value, float):
        if cell.places is None and (whole or isinstance(cell.value, Fraction)):
            return Box(cell, cell.value)
        written = usual if cell.places is None else cell.places
        short = places is not None and written < places
        last = last_place(cell.value, written, places)
        return Box(cell, cell.value, last, short, places is None and last > -written)
    if isinstance(cell, Constant):
        return Box(cell, cell.value)
    if isinstance(cell, Unreadable) or cell == BLANK:
        return None
    return Box(cell, evaluate(cell, {}, Exact())[()])


def last_place(value: Any, written: int, places: int | None) -> int:
    """The last place that is judged: as written, not beyond the sixth digit or what is asked for."""
    last = -written
    if value and written:
        last = max(last, floor(log10(abs(value))) - JUDGED_DIGITS + 1)
    return last if places is None else max(last, -places)


def contains(told: Box, right: Any) -> bool:
    """Whether the right value is written so: decided exactly, or to many digits."""
    low, high = told.bounds
    if isinstance(right, float) or isinstance(low, float):
        return bool(low <= right <= high)
    if all(isinstance(x, int | Fraction | Combination | Ratio) for x in (low, high, right)):
        if told.last is None:
            return bool(low == right)
        return sign(right - low) >= 0 and sign(high - right) >= 0
    return nearly(low, right) or nearly(high, right) or within(low, right, high)


def nearly(a: Any, b: Any) -> bool:
    """Whether two numbers beyond roots and powers of e agree to many digits."""
    x, y = (Exact().decimal(number, EQUAL_DIGITS) for number in (a, b))
    return abs(x - y) <= Decimal(10) ** (max(x.adjusted(), y.adjusted()) - EQUAL_DIGITS + 5)


def within(low: Any, right: Any, high: Any) -> bool:
    """Whether a number lies strictly between two others."""
    a, x, b = (Exact().decimal(number, EQUAL_DIGITS) for number in (low, right, high))
    return a < x < b


def enclosures(numbers: Array) -> tuple[Array, Array]:
    """Floats on either side of right values."""
    known: Known = {}
    low, high = np.empty(numbers.shape), np.empty(numbers.shape)
    for at in np.ndindex(numbers.shape):
        number = numbers[at]
        if isinstance(number, Combination | Ratio):
            nearest = float(approximate(number, 20, known))
            low[at], high[at] = np.nextafter(nearest, -np.inf), np.nextafter(nearest, np.inf)
        else:
            low[at], high[at] = outside(number)
    return low, high
