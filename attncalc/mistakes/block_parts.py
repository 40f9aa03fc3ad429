"""Mistakes in parts of a block: parameters and activations taken for others."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.core.graph.graph import Graph, Step
from attncalc.core.ops.block import Activation, Norm
from attncalc.core.record import record
from attncalc.core.terms import Apply, Term
from attncalc.mistakes.base import Mistake, OtherCalls, Variation, vary


class NormParametersSwapped(Mistake):
    """The parameters gamma and beta of the norm were swapped."""

    code = "norm-parameters-swapped"
    question = "Which parameter of the norm is multiplied, and which is added?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, Norm) and step.op.gamma and step.op.beta:
            *known, gamma, beta = step.inputs
            yield from vary(step, graph, step.op, *known, beta, gamma)


@record
class AbsoluteForRelu(OtherCalls):
    """The absolute value in place of ReLU."""

    def change_call(self, call: Apply) -> Term:
        return Apply("abs", call.term) if call.function == "relu" else call


class ActivationAbsolute(Mistake):
    """The absolute value was taken in place of ReLU."""

    code = "activation-absolute"
    question = "What does ReLU make of a negative number?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, Activation) and step.op.function == "relu":
            yield from vary(step, graph, AbsoluteForRelu(step.op), *step.inputs)
