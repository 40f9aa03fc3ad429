"""Mistakes with several heads."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from attncalc.core.graph.graph import Graph, Step
from attncalc.core.ops.base import (
    At,
    Entrywise,
    Op,
    Operand,
    Operation,
    Piece,
    Shape,
    agree,
    transpose_weights,
)
from attncalc.core.ops.heads import Concatenation, HeadColumns, HeadSum
from attncalc.core.ops.projection import Copy, Projection
from attncalc.core.ops.scores import Scale, Scores
from attncalc.core.record import record, replace
from attncalc.core.terms import Apply, Axis, Constant, Entry, Quotient, Term, map_members, total
from attncalc.mistakes.base import Mistake, Variation, combine, vary
from attncalc.mistakes.softmax_base import exponentials_of

MOST_ORDERED = 4


@record
class Reshaped(Operation):
    """A head cut out by a reshape: the entries row by row, without regard to tokens."""

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
    """The heads joined by a reshape: all entries in order, cut into new rows without regard to tokens."""

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
    question = "Which numbers of a token belong to one head?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, Concatenation) and len({graph.shapes[name] for name in step.inputs}) == 1:
            yield from vary(step, graph, JoinedByReshape(), *step.inputs)
        if isinstance(step.op, HeadColumns):
            yield from self.reshape_head(step, graph)
            others = [
                other for other in graph.steps if isinstance(other.op, HeadColumns) and other is not step
            ]
            yield from combine(
                self.reshape_head(step, graph), *(self.reshape_head(other, graph) for other in others)
            )

    def reshape_head(self, step: Step, graph: Graph) -> Iterator[Variation]:
        """Yield one head cut out by a reshape."""
        assert isinstance(step.op, HeadColumns)
        op = Reshaped(step.op.start // step.op.width, step.op.width)
        yield from vary(step, graph, op, *step.inputs)


@record
class WholeAttention(Op):
    """Attention over the full width at once, with the steps of one head."""

    through: tuple[Step, ...]

    def shape(self, *operands: Operand) -> Shape:
        q, k, v, *_ = operands
        agree(q.cols, k.cols, q, k, "the sizes do not fit")
        return q.rows, v.cols

    def cell(self, at: At, *operands: Operand) -> Term:
        i, d = at
        q, k, v, *others = operands
        given = {operand.name: operand for operand in others}

        def power(j: Axis) -> Term:
            score = Scores().cell((i, j), q, k)
            for step in self.through:
                score = continue_with(score, (i, j), step, *(given[name] for name in step.inputs[1:]))
            return Apply("exp", score)

        return Quotient(total("l", k.rows, lambda j: power(j) * v[j, d]), total("m", k.rows, power))


def continue_with(score: Term, at: At, step: Step, *others: Operand) -> Term:
    """Apply an entrywise step to a score given as a term."""
    assert isinstance(step.op, Entrywise)
    unnamed = Operand("", ())

    def put(term: Term) -> Term:
        return score if term == unnamed[at] else map_members(term, put)

    return put(step.op.cell(at, unnamed, *others))


class HeadsUnsplit(Mistake):
    """The full width was taken as one head."""

    code = "heads-unsplit"
    question = "How many columns of Q, K and V does one head see?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        through = scores_to_exponentials(graph) if isinstance(step.op, Concatenation) else None
        if through is None:
            return
        whole = graph.find("queries"), graph.find("keys"), graph.find("values")
        width = graph.shapes.get(whole[0] or "", (0,))[-1]
        given = tuple(name for each in through for name in each.inputs[1:])
        for steps in dict.fromkeys((through, tuple(rescale_for(each, width) for each in through))):
            yield from vary(step, graph, WholeAttention(steps), *whole, *given)


def scores_to_exponentials(graph: Graph) -> tuple[Step, ...] | None:
    """The steps between the first head's scores and its exponentials; None if some is not entrywise."""
    weights = graph.step(graph.find("weights", 1))
    step = exponentials_of(weights, graph) if weights else None
    found: list[Step] = []
    while step and isinstance(step.op, Entrywise):
        found.insert(0, step)
        step = graph.step(step.inputs[0])
    plain = graph.find("queries", 1), graph.find("keys", 1)
    is_plain = step and isinstance(step.op, Scores) and step.inputs == plain
    return tuple(found[:-1]) if is_plain else None


