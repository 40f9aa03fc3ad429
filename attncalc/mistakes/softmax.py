"""Mistakes in turning scores into weights."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from attncalc.core.graph.graph import Graph, Step
from attncalc.core.ops.base import At, Entrywise, Operand
from attncalc.core.ops.weights import Exponentials, RowTotals, ShiftedExponentials, SinkTotals
from attncalc.core.record import record
from attncalc.core.terms import (
    Apply,
    Constant,
    Index,
    Negative,
    Power,
    Product,
    Sum,
    Term,
    greatest,
    total,
)
from attncalc.mistakes.base import Variation, vary
from attncalc.mistakes.softmax_base import InSoftmax, OnExponentials, OnScores, exponentials_of


@record
class ColumnShares(Entrywise):
    """Each entry as a share of its column."""

    def cell(self, at: At, *operands: Operand) -> Term:
        (e,) = operands
        return e[at] / total("l", e.rows, lambda row: e[row, at[1]])


class SoftmaxColumns(OnExponentials):
    """The softmax was taken down the columns: it is taken along each row."""

    code, op = "softmax-columns", ColumnShares()
    question = "What does each row add up to after a softmax?"


@record
class WholeShares(Entrywise):
    """Each entry as a share of the whole matrix."""

    def cell(self, at: At, *operands: Operand) -> Term:
        (e,) = operands
        return e[at] / total("l", e.rows, lambda row: total("m", e.cols, lambda column: e[row, column]))


@record
class WholeTotals(RowTotals):
    """The total of the whole matrix, for every row."""

    def cell(self, at: At, *operands: Operand) -> Term:  # noqa: ARG002
        (e,) = operands
        return total("l", e.rows, lambda row: total("m", e.cols, lambda column: e[row, column]))


class SoftmaxAll(OnExponentials):
    """The softmax was taken over the whole matrix at once: it is taken along each row."""

    code, op, totals = "softmax-all", WholeShares(), WholeTotals()
    question = "Over which entries does one softmax run?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        # One row is the whole matrix.
        yield from super().variations(step, graph) if step.shape[-2] > 1 else ()


@record
class Same(Entrywise):
    """Each entry unchanged, and 0 for a hidden key."""

    def cell(self, at: At, *operands: Operand) -> Term:
        return Apply("visible", operands[0][at])


class SoftmaxUnnormalised(OnExponentials):
    """The exponentials were not divided by their row's total."""

    code, op = "softmax-unnormalised", Same()
    question = "What are the exponentials divided by?"


@record
class ScoreShares(Entrywise):
    """Each score as a share of its row."""

    def cell(self, at: At, *operands: Operand) -> Term:
        (m,) = operands
        row = total("l", m.cols, lambda column: Apply("visible", m[at[0], column]))
        return Apply("visible", m[at]) / row


class SoftmaxNoExp(OnScores):
    """The scores were divided by their sum, without the exponentials."""

    code, op = "softmax-no-exp", ScoreShares()
    question = "What is taken of each number before it is divided by the row's total?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, Exponentials):
            said = "The scores were taken as they are, without the exponentials."
            yield from vary(step, graph, Same(), step.inputs[0], message=said)
        yield from super().variations(step, graph)


@record
class ByLargest(Entrywise):
    """Each entry divided by the largest of its row."""

    def cell(self, at: At, *operands: Operand) -> Term:
        (e,) = operands
        return e[at] / greatest("l", e.cols, lambda column: e[at[0], column])


@record
class LargestOfRows(RowTotals):
    """The largest entry of each row."""

    def cell(self, at: At, *operands: Operand) -> Term:
        (e,) = operands
        return greatest("l", e.cols, lambda column: e[at[0], column])


class SoftmaxMax(OnExponentials):
    """The exponentials were divided by the largest of their row in place of its total."""

    code, op, totals = "softmax-max", ByLargest(), LargestOfRows()
    question = "Is it the largest exponential of a row or their total that the others are divided by?"


@record
class PowerShares(Entrywise):
    """Other powers in place of the exponentials, each as a share of its row."""

    powers: Entrywise

    def cell(self, at: At, *operands: Operand) -> Term:
        (x,) = operands
        return self.powers.cell(at, x) / total("l", x.cols, lambda other: self.powers.cell((at[0], other), x))


class OtherPowers(InSoftmax):
    """Other powers taken in place of the exponentials."""

    op: Entrywise

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, Exponentials):
            yield from vary(step, graph, self.op, *step.inputs)
        yield from self.of_logits(step, graph, PowerShares(self.op), is_power=False)


