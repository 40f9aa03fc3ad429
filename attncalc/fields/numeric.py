"""Floats, in NumPy."""

from __future__ import annotations

import math
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attncalc.fields.base import Array, Field
from attncalc.terms import Constant, Function, Term


def visible(x: Array) -> Array:
    """The scores, with 0 for the −∞ of a hidden key."""
    return np.where(np.isneginf(x), 0.0, x)


def nonzero(x: Array) -> Array:
    """The totals, with 1 for the 0 of a row that is hidden whole."""
    return np.where(x == 0, 1.0, x)


FUNCTIONS: dict[Function, Any] = {
    "exp": np.exp,
    "ln": np.log,
    "sqrt": np.sqrt,
    "tanh": np.tanh,
    "sin": np.sin,
    "cos": np.cos,
    "erf": np.vectorize(math.erf, otypes=[float]),
    "relu": lambda x: np.maximum(x, 0),
    "visible": visible,
    "nonzero": nonzero,
    "step": lambda x: np.where(x > 0, 1.0, 0.0),
    "seen": lambda x: np.where(np.isneginf(x), 0.0, 1.0),
}


class Numeric(Field):
    """IEEE double precision."""

    name = "numeric"
    dtype = np.float64

    def constant(self, value: int | Fraction | Decimal | float) -> Array:
        return self.array(float(value))

    def named(self, name: str) -> Array:
        return self.array(np.pi if name == "pi" else np.nan)

    def given(self, array: Array) -> Array:
        return self.array(array)

    def divide(self, over: Array, under: Array) -> Array:
        if not np.all(under):
            raise ZeroDivisionError
        return self.array(over / under)

    def power(self, base: Array, exponent: Array) -> Array:
        return self.array(np.power(base, exponent))

    def apply(self, function: Function, x: Array) -> Array:
        return self.array(FUNCTIONS[function](x))

    def floats(self, x: Array) -> NDArray[np.float64]:
        return self.array(x)

    def term(self, number: Any) -> Term:
        return Constant(Decimal(repr(float(number))))

    def decimal(self, number: Any, digits: int) -> Decimal:  # noqa: ARG002
        # A float is good to fifteen digits or so; the noise behind them is not shown.
        return Context(prec=14).plus(Decimal(repr(float(number))))
