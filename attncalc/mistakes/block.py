"""Mistakes after attention: residuals, norms and the feed-forward network."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.core.graph.graph import Graph, Step
from attncalc.core.ops.base import At, Entrywise, Operand, Operation, Piece, Turned
from attncalc.core.ops.block import (
    Activation,
    Gated,
    LayerNorm,
    Mean,
    MeanSquare,
    Norm,
    RmsNorm,
    Variance,
)
from attncalc.core.ops.position import Addition
from attncalc.core.ops.projection import Copy, Projection
from attncalc.core.record import record, replace
from attncalc.core.terms import ONLY, Axis, Constant, Power, Quotient, Term, total
from attncalc.core.terms.functions import ACTIVATIONS
from attncalc.mistakes.base import Added, Mistake, Variation, Wrapped, combine, exchange_inputs, vary
from attncalc.mistakes.gradient_shares import with_entries_of


class NormSample(Mistake):
    """The squares were divided by n − 1 in place of n, or the reverse."""

    code = "norm-sample"
    question = "By what are the squares divided in the variance of this exercise?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, Variance) and graph.shapes[step.inputs[0]][-1] > 1:
            yield from vary(step, graph, Variance(not step.op.sample), *step.inputs)


@record
class Undivided(Wrapped):
    """Sums in place of means."""

    def change_rule(self, rule: Term) -> Term:
        return rule.over if isinstance(rule, Quotient) else rule


class NormSum(Mistake):
    """The entries of a row, or their squares, were added up but not divided by their number."""

    code = "norm-sum"
    question = "What is the sum of a row divided by, to become its mean?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, Mean | Variance | MeanSquare):
            yield from vary(step, graph, Undivided(step.op), *step.inputs)


class NormEps(Mistake):
    """The eps of the norm was left out."""

    code = "norm-eps"
    question = "Where in this norm is eps added?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, Norm) and step.op.eps != Constant(0):
            yield from vary(step, graph, replace(step.op, eps=Constant(0)), *step.inputs)
            elsewhere = replace(step.op, outside=not step.op.outside)
            said = "under the root, not to it" if step.op.outside else "to the root, not under it"
            yield from vary(step, graph, elsewhere, *step.inputs, message=f"The eps was added {said}.")


@record
class Rootless(Wrapped):
    """A norm that divides by the radicand, without taking the root."""

    op: Norm

    def pieces(self, axes: tuple[Axis, Axis], *operands: Operand) -> list[Piece]:
        i, d = axes
        spread: Term = operands[self.op.known - 1][i, ONLY]
        under = spread if self.op.eps == Constant(0) else spread + self.op.eps
        return [
            Piece(axes, self.op.scale_and_shift(self.op.centre_entry(axes, *operands) / under, d, *operands))
        ]


class NormRoot(Mistake):
    """The root was not taken: the row was divided by its variance, or its mean square, itself."""

    code = "norm-root"
    question = "By the variance, or by its root: what makes the spread of a row 1?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, Norm):
            yield from vary(step, graph, Rootless(step.op), *step.inputs)


class NormMissing(Mistake):
    """The norm was left out: what goes into it was used in its place."""

    code = "norm-missing"
    question = "Which matrix is used here: what went into the norm, or what came out of it?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, Norm):
            yield from vary(step, graph, Copy(), step.inputs[0])
        for norm in (graph.step(name) for name in step.inputs):
            if norm and isinstance(norm.op, Norm) and isinstance(step.op.core, Projection):
                yield from exchange_inputs(step, graph, {norm.name: norm.inputs[0]})
            if norm and isinstance(norm.op, Norm) and step.label.source.name in graph.learnt:
                yield from with_entries_of(step, graph, {norm.name: norm.inputs[0]})


@record
class DownColumns(Wrapped):
    """A norm taken of each column in place of each row."""

    op: Norm

    def pieces(self, axes: tuple[Axis, Axis], *operands: Operand) -> list[Piece]:
        _, d = axes
        x = operands[0]
        count = Constant(x.rows)

        def off_mean(row: Axis) -> Term:
            mean = Quotient(total("n", x.rows, lambda n: x[n, d]), count)
            return x[row, d] - mean if isinstance(self.op, LayerNorm) else x[row, d]

        squares = total("m", x.rows, lambda m: Power(off_mean(m), Constant(2)))
        rule = off_mean(axes[0]) / self.op.root(Quotient(squares, count))
        return [Piece(axes, self.op.scale_and_shift(rule, d, *operands))]


class NormColumns(Mistake):
    """The norm was taken down the columns: each token, a row, has a norm of its own."""

    code = "norm-columns"
    question = "Over which numbers does the norm of one token run?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, Norm) and step.shape[-2] > 1:
            yield from vary(step, graph, DownColumns(step.op), *step.inputs)
        if isinstance(step.op, Mean | MeanSquare):
            yield from vary(step, graph, Turned(step.op, (0,)), *step.inputs)


class NormUncentred(Mistake):
    """The mean was not taken off before the division by the standard deviation."""

    code = "norm-uncentred"
    question = "What is the mean of each row after a layer norm?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, LayerNorm):
            x, _, variance, *parameters = step.inputs
            op = RmsNorm(step.op.eps, step.op.gamma, step.op.beta, outside=step.op.outside)
            yield from vary(step, graph, op, x, variance, *parameters)


class NormGamma(Mistake):
    """The parameters gamma and beta of the norm were left out, or one of them."""

    code = "norm-gamma"
    question = "What is done with a row after it has been normalised?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        op = step.op
        if not isinstance(op, Norm) or not (op.gamma or op.beta):
            return
        own = step.inputs[: op.known]
        yield from vary(step, graph, replace(op, gamma=False, beta=False), *own)
        if op.gamma and op.beta:
            yield from vary(step, graph, replace(op, beta=False), *step.inputs[:-1])
            yield from vary(step, graph, replace(op, gamma=False), *own, step.inputs[-1])


class ResidualMissing(Mistake):
    """The residual was left out."""

    code = "residual-missing"
    question = "What is added to the output of a layer before the next?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if step.kind.stage == "residual":
            yield from vary(step, graph, Copy(), step.inputs[1])


class ResidualNormed(Mistake):
    """The residual was added after the norm in place of before it."""

    code = "residual-normed"
    question = "Is the residual taken before the norm here, or after it?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        yield from self.residual_of_norm(step, graph)
        for norm in graph.steps:
            before = graph.step(norm.inputs[0]) if isinstance(norm.op, Norm) else None
            inside = [one for one in graph.steps if one.kind.inner and one.name in norm.inputs]
            if before and isinstance(before.op, Addition) and step in (norm, *inside):
                others = [one for one in (norm, *inside) if one is not step]
                yield from combine(*(norm_before_residual(one, before, graph) for one in (step, *others)))

    def residual_of_norm(self, step: Step, graph: Graph) -> Iterator[Variation]:
        """Yield the residual with the normed input of the layer added in place of the input."""
        if step.kind.stage != "residual":
            return
        source, latest = step.inputs
        before = graph.steps[: graph.steps.index(step)]
        for norm in (one for one in before if isinstance(one.op, Norm) and one.inputs[0] == source):
            yield from vary(step, graph, step.op, norm.name, latest, message=NORMED_SOURCE)


NORMED_SOURCE = "What was added is the result of the norm, in place of what went into it."


def norm_before_residual(step: Step, residual: Step, graph: Graph) -> Iterator[Variation]:
    """Yield a norm, or a step inside it, applied before the residual, which is then added to the result."""
    source, latest = residual.inputs
    names = (latest if name == residual.name else name for name in step.inputs)
    if isinstance(step.op, Norm):
        return vary(step, graph, Added(step.op), *names, source)
    return vary(step, graph, step.op, *names)


class ActivationMissing(Mistake):
    """The activation between the two layers was left out."""

    code = "activation-missing"
    question = "What happens to the hidden entries between W_1 and W_2?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, Activation):
            yield from vary(step, graph, without_activation(step.op), *step.inputs)


class ActivationRelu(Mistake):
    """ReLU was used in place of the activation of this exercise."""

    code = "activation-relu"
    question = "Which activation does this network have, and what does it do with a negative number?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, Activation):
            yield from vary(step, graph, replace(step.op, function="relu"), *step.inputs)


@record
class EntryProducts(Entrywise):
    """The hidden layer times the gate, with no activation."""

    def cell(self, at: At, *operands: Operand) -> Term:
        hidden, gate = operands
        return hidden[at] * gate[at]


def without_activation(op: Activation) -> Operation:
    """Return the operation that is left of an activation without its function."""
    return EntryProducts() if isinstance(op, Gated) else Copy()


class GateMissing(Mistake):
    """The gate was left out: the hidden layer was not multiplied by x W_3."""

    code = "gate-missing"
    question = "What is the hidden layer multiplied by after its activation?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, Gated):
            yield from vary(step, graph, Activation(step.op.function), step.inputs[0])


@record
class Activated(Wrapped):
    """A layer followed by an activation."""

    function: str

    def change_rule(self, rule: Term) -> Term:
        return ACTIVATIONS[self.function](rule)


class ActivationLast(Mistake):
    """The activation was applied after W_2 in place of before it."""

    code = "activation-last"
    question = "Is the activation applied before or after W_2?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        active = graph.step(step.inputs[0]) if step.kind.stage == "feed-forward" else None
        if not active or not isinstance(active.op, Activation):
            return
        op = Activated(step.op, active.op.function)
        if isinstance(active.op, Gated):
            bare = vary(active, graph, without_activation(active.op), *active.inputs)
            yield from combine(vary(step, graph, op, *step.inputs), bare)
        else:
            yield from vary(step, graph, op, *active.inputs, *step.inputs[1:])
