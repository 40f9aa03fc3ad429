"""Mistakes in the weighted sum."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.graph.graph import Graph, Step
from attncalc.mistakes.base import Mistake, Variation, exchanged, instead
from attncalc.ops.base import At, Entrywise, Op, Operand, Shape, ShapeError, agree
from attncalc.ops.output import Output
from attncalc.record import record
from attncalc.terms import Term, total


@record
class TransposedOutput(Op):
    """The transposed weights times the values."""

    def shape(self, *operands: Operand) -> Shape:
        a, v = operands
        agree(a.rows, v.rows, a, v, "the sizes do not fit")
        return a.cols, v.cols

    def cell(self, at: At, *operands: Operand) -> Term:
        a, v = operands
        return total("l", a.rows, lambda row: a[row, at[0]] * v[row, at[1]])


class OutputTransposedWeights(Mistake):
    """The weights were transposed: A^T V in place of A V."""

    code = "output-transposed-weights"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, Output):
            yield from instead(step, graph, TransposedOutput(), *step.inputs)


class OutputKeys(Mistake):
    """The keys were averaged in place of the values."""

    code = "output-keys"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if step.role == "O":
            others = {graph.find(mine, step.head): graph.find(other, step.head) for mine, other in KEYS}
            yield from exchanged(step, graph, others)


KEYS = (("V", "K"), ("past_V", "past_K"))
"""The keys that stand where values should."""


class OutputInputs(Mistake):
    """The tokens were averaged in place of the values."""

    code = "output-inputs"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        values = graph.step(graph.find("V", step.head)) if step.role == "O" else None
        if values:
            yield from exchanged(step, graph, {values.name: values.inputs[0]})


class OutputScores(Mistake):
    """The scores were multiplied with the values in place of the weights."""

    code = "output-scores"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        for role in ("S", "Z") if step.role == "O" else ():
            scores = graph.find(role, step.head)
            if scores:
                yield from exchanged(step, graph, {step.inputs[0]: scores})


@record
class EntryByEntry(Entrywise):
    """Two matrices multiplied entry by entry."""

    def shape(self, *operands: Operand) -> Shape:
        a, v = operands
        agree(a.rows, v.rows, a, v, "the sizes do not fit")
        agree(a.cols, v.cols, a, v, "the sizes do not fit")
        return super().shape(*operands)

    def cell(self, at: At, *operands: Operand) -> Term:
        a, v = operands
        return a[at] * v[at]


@record
class WeightedRows(Op):
    """The values of one query, each times its weight, not added up."""

    def shape(self, *operands: Operand) -> Shape:
        a, v = operands
        if a.rows > 1:
            raise ShapeError(f"{a}: there is more than one query")
        return v.shape[-2:]

    def cell(self, at: At, *operands: Operand) -> Term:
        a, v = operands
        return a[0, at[0]] * v[at]


class OutputElementwise(Mistake):
    """The products were taken entry by entry, and not added up."""

    code = "output-elementwise"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, Output):
            yield from instead(step, graph, EntryByEntry(), *step.inputs)
            not_added = "The weighted values were not added up."
            yield from instead(step, graph, WeightedRows(), *step.inputs, message=not_added)
