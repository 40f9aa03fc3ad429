"""Habits: the right method with another rounding, which excuses a result that it explains in every cell.

A habit is run from the numbers that the student has written: untold steps are rounded on the way, roots and
powers of e are taken as people take them, or the result is put down another way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import TypeAlias

import numpy as np

from attncalc.fields import Array, Numeric
from attncalc.record import record

Rounded: TypeAlias = Callable[[Array], Array]
EXPONENTIALS, WEIGHTS, SCALED = ("E", "T"), ("A",), ("Z",)


@record
class Habit:
    """How somebody rounds: a code, what is said of it, and what it does.

    `roles` are the untold steps that are `rounded`, all where none are named, but for those in `spared`;
    `put_down` is what becomes of the result itself before it is written.
    """

    code: str
    sentence: str
    field: Numeric = Numeric()
    rounded: Rounded | None = None
    roles: tuple[str, ...] = ()
    spared: tuple[str, ...] = ()
    put_down: Callable[[Array, int], Array] | None = None
    """From full results and the decimals written to what is written."""
    only: tuple[str, ...] = ()
    """The steps that can be put down so, all where there are none named."""

    def carries(self, role: str) -> bool:
        """Whether the result of an untold step is rounded before it is used."""
        return self.rounded is not None and (not self.roles or role in self.roles) and role not in self.spared


def to_places(places: int, up: bool) -> Rounded:
    """Rounds to decimals, ties up or to even."""

    def rounded(x: Array) -> Array:
        if not up:
            return np.where(np.isfinite(x), np.round(x, places), x)
        return np.where(np.isfinite(x), np.sign(x) * np.floor(np.abs(x) * 10**places + 0.5) / 10**places, x)

    return rounded


class CoarseRoots(Numeric):
    """Floats whose square roots, and numbers divided by them, are taken to a few digits."""

    def __init__(self, digits: int | None) -> None:
        self.digits = digits

    def short(self, x: Array) -> Array:
        """Numbers as they are looked up: to significant digits, or to two decimals."""
        if self.digits is None:
            return np.round(x, 2)
        size = np.where(x == 0, 1, np.abs(x))
        unit = 10.0 ** (np.floor(np.log10(size)) - self.digits + 1)
        return np.round(x / unit) * unit

    def apply(self, function: str, x: Array) -> Array:
        found = super().apply(function, x)
        return self.short(found) if function == "sqrt" else found


class CoarseInverse(CoarseRoots):
    """The same for the factor 1/√d as one number: 0.71 for 1/√2."""

    def divide(self, over: Array, under: Array) -> Array:
        if np.ndim(under) == 0 and not float(under).is_integer():
            return self.multiply(over, self.short(super().divide(self.constant(1), under)))
        return super().divide(over, under)

    def apply(self, function: str, x: Array) -> Array:
        return Numeric.apply(self, function, x)


class CoarseE(Numeric):
    """Floats whose powers of e are powers of a rounded number."""

    def __init__(self, e: str) -> None:
        self.e = float(e)

    def apply(self, function: str, x: Array) -> Array:
        return np.asarray(self.e**x) if function == "exp" else super().apply(function, x)


def cut_off(x: Array, places: int) -> Array:
    """Digits cut off in place of rounded."""
    return np.asarray(np.trunc(x * 10**places * (1 + 1e-12)) / 10**places)


def last_as_rest(x: Array, places: int) -> Array:
    """The last weight of a row as 1 minus the others, which are rounded."""
    others = np.round(x[..., :-1], places)
    return np.concatenate([others, 1 - others.sum(axis=-1, keepdims=True)], axis=-1)


def in_percent(x: Array, _: int) -> Array:
    """Weights in percent without the sign."""
    return np.asarray(100 * x)


PARTS = (
    ("results that are not told", (), ()),
    ("results that are not told, all but the exponentials,", (), EXPONENTIALS),
    ("weights", WEIGHTS, ()),
    ("scaled scores", SCALED, ()),
)
TRUNCATED_FROM = 3


def hidden_roundings() -> Iterator[Habit]:
    """Untold steps rounded on the way."""
    for places, (what, roles, spared), up in product((2, 3, 4), PARTS, (False, True)):
        said, rounded = f"The {what} were rounded to {places} decimals on the way.", to_places(places, up)
        yield Habit("hidden-rounding", said, rounded=rounded, roles=roles, spared=spared)


HIDDEN_ROUNDINGS = tuple(hidden_roundings())
HABITS: tuple[Habit, ...] = (
    Habit("truncated", "Digits were cut off in place of rounded.", put_down=cut_off),
    Habit(
        "last-weight", "The last weight of a row is 1 minus the others.", put_down=last_as_rest, only=WEIGHTS
    ),
    Habit("percent", "The weights are in percent.", put_down=in_percent, only=WEIGHTS),
    Habit("root-rounded", "The square root was taken to three digits.", field=CoarseRoots(3)),
    Habit("root-rounded", "The square root was taken to two decimals.", field=CoarseRoots(None)),
    Habit("root-rounded", "One over the square root was taken to three digits.", field=CoarseInverse(3)),
    Habit("root-rounded", "One over the square root was taken to two decimals.", field=CoarseInverse(None)),
    Habit("e-rounded", "e was taken as 2.72.", field=CoarseE("2.72")),
    Habit("e-rounded", "e was taken as 2.718.", field=CoarseE("2.718")),
    *HIDDEN_ROUNDINGS,
)
"""All habits, the simplest first."""
