"""Mistakes on the way from logits to the loss."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.core.graph.graph import Graph, Step
from attncalc.core.ops.loss import MeanLoss, Softmax, TargetLoss
from attncalc.core.record import record, replace
from attncalc.core.terms import ONE, Apply, Constant, Negative, Quotient, Term
from attncalc.mistakes.base import Mistake, Variation, Wrapped, vary


class TemperatureMissing(Mistake):
    """The logits were not divided by the temperature."""

    code = "temperature-missing"
    question = "By what are the logits divided before the softmax?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, Softmax):
            yield from vary(step, graph, replace(step.op, temperature=ONE), *step.inputs)


class TemperatureInverted(Mistake):
    """The logits were multiplied by the temperature, not divided by it."""

    code = "temperature-inverted"
    question = "Does a high temperature make the probabilities more even, or less?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, Softmax) and step.op.temperature != ONE:
            inverse = Quotient(ONE, step.op.temperature)
            yield from vary(step, graph, replace(step.op, temperature=inverse), *step.inputs)


class LossSum(Mistake):
    """The losses of the rows were added up, but not divided by their number."""

    code = "loss-sum"
    question = "Is the loss of all rows their sum or their mean?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, MeanLoss) and step.op.count > 1:
            yield from vary(step, graph, replace(step.op, count=1), *step.inputs)


@record
class ToBase(Wrapped):
    """Logarithms to another base."""

    base: int

    def change_rule(self, rule: Term) -> Term:
        match rule:
            case Negative(Apply("ln", _)):
                return rule / Apply("ln", Constant(self.base))
        return rule


class LossBase2(Mistake):
    """The logarithm was taken to the base 2, not the natural one."""

    code = "loss-base-2"
    question = "To which base is the logarithm taken here?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, TargetLoss):
            yield from vary(step, graph, ToBase(step.op, 2), *step.inputs)


class LossTarget(Mistake):
    """Each row was measured by the target of the next row, not by its own."""

    code = "loss-target"
    question = "Which token should each row predict?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if not isinstance(step.op, TargetLoss):
            return
        first, *others = step.op.targets
        # The last row has no next row: it takes the first target, or keeps its own. Likewise the first row.
        for last in dict.fromkeys((first, *others[-1:])):
            yield from vary(step, graph, TargetLoss((*others, last)), *step.inputs)
        for start in dict.fromkeys((*others[-1:], first)):
            before = TargetLoss((start, *step.op.targets[:-1]))
            yield from vary(step, graph, before, *step.inputs, message=ROW_BEFORE)


ROW_BEFORE = "Each row was measured by the target of the row before, not by its own."


class LossBase10(Mistake):
    """The logarithm was taken to the base 10, not the natural one."""

    code = "loss-base-10"
    question = "Which logarithm does the key on your calculator take?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, TargetLoss):
            yield from vary(step, graph, ToBase(step.op, 10), *step.inputs)


@record
class OfComplement(Wrapped):
    """The losses of 1 − p, or 1 − p itself."""

    is_logarithm: bool

    def change_rule(self, rule: Term) -> Term:
        match rule:
            case Negative(Apply("ln", p)):
                return Negative(Apply("ln", ONE - p)) if self.is_logarithm else ONE - p
        return rule


class LossComplement(Mistake):
    """The loss was taken of 1 − p, the probability of all other tokens, or is 1 − p itself."""

    code = "loss-complement"
    question = "Which probability is the loss of a row taken of?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, TargetLoss):
            for is_logarithm in (True, False):
                yield from vary(step, graph, OfComplement(step.op, is_logarithm), *step.inputs)


@record
class SignLost(Wrapped):
    """The logarithms without the minus in front of them."""

    def change_rule(self, rule: Term) -> Term:
        return rule.term if isinstance(rule, Negative) else rule


class LossSign(Mistake):
    """The loss has the wrong sign: the minus in front of the logarithm was left out."""

    code = "loss-sign"
    question = "Can a loss be negative?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, TargetLoss):
            yield from vary(step, graph, SignLost(step.op), *step.inputs)
