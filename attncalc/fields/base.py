"""What a reading may ask of a field of numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from attncalc.terms import Function, Term

Array: TypeAlias = NDArray[Any]


class Undecided(ValueError):
    """Why a limit, or the larger of two numbers with letters, is not known."""


class Field(ABC):
    """A number system, with its arrays."""

    name: str
    dtype: Any

    def array(self, x: Any) -> Array:
        """Numbers of this field as an array, a single one as an array without axes."""
        return np.asarray(x, dtype=self.dtype)

    @abstractmethod
    def constant(self, value: int | Fraction | Decimal | float) -> Array:
        """A number as an array without axes."""

    @abstractmethod
    def named(self, name: str) -> Array:
        """A number known by its name: pi, or a free letter."""

    @abstractmethod
    def given(self, array: Array) -> Array:
        """Floats read from an array, as numbers of this field."""

    def ones(self, size: int) -> Array:
        """So many ones."""
        return self.array(np.ones(size, dtype=int))

    def broadcast(self, x: Array, shape: tuple[int, ...]) -> Array:
        """The same numbers in a larger shape."""
        return np.broadcast_to(x, shape)

    def assembled(self, shape: tuple[int, ...], parts: list[tuple[tuple[slice, slice], Array]]) -> Array:
        """An array put together from blocks of its last two axes."""
        result = np.empty(shape, dtype=self.dtype)
        for where, part in parts:
            result[(..., *where)] = part
        return result

    def negative(self, x: Array) -> Array:
        """−x"""
        return self.array(-x)

    def add(self, x: Array, y: Array) -> Array:
        """Sums."""
        return self.array(x + y)

    def multiply(self, x: Array, y: Array) -> Array:
        """Products."""
        return self.array(x * y)

    def total(self, x: Array) -> Array:
        """Sums along the last axis."""
        return self.array(x.sum(axis=-1))

    def greatest(self, x: Array) -> Array:
        """The largest along the last axis."""
        return self.array(x.max(axis=-1))

    def matmul(self, left: Array, right: Array) -> Array:
        """Matrix products over the last two axes."""
        return self.array(np.matmul(left, right))

    @abstractmethod
    def divide(self, over: Array, under: Array) -> Array:
        """Quotients; a zero below raises `ZeroDivisionError`."""

    @abstractmethod
    def power(self, base: Array, exponent: Array) -> Array:
        """Powers."""

    @abstractmethod
    def apply(self, function: Function, x: Array) -> Array:
        """A function of each entry."""

    @abstractmethod
    def floats(self, x: Array) -> NDArray[np.float64]:
        """The nearest floats."""

    @abstractmethod
    def term(self, number: Any) -> Term:
        """A number written as hand arithmetic."""

    def pieces(self, number: Any) -> int:  # noqa: ARG002  most numbers are short
        """At least how many characters a number takes, found without writing it."""
        return 1

    def is_plain(self, number: Any) -> bool:  # noqa: ARG002
        """Whether a number is quick to compute with."""
        return True

    def is_open(self, number: Any) -> bool:  # noqa: ARG002  most fields have no letters
        """Whether a number has free letters, so that no decimal stands for it."""
        return False

    def are_real(self, x: Array) -> bool:  # noqa: ARG002
        """Whether numbers with free letters are known to be real."""
        return True

    def is_outgrown(self, x: Array) -> bool:  # noqa: ARG002
        """Whether the exponentials of a limit outgrow all these numbers."""
        return True

    @abstractmethod
    def decimal(self, number: Any, digits: int) -> Decimal:
        """A number to so many significant digits, all of them right as far as the field knows."""
