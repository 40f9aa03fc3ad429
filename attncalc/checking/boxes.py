"""What a written number may stand for: the box of all values that are written so.

u    the unit of the last place that is judged
B    the box [x − u/2, x + u/2], closed at both ends

Written numbers stay text as long as they are plain decimals: only what floats cannot decide is decided
exactly, and only then is a text read digit by digit.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from attncalc.checking.answers import BLANK, Cell, Unreadable
from attncalc.fields import Array
from attncalc.fields.combinations import Combination, Known, Ratio, approximate, sign
from attncalc.fields.exact import Exact
from attncalc.fields.interval import EPSILON, Interval, Intervals, around, unwrapped
from attncalc.readings.value import evaluate
from attncalc.record import record
from attncalc.terms import Constant, Term, mapped, members

Floats = NDArray[np.float64]

JUDGED_DIGITS = 6
USUAL_PLACES = 2
FEWEST_DIGITS = 3
"""The significant digits from which on decimals suggest what an integer beside them was rounded to."""
EQUAL_DIGITS = 40
NOTHING = 1e-9
"""The share of a step's largest right value below which a told number is 0: programs print 2.2e-16."""
INTEGER, EXACT = -1, -2
"""In place of decimals: a number without a point, and one that must be equal."""


@record
class Yardstick:
    """What the numbers told of a step are measured by: its right values, and the places asked for.

    `noise` is how far single precision may be off; `whole` says that all right values are integers.
    """

    low: Floats
    high: Floats
    noise: Floats
    whole: bool = False
    places: int | None = None

    @cached_property
    def largest(self) -> float:
        """The size of the largest right value."""
        return float(np.abs(self.low[np.isfinite(self.low)]).max(initial=0))


class Number(NamedTuple):
    """A told number between two floats, the decimals it is written with, and the width of an expression."""

    low: float
    high: float
    places: int
    width: float = 0.0


UNTOLD = Number(0.0, 0.0, EXACT)


def number_of(cell: Cell) -> Number:
    """What is written in one cell; nothing where it is blank or cannot be read."""
    if isinstance(cell, str):
        value = float(cell)
        point = cell.find(".")
        return Number(value, value, len(cell) - point - 1 if point >= 0 else INTEGER)
    if isinstance(cell, Unreadable) or cell == BLANK:
        return UNTOLD
    if isinstance(cell, Constant) and not isinstance(cell.value, float):
        places = cell.places if cell.places is not None else INTEGER
        exact = cell.places is None and isinstance(cell.value, Fraction)
        return Number(*around(Fraction(cell.value)), EXACT if exact else places)
    if has_decimal(cell):
        found: Intervals = unwrapped(evaluate(as_written(cell), {}, Widened()))
        middle, width = float(found.low / 2 + found.high / 2), float(found.high - found.low)
        return Number(middle, middle, EXACT, width)
    return Number(*outside(exact_value(cell)), EXACT)


def has_decimal(term: Term) -> bool:
    """Whether a number written with a point is part of an expression."""
    if isinstance(term, Constant):
        return term.places is not None
    return any(map(has_decimal, members(term)))


def as_written(term: Term) -> Term:
    """An expression whose decimals know their last place."""
    match term:
        case Constant(int() | Fraction() as value, int(places)):
            return Constant(Decimal(Fraction(value * 10**places).numerator).scaleb(-places))
    return mapped(term, as_written)


class Widened(Interval):
    """Intervals in which a decimal stands for all that is written so."""

    def constant(self, value: int | Fraction | Decimal | float) -> Array:
        exact = super().constant(value)
        if not isinstance(value, Decimal):
            return exact
        half = float(Decimal(1).scaleb(int(value.as_tuple().exponent))) / 2
        found = unwrapped(exact)
        return self.array(Intervals(found.low - half, found.high + half))


def exact_value(cell: Cell) -> Any:
    """The number that a cell holds, exactly."""
    if isinstance(cell, str):
        return Fraction(cell)
    assert not isinstance(cell, Unreadable)
    return evaluate(cell, {}, Exact())[()]


def outside(number: Any) -> tuple[float, float]:
    """Floats on either side of a number."""
    if isinstance(number, float):
        return number, number
    if isinstance(number, int | Fraction):
        return around(number)
    nearest = float(Exact().decimal(number, 20))
    return float(np.nextafter(nearest, -np.inf)), float(np.nextafter(nearest, np.inf))


@record
class Boxes:
    """Told numbers as arrays: the numbers themselves, how far their boxes reach, and their units.

    `short` says that fewer places are written than are asked for.
    """

    low: Floats
    high: Floats
    reach: Floats
    unit: Floats
    short: NDArray[np.bool_]


