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

from attncalc.answers import BLANK, Unreadable
from attncalc.fields import Array
from attncalc.fields.combinations import Combination, Ratio, approximate, sign
from attncalc.fields.exact import Exact
from attncalc.fields.interval import around
from attncalc.readings.value import evaluate
from attncalc.record import record
from attncalc.terms import Constant, Term

JUDGED_DIGITS = 6
USUAL_PLACES = 2
EQUAL_DIGITS = 40


@record
class Box:
    """One written number: its value, its unit (0 where it must be equal), whether it has fewer places
    than are asked for, and itself as it was written."""

    value: Any
    unit: Fraction
    short: bool = False
    text: Term | None = None

    @property
    def bounds(self) -> tuple[Any, Any]:
        """The ends of the box, exactly."""
        if not self.unit:
            return self.value, self.value
        return self.value - self.unit / 2, self.value + self.unit / 2

    def floats(self) -> tuple[float, float, float, float]:
        """The value and the box, as floats just outside them."""
        low, high = self.bounds
        return (*outside(self.value), outside(low)[0], outside(high)[1])


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
    if cell == BLANK or isinstance(cell, Unreadable):
        return None
    if isinstance(cell, Constant) and isinstance(cell.value, float):
        return Box(cell.value, Fraction(0))
    if isinstance(cell, Constant) and (cell.places is not None or isinstance(cell.value, int)):
        integer = cell.places is None
        if integer and whole:
            return Box(cell.value, Fraction(0), text=cell)
        written = usual if integer or cell.places is None else cell.places
        value = Fraction(cell.value)
        short = places is not None and written < places
        return Box(value, unit(value, written, places), short, as_written(cell))
    return Box(exact_value(cell), Fraction(0), text=cell)


def as_written(cell: Constant) -> Constant:
    """A decimal with all the places that were written."""
    if cell.places is None:
        return cell
    digits = Fraction(cell.value) * 10**cell.places
    return Constant(Decimal(digits.numerator).scaleb(-cell.places))


def exact_value(term: Term) -> Any:
    """The number that an exact expression stands for."""
    return evaluate(term, {}, Exact())[()]


def unit(value: Fraction, written: int, places: int | None) -> Fraction:
    """The last place that is judged: as written, not beyond the sixth digit or what is asked for."""
    last = -written
    if value:
        last = max(last, floor(log10(abs(value))) - JUDGED_DIGITS + 1)
    if places is not None:
        last = max(last, -places)
    return Fraction(1, 10**-last) if last <= 0 else Fraction(10**last)


def contains(told: Box, right: Any) -> bool:
    """Whether the right value is written so: decided exactly, or to many digits."""
    low, high = told.bounds
    if isinstance(right, float) or isinstance(low, float):
        return bool(low == right) if np.isinf(right) or isinstance(low, float) else bool(low <= right <= high)
    if all(isinstance(x, int | Fraction | Combination | Ratio) for x in (low, high, right)):
        if not told.unit:
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
    known: dict[Any, Any] = {}
    low, high = np.empty(numbers.shape), np.empty(numbers.shape)
    for at in np.ndindex(numbers.shape):
        number = numbers[at]
        if isinstance(number, Combination | Ratio):
            nearest = float(approximate(number, 20, known))
            low[at], high[at] = np.nextafter(nearest, -np.inf), np.nextafter(nearest, np.inf)
        else:
            low[at], high[at] = outside(number)
    return low, high
