"""Mistakes in any product of matrices."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

import numpy as np

from attncalc.core.fields import Array
from attncalc.core.graph.graph import Graph, Step
from attncalc.core.ops.base import Operand, Piece
from attncalc.core.ops.linear import FeatureMap
from attncalc.core.ops.output import Output
from attncalc.core.ops.projection import Projection
from attncalc.core.ops.scores import Scores
from attncalc.core.readings.magnitude import Unbounded, magnitude
from attncalc.core.record import record
from attncalc.core.terms import Apply, Axis, Constant, Product, Term, Total, map_members
from attncalc.mistakes.base import Mistake, Variation, Wrapped, vary
from attncalc.mistakes.softmax_base import exponentials_of


@record
class LastTermCut(Wrapped):
    """An operation that sees all columns of its first operand but the last."""

    def pieces(self, axes: tuple[Axis, Axis], *operands: Operand) -> list[Piece]:
        first, *others = operands
        narrow = Operand(first.name, (*first.shape[:-1], first.cols - 1))
        return self.op.pieces(axes, narrow, *others)


class TermsCut(Mistake):
    """The last term of every dot product was left out."""

    code = "terms-cut"
    question = "How many products does each entry add up?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        # These sum over the columns of their first operand.
        if isinstance(step.op.core, Scores | Projection | Output) and graph.shapes[step.inputs[0]][-1] > 1:
            yield from vary(step, graph, LastTermCut(step.op), *step.inputs)


@record
class Unsigned(Wrapped):
    """An operation whose products are all taken as positive."""

    def change_rule(self, rule: Term) -> Term:
        match rule:
            case Total(axis, Product(factors)):
                # Factor by factor, so that it stays a product of matrices.
                return Total(axis, Product(tuple(Apply("abs", factor) for factor in factors)))
        return map_members(rule, self.change_rule)


def has_negative(step: Step, graph: Graph) -> bool:
    """Whether a step may multiply a negative number: a given matrix before it has one."""
    positive = {
        one.name
        for one in graph.steps
        if isinstance(one.op, FeatureMap) or exponentials_of(one, graph) is not None
    }
    before = {name for one in graph.chain(step.name, positive) for name in one.inputs}
    return any(is_negative_anywhere(graph.given[name]) for name in before if name in graph.given)


def is_negative_anywhere(matrix: Array) -> bool:
    """Whether a given matrix has a negative entry, or one with a letter; −∞ only hides a key."""
    if matrix.dtype != object:
        return bool(np.any((matrix < 0) & np.isfinite(matrix)))
    terms = [term for term in matrix.ravel() if term != Constant(-inf)]
    try:
        return not all(magnitude(term).value >= 0 for term in terms)
    except Unbounded:  # a limit with powers of e that are too large for floats
        return True


class SignsLost(Mistake):
    """Signs were lost: every product was taken as positive."""

    code = "signs-lost"
    question = "What is the sign of a negative number times a positive one?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        is_product = isinstance(step.op.core, Scores | Projection | Output)
        if is_product and has_negative(step, graph):
            yield from vary(step, graph, Unsigned(step.op), *step.inputs)
