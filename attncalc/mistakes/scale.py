"""Mistakes in scaling the scores."""

from __future__ import annotations

from collections.abc import Iterator
from math import isclose

import numpy as np

from attncalc.core.fields import Numeric
from attncalc.core.graph.graph import Graph, Step
from attncalc.core.ops.base import At, Operand
from attncalc.core.ops.projection import Copy
from attncalc.core.ops.scores import Scale
from attncalc.core.ops.weights import Exponentials
from attncalc.core.readings.value import evaluate
from attncalc.core.record import record
from attncalc.core.terms import Apply, Constant, Entry, Quotient, Term
from attncalc.mistakes.base import Divided, Mistake, Variation, vary


def vary_factor(step: Step, graph: Graph, size: str, factor: Term) -> Iterator[Variation]:
    """Yield the scaled scores with another factor, if its value differs."""
    if (
        isinstance(step.op, Scale)
        and size in graph.sizes
        and not is_same_factor(factor, step.op.factor, graph)
    ):
        yield from vary(step, graph, Scale(factor), *step.inputs)


def is_same_factor(a: Term, b: Term, graph: Graph) -> bool:
    """Whether two factors have the same value in a problem."""
    return isclose(value_of(a, graph), value_of(b, graph))


def value_of(factor: Term, graph: Graph) -> float:
    """The value of a factor in a problem."""
    sizes = {name: np.asarray(size) for name, size in graph.sizes.items()}
    return float(evaluate(factor, sizes, Numeric()))


def root(size: str) -> Term:
    """√size"""
    return Apply("sqrt", Entry(size))


class ScaleMissing(Mistake):
    """The scores were not scaled."""

    code = "scale-missing"
    question = "By what are the scores divided before the softmax?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, Scale) and not is_same_factor(Constant(1), step.op.factor, graph):
            yield from vary(step, graph, Copy(), *step.inputs)


class ScaleDK(Mistake):
    """The scores were divided by d_k in place of √d_k."""

    code = "scale-d-k"
    question = "Is it d_k itself that the scores are divided by?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        yield from vary_factor(step, graph, "d_k", Quotient(Constant(1), Entry("d_k")))


class ScaleDModel(Mistake):
    """The scores were divided by √d_model, the width of the tokens, in place of √d_k."""

    code = "scale-d-model"
    question = "Whose width stands under the root: that of a token or that of a key?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        yield from vary_factor(step, graph, "d_model", Quotient(Constant(1), root("d_model")))


class ScaleInverted(Mistake):
    """The scores were multiplied by √d_k in place of being divided by it."""

    code = "scale-inverted"
    question = "Do scaled scores become larger or smaller?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        yield from vary_factor(step, graph, "d_k", root("d_k"))


class ScaleTokens(Mistake):
    """The scores were divided by the root of the number of tokens in place of √d_k."""

    code = "scale-tokens"
    question = "Which size stands under the root of the scale?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        yield from vary_factor(step, graph, "n_k", Quotient(Constant(1), root("n_k")))


@record
class ScaledExponentials(Exponentials):
    """e to the power of every score, scaled at once."""

    def cell(self, at: At, *operands: Operand) -> Term:
        return Apply("exp", Quotient(operands[0][at], root("d_k")))


class ScaleUncalled(Mistake):
    """The scores were divided by √d_k, which this exercise does not ask for."""

    code = "scale-uncalled"
    question = "Does this exercise scale the scores?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        # Division by 1 changes nothing.
        if graph.sizes.get("d_k", 1) > 1 and not any(isinstance(other.op, Scale) for other in graph.steps):
            if step.kind.stage == "scores":
                yield from vary(step, graph, Divided(step.op, root("d_k")), *step.inputs)
            if isinstance(step.op, Exponentials):
                yield from vary(step, graph, ScaledExponentials(), *step.inputs)


def scale_of(step: Step, graph: Graph) -> Term | None:
    """The factor of the scores of a step's head, if they are scaled and it is not 1."""
    scaled = graph.step(graph.find("scaled scores", step.head))
    if scaled and isinstance(scaled.op, Scale) and not is_same_factor(Constant(1), scaled.op.factor, graph):
        return scaled.op.factor
    return None
