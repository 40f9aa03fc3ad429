"""Mistakes in the backward pass through a step: its slope, its factor or its divisor left out."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from itertools import product

import numpy as np

from attncalc.core.graph.gradient import Gradient, Share
from attncalc.core.graph.graph import Graph, Step
from attncalc.core.ops.base import Operand, Piece
from attncalc.core.ops.block import Activation, Gated
from attncalc.core.ops.heads import HeadSum
from attncalc.core.ops.linear import FeatureMap
from attncalc.core.ops.loss import MeanLoss, Softmax
from attncalc.core.ops.scores import Mask, Scale
from attncalc.core.ops.weights import Shares
from attncalc.core.record import replace
from attncalc.core.terms import (
    Apply,
    Axis,
    Constant,
    Entry,
    Negative,
    Product,
    Sum,
    Term,
    entries,
    map_members,
    total,
)
from attncalc.exercise.mechanisms.softcap import Softcap
from attncalc.mistakes.base import Mistake, Variation
from attncalc.mistakes.gradient_shares import PassedOn, Through, with_shares


class GradientSoftmaxMissing(PassedOn):
    """The softmax was not differentiated: the gradient of the weights was passed on as it came."""

    code, kind = "gradient-softmax-missing", Shares
    question = "Does a change of one score change only its own weight, and by as much?"


class OfSoftmax(Through):
    """A mistake in the backward pass through a softmax to its scores."""

    kind, is_entrywise = Shares, True

    def other_rules(self, piece: Piece, user: Step, incoming: Operand, graph: Graph) -> Iterator[Term]:
        assert isinstance(user.op, Shares)
        if not user.op.visible_only:
            weights = Operand(user.name, graph.shapes[user.name])
            yield from self.of_softmax(piece.axes, weights, incoming)

    @abstractmethod
    def of_softmax(self, at: tuple[Axis, Axis], a: Operand, da: Operand) -> Iterator[Term]:
        """Wrong rules for a cell of the scores' gradient."""


class GradientRowsumMissing(OfSoftmax):
    """The sum over the row was not subtracted: A ⊙ dA in place of A ⊙ (dA − rowsum(A ⊙ dA))."""

    code = "gradient-rowsum-missing"
    question = "What does each row of the scores' gradient add up to?"

    def of_softmax(self, at: tuple[Axis, Axis], a: Operand, da: Operand) -> Iterator[Term]:
        yield a[at] * da[at]


class GradientSoftmaxDiagonal(OfSoftmax):
    """Each weight was taken to depend on its own score alone: A ⊙ (1 − A) ⊙ dA, as for a sigmoid."""

    code = "gradient-softmax-diagonal"
    question = "Which weights of a row change with one of its scores?"

    def of_softmax(self, at: tuple[Axis, Axis], a: Operand, da: Operand) -> Iterator[Term]:
        yield a[at] * (Constant(1) - a[at]) * da[at]


class GradientSoftmaxColumns(OfSoftmax):
    """The sum that is subtracted was taken down the columns: a softmax runs along a row."""

    code = "gradient-softmax-columns"
    question = "Along which entries does the sum in the gradient of a softmax run?"

    def of_softmax(self, at: tuple[Axis, Axis], a: Operand, da: Operand) -> Iterator[Term]:
        _, j = at
        if a.rows > 1:
            yield a[at] * (da[at] - total("l", a.rows, lambda row: a[row, j] * da[row, j]))


class GradientSoftmaxFactor(OfSoftmax):
    """The weights were left out as a factor: they stand before the bracket and inside the sum."""

    code = "gradient-softmax-factor"
    question = "By what is every difference multiplied, and what is added up along the row?"

    def of_softmax(self, at: tuple[Axis, Axis], a: Operand, da: Operand) -> Iterator[Term]:
        i, _ = at
        yield da[at] - total("l", a.cols, lambda n: a[i, n] * da[i, n])
        yield a[at] * (da[at] - total("l", a.cols, lambda n: da[i, n]))


class GradientScaleMissing(PassedOn):
    """The factor of the scaled scores was left out on the way back."""

    code, kind = "gradient-scale-missing", Scale
    question = "What stood between the scores and the scaled scores on the way forward?"


class GradientDecayMissing(Through):
    """The factors of the decay were left out on the way back."""

    code, kind = "gradient-decay-missing", Mask
    question = "What was every score multiplied by on the way forward?"

    def other_rules(self, piece: Piece, user: Step, incoming: Operand, graph: Graph) -> Iterator[Term]:  # noqa: ARG002
        assert isinstance(user.op, Mask)
        if user.op.is_decayed:
            yield incoming[piece.axes]


class GradientSlopeMissing(Through):
    """The slope of the function in between was left out: the gradient was passed on as it came."""

    code, kind = "gradient-slope-missing", (Activation, Softcap, FeatureMap)
    question = "How much does the result of the function change with its argument?"

    def other_rules(self, piece: Piece, user: Step, incoming: Operand, graph: Graph) -> Iterator[Term]:  # noqa: ARG002
        if len(user.inputs) == 1:
            yield incoming[piece.axes]
        elif isinstance(user.op, Gated) and any(x.of == user.inputs[1] for x in entries(piece.rule)):
            yield incoming[piece.axes] * Entry(user.inputs[1], piece.axes)


