"""What an operation is: a shape, and the rule for one cell.

Everything else (the whole matrix, the law, the worked lines, the cost) is a reading of that rule.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TypeAlias

from attncalc.core.docstrings import sentence_of
from attncalc.core.fields import Field, Values
from attncalc.core.record import record
from attncalc.core.terms import Axis, Entry, Index, Term
from attncalc.core.terms.formulas import Formula, Name, Text

Shape: TypeAlias = tuple[int, ...]
At: TypeAlias = tuple[Index, Index]


class ShapeError(Exception):
    """Why operands do not fit together."""


@record
class Operand:
    """A named matrix as an operation sees it, or its transpose: a shape, and entries as terms."""

    name: str
    shape: Shape
    turned: bool = False

    @property
    def rows(self) -> int:
        """How many rows."""
        return self.shape[-1] if self.turned else self.shape[-2]

    @property
    def cols(self) -> int:
        """How many columns."""
        return self.shape[-2] if self.turned else self.shape[-1]

    @property
    def row(self) -> str:
        """What the problem calls one of its rows."""
        return "column" if self.turned else "row"

    @property
    def formula(self) -> Formula:
        """How formulas call it."""
        return Name(self.name).T if self.turned else Name(self.name)

    def __getitem__(self, at: tuple[Index, ...]) -> Entry:
        return Entry(self.name, at[::-1] if self.turned else at)

    def __str__(self) -> str:
        return f"{self.name} is {self.shape[-2]}×{self.shape[-1]}"


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


class Operation(ABC):
    """How a matrix is made from others, block by block; its docstring is what a student reads."""

    @abstractmethod
    def shape(self, *operands: Operand) -> Shape:
        """Rows and columns of the result; raises `ShapeError` where the operands do not fit."""

    @abstractmethod
    def pieces(self, axes: tuple[Axis, Axis], *operands: Operand) -> list[Piece]:
        """The blocks of the result, each with its rule."""

    def laws(self, axes: tuple[Axis, Axis], *operands: Operand) -> list[Piece]:
        """The blocks whose rules are written in letters: all but single entries among others."""
        found = self.pieces(axes, *operands)
        return [piece for piece in found if len(found) == 1 or any(axis.letter for axis in piece.axes)]

    def formula(self, *operands: Formula) -> Formula | None:  # noqa: ARG002  for those that have one
        """The matrix formula over the operands; None where the rule of a cell says it all."""
        return None

    def subject(self, symbol: str) -> Formula:
        """What the formula is equal to."""
        return Name(symbol)

    @property
    def in_rows(self) -> Operation:
        """The same with its formula for whole matrices, also where the working is written in columns."""
        return self

    @property
    def core(self) -> Operation:
        """The operation itself, without what it is wrapped in."""
        return self

    @property
    def sentence(self) -> Text:
        """What it does, in one sentence."""
        return sentence_of(type(self))

    def check_values(self, field: Field[Values], *values: Values) -> None:  # noqa: B027
        """Raises `ZeroDivisionError` where a result has no meaning, though it could be computed."""

    def gradient(self, at: At, result: Operand, incoming: Operand, *operands: Operand) -> Term | None:  # noqa: ARG002
        """What an entry receives that the steps inside it go back to; None where its rule says so itself."""
        return None

    def gradient_beside(self, result: Operand, incoming: Operand) -> Term | None:  # noqa: ARG002
        """What a parameter receives that the steps inside it take besides; None where they take none."""
        return None

    @property
    def shifted(self) -> Operation | None:
        """The same with all exponents less the largest of their row, where it takes powers of e."""
        return None

    def settled(self, field: Field[Values], *values: Values) -> Operation:  # noqa: ARG002  for those that look
        """The operation as it is carried out on these values."""
        return self


class Op(Operation):
    """An operation with one rule for all cells."""

    @abstractmethod
    def cell(self, at: At, *operands: Operand) -> Term:
        """The rule for the cell in row `at[0]`, column `at[1]`."""

    def pieces(self, axes: tuple[Axis, Axis], *operands: Operand) -> list[Piece]:
        return [Piece(axes, self.cell(axes, *operands))]


class Entrywise(Op):
    """An operation on each entry of its first operand."""

    def shape(self, *operands: Operand) -> Shape:
        return operands[0].shape[-2:]


class OfRows(Op):
    """One number for each row of its first operand."""

    def shape(self, *operands: Operand) -> Shape:
        return operands[0].rows, 1


@record
class Turned(Operation):
    """An operation some of whose operands are stored the other way round, as d_out × d_in."""

    op: Operation
    which: tuple[int, ...]

    def turn(self, operands: tuple[Operand, ...]) -> list[Operand]:
        """The operands as the operation wants them."""
        return [Operand(x.name, x.shape, n in self.which) for n, x in enumerate(operands)]

    def shape(self, *operands: Operand) -> Shape:
        return self.op.shape(*self.turn(operands))

    def pieces(self, axes: tuple[Axis, Axis], *operands: Operand) -> list[Piece]:
        return self.op.pieces(axes, *self.turn(operands))

    def formula(self, *operands: Formula) -> Formula | None:
        return self.op.formula(*(x.T if n in self.which else x for n, x in enumerate(operands)))

    def subject(self, symbol: str) -> Formula:
        return self.op.subject(symbol)

    @property
    def in_rows(self) -> Operation:
        return Turned(self.op.in_rows, self.which)

    @property
    def core(self) -> Operation:
        return self.op.core

    @property
    def sentence(self) -> Text:
        return self.op.sentence


def turned(op: Operation, which: tuple[int, ...], out_in: bool) -> Operation:
    """The operation, its weight matrices turned where they are stored as d_out × d_in."""
    return Turned(op, which) if out_in else op


def turned_round(op: Operation) -> Operation:
    """A projection whose weight matrix is taken the other way round."""
    return op.op if isinstance(op, Turned) else Turned(op, (1,))


def vector(matrix: Formula, letters: str) -> Name:
    """A row or an entry of a matrix by its small letter: q_i."""
    assert isinstance(matrix, Name)
    return Name(f"{matrix.name.lower()}_{letters}")


def agree(a: int, b: int, left: Operand, right: Operand, rule: str) -> None:
    """Refuses two sizes that must be equal and are not."""
    if a != b:
        raise ShapeError(f"{left} and {right}: {rule}")
