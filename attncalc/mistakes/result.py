"""The right numbers in the wrong places."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations

from attncalc.graph.graph import Graph, Step
from attncalc.mistakes.base import Mistake, Variation, Wrapped, instead
from attncalc.ops.base import Operand, Piece, Shape
from attncalc.record import record
from attncalc.terms import Axis, Term, placed

ALL_ORDERS, MOST_ROWS = 4, 12
"""Up to so many rows every order is tried; up to so many, two rows exchanged, and all shifted or reversed."""


@record
class ResultTurned(Wrapped):
    """The result of an operation, its rows and columns exchanged."""

    def shape(self, *operands: Operand) -> Shape:
        return self.op.shape(*operands)[::-1]

    def pieces(self, axes: tuple[Axis, Axis], *operands: Operand) -> list[Piece]:
        across, down = axes
        return [Piece(piece.axes[::-1], piece.rule) for piece in self.op.pieces((down, across), *operands)]


class ResultTransposed(Mistake):
    """The numbers are right, but the matrix is transposed."""

    code = "result-transposed"
    in_writing = True

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if min(step.shape[-2:]) > 1 or step.shape[-1] > 1:
            yield from instead(step, graph, ResultTurned(step.op), *step.inputs)


@record
class RowsTaken(Wrapped):
    """The rows of an operation's result in another order."""

    order: tuple[int, ...]

    def pieces(self, axes: tuple[Axis, Axis], *operands: Operand) -> list[Piece]:
        found = []
        for piece in self.op.pieces(axes, *operands):
            rows, columns = piece.axes
            for number in range(rows.size):
                place = self.order.index(rows.at(number))
                found.append(Piece((Axis("", 1, place), columns), at_row(piece, number)))
        return found


def at_row(piece: Piece, number: int) -> Term:
    """The rule of a block in one of its rows."""
    return placed(piece.rule, {piece.axes[0].letter: number}, expand=False)


class RowsPermuted(Mistake):
    """The numbers are right, but the rows are in another order."""

    code = "rows-permuted"
    in_writing = True

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        for order in orders(step.shape[-2]):
            yield from instead(step, graph, RowsTaken(step.op, order), *step.inputs)


def orders(rows: int) -> Iterator[tuple[int, ...]]:
    """The orders other than the right one in which somebody may have written so many rows."""
    right = tuple(range(rows))
    if rows <= ALL_ORDERS:
        yield from (order for order in permutations(right) if order != right)
    elif rows <= MOST_ROWS:
        yield right[::-1]
        yield from (right[n:] + right[:n] for n in range(1, rows))
        for a, b in combinations(right, 2):
            yield tuple(b if n == a else a if n == b else n for n in right)
