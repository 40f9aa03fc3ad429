"""Intervals: how far a result can move when what it is computed from is known only to some digits.

Bounds are floats, widened by more than their rounding errors, so that an interval never loses a
value that is possible.  They are tight for the structures of attention: an array remembers when it is
a share of a row (w_i / Σ w), whose extremes lie at two corners, and a sum of shares times values is a
weighted mean, whose extremes are reached by giving all values beyond a threshold their largest weight.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from math import nextafter
from typing import Any

import numpy as np

from attncalc.core.fields.base import Array, Field, Floats
from attncalc.core.terms.functions import FUNCTIONS, Function

EPSILON = 4e-16
GROWN, SHRUNK = 1 + EPSILON, 1 - EPSILON
SMALLEST_FLOAT = 5e-324
LARGEST_PRODUCT = 1_000_000


class Intervals:
    """An array of intervals; it is indexed and transposed like the arrays of its bounds."""

    def __init__(self, low: Floats, high: Floats) -> None:
        self.low, self.high = low, high
        self.root: object = self
        self.in_order = True
        self.summed: object = None
        self.weights: Intervals | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of both bounds."""
        return self.low.shape

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self.low.ndim

    @property
    def thin(self) -> bool:
        """Whether every interval is a point."""
        return bool(np.array_equal(self.low, self.high))

    def __getitem__(self, at: Any) -> Intervals:
        return self.view(self.low[at], self.high[at], self.in_order)

    def transpose(self, *axes: int) -> Intervals:
        """The same intervals with their axes in another order."""
        ordered = self.in_order and list(axes) == list(range(self.ndim))
        return self.view(self.low.transpose(*axes), self.high.transpose(*axes), ordered)

    def view(self, low: Floats, high: Floats, in_order: bool) -> Intervals:
        """A part of these intervals, which remembers the array it comes from."""
        view = Intervals(np.asarray(low), np.asarray(high))
        view.root, view.summed, view.in_order = self.root, self.summed, in_order
        view.weights = self.weights if in_order and view.shape == self.shape else None
        return view


def outward(low: Any, high: Any, slack: Any = 0.0) -> Intervals:
    """Bounds moved apart by more than a rounding error; ±∞ and 0 stay, NaN becomes (−∞, ∞)."""
    low, high = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    down, up = (
        low * np.where(low > 0, SHRUNK, GROWN) - slack,
        high * np.where(high > 0, GROWN, SHRUNK) + slack,
    )
    if np.isnan(down).any() or np.isnan(up).any():
        down, up = np.where(np.isnan(down), -np.inf, down), np.where(np.isnan(up), np.inf, up)
    return Intervals(down, up)


def points(values: Floats) -> Intervals:
    """Floats as intervals without width."""
    return Intervals(values, values)


def around(number: int | Fraction) -> tuple[float, float]:
    """The floats next to a number, or the number itself twice."""
    value = float(number)
    whole = number.denominator
    if abs(number.numerator) < 2**53 and whole & (whole - 1) == 0:
        return value, value
    return nextafter(value, -np.inf), nextafter(value, np.inf)


