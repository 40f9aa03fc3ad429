"""Mistakes in the weighted sum: other weights, other rows, a softmax of the result; with a cache, too."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator

from attncalc.core.graph.graph import Graph, Step
from attncalc.core.ops.base import At, Op, Operand, Operation, Piece, Shape, ShapeError
from attncalc.core.ops.output import Output, OutputWithPast
from attncalc.core.record import record
from attncalc.core.terms import ONE, Apply, Axis, Entry, Index, Term, greatest, map_members, total
from attncalc.mistakes.base import Mistake, Variation, Wrapped, vary
from attncalc.mistakes.rearranged import MOST_ROWS
from attncalc.mistakes.softmax import NEARLY


class InOutput(Mistake):
    """A mistake in the weighted sum of the values, cached ones included."""

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        # One key has the whole weight.
        if isinstance(step.op, Output | OutputWithPast) and graph.shapes[step.inputs[0]][-1] > 1:
            for op in self.other_ops(step.op):
                yield from vary(step, graph, op, *step.inputs)

    @abstractmethod
    def other_ops(self, op: Output | OutputWithPast) -> Iterator[Operation]:
        """The wrong operations in place of a weighted sum."""


@record
class OverQueries(Op):
    """The values weighted by the sums of the columns of the weights, and added up to one row."""

    op: Op

    def shape(self, *operands: Operand) -> Shape:
        rows, columns = self.op.shape(*operands)
        if rows == 1:
            raise ShapeError(f"{operands[0]}: there is one query")
        return 1, columns

    def cell(self, at: At, *operands: Operand) -> Term:
        return total("m", operands[0].rows, lambda row: self.op.cell((row, at[1]), *operands))


@record
class OverQueriesByKey(Op):
    """Each value weighted by the sum of its column of the weights, and not added up."""

    def shape(self, *operands: Operand) -> Shape:
        a, *_, v = operands
        if a.rows == 1 or a.cols != v.rows:
            raise ShapeError(f"{a}: there is one query, or a value is cached")
        return v.rows, v.cols

    def cell(self, at: At, *operands: Operand) -> Term:
        a, v = operands
        return total("m", a.rows, lambda row: a[row, at[0]]) * v[at]


class OutputQueries(InOutput):
    """The weights were added up over the queries: every query has its own output."""

    code = "output-queries"
    question = "Over what does the sum in one entry of the output run: over queries, or over keys?"

    def other_ops(self, op: Output | OutputWithPast) -> Iterator[Operation]:
        yield OverQueries(op)
        yield OverQueriesByKey()


@record
class LargestAlone(Wrapped):
    """A weighted sum in which the largest weight of a row is 1, and all others are 0."""

    def pieces(self, axes: tuple[Axis, Axis], *operands: Operand) -> list[Piece]:
        a = operands[0]

        def only_largest(rule: Term) -> Term:
            if not isinstance(rule, Entry) or rule.of != a.name:
                return map_members(rule, only_largest)
            top = greatest("m", a.cols, lambda key: a[rule.at[0], key])
            return ONE - Apply("step", top - rule - NEARLY)

        return [Piece(one.axes, only_largest(one.rule)) for one in self.op.pieces(axes, *operands)]


class OutputLargest(InOutput):
    """The value with the largest weight was taken in place of the weighted sum."""

    code = "output-largest"
    question = "How many values go into one row of the output?"
    behind = ("weights-hard",)

    def other_ops(self, op: Output | OutputWithPast) -> Iterator[Operation]:
        yield LargestAlone(op)


@record
class OwnAlone(Wrapped):
    """The value in the row of the query, times its weight."""

    def shape(self, *operands: Operand) -> Shape:
        shape = self.op.shape(*operands)
        if shape[0] != operands[-1].rows or shape[0] > MOST_ROWS:
            raise ShapeError(f"{operands[-1]}: there must be one value for each of a few queries")
        return shape

    def pieces(self, axes: tuple[Axis, Axis], *operands: Operand) -> list[Piece]:
        i, d = axes
        a, *past, v = operands
        before = past[0].rows if past else 0
        return [Piece((Axis("", 1, row), d), a[row, before + row] * v[row, d]) for row in range(i.size)]


class OutputOwn(InOutput):
    """Only the value in the row of each query was taken, times its weight."""

    code = "output-own"
    question = "Whose values go into the output of one query?"

    def other_ops(self, op: Output | OutputWithPast) -> Iterator[Operation]:
        yield OwnAlone(op)


@record
class SoftmaxOfOutput(Op):
    """A softmax of each row of the output."""

    op: Op

    def shape(self, *operands: Operand) -> Shape:
        rows, columns = self.op.shape(*operands)
        if columns == 1:
            raise ShapeError(f"{operands[-1]}: the softmax of one number is always 1")
        return rows, columns

    def cell(self, at: At, *operands: Operand) -> Term:
        def power(column: Index) -> Term:
            return Apply("exp", self.op.cell((at[0], column), *operands))

        return power(at[1]) / total("m", operands[-1].cols, power)


class OutputSoftmax(InOutput):
    """A softmax was taken of the output."""

    code = "output-softmax"
    question = "Of which matrix is the softmax taken?"

    def other_ops(self, op: Output | OutputWithPast) -> Iterator[Operation]:
        yield SoftmaxOfOutput(op)
