"""Mistakes with several heads."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from attncalc.graph.graph import Graph, Step
from attncalc.mistakes.base import Mistake, Variation, instead, together
from attncalc.ops.base import At, Op, Operand, Operation, Piece, Shape, agree, turned_round
from attncalc.ops.heads import Concatenation, HeadColumns, HeadSum
from attncalc.ops.projection import Copy, Projection
from attncalc.record import record
from attncalc.terms import Apply, Axis, Constant, Quotient, Term, total

MOST_ORDERED = 4


@record
class Reshaped(Operation):
    """The entries of a matrix, row by row, dealt out to the heads without regard to tokens."""

    head: int
    width: int

    def shape(self, *operands: Operand) -> Shape:
        return operands[0].rows, self.width

    def pieces(self, axes: tuple[Axis, Axis], *operands: Operand) -> list[Piece]:
        i, d = axes
        (x,) = operands
        heads = x.cols // self.width
        found = []
        for row in range(i.size):
            source, block = divmod(self.head * i.size + row, heads)
            columns = Axis(d.letter, self.width, block * self.width)
            found.append(Piece((Axis(i.letter, 1, row), d), x[source, columns]))
        return found


@record
class JoinedByReshape(Concatenation):
    """The outputs of all heads one after the other, cut into rows anew without regard to tokens."""

    def pieces(self, axes: tuple[Axis, Axis], *operands: Operand) -> list[Piece]:
        i, d = axes
        rows, width, heads = i.size, operands[0].cols, len(operands)
        found = []
        for number in range(rows * heads):
            head, source = divmod(number, rows)
            row, block = divmod(number, heads)
            place = Axis(i.letter, 1, row), Axis(d.letter, width, block * width)
            found.append(Piece(place, operands[head][source, Axis(d.letter, width)]))
        return found


class HeadsInterleaved(Mistake):
    """The heads were cut out or joined by a reshape without transposing, which mixes up the tokens."""

    code = "heads-interleaved"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, Concatenation) and len({graph.shapes[name] for name in step.inputs}) == 1:
            yield from instead(step, graph, JoinedByReshape(), *step.inputs)
        if isinstance(step.op, HeadColumns):
            yield from self.reshaped(step, graph)
            others = [
                other for other in graph.steps if isinstance(other.op, HeadColumns) and other is not step
            ]
            yield from together(
                self.reshaped(step, graph), *(self.reshaped(other, graph) for other in others)
            )

    def reshaped(self, step: Step, graph: Graph) -> Iterator[Variation]:
        """One head cut out by a reshape."""
        assert isinstance(step.op, HeadColumns)
        op = Reshaped(step.op.start // step.op.width, step.op.width)
        yield from instead(step, graph, op, *step.inputs)


@record
class WholeAttention(Op):
    """Attention over the full width at once."""

    def shape(self, *operands: Operand) -> Shape:
        q, k, v = operands
        agree(q.cols, k.cols, q, k, "the sizes do not fit")
        return q.rows, v.cols

    def cell(self, at: At, *operands: Operand) -> Term:
        i, d = at
        q, k, v = operands

        def power(j: Axis) -> Term:
            score = total("c", q.cols, lambda c: q[i, c] * k[j, c])
            return Apply("exp", Quotient(score, Apply("sqrt", Constant(q.cols))))

        return Quotient(total("l", k.rows, lambda j: power(j) * v[j, d]), total("m", k.rows, power))


class HeadsUnsplit(Mistake):
    """The full width was taken as one head."""

    code = "heads-unsplit"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, Concatenation) and not any(other.role == "M" for other in graph.steps):
            yield from instead(step, graph, WholeAttention(), *map(graph.find, ("Q", "K", "V")))


class HeadsOrder(Mistake):
    """The heads were put side by side in another order."""

    code = "heads-order"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, Concatenation) and len(step.inputs) <= MOST_ORDERED:
            for order in permutations(step.inputs):
                if order != step.inputs:
                    yield from instead(step, graph, Concatenation(), *order)


class HeadsAveraged(Mistake):
    """The mean of the heads was taken."""

    code = "heads-averaged"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, HeadSum) and not step.op.mean:
            yield from instead(step, graph, HeadSum(True), *step.inputs)
        if isinstance(step.op, Concatenation):
            said = "The mean of the heads was taken in place of putting them side by side."
            yield from instead(step, graph, HeadSum(True), *step.inputs, message=said)


class HeadsSummed(Mistake):
    """The heads were added up, and not divided by their number."""

    code = "heads-summed"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, HeadSum) and step.op.mean:
            yield from instead(step, graph, HeadSum(False), *step.inputs)


class OutputProjectionMissing(Mistake):
    """The output matrix W_O was left out."""

    code = "output-projection-missing"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if step.role == "Y" and isinstance(step.op.core, Projection):
            yield from instead(step, graph, Copy(), step.inputs[0], *step.inputs[2:])
            yield from instead(step, graph, Copy(), step.inputs[0])


class OutputProjectionTransposed(Mistake):
    """The output matrix W_O was transposed."""

    code = "output-projection-transposed"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if step.role == "Y" and isinstance(step.op.core, Projection):
            yield from instead(step, graph, turned_round(step.op), *step.inputs)
