"""What a written number may stand for: the box of all values that round to it.

u    the unit of the last place that is judged
B    the box [x − u/2, x + u/2], closed at both ends

A whole number must be equal if all correct values are short decimals, or if a fraction is beside it. Beside
decimals it has dropped its zeros. Else it has too few digits to be right, and unit 1.

Plain decimals stay text: only if floats cannot decide is a text read digit by digit and compared exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from math import floor, log10
from typing import Any, NamedTuple, cast

import numpy as np

from attncalc.core.fields import Array, Floats
from attncalc.core.fields.approximation import Known, approximate, sign
from attncalc.core.fields.combinations import Combination, Ratio
from attncalc.core.fields.exact import Exact
from attncalc.core.fields.interval import EPSILON
from attncalc.core.fields.work_counter import Exhausted, at_most
from attncalc.core.record import record
from attncalc.marking.answers.files import Cell
from attncalc.marking.answers.formats import Format
from attncalc.marking.answers.precision import (
    EXACT,
    FRACTION,
    INTEGER,
    Number,
    exact_value,
    number_of,
    outside,
    places_of,
)
from attncalc.marking.policy import LIMITS, POLICY

EQUAL_DIGITS = 40
MOST_TERMS_COMPARED = 30_000
"""The most terms for comparing two numbers exactly."""
FEW_DIGITS = 0.999 * 10 ** (POLICY.judged_digits - 1)
"""Below this number of units, a number has fewer digits than are judged."""


@record
class Yardstick:
    """What the answer to a step is measured by: the correct values, and the places asked for.

    `noise` is the error of single precision, `find_noise` that of any format. All correct values are integers
    (`whole`), or decimals of a few places (`short`).
    """

    low: Floats
    high: Floats
    noise: Floats
    whole: bool = False
    short: bool = False
    places: int | None = None
    find_noise: Callable[[Format], Floats] | None = None

    def noise_in(self, format_: Format) -> Floats:
        """The error of the step if everything is computed in some format."""
        return self.find_noise(format_) if self.find_noise else self.noise

    @cached_property
    def largest(self) -> float:
        """The size of the largest correct value."""
        return float(np.abs(self.low[np.isfinite(self.low)]).max(initial=0))


class Box(NamedTuple):
    """An answered number: two floats around it, the box of all values that round to it, and its unit.

    Without a unit it must be equal; `short` says that it has too few places: fewer than the problem asks for,
    or none, like all numbers of its matrix.
    """

    low: float
    high: float
    box_low: float
    box_high: float
    unit: float
    short: bool = False


def around_number(number: Number, reach: float, unit: float, short: bool = False) -> Box:
    """The box of a number, `reach` wide on each side and rounded outwards."""
    low, high, _, _ = number
    out = reach + EPSILON * (abs(high) + unit) if unit else 0.0
    return Box(low, high, low - out, high + out, unit, short)


def boxes_of(
    cells: Array, yard: Yardstick, expected: Floats, noise: Floats, find_beside: Callable[[], Beside]
) -> Floats:
    """The boxes of answered cells with their expected values: one array for each field of `Box`."""
    written = cells.ravel().tolist()
    found = plain_boxes(written, yard)
    if found is None:
        numbers = [number_of(cell) for cell in written]
        integers = not yard.whole and any(number.places == INTEGER for number in numbers)
        beside = find_beside() if integers else NONE_BESIDE
        facts = zip(numbers, expected.ravel().tolist(), noise.ravel().tolist(), strict=True)
        found = np.array([box(number, yard, beside, true, off) for number, true, off in facts]).T
    return found.reshape(len(Box._fields), *cells.shape)


def plain_boxes(written: list[Cell], yard: Yardstick) -> Floats | None:
    """The boxes of short decimals, all at once; None if one of the cells is anything else."""
    if yard.places is not None or not all(type(cell) is str and places_of(cell) for cell in written):
        return None
    texts = cast(list[str], written)
    values = np.array([float(text) for text in texts])
    unit = np.array([10.0 ** (text.index(".") + 1 - len(text)) for text in texts])
    size = np.abs(values)
    if not np.all((size < FEW_DIGITS * unit) & (unit > 4 * LIMITS.nothing * yard.largest)):
        return None
    out = unit / 2 + EPSILON * (size + unit)
    return np.array([values, values, values - out, values + out, unit, np.zeros(len(texts))])


def box(number: Number, yard: Yardstick, beside: Beside, true: float, off: float) -> Box:
    """The box of one number, given the numbers beside it, its expected value and its noise."""
    places, size, asked = number.places, abs(number.low), yard.places
    is_exact = places in (FRACTION, EXACT) or (places == INTEGER and (yard.whole or beside.exact))
    if is_exact and 0 < abs(number.low - true) <= LIMITS.nothing * yard.largest:
        # 1/2 and 0 are exact enough beside weights of e^(−50).
        reach = LIMITS.nothing * yard.largest
        return Box(number.low, number.high, number.low - reach, number.high + reach, 0.0)
    if places in (FRACTION, EXACT):
        return around_number(number, number.width / 2, number.width)
    short = asked is not None and INTEGER < places < asked
    if asked is not None and places < asked and abs(number.low - true) <= (1 + EPSILON) * 10.0**-asked / 2:
        # Programs print 0.8 for 0.80, and 1 for 1.00.
        places, short = asked, False
    if places == INTEGER and (yard.whole or beside.exact):
        return around_number(number, 0.0, 0.0)
    if places == INTEGER and not beside.decimals:
        return whole_box(number, yard, true)
    last = -places if places > INTEGER else beside.last(number.low)
    if asked is not None:
        last = max(last, -asked)
    digits = top_of(size) - last + 1 if size else 0
    unit = 10.0**last
    if size < LIMITS.nothing * yard.largest and abs(true) <= off:
        # It means 0, whatever its digits are.
        return around_number(number, max(unit / 2, size + LIMITS.nothing * yard.largest), unit, short)
    if digits < POLICY.judged_digits:
        return around_number(number, unit / 2, unit, short)
    # Digits beyond the judged ones may round the last of these either way.
    unit = 10.0 ** (last + digits - POLICY.judged_digits)
    cut = digits > POLICY.judged_digits and (asked is None or last > -asked)
    return around_number(number, max(unit if cut else unit / 2, off), unit, short)


def whole_box(number: Number, yard: Yardstick, true: float) -> Box:
    """The box of a whole number among whole numbers: right to all judged digits, or of too few digits."""
    sixth = 10.0 ** (top_of(number.low) - POLICY.judged_digits + 1)
    last = sixth if number.low else 2 * LIMITS.nothing * yard.largest
    if abs(number.low - true) <= last / 2:
        return Box(number.low, number.high, number.low - last / 2, number.high + last / 2, 0.0)
    unit = 10.0 ** zeros_at_end(number.low)
    if yard.short and unit == 1:
        return around_number(number, 0.0, 0.0)
    return around_number(number, unit / 2, unit, short=True)


@record
class Beside:
    """What a matrix shows of the whole numbers in it: by its decimals, and by its fractions.

    `exact` says that one of them is a fraction.
    """

    decimals: tuple[Number, ...] = ()
    exact: bool = False

    @classmethod
    def of(cls, numbers: Iterable[Number]) -> Beside:
        """What some numbers show; a zero says nothing: 0.00 stands beside 175 for a hidden key."""
        some = [number for number in numbers if number.low]
        decimals = tuple(number for number in some if number.places > 0)
        return cls(decimals, any(number.places == FRACTION for number in some))

    def last(self, value: float) -> int:
        """The power of ten to which an integer is rounded: as the coarsest decimal."""
        last = -min(number.places for number in self.decimals)
        known = [digits for one in self.decimals if (digits := significant(one)) >= POLICY.fewest_digits]
        if known and value:
            last = max(last, top_of(value) - min(known) + 1)
        return max(last, zeros_at_end(value) or last)


NONE_BESIDE = Beside()


def top_of(value: float) -> int:
    """The power of ten of the first digit of a number."""
    return floor(log10(abs(value)) + LIMITS.float_error) if value else 0


def significant(number: Number) -> int:
    """The number of significant digits of a decimal."""
    return top_of(number.low) + number.places + 1


def zeros_at_end(value: float) -> int:
    """The number of zeros at the end of a large integer that may come from rounding: 1020, 2500, 12300."""
    powers = range(top_of(value) - POLICY.fewest_digits + 1, 0, -1)
    return next((power for power in powers if value % 10**power == 0), 0)


def contains(cell: Cell, unit: float, reach: float, expected: Any) -> bool:
    """Whether the expected value lies in the box of a cell: decided exactly, or to many digits."""
    value = exact_value(cell)
    if isinstance(expected, float) or isinstance(value, float):
        (low, high), (least, most) = outside(value), outside(expected)
        return low - reach <= most and least <= high + reach
    if unit == 0:
        return is_equal(value, expected)
    half = Fraction(10) ** round(np.log10(unit)) / 2 * round(2 * reach / unit)
    return is_between(value - half, expected, value + half)


def is_equal(a: Any, b: Any) -> bool:
    """Whether two exact numbers are equal: by their terms, or to forty digits."""
    if all(isinstance(x, int | Fraction | Combination | Ratio) for x in (a, b)):
        with suppress(Exhausted), at_most(MOST_TERMS_COMPARED):
            return bool(a == b)
    x, y = (Exact().decimal(number, EQUAL_DIGITS) for number in (a, b))
    return abs(x - y) <= Decimal(10) ** (max(x.adjusted(), y.adjusted()) - EQUAL_DIGITS + 5)


def is_between(low: Any, expected: Any, high: Any) -> bool:
    """Whether a number lies between two others, or on one of them."""
    if isinstance(expected, int | Fraction | Combination | Ratio):
        return sign(expected - low) >= 0 and sign(high - expected) >= 0
    a, x, b = (Exact().decimal(number, EQUAL_DIGITS) for number in (low, expected, high))
    return is_equal(low, expected) or is_equal(high, expected) or a < x < b


def enclosures(numbers: Array) -> tuple[Array, Array]:
    """Floats below and above correct values."""
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