def boxes_of(cells: Array, yard: Yardstick, right: Floats, noise: Floats) -> Boxes:
    """The boxes of told cells, whose right values are known."""
    numbers = np.array([number_of(cell) for cell in cells.ravel().tolist()]).reshape(*cells.shape, 4)
    low, high, width = numbers[..., 0], numbers[..., 1], numbers[..., 3]
    places = numbers[..., 2].astype(int)
    decimal, integer = places >= 0, places == INTEGER
    if yard.whole and not (decimal.any() or width.any()):
        nothing = np.zeros(cells.shape)
        return Boxes(low, high, nothing, nothing, nothing.astype(bool))
    tops = exponents(low)
    last = np.where(decimal, -places, 0)
    if integer.any():
        last = np.where(integer, integer_places(low, places, tops, right), last)
    cut = decimal & (last < tops - JUDGED_DIGITS + 1) & (low != 0)
    last = np.where(cut, tops - JUDGED_DIGITS + 1, last)
    short = np.zeros(cells.shape, dtype=bool)
    if yard.places is not None:
        short = decimal & (places < yard.places)
        last, cut = np.maximum(last, -yard.places), cut & (last > -yard.places)
    unit = np.where(decimal | (integer & (not yard.whole)), 10.0**last, width)
    reach = np.where(cut, unit, unit / 2)
    fine = (unit > 0) & (last <= tops - JUDGED_DIGITS + 1)
    reach = np.where(fine, np.maximum(reach, noise), reach)
    nothing = (unit > 0) & (np.abs(low) < NOTHING * yard.largest)
    low, high = np.where(nothing, 0.0, low), np.where(nothing, 0.0, high)
    return Boxes(low, high, np.where(nothing, np.maximum(reach, NOTHING * yard.largest), reach), unit, short)


def exponents(values: Floats) -> NDArray[np.int_]:
    """The powers of ten of the first digits; 0 has that of 1."""
    sizes = np.abs(values)
    plain = np.where((sizes > 0) & np.isfinite(sizes), sizes, 1)
    return np.floor(np.log10(plain) + 1e-12).astype(int)


def integer_places(
    values: Floats, places: NDArray[np.int_], tops: NDArray[np.int_], right: Floats
) -> NDArray[np.int_]:
    """The powers of ten to which integers are rounded: as decimals beside them suggest, else as they look."""
    decimal = places >= 0
    if decimal.any():
        digits = (tops + places + 1)[decimal]
        known = digits[digits >= FEWEST_DIGITS]
        last = np.full(values.shape, -int(places[decimal].min()))
        if len(known):
            last = np.where(values != 0, np.maximum(last, tops - int(known.min()) + 1), last)
    else:
        near = np.abs(values - right) <= 0.5 * 10.0**-USUAL_PLACES * (1 + EPSILON)
        last = np.where(near, -USUAL_PLACES, 0)
    return round_places(values, tops, last)


def round_places(values: Floats, tops: NDArray[np.int_], last: NDArray[np.int_]) -> NDArray[np.int_]:
    """How many zeros at the end of a large integer may come from rounding: 1020, 2500, 12300."""
    found = last
    for power in range(1, int(tops.max(initial=0)) - 1):
        ends = (values % 10**power == 0) & (power <= tops - FEWEST_DIGITS + 1)
        found = np.where(ends & (last > -USUAL_PLACES), np.maximum(found, power), found)
    return found


def contains(cell: Cell, unit: float, reach: float, right: Any) -> bool:
    """Whether the right value is written so: decided exactly, or to many digits."""
    value = exact_value(cell)
    if isinstance(right, float) or isinstance(value, float):
        return bool(value - reach <= right <= value + reach)
    if unit == 0:
        return is_equal(value, right)
    half = Fraction(10) ** round(np.log10(unit)) / 2 * round(2 * reach / unit)
    return is_between(value - half, right, value + half)


def is_equal(a: Any, b: Any) -> bool:
    """Whether two exact numbers are the same, as far as forty digits tell."""
    if all(isinstance(x, int | Fraction | Combination | Ratio) for x in (a, b)):
        return bool(a == b)
    x, y = (Exact().decimal(number, EQUAL_DIGITS) for number in (a, b))
    return abs(x - y) <= Decimal(10) ** (max(x.adjusted(), y.adjusted()) - EQUAL_DIGITS + 5)


def is_between(low: Any, right: Any, high: Any) -> bool:
    """Whether a number lies between two others, or on one of them."""
    if isinstance(right, int | Fraction | Combination | Ratio):
        return sign(right - low) >= 0 and sign(high - right) >= 0
    a, x, b = (Exact().decimal(number, EQUAL_DIGITS) for number in (low, right, high))
    return is_equal(low, right) or is_equal(high, right) or a < x < b


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


def written(cell: Cell) -> Term:
    """A number as it was written, with all its places."""
    if isinstance(cell, str):
        return Constant(Decimal(cell))
    assert not isinstance(cell, Unreadable)
    if isinstance(cell, Constant) and isinstance(cell.value, float):
        return cell
    return as_written(cell)
