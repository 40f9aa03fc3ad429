"""Mistakes in a softmax: other functions of the scores, and other totals to divide by."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.core.graph.graph import Graph, Step
from attncalc.core.ops.base import At, Entrywise, Operand, Piece, Shape, ShapeError
from attncalc.core.ops.loss import Softmax
from attncalc.core.ops.weights import RowTotals, largest_of
from attncalc.core.record import record, replace
from attncalc.core.terms import ONE, ONLY, TWO, Apply, Axis, Negative, Power, Term, total
from attncalc.mistakes.base import Variation, Wrapped, vary
from attncalc.mistakes.rearranged import MOST_ROWS
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


class TotalsOfOthers(RowTotals):
    """The total of each row without the entry of the row's own token."""

    def shape(self, *operands: Operand) -> Shape:
        if operands[0].rows != operands[0].cols or operands[0].rows > MOST_ROWS:
            raise ShapeError(f"{operands[0]}: every one of a few tokens must have a row and a column")
        return super().shape(*operands)

    def pieces(self, axes: tuple[Axis, Axis], *operands: Operand) -> list[Piece]:
        i, one = axes
        (e,) = operands
        return [
            Piece((Axis("", 1, row), one), self.cell((row, one), e) - e[row, row]) for row in range(i.size)
        ]


OWN_LEFT_OUT = "The total of each row was taken without the token's own exponential."


class SoftmaxOwnTerm(OnExponentials):
    """Each exponential was divided by the total of the others, without its own."""

    code, op = "softmax-own-term", SharesOfOthers()
    question = "Which exponentials of a row does the total below add up?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if exponentials_of(step, graph):
            yield from vary(step, graph, self.op, *step.inputs)
        yield from self.of_logits(step, graph, self.op, is_power=True)
        if step.op == RowTotals():
            for made in vary(step, graph, TotalsOfOthers(), *step.inputs):
                yield replace(made, message=OWN_LEFT_OUT)


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


@record
class Lengths(RowTotals):
    """The length of each row."""

    def cell(self, at: At, *operands: Operand) -> Term:
        (e,) = operands
        return Apply("sqrt", total("l", e.cols, lambda column: Power(e[at[0], column], TWO)))


class SoftmaxLength(OnExponentials):
    """The exponentials were divided by the length of their row, the root of the sum of squares."""

    code, op, totals = "softmax-length", ByLength(), Lengths()
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
