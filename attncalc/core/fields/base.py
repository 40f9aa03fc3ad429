"""What a reading may ask of a field of numbers, and what a page may ask of numbers that it writes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from attncalc.core.terms import Term
from attncalc.core.terms.functions import Floats as Floats

if TYPE_CHECKING:
    from typing_extensions import Self

Array: TypeAlias = NDArray[Any]
Real: TypeAlias = Any
"""A number of a field: a float, or exactly an int, Fraction, Surd, Powers or Ratio, or one of SymPy's.

The float −∞ passes through all of them, as the score of a hidden key.
"""


class ArrayLike(Protocol):
    """What a reading does with the arrays of a field: they are indexed and transposed."""

    @property
    def shape(self) -> tuple[int, ...]:
        """How long every axis is."""

    @property
    def ndim(self) -> int:
        """How many axes there are."""

    def __getitem__(self, at: Any, /) -> Self: ...

    def transpose(self, *axes: int) -> Self:
        """The same numbers with their axes in another order."""


Values = TypeVar("Values", bound=ArrayLike)
"""The arrays of a field."""


class Undecided(ValueError):
    """Why a limit, or the larger of two numbers with letters, is not known."""


class Field(ABC, Generic[Values]):
    """A number system, with its arrays: what it takes to compute."""

    name: str

    @abstractmethod
    def array(self, x: Values) -> Values:
        """Numbers of this field as an array, a single one as an array without axes."""

    @abstractmethod
    def constant(self, value: int | Fraction | Decimal | float) -> Values:
        """A number as an array without axes."""

    @abstractmethod
    def named(self, name: str) -> Values:
        """A number known by its name: pi, or a free letter."""

    @abstractmethod
    def given(self, array: Array) -> Values:
        """Floats read from an array, as numbers of this field."""

    @abstractmethod
    def ones(self, size: int) -> Values:
        """So many ones."""

    @abstractmethod
    def broadcast(self, x: Values, shape: tuple[int, ...]) -> Values:
        """The same numbers in a larger shape."""

    @abstractmethod
    def assembled(self, shape: tuple[int, ...], parts: list[tuple[tuple[slice, slice], Values]]) -> Values:
        """An array put together from blocks of its last two axes."""

    @abstractmethod
    def negative(self, x: Values) -> Values:
        """−x"""

    @abstractmethod
    def add(self, x: Values, y: Values) -> Values:
        """Sums."""

    @abstractmethod
    def multiply(self, x: Values, y: Values) -> Values:
        """Products."""

    @abstractmethod
    def divide(self, over: Values, under: Values) -> Values:
        """Quotients; a zero below raises `ZeroDivisionError`."""

    @abstractmethod
    def power(self, base: Values, exponent: Values) -> Values:
        """Powers."""

    @abstractmethod
    def apply(self, function: str, x: Values) -> Values:
        """A function of each entry."""

    @abstractmethod
    def total(self, x: Values) -> Values:
        """Sums along the last axis."""

    @abstractmethod
    def greatest(self, x: Values) -> Values:
        """The largest along the last axis."""

    @abstractmethod
    def matmul(self, left: Values, right: Values) -> Values:
        """Matrix products over the last two axes."""

    @abstractmethod
    def floats(self, x: Values) -> Floats:
        """The nearest floats."""

    def is_outgrown(self, x: Values) -> bool:  # noqa: ARG002
        """Whether the weights of a limit decide: these numbers stay finite, or exponentials outgrow them."""
        return True


class Numbers(Field[Array]):
    """Numbers in NumPy's arrays, which are computed with as NumPy does it, and can be written."""

    dtype: Any

    def array(self, x: Real | Array) -> Array:
        return np.asarray(x, dtype=self.dtype)

    def ones(self, size: int) -> Array:
        return self.array(np.ones(size, dtype=int))

    def broadcast(self, x: Array, shape: tuple[int, ...]) -> Array:
        return np.broadcast_to(x, shape)

    def assembled(self, shape: tuple[int, ...], parts: list[tuple[tuple[slice, slice], Array]]) -> Array:
        result = np.empty(shape, dtype=self.dtype)
        for where, part in parts:
            result[(..., *where)] = part
        return result

    def negative(self, x: Array) -> Array:
        return self.array(-x)

    def add(self, x: Array, y: Array) -> Array:
        return self.array(x + y)

    def multiply(self, x: Array, y: Array) -> Array:
        return self.array(x * y)

    def total(self, x: Array) -> Array:
        return self.array(x.sum(axis=-1))

    def greatest(self, x: Array) -> Array:
        return self.array(x.max(axis=-1))

    def matmul(self, left: Array, right: Array) -> Array:
        return self.array(np.matmul(left, right))

    @abstractmethod
    def term(self, number: Real) -> Term:
        """A number written as hand arithmetic."""

    @abstractmethod
    def decimal(self, number: Real, digits: int) -> Decimal:
        """A number to so many significant digits, all of them right as far as the field knows."""

    def pieces(self, number: Real) -> int:  # noqa: ARG002  most numbers are short
        """At least how many characters a number takes, found without writing it."""
        return 1

    def is_plain(self, number: Real) -> bool:  # noqa: ARG002
        """Whether a number is quick to compute with."""
        return True

    def is_open(self, number: Real) -> bool:  # noqa: ARG002  most fields have no letters
        """Whether a number has free letters, so that no decimal stands for it."""
        return False

    def count_writing(self, x: Array) -> None:
        """Counts the work of writing numbers that are a result."""

    def are_real(self, x: Array) -> bool:  # noqa: ARG002
        """Whether numbers with free letters are known to be real."""
        return True
