"""Mistakes after attention: residuals, norms and the feed-forward network."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.graph.graph import Graph, Step
from attncalc.mistakes.base import Added, Mistake, Variation, Wrapped, instead, with_core
from attncalc.ops.base import At, Operand, Operation, Piece
from attncalc.ops.block import FeedForward, LayerNorm, RmsNorm, activated, scaled
from attncalc.ops.position import Addition
from attncalc.ops.projection import Copy
from attncalc.record import changed, record
from attncalc.terms import Axis, Constant, Term


class NormSample(Mistake):
    """The squares were divided by n − 1 where n is asked for, or the reverse."""

    code = "norm-sample"
    question = "By what are the squares divided in the variance of this exercise?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, LayerNorm) and step.shape[-1] > 1:
            yield from instead(step, graph, changed(step.op, sample=not step.op.sample), *step.inputs)


class NormEps(Mistake):
    """The eps under the root was left out."""

    code = "norm-eps"
    question = "What is added to the variance under the root?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, LayerNorm | RmsNorm):
            yield from instead(step, graph, changed(step.op, eps=Constant(0)), *step.inputs)


def without_parameters(op: LayerNorm | RmsNorm) -> LayerNorm | RmsNorm:
    """A norm without gamma and beta."""
    return changed(op, gamma=False, beta=False) if isinstance(op, LayerNorm) else changed(op, gamma=False)


@record
class DownColumns(Wrapped):
    """A norm taken of each column in place of each row."""

    op: LayerNorm | RmsNorm

    def pieces(self, axes: tuple[Axis, Axis], *operands: Operand) -> list[Piece]:
        i, d = axes
        x, *parameters = operands
        rule = without_parameters(self.op).cell((d, i), Operand(x.name, x.shape, not x.turned))
        beta = isinstance(self.op, LayerNorm) and self.op.beta
        return [Piece(axes, scaled(rule, d, parameters, self.op.gamma, beta))]


class NormColumns(Mistake):
    """The norm was taken down the columns: each token, a row, has a norm of its own."""

    code = "norm-columns"
    question = "Over which numbers does the norm of one token run?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, LayerNorm | RmsNorm) and step.shape[-2] > 1:
            yield from instead(step, graph, DownColumns(step.op), *step.inputs)


@record
class Uncentred(LayerNorm):
    """Each row divided by its standard deviation, its mean not taken off."""

    def cell(self, at: At, *operands: Operand) -> Term:
        i, d = at
        x, *parameters = operands
        return scaled(x[at] / self.deviation(i, x), d, parameters, self.gamma, self.beta)


class NormUncentred(Mistake):
    """The mean was not taken off before the division by the standard deviation."""

    code = "norm-uncentred"
    question = "What is the mean of each row after a layer norm?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, LayerNorm):
            op = Uncentred(step.op.eps, step.op.sample, step.op.gamma, step.op.beta)
            yield from instead(step, graph, op, *step.inputs)


class NormGamma(Mistake):
    """The parameters gamma and beta of the norm were left out, or one of them."""

    code = "norm-gamma"
    question = "What is done with a row after it has been normalised?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, LayerNorm | RmsNorm) and len(step.inputs) > 1:
            yield from instead(step, graph, without_parameters(step.op), step.inputs[0])
        if isinstance(step.op, LayerNorm) and len(step.inputs) > 2:
            x, gamma, beta = step.inputs
            yield from instead(step, graph, changed(step.op, beta=False), x, gamma)
            yield from instead(step, graph, changed(step.op, gamma=False), x, beta)


class ResidualMissing(Mistake):
    """The residual was left out."""

    code = "residual-missing"
    question = "What is added to the output of a layer before the next?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if step.role == "R":
            yield from instead(step, graph, Copy(), step.inputs[1])


class ResidualNormed(Mistake):
    """The residual was added after the norm in place of before it."""

    code = "residual-normed"
    question = "Which comes first here, the residual or the norm?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        before = graph.step(step.inputs[0]) if step.role == "N" else None
        if before and isinstance(before.op, Addition):
            source, latest = before.inputs
            yield from instead(step, graph, Added(step.op), latest, *step.inputs[1:], source)


@record
class Unactivated(FeedForward):
    """Two layers with nothing between them."""

    def activate(self, x: Term) -> Term:
        return x


@record
class ActivatedLast(Unactivated):
    """Two layers with an activation behind them."""

    def cell(self, at: At, *operands: Operand) -> Term:
        return activated(self.activation, super().cell(at, *operands))


class OtherNetwork(Mistake):
    """A feed-forward network with its activation elsewhere."""

    network: type[FeedForward]

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        own: Operation = step.op.core
        if isinstance(own, FeedForward):
            op = self.network(own.activation, own.first_bias, own.second_bias)
            yield from instead(step, graph, with_core(step.op, op), *step.inputs)


class ActivationMissing(OtherNetwork):
    """The activation between the two layers was left out."""

    code, network = "activation-missing", Unactivated
    question = "What happens to the hidden entries between W_1 and W_2?"


class ActivationLast(OtherNetwork):
    """The activation was applied after W_2 in place of before it."""

    code, network = "activation-last", ActivatedLast
    question = "Is the activation applied before or after W_2?"
