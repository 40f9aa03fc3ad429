"""Mistakes in the scores."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.graph.graph import Graph, Step
from attncalc.mistakes.base import Mistake, Variation, exchanged, instead
from attncalc.ops.base import At, Op, Operand, Shape, agree
from attncalc.ops.scores import Scores
from attncalc.record import record
from attncalc.terms import Term, total


def operands(step: Step, graph: Graph) -> tuple[str | None, str | None]:
    """The queries and the keys that meet in a step of scores."""
    return graph.find("queries", step.head), graph.find("keys", step.head)


class ScoresSwapped(Mistake):
    """Queries and keys changed places: K Q^T in place of Q K^T."""

    code = "scores-swapped"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if step.role == "S":
            q, k = operands(step, graph)
            yield from exchanged(step, graph, {q: k, k: q})


@record
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
        if isinstance(step.op.core, Scores):
            yield from instead(step, graph, Untransposed(), *operands(step, graph))


class ScoresQueriesTwice(Mistake):
    """Queries were multiplied with queries, or keys with keys."""

    code = "scores-queries-twice"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if step.role == "S":
            q, k = operands(step, graph)
            yield from exchanged(step, graph, {k: q})
            yield from exchanged(step, graph, {q: k})


class ScoresValues(Mistake):
    """Queries were multiplied with values in place of keys."""

    code = "scores-values"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if step.role == "S":
            values, past_k, past_v = (graph.find(role, step.head) for role in ("V", "past_K", "past_V"))
            yield from exchanged(step, graph, {operands(step, graph)[1]: values, past_k: past_v})
