"""Mistakes in the projections."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.core.graph.graph import Graph, Step
from attncalc.core.ops.base import Operand, Piece, transpose_weights
from attncalc.core.ops.projection import Copy, Projection, add_bias
from attncalc.core.record import record
from attncalc.core.terms import ONLY, Axis
from attncalc.mistakes.base import Mistake, Variation, Wrapped, exchange_inputs, vary
from attncalc.mistakes.rearranged import ColumnsTaken


def is_projection(step: Step) -> bool:
    """Whether a step projects tokens to queries, keys or values."""
    return step.kind.stage in ("queries", "keys", "values") and isinstance(step.op.core, Projection)


class WeightsTransposed(Mistake):
    """The weight matrix was transposed."""

    code = "weights-transposed"
    question = "Which index of the weight matrix runs over the entries of a token?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if is_projection(step):
            yield from vary(step, graph, transpose_weights(step.op), *step.inputs)


class ProjectionMissing(Mistake):
    """The tokens themselves were used, without the weight matrix."""

    code = "projection-missing"
    question = "Which matrix turns a token into its query, key or value?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if is_projection(step):
            yield from vary(step, graph, Copy(), step.inputs[0], *step.inputs[2:])


class ProjectionSwapped(Mistake):
    """The weight matrix of another projection was used."""

    code = "projection-swapped"
    question = "Which weight matrix belongs to this projection?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if is_projection(step):
            own = step.inputs[1]
            others = {other.inputs[1] for other in graph.steps if isinstance(other.op.core, Projection)}
            for other in sorted(others - {own}):
                yield from exchange_inputs(step, graph, {own: other})


@record
class Reversed(Wrapped):
    """A projection whose weight matrix is read from its last column to its first."""

    def pieces(self, axes: tuple[Axis, Axis], *operands: Operand) -> list[Piece]:
        x, w, *bias = operands
        backwards = tuple(reversed(range(axes[1].size)))
        taken = ColumnsTaken(self.op, backwards).pieces(axes, x, w)
        return [Piece(piece.axes, add_bias(piece.rule, piece.axes[1], bias)) for piece in taken]


class WeightsReversed(Mistake):
    """The columns of the weight matrix were taken in reverse order."""

    code = "weights-reversed"
    question = "Which column of the weight matrix gives the first column of the result?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if is_projection(step) and step.shape[-1] > 1:
            yield from vary(step, graph, Reversed(step.op), *step.inputs)


def has_bias(step: Step) -> bool:
    """Whether the last matrix that a step takes is a bias."""
    return isinstance(step.op.core, Projection | Copy) and len(step.inputs) > 1 + isinstance(
        step.op.core, Projection
    )


class BiasMissing(Mistake):
    """The bias was left out."""

    code = "bias-missing"
    question = "What is added after the product with the weight matrix?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if has_bias(step):
            yield from vary(step, graph, step.op, *step.inputs[:-1])


class BiasTwice(Mistake):
    """The bias was added twice."""

    code = "bias-twice"
    question = "How often is the bias added to each row?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if has_bias(step):
            yield from vary(step, graph, step.op, *step.inputs, step.inputs[-1])


@record
class BiasTakenOff(Wrapped):
    """An operation whose bias is subtracted."""

    def pieces(self, axes: tuple[Axis, Axis], *operands: Operand) -> list[Piece]:
        *own, bias = operands
        pieces = self.op.pieces(axes, *own)
        return [Piece(piece.axes, piece.rule - bias[ONLY, piece.axes[1]]) for piece in pieces]


class BiasSign(Mistake):
    """The bias was subtracted in place of being added."""

    code = "bias-sign"
    question = "Is the bias added or subtracted?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if has_bias(step):
            yield from vary(step, graph, BiasTakenOff(step.op), *step.inputs)


@record
class BiasDownColumns(Wrapped):
    """An operation whose bias is added with one entry for each row."""

    def pieces(self, axes: tuple[Axis, Axis], *operands: Operand) -> list[Piece]:
        *own, bias = operands
        pieces = self.op.pieces(axes, *own)
        return [Piece(piece.axes, piece.rule + bias[ONLY, piece.axes[0]]) for piece in pieces]


class BiasColumns(Mistake):
    """The bias was added down the columns: its entries belong to the columns, not to the rows."""

    code = "bias-columns"
    question = "Is one entry of the bias added to a row of the result, or to a column?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        rows, columns = step.shape[-2:]
        if has_bias(step) and rows == columns > 1:
            yield from vary(step, graph, BiasDownColumns(step.op), *step.inputs)


class QueriesMemory(Mistake):
    """The queries were made from the tokens of the keys."""

    code = "queries-memory"
    question = "From which tokens are the queries made?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if step.kind.stage == "queries" and isinstance(step.op.core, Projection | Copy):
            same_head = (one for one in graph.steps if one.kind.stage == "keys" and one.head == step.head)
            for keys in same_head:
                yield from exchange_inputs(step, graph, {step.inputs[0]: keys.inputs[0]})
