"""Mistakes in the weighted sum."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.graph.graph import Graph, Step
from attncalc.mistakes.base import Mistake, Variation, instead
from attncalc.ops.base import At, Entrywise, Op, Operand, Shape, agree
from attncalc.ops.output import Output
from attncalc.terms import Term, total


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
        if isinstance(step.op, Output):
            a, v = step.inputs
            yield from instead(step, graph, Output(), a, v.replace("V", "K", 1))


class OutputInputs(Mistake):
    """The tokens were averaged in place of the values."""

    code = "output-inputs"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        values = graph.step(step.inputs[1]) if isinstance(step.op, Output) else None
        if values:
            yield from instead(step, graph, Output(), step.inputs[0], values.inputs[0])


class OutputScores(Mistake):
    """The scores were multiplied with the values in place of the weights."""

    code = "output-scores"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, Output):
            a, v = step.inputs
            for scores in ("S", "Z"):
                yield from instead(step, graph, Output(), a.replace("A", scores, 1), v)


class EntryByEntry(Entrywise):
    """Two matrices multiplied entry by entry."""

    def cell(self, at: At, *operands: Operand) -> Term:
        a, v = operands
        return a[at] * v[at]


class OutputElementwise(Mistake):
    """The products were taken entry by entry, and not added up."""

    code = "output-elementwise"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, Output):
            a, v = step.inputs
            if graph.shapes[a] == graph.shapes[v]:
                yield from instead(step, graph, EntryByEntry(), a, v)
