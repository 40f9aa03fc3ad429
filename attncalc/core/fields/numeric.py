"""Floats, in NumPy."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from attncalc.core.fields.base import Array, Floats, Numbers
from attncalc.core.terms import Constant, Term
from attncalc.core.terms.functions import FUNCTIONS

SURE_DIGITS = 14
"""A float is correct to about fifteen digits; the noise after them is not shown."""
FLOATS_APART = 32
"""Numbers within this many floats of each other may be equal; a larger difference is no noise."""


class Numeric(Numbers):
    """IEEE double precision; free letters may be given values."""

    name = "numeric"
    dtype = np.float64

    def __init__(self, letters: Mapping[str, float] = {}) -> None:
        self.letters = letters

    def constant(self, value: int | Fraction | Decimal | float) -> Array:
        return self.array(float(value))

    def from_name(self, name: str) -> Array:
        return self.array(np.pi if name == "pi" else self.letters.get(name, np.nan))

    def from_floats(self, array: Array) -> Array:
        return self.array(array)

    def divide(self, over: Array, under: Array) -> Array:
        if not np.all(under):
            raise ZeroDivisionError
        return self.array(over / under)

    def power(self, base: Array, exponent: Array) -> Array:
        return self.array(np.power(base, exponent))

    def apply(self, function: str, x: Array) -> Array:
        return self.array(FUNCTIONS[function].floats(x))

    def floats(self, x: Array) -> Floats:
        return self.array(x)

    def term(self, number: Any) -> Term:
        return Constant(Decimal(repr(float(number))))

    def decimal(self, number: Any, digits: int) -> Decimal:  # noqa: ARG002
        written = Decimal(repr(float(number)))
        short = Context(prec=SURE_DIGITS).plus(written)
        is_noise = abs(float(short) - number) <= FLOATS_APART * np.spacing(abs(number))
        return short if is_noise else written