@record
class PowersOfBase(Entrywise):
    """A number to the power of every score."""

    base: int

    def cell(self, at: At, *operands: Operand) -> Term:
        return Power(Constant(self.base), operands[0][at])


class SoftmaxBase2(OtherPowers):
    """The powers were taken of 2 in place of e."""

    code, op = "softmax-base-2", PowersOfBase(2)
    question = "Powers of which number does the softmax take?"


class SoftmaxBase10(OtherPowers):
    """The powers were taken of 10 in place of e."""

    code, op = "softmax-base-10", PowersOfBase(10)
    question = "Of which number does the key on your calculator take the powers?"


@record
class NegativePowers(Entrywise):
    """e to the power of minus every score, and 0 for a hidden key."""

    def cell(self, at: At, *operands: Operand) -> Term:
        m = operands[0]
        return Apply("seen", m[at]) * Apply("exp", Negative(Apply("visible", m[at])))


class SoftmaxSign(OtherPowers):
    """The exponents have the wrong sign: e^(−x) in place of e^x."""

    code, op = "softmax-sign", NegativePowers()
    question = "Which number of a row gets the largest share: the largest, or the smallest?"


class ExponentialsShifted(OtherPowers):
    """The largest score of each row was taken off first: right for the weights, but e^M is asked for here."""

    code, op = "exponentials-shifted", ShiftedExponentials()
    question = "Which exponents does this exercise ask for?"
    in_writing = is_of_keys = True

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        yield from super().variations(step, graph)
        if isinstance(step.op, Exponentials | SinkTotals) and step.op.sink is not None:
            yield from vary(step, graph, step.op.shifted, *step.inputs)


@record
class SharesOfShares(Entrywise):
    """The softmax of the weights; if the scores are given, hidden keys stay hidden."""

    def cell(self, at: At, *operands: Operand) -> Term:
        e, *scores = operands

        def power(column: Index) -> Term:
            found: Term = Apply("exp", e[at[0], column] / total("m", e.cols, lambda other: e[at[0], other]))
            return Apply("seen", scores[0][at[0], column]) * found if scores else found

        return power(at[1]) / total("l", e.cols, power)


class SoftmaxTwice(OnExponentials):
    """The softmax was taken a second time, of the weights."""

    code, op = "softmax-twice", SharesOfShares()
    question = "How often is the softmax taken?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        yield from super().variations(step, graph)
        exponentials = exponentials_of(step, graph)
        masked = graph.step(exponentials.inputs[0]) if exponentials else None
        if masked and masked.kind.hides_by is not None:
            yield from vary(step, graph, self.op, step.inputs[0], masked.name)


class SoftmaxMissing(OnScores):
    """The scores were used as weights, without a softmax."""

    code, op = "softmax-missing", Same()
    question = "How does a row become shares that add up to 1?"


@record
class EvenShares(Entrywise):
    """The same share for every key that is not hidden."""

    def cell(self, at: At, *operands: Operand) -> Term:
        (m,) = operands
        seen = total("l", m.cols, lambda column: Apply("seen", m[at[0], column]))
        return Apply("seen", m[at]) / Apply("nonzero", seen)


class WeightsEven(OnScores):
    """All keys were given the same weight, whatever their scores."""

    code, op, is_of_keys = "weights-even", EvenShares(), True
    question = "Should a key with a larger score have a larger weight?"


NEARLY = Constant(Fraction(1, 10**9))
"""A score this near to the largest counts as equal: computed twice, it may differ in its last digit."""


@record
class Largest(Entrywise):
    """1 for the largest score of a row, 0 for all others."""

    def cell(self, at: At, *operands: Operand) -> Term:
        (m,) = operands
        top = greatest("l", m.cols, lambda column: m[at[0], column])
        return Constant(1) - Apply("step", top - m[at] - NEARLY)


class WeightsHard(OnScores):
    """The key with the largest score was given the whole weight."""

    code, op, is_of_keys = "weights-hard", Largest(), True
    question = "Does a softmax leave any weight to the keys with smaller scores?"


@record
class MaskedShares(Entrywise):
    """A softmax over all keys, times 0 where a key is hidden."""

    def cell(self, at: At, *operands: Operand) -> Term:
        *scores, keep = operands

        def power(key: Index) -> Term:
            return Apply("exp", Sum(tuple(x[at[0], key] for x in scores)))

        return Product((power(at[1]) / total("l", keep.cols, power), keep[at]))