class Interval(Field[Intervals]):
    """Intervals of floats."""

    name = "interval"

    def array(self, x: Intervals) -> Intervals:
        return x

    def constant(self, value: int | Fraction | Decimal | float) -> Intervals:
        if isinstance(value, float):
            return points(np.asarray(value))
        low, high = around(Fraction(value))
        return Intervals(np.asarray(low), np.asarray(high))

    def from_name(self, name: str) -> Intervals:  # noqa: ARG002  letters have no range
        return outward(np.pi, np.pi)

    def from_floats(self, array: Array) -> Intervals:
        return points(np.asarray(array, dtype=np.float64))

    def ones(self, size: int) -> Intervals:
        return points(np.ones(size))

    def broadcast(self, x: Intervals, shape: tuple[int, ...]) -> Intervals:
        if x.shape == shape:
            return x
        return Intervals(np.broadcast_to(x.low, shape), np.broadcast_to(x.high, shape))

    def assemble(
        self, shape: tuple[int, ...], parts: list[tuple[tuple[slice, slice], Intervals]]
    ) -> Intervals:
        low, high = np.empty(shape), np.empty(shape)
        for where, part in parts:
            low[(..., *where)], high[(..., *where)] = part.low, part.high
        return Intervals(low, high)

    def negative(self, x: Intervals) -> Intervals:
        return Intervals(-x.high, -x.low)

    def add(self, x: Intervals, y: Intervals) -> Intervals:
        result = outward(x.low + y.low, x.high + y.high)
        if x.summed is not None and y.summed is None and bool(np.all(y.low >= 0)):
            # A total plus another number, such as a sink, still remembers what was summed.
            result.summed, result.in_order = x.summed, False
        return result

    def multiply(self, x: Intervals, y: Intervals) -> Intervals:
        return outward(*hull(x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high))

    def divide(self, over: Intervals, under: Intervals) -> Intervals:
        a, b = over, under
        if b.summed is not None and b.summed == a.root and bool(np.all(a.low >= 0)):
            return shares(a, b)
        around_zero = (b.low <= 0) & (b.high >= 0)
        low, high = hull(a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high)
        result = outward(np.where(around_zero, -np.inf, low), np.where(around_zero, np.inf, high))
        return record_origin(a, result, ("/", float(b.low), float(b.high))) if b.ndim == 0 else result

    def power(self, base: Intervals, exponent: Intervals) -> Intervals:
        a, b = base, exponent
        low, high = hull(a.low**b.low, a.low**b.high, a.high**b.low, a.high**b.high)
        even = (a.low < 0) & (a.high > 0) & (b.low == b.high) & (b.low % 2 == 0)
        return outward(np.where(even, 0.0, low), high)

    def apply(self, function: str, x: Intervals) -> Intervals:
        row = FUNCTIONS[function]
        if row.rises:
            return record_origin(x, outward(row.floats(x.low), row.floats(x.high)), function)
        result = outward(*hull(*candidates(row, x)))
        # A function that is not written is mostly the identity: its result remembers the same origin.
        return result if row.is_written else x.view(result.low, result.high, x.in_order)

    def total(self, x: Intervals) -> Intervals:
        slack = EPSILON * x.shape[-1] * np.maximum(np.abs(x.low), np.abs(x.high)).sum(axis=-1)
        result = outward(x.low.sum(axis=-1), x.high.sum(axis=-1), np.where(np.isfinite(slack), slack, 0))
        result.summed = x.summed if x.summed is not None else x.root
        # Only the total of a row makes its shares the weights of a mean.
        result.in_order = x.in_order and x.summed is None
        return result

    def greatest(self, x: Intervals) -> Intervals:
        return Intervals(x.low.max(axis=-1), x.high.max(axis=-1))

    def matmul(self, left: Intervals, right: Intervals) -> Intervals:
        small = left.shape[-2] * left.shape[-1] * right.shape[-1] <= LARGEST_PRODUCT
        if left.weights is not None and small:
            return means(left.weights, right)
        if small and not (left.thin or right.thin):
            each = self.multiply(left[..., :, :, None], right[..., None, :, :])
            return self.total(each.transpose(*swap_last_axes(each.ndim)))
        return multiply_centred(left, right)

    def floats(self, x: Intervals) -> Floats:
        with np.errstate(invalid="ignore"):  # (−∞, ∞) has no middle
            return np.where(x.low == x.high, x.low, x.low / 2 + x.high / 2)


def record_origin(x: Intervals, result: Intervals, by: object) -> Intervals:
    """Record which operation on which matrix gave a result: the same operation gives the same numbers."""
    result.root, result.in_order = (by, x.root), x.in_order
    return result


def hull(*ends: Floats) -> tuple[Floats, Floats]:
    """The smallest and the largest of some arrays, entry by entry."""
    return np.minimum.reduce(ends), np.maximum.reduce(ends)


