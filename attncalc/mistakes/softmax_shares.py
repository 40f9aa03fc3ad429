"""Mistakes in a softmax: other functions of the scores, and other totals to divide by."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.core.graph.graph import Graph, Step
from attncalc.core.ops.base import At, Entrywise, Operand
from attncalc.core.ops.loss import Softmax
from attncalc.core.ops.weights import largest_of
from attncalc.core.record import record
from attncalc.core.terms import ONE, ONLY, TWO, Apply, Negative, Power, Term, total
from attncalc.mistakes.base import Variation, Wrapped, vary
from attncalc.mistakes.softmax import OtherPowers
from attncalc.mistakes.softmax_base import InSoftmax, OnExponentials, OnScores, exponentials_of


@record
class Sigmoids(Entrywise):
    """The sigmoid of every score, and 0 for a hidden key."""

    def cell(self, at: At, *operands: Operand) -> Term:
        score = operands[0][at]
        return Apply("seen", score) * sigmoid(Apply("visible", score))


def sigmoid(x: Term) -> Term:
    """1/(1 + e^(−x))"""
    return ONE / (ONE + Apply("exp", Negative(x)))


class SoftmaxSigmoid(OnScores):
    """The sigmoid of each number was taken in place of the softmax of each row."""

    code, op = "softmax-sigmoid", Sigmoids()
    question = "Does a share depend on the other numbers of its row?"


@record
class Logarithms(Wrapped):
    """The logarithm of every result."""

    def change_rule(self, rule: Term) -> Term:
        return Apply("ln", rule)


class SoftmaxLog(InSoftmax):
    """The logarithm of the softmax was taken."""

    code = "softmax-log"
    question = "Between which two numbers does every result of a softmax lie?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if exponentials_of(step, graph) or isinstance(step.op, Softmax):
            yield from vary(step, graph, Logarithms(step.op), *step.inputs)


@record
class SharesOfOthers(Entrywise):
    """Each entry divided by the total of the others of its row."""

    def cell(self, at: At, *operands: Operand) -> Term:
        e, *totals = operands
        added = total("l", e.cols, lambda column: e[at[0], column])
        return e[at] / ((totals[0][at[0], ONLY] if totals else added) - e[at])


class SoftmaxOwnTerm(OnExponentials):
    """Each exponential was divided by the total of the others, without its own."""

    code, op = "softmax-own-term", SharesOfOthers()
    question = "Which exponentials of a row does the total below add up?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if exponentials_of(step, graph):
            yield from vary(step, graph, self.op, *step.inputs)
        yield from self.of_logits(step, graph, self.op, is_power=True)


@record
class ShiftedAbove(Entrywise):
    """e to the power of every score less the largest, over a total without this shift."""

    def cell(self, at: At, *operands: Operand) -> Term:
        x, *totals = operands
        powers = total("m", x.cols, lambda column: Apply("exp", x[at[0], column]))
        below = totals[0][at[0], ONLY] if totals else powers
        return Apply("exp", x[at] - largest_of(at[0], None, x)) / below


class SoftmaxShiftHalf(OnScores):
    """The largest number of a row was subtracted in the exponents above, but not in the total below."""

    code, op = "softmax-shift-half", ShiftedAbove()
    question = "If a number is subtracted from the exponents above, what happens below?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        exponentials = exponentials_of(step, graph)
        if exponentials:
            yield from vary(step, graph, self.op, exponentials.inputs[0], step.inputs[1])
        yield from self.of_logits(step, graph, self.op, is_power=False)


@record
class ByLength(Entrywise):
    """Each entry divided by the length of its row."""

    def cell(self, at: At, *operands: Operand) -> Term:
        (e,) = operands
        return e[at] / Apply("sqrt", total("l", e.cols, lambda column: Power(e[at[0], column], TWO)))


class SoftmaxLength(OnExponentials):
    """The exponentials were divided by the length of their row, the root of the sum of squares."""

    code, op = "softmax-length", ByLength()
    question = "What adds up to 1 after a softmax: the entries of a row, or their squares?"


@record
class Squares(Entrywise):
    """The square of every score, and 0 for a hidden key."""

    def cell(self, at: At, *operands: Operand) -> Term:
        return Power(Apply("visible", operands[0][at]), TWO)


class SoftmaxSquares(OtherPowers):
    """Squares were taken in place of powers of e."""

    code, op = "softmax-squares", Squares()
    question = "Does a softmax tell 2 and −2 apart?"
