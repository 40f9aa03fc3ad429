"""Intervals: how far a result can move when what it is computed from is known only to some digits.

Bounds are floats, widened by more than their rounding errors, so that an interval never loses a
value that is possible.  It gains none where the structure allows it: an array remembers when it is
a share of a row (w_i / Σ w), whose extremes lie at two corners, and a sum of shares times values is a
weighted mean, whose extremes are reached by giving all values beyond a threshold their largest weight.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import nextafter
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from attncalc.fields.base import Array, Field
from attncalc.fields.numeric import FUNCTIONS
from attncalc.terms import Function, Term

Floats = NDArray[np.float64]

EPSILON = 4e-16
GROWN, SHRUNK = 1 + EPSILON, 1 - EPSILON
TINY = 5e-324
LARGEST_PRODUCT = 1_000_000
RISING: tuple[Function, ...] = ("exp", "ln", "sqrt", "tanh", "erf", "relu", "visible", "nonzero")


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
        return self.viewed(self.low[at], self.high[at], self.in_order)

    def transpose(self, *axes: int) -> Intervals:
        """The same intervals with their axes in another order."""
        ordered = self.in_order and list(axes) == list(range(self.ndim))
        return self.viewed(self.low.transpose(*axes), self.high.transpose(*axes), ordered)

    def viewed(self, low: Floats, high: Floats, in_order: bool) -> Intervals:
        """Some of these intervals, which keep in mind where they come from."""
        view = Intervals(np.asarray(low), np.asarray(high))
        view.root, view.summed, view.in_order = self.root, self.summed, in_order
        view.weights = self.weights if in_order and view.shape == self.shape else None
        return view


def outward(low: Any, high: Any, slack: Any = 0.0) -> Intervals:
    """Bounds moved apart by more than a rounding error; ±∞ and 0 stay, what is undefined may be anything."""
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


class Interval(Field):
    """Intervals of floats."""

    name = "interval"
    dtype = None

    def array(self, x: Any) -> Array:
        return cast(Array, x)

    def constant(self, value: int | Fraction | Decimal | float) -> Array:
        if isinstance(value, float):
            return wrapped(points(np.asarray(value)))
        low, high = around(Fraction(value))
        return wrapped(Intervals(np.asarray(low), np.asarray(high)))

    def named(self, name: str) -> Array:  # noqa: ARG002  letters have no range
        return wrapped(outward(np.pi, np.pi))

    def given(self, array: Array) -> Array:
        return wrapped(points(np.asarray(array, dtype=np.float64)))

    def ones(self, size: int) -> Array:
        return wrapped(points(np.ones(size)))

    def broadcast(self, x: Array, shape: tuple[int, ...]) -> Array:
        y = unwrapped(x)
        if y.shape == shape:
            return x
        return wrapped(Intervals(np.broadcast_to(y.low, shape), np.broadcast_to(y.high, shape)))

    def assembled(self, shape: tuple[int, ...], parts: list[tuple[tuple[slice, slice], Array]]) -> Array:
        low, high = np.empty(shape), np.empty(shape)
        for where, part in parts:
            low[(..., *where)], high[(..., *where)] = unwrapped(part).low, unwrapped(part).high
        return wrapped(Intervals(low, high))

    def negative(self, x: Array) -> Array:
        y = unwrapped(x)
        return wrapped(Intervals(-y.high, -y.low))

    def add(self, x: Array, y: Array) -> Array:
        a, b = unwrapped(x), unwrapped(y)
        return wrapped(outward(a.low + b.low, a.high + b.high))

    def multiply(self, x: Array, y: Array) -> Array:
        a, b = unwrapped(x), unwrapped(y)
        corners = [a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high]
        return wrapped(outward(np.minimum.reduce(corners), np.maximum.reduce(corners)))

    def divide(self, over: Array, under: Array) -> Array:
        a, b = unwrapped(over), unwrapped(under)
        if b.summed is not None and b.summed is a.root and bool(np.all(a.low >= 0)):
            return wrapped(shares(a, b))
        around_zero = (b.low <= 0) & (b.high >= 0)
        corners = [a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high]
        low = np.where(around_zero, -np.inf, np.minimum.reduce(corners))
        high = np.where(around_zero, np.inf, np.maximum.reduce(corners))
        return wrapped(outward(low, high))

    def power(self, base: Array, exponent: Array) -> Array:
        a, b = unwrapped(base), unwrapped(exponent)
        corners = [a.low**b.low, a.low**b.high, a.high**b.low, a.high**b.high]
        low, high = np.minimum.reduce(corners), np.maximum.reduce(corners)
        even = (a.low < 0) & (a.high > 0) & (b.low == b.high) & (b.low % 2 == 0)
        return wrapped(outward(np.where(even, 0.0, low), high))

    def apply(self, function: Function, x: Array) -> Array:
        y = unwrapped(x)
        if function in RISING:
            result = outward(FUNCTIONS[function](y.low), FUNCTIONS[function](y.high))
            if function in ("visible", "nonzero"):
                return wrapped(y.viewed(result.low, result.high, y.in_order))
            return wrapped(result)
        low, high = FUNCTIONS[function](y.low), FUNCTIONS[function](y.high)
        slack = np.minimum(y.high - y.low, 2.0) + EPSILON
        return wrapped(Intervals(np.minimum(low, high) - slack, np.maximum(low, high) + slack))

    def total(self, x: Array) -> Array:
        y = unwrapped(x)
        slack = EPSILON * y.shape[-1] * np.maximum(np.abs(y.low), np.abs(y.high)).sum(axis=-1)
        result = outward(y.low.sum(axis=-1), y.high.sum(axis=-1), np.where(np.isfinite(slack), slack, 0))
        result.summed = y.summed if y.summed is not None else y.root
        # Only the total of a row makes its shares the weights of a mean.
        result.in_order = y.in_order and y.summed is None
        return wrapped(result)

    def greatest(self, x: Array) -> Array:
        y = unwrapped(x)
        return wrapped(Intervals(y.low.max(axis=-1), y.high.max(axis=-1)))

    def matmul(self, left: Array, right: Array) -> Array:
        a, b = unwrapped(left), unwrapped(right)
        small = a.shape[-2] * a.shape[-1] * b.shape[-1] <= LARGEST_PRODUCT
        if a.weights is not None and small:
            return wrapped(means(a.weights, b))
        if small and not (a.thin or b.thin):
            each = self.multiply(wrapped(a[..., :, :, None]), wrapped(b[..., None, :, :]))
            return self.total(wrapped(unwrapped(each).transpose(*swapped(unwrapped(each).ndim))))
        return wrapped(centred(a, b))

    def floats(self, x: Array) -> Floats:
        y = unwrapped(x)
        return np.where(y.low == y.high, y.low, y.low / 2 + y.high / 2)

    def term(self, number: Any) -> Term:
        raise NotImplementedError

    def decimal(self, number: Any, digits: int) -> Decimal:
        raise NotImplementedError


def wrapped(x: Intervals) -> Array:
    """Intervals, as the arrays of their field."""
    return cast(Array, x)


def unwrapped(x: Array) -> Intervals:
    """The arrays of this field, as intervals."""
    return cast(Intervals, x)


def swapped(axes: int) -> tuple[int, ...]:
    """The order of axes in which the last two have changed places."""
    return (*range(axes - 2), axes - 1, axes - 2)


def shares(part: Intervals, whole: Intervals) -> Intervals:
    """w / Σ w: largest where w is large and all others are small."""
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
    order = np.argsort(-values, axis=-2, kind="stable")
    v = np.swapaxes(np.take_along_axis(values, order, axis=-2), -1, -2)[..., None, :, :]
    columns = np.swapaxes(order, -1, -2)
    w_low, w_high = (
        np.take_along_axis(w[..., :, None, :], columns[..., None, :, :], axis=-1)
        for w in (weights.low, weights.high)
    )

    def sums(factor: Any) -> Floats:
        rest = (w_low * factor).sum(axis=-1, keepdims=True)
        gained = np.cumsum((w_high - w_low) * factor, axis=-1)
        return np.concatenate([rest, rest + gained], axis=-1)

    over, under = sums(v), sums(np.ones_like(v))
    found: Floats = np.where(under > 0, over / np.where(under > 0, under, 1), -np.inf).max(axis=-1)
    return np.where(np.isneginf(found), 0.0, found)


def centred(a: Intervals, b: Intervals) -> Intervals:
    """A product of matrices from midpoints and radii, in a few products of floats."""
    middle_a, middle_b = (a.low + a.high) / 2, (b.low + b.high) / 2
    radius_a, radius_b = (a.high - a.low) / 2, (b.high - b.low) / 2
    size_b = np.abs(middle_b) + radius_b
    middle = middle_a @ middle_b
    radius = np.abs(middle_a) @ radius_b + radius_a @ size_b
    slack = EPSILON * (a.shape[-1] + 4) * (np.abs(middle_a) @ size_b)
    return outward(middle - radius, middle + radius, slack)
