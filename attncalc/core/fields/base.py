"""The interface of a field of numbers: what readings need to compute, and pages to write."""

from __future__ import annotations

from abc import ABC, abstractmethod
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar

import numpy as np

from attncalc.core.terms import Term
from attncalc.core.terms.functions import Floats as Floats

if TYPE_CHECKING:
    from typing_extensions import Self

Array: TypeAlias = np.ndarray[tuple[Any, ...], np.dtype[Any]]
Real: TypeAlias = Any
"""A number of a field: a float, or exactly an int, Fraction, Surd, Powers or Ratio, or one of SymPy's.

The float −∞ passes through all of them, as the score of a hidden key.
"""


class ArrayLike(Protocol):
    """What readings need of the arrays of a field: indexing and transposing."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""

    @property
    def ndim(self) -> int:
        """The number of axes."""

    def __getitem__(self, at: Any, /) -> Self: ...

    def transpose(self, *axes: int) -> Self:
        """The same numbers with their axes in another order."""


Values = TypeVar("Values", bound=ArrayLike)
"""The arrays of a field."""


class Undecided(ValueError):
    """A limit, or the larger of two numbers with letters, is not known."""


class Field(ABC, Generic[Values]):
    """A number system and its arrays: the operations to compute with."""

    name: str

    @abstractmethod
    def array(self, x: Values) -> Values:
        """Numbers of this field as an array; a single number as an array without axes."""

    @abstractmethod
    def constant(self, value: int | Fraction | Decimal | float) -> Values:
        """A number as an array without axes."""

    @abstractmethod
    def from_name(self, name: str) -> Values:
        """A number known by its name: pi, or a free letter."""

    @abstractmethod
    def from_floats(self, array: Array) -> Values:
        """Floats read from an array, as numbers of this field."""

    @abstractmethod
    def ones(self, size: int) -> Values:
        """A vector of n ones."""

    @abstractmethod
    def broadcast(self, x: Values, shape: tuple[int, ...]) -> Values:
        """The same numbers in a larger shape."""

    @abstractmethod
    def assemble(self, shape: tuple[int, ...], parts: list[tuple[tuple[slice, slice], Values]]) -> Values:
        """Build an array from blocks of its last two axes."""

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
        """Whether exponentials outgrow these numbers, so that the weights alone decide a limit."""
        return True


class Numbers(Field[Array]):
    """A field whose arrays are NumPy's, and whose numbers can be written."""

    dtype: Any

    def array(self, x: Real | Array) -> Array:
        return np.asarray(x, dtype=self.dtype)

    def ones(self, size: int) -> Array:
        return self.array(np.ones(size, dtype=int))

    def broadcast(self, x: Array, shape: tuple[int, ...]) -> Array:
        return np.broadcast_to(x, shape)

    def assemble(self, shape: tuple[int, ...], parts: list[tuple[tuple[slice, slice], Array]]) -> Array:
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
        """A number to n significant digits, correct as far as the field knows."""

    def pieces(self, number: Real) -> int:  # noqa: ARG002  most numbers are short
        """A lower bound of the number of characters of a number, found without writing it."""
        return 1

    def is_plain(self, number: Real) -> bool:  # noqa: ARG002
        """Whether a number is quick to compute with."""
        return True

    def is_open(self, number: Real) -> bool:  # noqa: ARG002  most fields have no letters
        """Whether a number has free letters, so that no decimal stands for it."""
        return False

    def count_writing(self, x: Array) -> None:
        """Count the work of writing the numbers of a result."""

    def are_real(self, x: Array) -> bool:  # noqa: ARG002
        """Whether numbers with free letters are known to be real."""
        return True
