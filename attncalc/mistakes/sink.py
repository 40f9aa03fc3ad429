"""Mistakes with the sink."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.core.graph.graph import Graph, Step
from attncalc.core.ops.base import At, Entrywise, Operand, Operation, Piece, Shape
from attncalc.core.ops.weights import RowTotals, Shares, SinkTotals
from attncalc.core.record import record
from attncalc.core.terms import ONLY, Apply, Axis, Constant, Term, total
from attncalc.mistakes.base import Mistake, Variation, vary
from attncalc.mistakes.scale import scale_of


class SinkMissing(Mistake):
    """The sink was left out of the totals: e to its power is one more term of each."""

    code = "sink-missing"
    question = "What takes weight besides the keys?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, SinkTotals):
            yield from vary(step, graph, RowTotals(), step.inputs[0])


@record
class WithSink(Entrywise):
    """The total of each row plus a wrong term for the sink."""

    op: SinkTotals
    factor: Term | None = None

    def shape(self, *operands: Operand) -> Shape:
        return self.op.shape(*operands)

    def cell(self, at: At, *operands: Operand) -> Term:
        e, _, sinks = operands
        sink: Term = sinks[ONLY, self.op.sink]
        added = sink if self.factor is None else Apply("exp", sink * self.factor)
        return total("j", e.cols, lambda j: e[at[0], j]) + added


class SinkRaw(Mistake):
    """The sink itself was added to the total in place of e to its power."""

    code = "sink-raw"
    question = "What is taken of every score before it is added up, that of the sink included?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, SinkTotals):
            yield from vary(step, graph, WithSink(step.op), *step.inputs)


class SinkScaled(Mistake):
    """The sink was scaled like a score: it comes after the scale."""

    code = "sink-scaled"
    question = "Is the sink one of the scores that are scaled?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, SinkTotals) and (factor := scale_of(step, graph)) is not None:
            yield from vary(step, graph, WithSink(step.op, factor), *step.inputs)


@record
class RestToFirst(Operation):
    """Each entry as a share of its row's total; the first key gets the rest as well."""

    def shape(self, *operands: Operand) -> Shape:
        return operands[0].shape[-2:]

    def pieces(self, axes: tuple[Axis, Axis], *operands: Operand) -> list[Piece]:
        i, j = axes
        e, t = operands
        others = total("l", e.cols - 1, lambda key: e[i, Axis(key.letter, key.size, 1)])
        first = Constant(1) - others / t[i, ONLY]
        rest = Axis(j.letter, e.cols - 1, 1)
        shares = [Piece((i, rest), e[i, rest] / t[i, ONLY])] if rest.size else []
        return [Piece((i, Axis("", 1)), first if shares else Constant(1)), *shares]


class SinkWithValue(Mistake):
    """The weight of the sink was given to the first key: the sink has no value, its weight is lost."""

    code = "sink-with-value"
    question = "What is the value that the weight of the sink is multiplied by?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, Shares) and step.op.has_sink:
            yield from vary(step, graph, RestToFirst(), *step.inputs)
