"""Mistakes in scaling the scores."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.graph.graph import Graph, Step
from attncalc.mistakes.base import Mistake, Variation, Wrapped, instead
from attncalc.ops.base import At, Operand
from attncalc.ops.projection import Copy
from attncalc.ops.scores import Scale
from attncalc.ops.weights import Exponentials
from attncalc.record import record
from attncalc.terms import Apply, Constant, Entry, Quotient, Term


def rescaled(step: Step, graph: Graph, size: str, factor: Term) -> Iterator[Variation]:
    """The scaled scores with another factor, where it is another."""
    if isinstance(step.op, Scale) and size in graph.sizes and factor != step.op.factor:
        yield from instead(step, graph, Scale(factor), *step.inputs)


def root(size: str) -> Term:
    """√size"""
    return Apply("sqrt", Entry(size))


class ScaleMissing(Mistake):
    """The scores were not scaled."""

    code = "scale-missing"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, Scale):
            yield from instead(step, graph, Copy(), *step.inputs)


class ScaleDK(Mistake):
    """The scores were divided by d_k in place of √d_k."""

    code = "scale-d-k"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        yield from rescaled(step, graph, "d_k", Quotient(Constant(1), Entry("d_k")))


class ScaleDModel(Mistake):
    """The scores were divided by √d_model, the width of the tokens, in place of √d_k."""

    code = "scale-d-model"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        yield from rescaled(step, graph, "d_model", Quotient(Constant(1), root("d_model")))


class ScaleInverted(Mistake):
    """The scores were multiplied by √d_k in place of being divided by it."""

    code = "scale-inverted"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        yield from rescaled(step, graph, "d_k", root("d_k"))


class ScaleTokens(Mistake):
    """The scores were divided by the root of the number of tokens in place of √d_k."""

    code = "scale-tokens"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        yield from rescaled(step, graph, "n_k", Quotient(Constant(1), root("n_k")))


@record
class Divided(Wrapped):
    """The results of an operation divided by √d_k at once."""

    def afterwards(self, rule: Term) -> Term:
        return Quotient(rule, root("d_k"))


@record
class ScaledExponentials(Exponentials):
    """e to the power of every score divided by √d_k."""

    def cell(self, at: At, *operands: Operand) -> Term:
        return Apply("exp", Quotient(operands[0][at], root("d_k")))


class ScaleUncalled(Mistake):
    """The scores were divided by √d_k, which this exercise does not ask for."""

    code = "scale-uncalled"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if "d_k" in graph.sizes and not any(isinstance(other.op, Scale) for other in graph.steps):
            if step.role == "S":
                yield from instead(step, graph, Divided(step.op), *step.inputs)
            if isinstance(step.op, Exponentials):
                yield from instead(step, graph, ScaledExponentials(), *step.inputs)
