"""Mistakes in the weighted sum."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.core.graph.graph import Graph, Step
from attncalc.core.ops.base import At, Entrywise, Op, Operand, Operation, Shape, ShapeError, agree
from attncalc.core.ops.heads import HeadColumns
from attncalc.core.ops.output import Output
from attncalc.core.record import record, replace
from attncalc.core.terms import Apply, Axis, Constant, Index, Power, Term, greatest, total
from attncalc.mistakes.base import Added, Divided, Mistake, Variation, exchange_inputs, vary
from attncalc.mistakes.rearranged import shifts


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
    question = "Which index of A says whose output it is, and which says whose value is taken?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, Output):
            yield from vary(step, graph, TransposedOutput(), *step.inputs)


class OutputKeys(Mistake):
    """The keys were averaged in place of the values."""

    code = "output-keys"
    question = "Which of Q, K and V do the weights average?"
    behind = ("projection-swapped",)

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if step.kind.stage == "output":
            values = {graph.find("values", step.head): graph.find("keys", step.head)}
            cached = {graph.find("cached values", step.head): graph.find("cached keys", step.head)}
            yield from exchange_inputs(step, graph, values | cached)


class OutputInputs(Mistake):
    """The tokens were averaged in place of the values."""

    code = "output-inputs"
    question = "What is done with the tokens before they are averaged?"
    behind = ("projection-missing",)

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        own = graph.step(graph.find("values", step.head)) if step.kind.stage == "output" else None
        values = graph.step(own.inputs[0]) if own and isinstance(own.op, HeadColumns) else own
        if own and values:
            yield from exchange_inputs(step, graph, {own.name: values.inputs[0]})


class OutputScores(Mistake):
    """The scores were multiplied with the values in place of the weights."""

    code = "output-scores"
    question = "What happens to the scores before they weigh the values?"
    behind = ("softmax-missing",)

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if step.kind.stage == "output":
            for scores in (*graph.all_at("scores", step.head), *graph.all_at("scaled scores", step.head)):
                yield from exchange_inputs(step, graph, {step.inputs[0]: scores})


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
    question = "Over what does the sum in one entry of the output run?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, Output):
            yield from vary(step, graph, EntryByEntry(), *step.inputs)
            not_added = "The weighted values were not added up."
            yield from vary(step, graph, WeightedRows(), *step.inputs, message=not_added)


class OnOutput(Mistake):
    """Another operation on weights and values, if there are several values."""

    ops: tuple[Operation, ...]

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, Output) and min(graph.shapes[step.inputs[1]][-2:]) > 1:
            for op in self.ops:
                yield from vary(step, graph, op, *step.inputs)


@record
class ShiftedOutput(Output):
    """The weights times the values some rows further on, cyclically."""

    by: int = 1

    def cell(self, at: At, *operands: Operand) -> Term:
        i, d = at
        a, v = operands
        by = self.by % v.rows
        later = total("j", v.rows - by, lambda j: a[i, j] * v[Axis(j.letter, j.size, by), d])
        first = total("l", by, lambda n: a[i, Axis(n.letter, n.size, v.rows - by)] * v[n, d])
        return later + first


class ValuesShifted(Mistake):
    """The values of neighbouring tokens were taken: each weight stands one row off."""

    code = "values-shifted"
    question = "Which row of V belongs to the first weight of a row?"
    behind = ("keys-shifted",)

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        keys = graph.shapes[step.inputs[0]][-1] if isinstance(step.op, Output) else 0
        for order in shifts(keys):
            yield from vary(step, graph, ShiftedOutput(by=order[0]), *step.inputs)


class OutputMean(Mistake):
    """The weighted sum was divided by the number of keys."""

    code = "output-mean"
    question = "The weights of a row add up to 1: is there anything left to divide by?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        keys = graph.shapes[step.inputs[0]][-1] if step.kind.stage == "output" else 1
        if keys > 1:
            yield from vary(step, graph, Divided(step.op, Constant(keys)), *step.inputs)


@record
class LargestWeighted(Output):
    """The largest of the weighted values."""

    def cell(self, at: At, *operands: Operand) -> Term:
        i, d = at
        a, v = operands
        return greatest("j", a.cols, lambda j: a[i, j] * v[j, d])


class OutputMax(OnOutput):
    """The largest weighted value was taken in place of the sum."""

    code, ops = "output-max", (LargestWeighted(),)
    question = "What is done with the weighted values of a column?"


@record
class NormalisedOutput(Output):
    """The output divided by the sum of its row, or by its length."""

    power: int = 1

    def cell(self, at: At, *operands: Operand) -> Term:
        def raised_entry(column: Index) -> Term:
            entry = Output.cell(self, (at[0], column), *operands)
            return entry if self.power == 1 else Power(entry, Constant(self.power))

        whole = total("m", operands[1].cols, raised_entry)
        return super().cell(at, *operands) / (whole if self.power == 1 else Apply("sqrt", whole))


class OutputNormalised(OnOutput):
    """The rows of the output were divided by their sum or their length."""

    code, ops = "output-normalised", (NormalisedOutput(), NormalisedOutput(power=2))
    question = "What adds up to 1: the weights of a row, or the entries of an output?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        for made in super().variations(step, graph):
            by = "sum" if made.step.op == self.ops[0] else "length"
            yield replace(made, message=f"The rows of the output were divided by their {by}.")


TOO_EARLY = "The tokens were added to the output here already, and not only as the residual."


class ResidualUncalled(Mistake):
    """The tokens were added to the output, which this exercise does not ask for."""

    code = "residual-uncalled"
    question = "Does this exercise add the tokens to what attention gives?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        last = [other for other in graph.steps if other.kind.is_result and not other.kind.limit][-1:]
        if [step] == last:
            tokens = (name for name in graph.all_at("tokens") if graph.kinds[name].letters[0] == "i")
            is_called = any(other.kind.stage == "residual" for other in graph.steps)
            for made in vary(step, graph, Added(step.op), *step.inputs, next(tokens, None)):
                yield replace(made, message=TOO_EARLY) if is_called else made