def candidates(function: Function, x: Intervals) -> Iterator[Floats]:
    """The candidates for extremes: the values at both ends, just inside them, and at turning points."""
    inside = np.minimum(np.nextafter(x.low, np.inf), x.high), np.maximum(np.nextafter(x.high, -np.inf), x.low)
    yield from map(function.floats, (x.low, x.high, *inside))
    low, high = x.low - 2 * EPSILON * np.abs(x.low), x.high + 2 * EPSILON * np.abs(x.high)
    for turn in function.turns:
        again = np.ceil((low - turn) / function.period) * function.period if function.period < np.inf else 0
        met = (turn + again >= low) & (turn + again <= high)
        yield np.where(met, function.floats(np.asarray(turn, float)), function.floats(x.low))


def swap_last_axes(axes: int) -> tuple[int, ...]:
    """The order of axes that transposes the last two."""
    return (*range(axes - 2), axes - 1, axes - 2)


def shares(part: Intervals, whole: Intervals) -> Intervals:
    """w / Σ w: largest for the largest w and the smallest of all others."""
    slack = EPSILON * whole.high * max(part.shape, default=1)
    others_high = np.maximum(whole.high - part.high, 0) + slack
    others_low = np.maximum(whole.low - part.low - slack, 0)
    low = np.where(part.low > 0, part.low / (part.low + others_high), 0.0)
    high = np.where(part.high > 0, part.high / (part.high + others_low), 0.0)
    result = outward(np.maximum(low, 0), np.minimum(high, 1))
    result.weights = part if part.in_order and whole.in_order else None
    return result


def means(weights: Intervals, values: Intervals) -> Intervals:
    """Σ w·v / Σ w, for weights and values anywhere in their intervals."""
    high = mean_bound(weights, values.high)
    low = -mean_bound(weights, -values.low)
    size = np.maximum(np.abs(values.low), np.abs(values.high)).max(axis=-2)[..., None, :]
    return outward(low, high, EPSILON * weights.shape[-1] * size)


def mean_bound(weights: Intervals, values: Floats) -> Floats:
    """The largest weighted mean: the largest values take their largest weights, up to some threshold."""
    axes = max(values.ndim, weights.low.ndim)
    values, low, high = (x[(None,) * (axes - x.ndim)] for x in (values, weights.low, weights.high))
    order = np.argsort(-values, axis=-2, kind="stable")
    v = np.swapaxes(np.take_along_axis(values, order, axis=-2), -1, -2)[..., None, :, :]
    columns = np.swapaxes(order, -1, -2)
    w_low, w_high = (
        np.take_along_axis(w[..., :, None, :], columns[..., None, :, :], axis=-1) for w in (low, high)
    )

    def sums(factor: Any) -> Floats:
        rest = (w_low * factor).sum(axis=-1, keepdims=True)
        gained = np.cumsum((w_high - w_low) * factor, axis=-1)
        return np.concatenate([rest, rest + gained], axis=-1)

    over, under = sums(v), sums(np.ones_like(v))
    found: Floats = np.where(under > 0, over / np.where(under > 0, under, 1), -np.inf).max(axis=-1)
    return np.where(np.isneginf(found), 0.0, found)


def multiply_centred(a: Intervals, b: Intervals) -> Intervals:
    """A matrix product from midpoints and radii, in a few products of float matrices."""
    middle_a, middle_b = (a.low + a.high) / 2, (b.low + b.high) / 2
    radius_a, radius_b = (a.high - a.low) / 2, (b.high - b.low) / 2
    size_b = np.abs(middle_b) + radius_b
    middle = middle_a @ middle_b
    radius = np.abs(middle_a) @ radius_b + radius_a @ size_b
    slack = EPSILON * (a.shape[-1] + 4) * (np.abs(middle_a) @ size_b)
    return outward(middle - radius, middle + radius, slack)