def rescale_for(step: Step, width: int) -> Step:
    """Replace the scale of a step by the scale for keys of another width."""
    if not isinstance(step.op, Scale):
        return step

    def widened(term: Term) -> Term:
        return Constant(width) if term == Entry("d_k") else map_members(term, widened)

    return replace(step, op=Scale(widened(step.op.factor)))


class HeadsOrder(Mistake):
    """The heads were put side by side in another order."""

    code = "heads-order"
    question = "Which head's columns come first when the heads are put side by side?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, Concatenation) and len(step.inputs) <= MOST_ORDERED:
            for order in permutations(step.inputs):
                if order != step.inputs:
                    yield from vary(step, graph, Concatenation(), *order)


class HeadsAveraged(Mistake):
    """The mean of the heads was taken."""

    code = "heads-averaged"
    question = "How are the outputs of the heads put together in this exercise?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, HeadSum) and not step.op.mean:
            yield from vary(step, graph, HeadSum(True), *step.inputs)
        if isinstance(step.op, Concatenation):
            said = "The mean of the heads was taken in place of putting them side by side."
            yield from vary(step, graph, HeadSum(True), *step.inputs, message=said)


class HeadsSummed(Mistake):
    """The heads were added up, and not divided by their number."""

    code = "heads-summed"
    question = "By what is the sum of the heads divided?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, HeadSum) and step.op.mean:
            yield from vary(step, graph, HeadSum(False), *step.inputs)


class OutputProjectionMissing(Mistake):
    """The output matrix W_O was left out."""

    code = "output-projection-missing"
    question = "What is done with the heads' output after they are put together?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if step.kind.stage == "projected" and isinstance(step.op.core, Projection):
            yield from vary(step, graph, Copy(), step.inputs[0], *step.inputs[2:])
            yield from vary(step, graph, Copy(), step.inputs[0])


class OutputProjectionTransposed(Mistake):
    """The output matrix W_O was transposed."""

    code = "output-projection-transposed"
    question = "Which index of W_O runs over the columns of its input?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if step.kind.stage == "projected" and isinstance(step.op.core, Projection):
            yield from vary(step, graph, transpose_weights(step.op), *step.inputs)


@record
class Strided(HeadColumns):
    """A head cut out of every other column."""

    def cell(self, at: At, *operands: Operand) -> Term:
        i, d = at
        assert isinstance(d, Axis)
        heads = operands[0].cols // self.width
        return operands[0][i, Axis(d.letter, d.size, self.start // self.width, heads)]


class HeadsStrided(Mistake):
    """The columns were dealt out to the heads in turn, in place of in blocks."""

    code = "heads-strided"
    question = "Do the columns of a head stand side by side?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, HeadColumns) and step.op.width > 1:
            yield from self.deal_out(step, graph)
            cut = [other for other in graph.steps if isinstance(other.op, HeadColumns)]
            if step is cut[0]:
                yield from combine(*(self.deal_out(other, graph) for other in cut))

    def deal_out(self, step: Step, graph: Graph) -> Iterator[Variation]:
        """Yield one head with columns that are as far apart as there are heads."""
        assert isinstance(step.op, HeadColumns)
        yield from vary(step, graph, Strided(step.op.start, step.op.width), *step.inputs)


@record
class Woven(Concatenation):
    """The first columns of all heads, then their second columns, and so on."""

    def pieces(self, axes: tuple[Axis, Axis], *operands: Operand) -> list[Piece]:
        i, d = axes
        return [
            Piece((i, Axis(d.letter, x.cols, head, len(operands))), x[i, Axis(d.letter, x.cols)])
            for head, x in enumerate(operands)
        ]


class HeadsWoven(Mistake):
    """The columns of the heads were put side by side in turn: each head is one block."""

    code = "heads-woven"
    question = "Whose column comes second when the heads are put side by side?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        shapes = {graph.shapes[name] for name in step.inputs} if isinstance(step.op, Concatenation) else set()
        if len(shapes) == 1 and shapes.pop()[-1] > 1:
            yield from vary(step, graph, Woven(), *step.inputs)
