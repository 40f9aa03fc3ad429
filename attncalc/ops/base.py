"""What an operation is: a shape, and the rule for one cell.

Everything else (the whole matrix, the law, the worked lines, the cost) is a reading of that rule.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TypeAlias

from attncalc.fields import Array, Field
from attncalc.record import record
from attncalc.terms import Axis, Entry, Index, Term

Shape: TypeAlias = tuple[int, ...]
At: TypeAlias = tuple[Index, Index]


class ShapeError(Exception):
    """Why operands do not fit together."""


@record
class Operand:
    """A named matrix as an operation sees it: its shape, and its entries as terms."""

    name: str
    shape: Shape

    @property
    def rows(self) -> int:
        """How many rows."""
        return self.shape[-2]

    @property
    def cols(self) -> int:
        """How many columns."""
        return self.shape[-1]

    def __getitem__(self, at: tuple[Index, ...]) -> Entry:
        return Entry(self.name, at)

    def __str__(self) -> str:
        return f"{self.name} is {self.rows}×{self.cols}"


@record
class Piece:
    """A block of a matrix: the indices that run through it, and the rule of its cells."""

    axes: tuple[Axis, Axis]
    rule: Term

    def letters(self, at: tuple[int, ...]) -> dict[str, int] | None:
        """Where the running indices stand at a cell; None outside the block."""
        found = {}
        for axis, index in zip(self.axes, at[-2:], strict=True):
            number, rest = divmod(index - axis.start, axis.stride)
            if rest or not 0 <= number < axis.size:
                return None
            found[axis.letter] = number
        return found


class Op(ABC):
    """An operation; its docstring is the sentence shown to the student."""

    @abstractmethod
    def shape(self, *operands: Operand) -> Shape:
        """Rows and columns of the result; raises `ShapeError` where the operands do not fit."""

    @abstractmethod
    def cell(self, at: At, *operands: Operand) -> Term:
        """The rule for the cell in row `at[0]`, column `at[1]`."""

    def pieces(self, axes: tuple[Axis, Axis], *operands: Operand) -> list[Piece]:
        """The blocks of the result, each with its rule; most operations have one."""
        return [Piece(axes, self.cell(axes, *operands))]

    @abstractmethod
    def formula(self, *names: str) -> str:
        """The matrix formula over the names of the operands."""

    def subject(self, symbol: str) -> str:
        """What the formula is equal to."""
        return symbol

    def settled(self, field: Field, *values: Array) -> Op:  # noqa: ARG002  for those that look
        """The operation as it is carried out on these values."""
        return self


def agree(a: int, b: int, left: Operand, right: Operand, rule: str) -> None:
    """Refuses two sizes that must be equal and are not."""
    if a != b:
        raise ShapeError(f"{left} and {right}: {rule}")
