"""What an operation is: a shape, and the rule for one cell.

Everything else (the whole matrix, the law, the worked lines, the cost) is a reading of that rule.  Most
operations are an `Op` (one rule for all cells), `Entrywise` (the result has the shape of the first operand)
or `OfRows` (one number for each row); `Turned` takes some operands transposed.  Most
operations are an `Op` (one rule for all cells), `Entrywise` (the result has the shape of the first operand)
or `OfRows` (one number for each row); `Turned` takes some operands transposed.  Most
operations are an `Op` (one rule for all cells), `Entrywise` (the result has the shape of the first operand)
or `OfRows` (one number for each row); `Turned` takes some operands transposed.
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
    """The shapes of operands do not fit."""


@record
class Operand:
    """A named matrix as an operation sees it, or its transpose: a shape, and entries as terms."""

    name: str
    shape: Shape
    turned: bool = False

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.shape[-1] if self.turned else self.shape[-2]

    @property
    def cols(self) -> int:
        """The number of columns."""
        return self.shape[-2] if self.turned else self.shape[-1]

    @property
    def row(self) -> str:
        """The word for one of its rows in the problem."""
        return "column" if self.turned else "row"

    @property
    def formula(self) -> Formula:
        """Its name in formulas."""
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
        """The values of the running indices at a cell; None if it is outside the block."""
        found = {}
        for axis, index in zip(self.axes, at[-2:], strict=True):
            number, rest = divmod(index - axis.start, axis.stride)
            if rest or not 0 <= number < axis.size:
                return None
            found[axis.letter] = number
        return found


class Operation(ABC):
    """How a matrix is computed from others, block by block; students read its docstring."""

    @abstractmethod
    def shape(self, *operands: Operand) -> Shape:
        """Rows and columns of the result; raises `ShapeError` if the operands do not fit."""

    @abstractmethod
    def pieces(self, axes: tuple[Axis, Axis], *operands: Operand) -> list[Piece]:
        """The blocks of the result, each with its rule."""

    def laws(self, axes: tuple[Axis, Axis], *operands: Operand) -> list[Piece]:
        """The blocks whose rules are written in letters: all but single entries beside other blocks."""
        found = self.pieces(axes, *operands)
        return [piece for piece in found if len(found) == 1 or any(axis.letter for axis in piece.axes)]

    def formula(self, *operands: Formula) -> Formula | None:  # noqa: ARG002  for those that have one
        """The matrix formula over the operands; None if the rule of a cell is enough."""
        return None

    def subject(self, symbol: str) -> Formula:
        """The left side of the formula."""
        return Name(symbol)

    @property
    def in_rows(self) -> Operation:
        """The operation with its formula for whole matrices, even if the working is written in columns."""
        return self

    @property
    def core(self) -> Operation:
        """The operation without what is wrapped around it."""
        return self

    @property
    def sentence(self) -> Text:
        """Its description, in one sentence."""
        return sentence_of(type(self))

    @property
    def adds_up(self) -> bool:
        """Whether the entries of every row are shares that add up to 1."""
        return False

    def check_values(self, field: Field[Values], *values: Values) -> None:  # noqa: B027
        """Raise `ZeroDivisionError` if the result is meaningless, though it could be computed."""

    def gradient(self, at: At, result: Operand, incoming: Operand, *operands: Operand) -> Term | None:  # noqa: ARG002
        """The gradient of an input through the steps inside it; None if it follows from the rules."""
        return None

    def gradient_beside(self, result: Operand, incoming: Operand) -> Term | None:  # noqa: ARG002
        """The gradient of a further parameter of the steps inside it; None if there is none."""
        return None

    @property
    def shifted(self) -> Operation | None:
        """The operation with the row's largest exponent subtracted, if it takes powers of e."""
        return None

    def settle(self, field: Field[Values], *values: Values) -> Operation:  # noqa: ARG002  for those that look
        """The operation to carry out on these values: shifted, for example, if it would overflow."""
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
    """An operation that takes some of its operands transposed, because they are stored as d_out × d_in."""

    op: Operation
    which: tuple[int, ...]

    def turn(self, operands: tuple[Operand, ...]) -> list[Operand]:
        """The operands, some of them transposed."""
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


def transpose_stored(op: Operation, which: tuple[int, ...], out_in: bool) -> Operation:
    """The operation with weight matrices transposed if they are stored as d_out × d_in."""
    return Turned(op, which) if out_in else op


def transpose_weights(op: Operation) -> Operation:
    """A projection with its weight matrix transposed."""
    return op.op if isinstance(op, Turned) else Turned(op, (1,))


def vector(matrix: Formula, letters: str) -> Name:
    """A row or an entry of a matrix by its small letter: q_i."""
    assert isinstance(matrix, Name)
    return Name(f"{matrix.name.lower()}_{letters}")


def agree(a: int, b: int, left: Operand, right: Operand, rule: str) -> None:
    """Raise `ShapeError` if two sizes differ."""
    if a != b:
        raise ShapeError(f"{left} and {right}: {rule}")
