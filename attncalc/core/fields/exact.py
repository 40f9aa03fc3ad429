"""Exact numbers: rationals, roots and powers of e in our own types, everything beyond in SymPy."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from math import inf, isinf, nan

import numpy as np
from numpy.typing import NDArray

from attncalc.core.fields.approximation import Known, approximate
from attncalc.core.fields.base import Array, Numbers, Real
from attncalc.core.fields.combinations import OwnNumber
from attncalc.core.fields.lazy_sympy import algebra
from attncalc.core.fields.rationals import rational
from attncalc.core.fields.scalars import (
    Own,
    add_exact,
    count_pieces,
    divide_exact,
    dot,
    function_of,
    larger,
    multiply_exact,
    power_exact,
    spend,
)
from attncalc.core.fields.writing import exact_term
from attncalc.core.terms import Term

ADDED = np.frompyfunc(add_exact, 2, 1)
MULTIPLIED = np.frompyfunc(multiply_exact, 2, 1)
QUOTIENT = np.frompyfunc(divide_exact, 2, 1)
POWER = np.frompyfunc(power_exact, 2, 1)
LARGER = np.frompyfunc(larger, 2, 1)
FUNCTION = np.frompyfunc(function_of, 2, 1)


class Exact(Numbers):
    """Numbers without rounding."""

    name = "exact"
    dtype = object

    def __init__(self, letters: Mapping[str, str] = {}, limit: tuple[str, float] | None = None) -> None:
        self.letters, self.limit = letters, limit

    def constant(self, value: int | Fraction | Decimal | float) -> Array:
        return self.array(value if isinstance(value, float) else rational(Fraction(value)))

    def from_name(self, name: str) -> Array:
        return self.array(algebra.pi() if name == "pi" else self.letter(name))

    def letter(self, name: str) -> Real:
        """A free letter of the problem."""
        return algebra.letter(name, self.letters[name])

    def is_plain(self, number: Real) -> bool:
        return isinstance(number, Own | float)

    def is_open(self, number: Real) -> bool:
        return bool(getattr(number, "free_symbols", False))

    def from_floats(self, array: Array) -> Array:
        if array.dtype == object:
            return array
        exact = [x if np.isneginf(x) else rational(Fraction(repr(x))) for x in array.ravel().tolist()]
        result = np.empty(len(exact), dtype=object)
        result[:] = exact
        return result.reshape(array.shape)

    def divide(self, over: Array, under: Array) -> Array:
        return self.array(QUOTIENT(over, under))

    def power(self, base: Array, exponent: Array) -> Array:
        return self.array(POWER(base, exponent))

    def apply(self, function: str, x: Array) -> Array:
        if function == "lim":
            return self.array(np.frompyfunc(self.tends_to, 1, 1)(x))
        return self.array(FUNCTION(function, x))

    def count_writing(self, x: Array) -> None:
        spend(*(number for number in x.ravel() if not self.is_plain(number)))

    def are_real(self, x: Array) -> bool:
        if not self.letters:
            return True
        return all(algebra.is_known(number) for number in x.ravel() if self.is_open(number))

    def is_outgrown(self, x: Array) -> bool:
        assert self.limit is not None
        name, target = self.limit
        if not isinf(target):
            return not any(isinstance(self.tends_to(number), float) for number in x.ravel())
        open_ = [number for number in x.ravel() if self.is_open(number)]
        return all(algebra.is_polynomial(number, self.letter(name)) for number in open_)

    def tends_to(self, number: Real) -> Real:
        """The value of a number with letters in the problem's limit."""
        if not self.is_open(number):
            return number
        assert self.limit is not None
        name, target = self.limit
        return algebra.limit(number, self.letter(name), target)

    def add(self, x: Array, y: Array) -> Array:
        return self.array(ADDED(x, y))

    def multiply(self, x: Array, y: Array) -> Array:
        return self.array(MULTIPLIED(x, y))

    def matmul(self, left: Array, right: Array) -> Array:
        rows, columns = left[..., :, None, :], np.swapaxes(right, -1, -2)[..., None, :, :]
        shape = np.broadcast_shapes(rows.shape, columns.shape)
        rows, columns = np.broadcast_to(rows, shape), np.broadcast_to(columns, shape)
        result = np.empty(shape[:-1], dtype=object)
        for at in np.ndindex(result.shape):
            found = dot(rows[at], columns[at])  # which counts what it takes
            result[at] = self.tidy(found) if self.is_open(found) else found
        return result

    def total(self, x: Array) -> Array:
        return self.array(np.frompyfunc(self.tidy, 1, 1)(x.sum(axis=-1)))

    def greatest(self, x: Array) -> Array:
        return self.array(LARGER.reduce(x, axis=-1))

    def tidy(self, number: Real) -> Real:
        """A number with letters as one short quotient; other numbers unchanged."""
        if self.is_plain(number):
            return number
        spend(number)
        if not self.is_open(number):
            return number
        return algebra.tidy(number)

    def floats(self, x: Array) -> NDArray[np.float64]:
        known: Known = {}
        values = [self.float(number, known) for number in x.ravel()]
        return np.array(values, dtype=np.float64).reshape(x.shape)

    def float(self, number: Real, known: Known) -> float:
        """The nearest float."""
        if isinstance(number, OwnNumber):
            return float(approximate(number, 20, known))
        if not self.is_plain(number):
            return nan if self.is_open(number) else float(algebra.decimal(number, 20))
        try:
            return float(number)
        except OverflowError:
            return inf if number > 0 else -inf

    def term(self, number: Real) -> Term:
        return exact_term(number)

    def pieces(self, number: Real) -> int:
        return count_pieces(number)

    def decimal(self, number: Real, digits: int) -> Decimal:
        if isinstance(number, float):
            return Decimal(number)
        if isinstance(number, Own):
            return approximate(number, digits)
        return algebra.decimal(number, digits)