class GradientSlopeSilu(Through):
    """The slope of silu was taken for σ(x) or σ(x)(1 − σ(x)): in the product x σ(x) both factors change."""

    code, kind = "gradient-slope-silu", Activation
    question = "What is the slope of a product of x and σ(x)?"

    def other_rules(self, piece: Piece, user: Step, incoming: Operand, graph: Graph) -> Iterator[Term]:  # noqa: ARG002
        assert isinstance(user.op, Activation)
        hidden, *gates = (Entry(name, piece.axes) for name in user.inputs)
        if user.op.function != "silu" or not {*gates} <= {*entries(piece.rule)}:
            return
        arriving = Product((incoming[piece.axes], *gates)) if gates else incoming[piece.axes]
        sigmoid = Constant(1) / (Constant(1) + Apply("exp", Negative(hidden)))
        yield arriving * sigmoid
        yield arriving * sigmoid * (Constant(1) - sigmoid)


class GradientGateMissing(Through):
    """The other factor of the gated product was left out on the way back."""

    code, kind = "gradient-gate-missing", Gated
    question = "With respect to one factor of a product, what is its slope?"

    def other_rules(self, piece: Piece, user: Step, incoming: Operand, graph: Graph) -> Iterator[Term]:  # noqa: ARG002
        gate = Entry(user.inputs[1], piece.axes)
        if any(entry == gate for entry in entries(piece.rule)):
            yield without_factor(piece.rule, gate)
        else:
            yield incoming[piece.axes]


def without_factor(rule: Term, factor: Term) -> Term:
    """Replace a factor by 1 in a rule."""
    return Constant(1) if rule == factor else map_members(rule, lambda term: without_factor(term, factor))


class GradientHeadsMean(PassedOn):
    """The gradient of the mean of all heads was not divided by their number."""

    code, kind = "gradient-heads-mean", HeadSum
    question = "By how much does the mean of the heads grow when one of them does?"


class OfLoss(Through):
    """A mistake in the backward pass from the loss to the logits."""

    kind = Softmax

    def other_rules(self, piece: Piece, user: Step, incoming: Operand, graph: Graph) -> Iterator[Term]:
        loss = next((step.op for step in graph.steps if isinstance(step.op, MeanLoss)), None)
        assert isinstance(user.op, Softmax)
        # If the incoming gradient is that of the probabilities, its rule holds no targets.
        if loss and incoming.name not in graph.shapes:
            yield from self.of_loss(piece.rule, loss, user.op)

    @abstractmethod
    def of_loss(self, rule: Term, loss: MeanLoss, softmax: Softmax) -> Iterator[Term]:
        """Wrong rules for a cell of the logits' gradient."""


class GradientTarget(OfLoss):
    """The target was not subtracted: p in place of p − y."""

    code = "gradient-target"
    question = "What does each row of the logits' gradient add up to?"

    def of_loss(self, rule: Term, loss: MeanLoss, softmax: Softmax) -> Iterator[Term]:  # noqa: ARG002
        yield without_subtracted(rule)


class GradientTargetRow(Mistake):
    """The target of another row was subtracted, the next one or the one before: each row has its own."""

    code = "gradient-target-row"
    question = "Which token should each row predict?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        shares = step.op.shares if isinstance(step.op, Gradient) else ()
        user = graph.step(shares[0].through) if len(shares) == 1 else None
        if not user or not isinstance(user.op, Softmax):
            return
        count = step.shape[-2]
        targets = [name for name in step.inputs if name in graph.given and graph.shapes[name] == step.shape]
        for name, shift in product(targets, (1, -1)[: count - 1]):
            others = np.roll(np.arange(count), -shift)
            if not np.array_equal(graph.given[name][others], graph.given[name]):
                rows = (one_row(shares[0], n, int(other), name) for n, other in enumerate(others))
                yield from with_shares(step, graph, rows)


def one_row(share: Share, row: int, other: int, targets: str) -> Share:
    """One row of a share with the target of another row."""
    i, columns = share.piece.axes

    def placed(term: Term) -> Term:
        if isinstance(term, Entry):
            here = other if term.of == targets else row
            return replace(term, at=tuple(here if index == i else index for index in term.at))
        return map_members(term, placed)

    return replace(share, piece=Piece((Axis(i.letter, 1, row), columns), placed(share.piece.rule)))


class GradientTargetSign(OfLoss):
    """The gradient has the wrong sign: y − p in place of p − y."""

    code = "gradient-target-sign"
    question = "Does the loss grow or fall when the logit of the target grows?"

    def of_loss(self, rule: Term, loss: MeanLoss, softmax: Softmax) -> Iterator[Term]:  # noqa: ARG002
        yield Negative(rule)


class GradientMeanMissing(OfLoss):
    """The gradient was not divided by the number of rows, of which the loss is the mean."""

    code = "gradient-mean-missing"
    question = "By how much does a mean grow when one of its members does?"

    def of_loss(self, rule: Term, loss: MeanLoss, softmax: Softmax) -> Iterator[Term]:  # noqa: ARG002
        if loss.count > 1:
            yield rule * Constant(loss.count)


class GradientTemperatureMissing(OfLoss):
    """The gradient was not divided by the temperature."""

    code = "gradient-temperature-missing"
    question = "By what were the logits divided before the softmax?"

    def of_loss(self, rule: Term, loss: MeanLoss, softmax: Softmax) -> Iterator[Term]:  # noqa: ARG002
        if softmax.temperature != Constant(1):
            yield rule * softmax.temperature


def without_subtracted(rule: Term) -> Term:
    """Leave out what a rule subtracts."""
    if isinstance(rule, Sum):
        return Sum(tuple(term for term in rule.terms if not isinstance(term, Negative)))
    return map_members(rule, without_subtracted)
