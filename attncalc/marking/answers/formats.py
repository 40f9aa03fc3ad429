"""The formats in which programs compute: half precision, bfloat16 and single precision.

A format keeps some significant bits of every result. The bits of numbers show it, also after they were
converted to a wider format or printed with all digits.
"""

from __future__ import annotations

from math import ceil, log2

import numpy as np
from numpy.typing import NDArray

from attncalc.core.fields import Floats
from attncalc.core.fields.interval import Interval, Intervals
from attncalc.core.record import record


@record
class Format:
    """The significant bits of a format, and the error of its smallest numbers."""

    bits: int
    smallest: float

    @property
    def share(self) -> float:
        """The most by which rounding changes a number, as a share of it."""
        return float(2.0**-self.bits)

    @property
    def most(self) -> float:
        """The most noise, as a share of the largest value: half of the bits are lost."""
        return float(2.0 ** (-self.bits / 2))


BFLOAT, HALF, SINGLE = Format(8, 2.0**-126), Format(11, 2.0**-24), Format(24, 2.0**-126)
"""Half precision keeps a fixed step below its smallest normal number; the others may give 0 there."""
FORMATS = (BFLOAT, HALF, SINGLE)


def round_to_format(values: Floats, format_: Format) -> Floats:
    """Round numbers to the bits of a format.

    >>> round_to_format(np.array([0.62, 3.0]), BFLOAT).tolist()
    [0.62109375, 3.0]
    """
    part, power = np.frexp(values)
    return np.asarray(np.ldexp(np.rint(np.ldexp(part, format_.bits)), power - format_.bits))


def find_format(values: Floats, may_be_exact: bool = False) -> Format:
    """The format in which numbers were computed: single precision, unless a shorter one holds them all.

    Numbers such as 0.5 fit every format. So one must need one of the last two bits of a shorter one; a third
    of them must if the correct values are such numbers themselves. Of computed numbers three quarters do.

    >>> [find_format(np.array(numbers)).bits for numbers in ([0.62109375, 0.37890625], [0.5, 13.25], [0.62])]
    [8, 24, 24]
    """
    numbers = np.asarray(values, dtype=np.float64)
    numbers = numbers[np.isfinite(numbers) & (numbers != 0)]
    fits = (one for one in (BFLOAT, HALF) if np.array_equal(round_to_format(numbers, one), numbers))
    found = next(fits, SINGLE)
    return found if numbers.size and uses_last_bits(numbers, found).mean() > may_be_exact / 3 else SINGLE


def uses_last_bits(numbers: Floats, format_: Format) -> NDArray[np.bool_]:
    """Which numbers need one of the last two bits of a format."""
    shorter = Format(format_.bits - 2, format_.smallest)
    return np.asarray(round_to_format(numbers, shorter) != numbers)


class Computed(Interval):
    """Intervals that hold all that a format may make of a result, each operation rounded.

    A sum of n numbers takes about log₂ n roundings more, of partial sums that are at most Σ |x|.
    """

    def __init__(self, format_: Format) -> None:
        self.format = format_

    def store(self, x: Intervals) -> Intervals:
        """Given numbers as the format stores them: whole ones mostly unchanged."""
        stored = (round_to_format(end, self.format) for end in (x.low, x.high))
        low, high = (np.where(np.isfinite(end), end, x.low) for end in stored)
        return Intervals(np.minimum(x.low, low), np.maximum(x.high, high))

    def rounded(self, x: Intervals, size: Floats | None = None, times: int = 1) -> Intervals:
        """A result that is off by the rounding of numbers of some size: its own, unless another is given."""
        size = sizes(x) if size is None else size
        off = np.where(np.isfinite(size), times * self.format.share * size, 0)
        return x.view(x.low - off, x.high + off, x.in_order)

    def add(self, x: Intervals, y: Intervals) -> Intervals:
        return self.rounded(super().add(x, y))

    def multiply(self, x: Intervals, y: Intervals) -> Intervals:
        return self.rounded(super().multiply(x, y))

    def divide(self, over: Intervals, under: Intervals) -> Intervals:
        return self.rounded(super().divide(over, under))

    def power(self, base: Intervals, exponent: Intervals) -> Intervals:
        return self.rounded(super().power(base, exponent))

    def apply(self, function: str, x: Intervals) -> Intervals:
        return self.rounded(super().apply(function, x))

    def total(self, x: Intervals) -> Intervals:
        return self.rounded(super().total(x), sizes(x).sum(axis=-1), roundings(x.shape[-1]))

    def matmul(self, left: Intervals, right: Intervals) -> Intervals:
        found = super().matmul(left, right)
        return self.rounded(found, sizes(left) @ sizes(right), 1 + roundings(left.shape[-1]))


def sizes(x: Intervals) -> Floats:
    """The largest sizes of the numbers of intervals."""
    return np.maximum(np.abs(x.low), np.abs(x.high))


def roundings(count: int) -> int:
    """The number of roundings on the way of each of n numbers to their sum, added pair by pair."""
    return ceil(log2(max(count, 1)))
