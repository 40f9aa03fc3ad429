"""Mistakes in the scores."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.core.graph.graph import Graph, Step
from attncalc.core.ops.base import At, Op, Operand, Operation, Shape, agree
from attncalc.core.ops.output import OutputWithPast
from attncalc.core.ops.scores import AdditiveScores, ConcatScores, Scores, WithPast
from attncalc.core.record import record, replace
from attncalc.core.terms import ONE, Apply, Constant, Index, Negative, Power, Term, total
from attncalc.mistakes.base import (
    Mistake,
    OtherCalls,
    Variation,
    combine,
    exchange_inputs,
    vary,
    with_core,
)
from attncalc.mistakes.rearranged import ColumnsTaken, shifts


def queries_and_keys(step: Step, graph: Graph) -> tuple[str | None, str | None]:
    """The names of the queries and the keys of a step of scores."""
    roles = graph.roles(step.head)
    return roles.get("queries"), roles.get("keys")


class ScoresSwapped(Mistake):
    """Queries and keys changed places: K Q^T in place of Q K^T."""

    code = "scores-swapped"
    question = "Do the rows of the scores stand for queries or for keys?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if step.kind.stage == "scores":
            q, k = queries_and_keys(step, graph)
            yield from exchange_inputs(step, graph, {q: k, k: q})


@record
class Untransposed(Op):
    """The matrix product of two matrices, none of them transposed."""

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
    question = "Which rows of which two matrices meet in one score?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op.core, Scores):
            yield from vary(step, graph, Untransposed(), *queries_and_keys(step, graph))


class ScoresQueriesTwice(Mistake):
    """Queries were multiplied with queries, or keys with keys."""

    code = "scores-queries-twice"
    question = "Which two matrices meet in the scores?"
    behind = ("projection-swapped",)

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if step.kind.stage == "scores":
            q, k = queries_and_keys(step, graph)
            for own, other, what in ((k, q, "Queries"), (q, k, "Keys")):
                for made in exchange_inputs(step, graph, {own: other}):
                    yield replace(made, message=f"{what} were multiplied with {what.lower()}.")


class ScoresValues(Mistake):
    """Queries were multiplied with values in place of keys."""

    code = "scores-values"
    question = "With what is a query compared: with keys or with values?"
    behind = ("projection-swapped",)

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if step.kind.stage == "scores":
            values = {queries_and_keys(step, graph)[1]: graph.find("values", step.head)}
            cached = {graph.find("cached keys", step.head): graph.find("cached values", step.head)}
            yield from exchange_inputs(step, graph, values | cached)


class OtherScores(Mistake):
    """Another operation than the dot product on queries and keys."""

    ops: tuple[Operation, ...]

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op.core, Scores):
            for op in self.ops:
                yield from vary(step, graph, with_core(step.op, op), *step.inputs)


def row_length(row: Index, x: Operand) -> Term:
    """The length of a row, and 1 for a row of zeros, which has no direction."""
    return Apply("nonzero", Apply("sqrt", total("c", x.cols, lambda c: Power(x[row, c], Constant(2)))))


@record
class Cosines(Scores):
    """The dot product of query and key over both their lengths."""

    def cell(self, at: At, *operands: Operand) -> Term:
        q, k = operands
        return super().cell(at, q, k) / (row_length(at[0], q) * row_length(at[1], k))


class ScoresCosine(OtherScores):
    """The scores were divided by the lengths of query and key: that is their cosine."""

    code, ops = "scores-cosine", (Cosines(),)
    question = "Are queries and keys brought to length 1 before they are multiplied?"


@record
class Distances(Scores):
    """The distance of a query from a key, or its square, or minus these."""

    squared: bool = False
    negative: bool = False

    def cell(self, at: At, *operands: Operand) -> Term:
        i, j = at
        q, k = operands
        square = total("d", q.cols, lambda d: Power(q[i, d] - k[j, d], Constant(2)))
        distance = square if self.squared else Apply("sqrt", square)
        return Negative(distance) if self.negative else distance


class ScoresDistance(OtherScores):
    """The distance of query and key was taken in place of their dot product."""

    code = "scores-distance"
    ops = tuple(
        Distances(squared=square, negative=sign) for square in (False, True) for sign in (False, True)
    )
    question = "Are query and key multiplied with each other, or subtracted?"


class KeysShifted(Mistake):
    """The keys of neighbouring tokens were taken: each score stands one column off."""

    code = "keys-shifted"
    question = "Which key belongs to the first column of the scores?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        for order in shifts(step.shape[-1]) if step.kind.stage == "scores" else ():
            yield from vary(step, graph, ColumnsTaken(step.op, order), *step.inputs)


class CacheBehind(Mistake):
    """The cached keys were put behind the new ones: they come first."""

    code = "cache-behind"
    question = "Which keys come first: the cached ones, or the new ones?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, WithPast):
            yield from self.new_first(step, graph)
            outputs = (
                one for one in graph.steps if isinstance(one.op, OutputWithPast) and one.head == step.head
            )
            for output in outputs:
                a, past, v = output.inputs
                yield from combine(self.new_first(step, graph), vary(output, graph, output.op, a, v, past))

    def new_first(self, step: Step, graph: Graph) -> Iterator[Variation]:
        """Yield the scores with the columns of the new keys first."""
        keys = range(step.shape[-1])
        cached = graph.shapes[step.inputs[1]][-2]
        yield from vary(step, graph, ColumnsTaken(step.op, (*keys[cached:], *keys[:cached])), *step.inputs)


@record
class WithoutTanh(OtherCalls):
    """The argument of every tanh in its place."""

    def change_call(self, call: Apply) -> Term:
        return call.term if call.function == "tanh" else call


@record
class SigmoidForTanh(OtherCalls):
    """A sigmoid in place of every tanh."""

    def change_call(self, call: Apply) -> Term:
        return ONE / (ONE + Apply("exp", Negative(call.term))) if call.function == "tanh" else call


def has_tanh(step: Step) -> bool:
    """Whether a step is the scores of a small network with a tanh."""
    return isinstance(step.op.core, AdditiveScores | ConcatScores)


class ScoreNoTanh(Mistake):
    """The tanh was left out of the scores."""

    code = "score-no-tanh"
    question = "What is taken of the hidden units before they meet v_a?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if has_tanh(step):
            yield from vary(step, graph, WithoutTanh(step.op), *step.inputs)


class ScoreSigmoid(Mistake):
    """A sigmoid was taken in place of the tanh."""

    code = "score-sigmoid"
    question = "Between which two numbers do the hidden units of this score lie?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if has_tanh(step):
            yield from vary(step, graph, SigmoidForTanh(step.op), *step.inputs)


class ScoreWeightsSwapped(Mistake):
    """The queries were given the weights of the keys, and the keys those of the queries."""

    code = "score-weights-swapped"
    question = "Which weights of the score belong to the queries, and which to the keys?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        core = step.op.core
        if isinstance(core, AdditiveScores):
            *both, first, second, v = step.inputs
            yield from vary(step, graph, step.op, *both, second, first, v)
        if isinstance(core, ConcatScores):
            other = with_core(step.op, ConcatScores(not core.key_first))
            yield from vary(step, graph, other, *step.inputs)
