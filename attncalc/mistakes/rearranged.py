"""Correct numbers in the wrong places."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations

from attncalc.core.graph.graph import Graph, Step
from attncalc.core.ops.base import Operand, Piece, Shape
from attncalc.core.ops.projection import Copy, Projection
from attncalc.core.ops.scores import Scores
from attncalc.core.record import record
from attncalc.core.terms import Axis, Term, place_indices
from attncalc.mistakes.base import Mistake, Variation, Wrapped, vary

ALL_ORDERS, MOST_ROWS = 4, 12
"""The most rows for which every order is tried, and for which swaps, shifts and reversal are tried."""


@record
class ResultTurned(Wrapped):
    """The transposed result of an operation."""

    def shape(self, *operands: Operand) -> Shape:
        return self.op.shape(*operands)[::-1]

    def pieces(self, axes: tuple[Axis, Axis], *operands: Operand) -> list[Piece]:
        across, down = axes
        return [Piece(piece.axes[::-1], piece.rule) for piece in self.op.pieces((down, across), *operands)]


class ResultTransposed(Mistake):
    """The numbers are right, but the matrix is transposed."""

    code = "result-transposed"
    question = "What do the rows stand for here, and what the columns?"
    in_writing = True

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        # Scores transposed are the scores of keys with queries, and have that name.
        if (min(step.shape[-2:]) > 1 or step.shape[-1] > 1) and not isinstance(step.op, Scores):
            yield from vary(step, graph, ResultTurned(step.op), *step.inputs)


@record
class RowsTaken(Wrapped):
    """Rows of an operation's result, by number, some perhaps more than once."""

    order: tuple[int, ...]

    def pieces(self, axes: tuple[Axis, Axis], *operands: Operand) -> list[Piece]:
        return [
            Piece((Axis("", 1, place), piece.axes[1]), at_number(piece, 0, number))
            for piece in self.op.pieces(axes, *operands)
            for number in range(piece.axes[0].size)
            for place in find_places(piece.axes[0].at(number), self.order)
        ]


@record
class ColumnsTaken(Wrapped):
    """Columns of an operation's result, by number."""

    order: tuple[int, ...]

    def pieces(self, axes: tuple[Axis, Axis], *operands: Operand) -> list[Piece]:
        return [
            Piece((piece.axes[0], Axis("", 1, place)), at_number(piece, 1, number))
            for piece in self.op.pieces(axes, *operands)
            for number in range(piece.axes[1].size)
            for place in find_places(piece.axes[1].at(number), self.order)
        ]


def find_places(source: int, order: tuple[int, ...]) -> Iterator[int]:
    """The positions at which an order has a row or column."""
    return (place for place, taken in enumerate(order) if taken == source)


def at_number(piece: Piece, axis: int, number: int) -> Term:
    """The rule of a block in one of its rows (axis 0) or columns (axis 1)."""
    return place_indices(piece.rule, {piece.axes[axis].letter: number}, expand=False)


class RowsPermuted(Mistake):
    """The numbers are right, but the rows are in another order."""

    code = "rows-permuted"
    question = "To which token does each row belong?"
    in_writing = True

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        for order in orders(step.shape[-2]):
            yield from vary(step, graph, RowsTaken(step.op, order), *step.inputs)


class ValuesPermuted(Mistake):
    """The rows were taken in another order."""

    code = "rows-permuted"
    question = "To which token does each row belong?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        rows = step.shape[-2]
        if step.kind.stage == "values" and isinstance(step.op.core, Projection | Copy) and rows <= ALL_ORDERS:
            for order in orders(rows):
                if order not in shifts(rows):
                    yield from vary(step, graph, RowsTaken(step.op, order), *step.inputs)


class RowCopied(Mistake):
    """A row has the numbers of another."""

    code = "row-copied"
    question = "To which token does each row belong?"
    in_writing = True

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        rows = step.shape[-2]
        near = rows if rows <= ALL_ORDERS else 2
        for row, other in permutations(range(rows), 2) if rows <= MOST_ROWS else ():
            if abs(row - other) < near:
                order = tuple(other if n == row else n for n in range(rows))
                said = f"Row {row + 1} has the numbers of row {other + 1}."
                op = RowsTaken(step.op, order)
                yield from vary(step, graph, op, *step.inputs, message=said)


def shifts(rows: int) -> list[tuple[int, ...]]:
    """The cyclic shifts by one row, forward and backward.

    >>> shifts(3)
    [(1, 2, 0), (2, 0, 1)]
    >>> shifts(2)
    [(1, 0)]
    """
    correct = tuple(range(rows))
    return list(dict.fromkeys(correct[n:] + correct[:n] for n in (1, -1))) if rows > 1 else []


def orders(rows: int) -> Iterator[tuple[int, ...]]:
    """The wrong orders in which a student may have written n rows.

    >>> list(orders(2))
    [(1, 0)]
    """
    correct = tuple(range(rows))
    if rows <= ALL_ORDERS:
        yield from (order for order in permutations(correct) if order != correct)
    elif rows <= MOST_ROWS:
        yield correct[::-1]
        yield from (correct[n:] + correct[:n] for n in range(1, rows))
        for a, b in combinations(correct, 2):
            yield tuple(b if n == a else a if n == b else n for n in correct)
