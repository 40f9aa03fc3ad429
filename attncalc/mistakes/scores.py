"""Mistakes in the scores."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.graph.graph import Graph, Step
from attncalc.mistakes.base import Mistake, Variation, instead
from attncalc.ops.base import At, Op, Operand, Shape, agree
from attncalc.ops.scores import Scores
from attncalc.terms import Term, total


class ScoresSwapped(Mistake):
    """Queries and keys changed places: K Q^T in place of Q K^T."""

    code = "scores-swapped"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, Scores):
            q, k = step.inputs
            yield from instead(step, graph, Scores(), k, q)


class Untransposed(Op):
    """The matrix product of two matrices as they stand."""

    def shape(self, *operands: Operand) -> Shape:
        q, k = operands
        agree(q.cols, k.rows, q, k, "the sizes do not fit")
        return q.rows, k.cols

    def cell(self, at: At, *operands: Operand) -> Term:
        q, k = operands
        return total("l", q.cols, lambda d: q[at[0], d] * k[d, at[1]])


class ScoresUntransposed(Mistake):
    """K was not transposed: rows of Q were multiplied with columns of K."""

    code = "scores-untransposed"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, Scores):
            yield from instead(step, graph, Untransposed(), *step.inputs)


class ScoresQueriesTwice(Mistake):
    """Queries were multiplied with queries, or keys with keys."""

    code = "scores-queries-twice"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, Scores):
            for name in step.inputs:
                yield from instead(step, graph, Scores(), name, name)


class ScoresValues(Mistake):
    """Queries were multiplied with values in place of keys."""

    code = "scores-values"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, Scores):
            q, k = step.inputs
            yield from instead(step, graph, Scores(), q, k.replace("K", "V", 1))
