"""Mistakes in turning scores into weights."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.graph.graph import Graph, Step
from attncalc.mistakes.base import Mistake, Variation, instead
from attncalc.ops.base import At, Entrywise, Operand, Operation
from attncalc.ops.weights import Exponentials, Shares, ShiftedExponentials
from attncalc.record import record
from attncalc.terms import Apply, Constant, Power, Product, Term, greatest, total


def exponentials_of(step: Step, graph: Graph) -> Step | None:
    """The exponentials that a step of weights shares out."""
    if not isinstance(step.op, Shares):
        return None
    found = graph.step(step.inputs[0])
    return found if found and isinstance(found.op, Exponentials) else None


class OnExponentials(Mistake):
    """A mistake made with the exponentials at hand."""

    op: Operation

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if exponentials_of(step, graph):
            yield from instead(step, graph, self.op, step.inputs[0])


class OnScores(Mistake):
    """A mistake made with the scores themselves."""

    op: Operation

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        exponentials = exponentials_of(step, graph)
        if exponentials:
            yield from instead(step, graph, self.op, exponentials.inputs[0])


@record
class ColumnShares(Entrywise):
    """Each entry as a share of its column."""

    def cell(self, at: At, *operands: Operand) -> Term:
        (e,) = operands
        return e[at] / total("l", e.rows, lambda row: e[row, at[1]])


class SoftmaxColumns(OnExponentials):
    """The softmax was taken down the columns: each row of weights must add up to 1."""

    code, op = "softmax-columns", ColumnShares()


@record
class WholeShares(Entrywise):
    """Each entry as a share of the whole matrix."""

    def cell(self, at: At, *operands: Operand) -> Term:
        (e,) = operands
        return e[at] / total("l", e.rows, lambda row: total("m", e.cols, lambda column: e[row, column]))


class SoftmaxAll(OnExponentials):
    """The softmax was taken over the whole matrix at once: each row of weights must add up to 1."""

    code, op = "softmax-all", WholeShares()


@record
class Same(Entrywise):
    """Each entry as it is."""

    def cell(self, at: At, *operands: Operand) -> Term:
        return Apply("visible", operands[0][at])


class SoftmaxUnnormalised(OnExponentials):
    """The exponentials were not divided by their row's total."""

    code, op = "softmax-unnormalised", Same()


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


@record
class ByLargest(Entrywise):
    """Each entry divided by the largest of its row."""

    def cell(self, at: At, *operands: Operand) -> Term:
        (e,) = operands
        return e[at] / greatest("l", e.cols, lambda column: e[at[0], column])


class SoftmaxMax(OnExponentials):
    """The exponentials were divided by the largest of their row in place of its total."""

    code, op = "softmax-max", ByLargest()


@record
class PowersOfTwo(Entrywise):
    """2 to the power of every score, as a share of its row if wanted."""

    shared: bool

    def cell(self, at: At, *operands: Operand) -> Term:
        (m,) = operands
        power = Power(Constant(2), m[at])
        if not self.shared:
            return power
        return power / total("l", m.cols, lambda column: Power(Constant(2), m[at[0], column]))


class SoftmaxBase2(Mistake):
    """The powers were taken of 2 in place of e."""

    code = "softmax-base-2"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, Exponentials):
            yield from instead(step, graph, PowersOfTwo(False), *step.inputs)
        exponentials = exponentials_of(step, graph)
        if exponentials:
            yield from instead(step, graph, PowersOfTwo(True), *exponentials.inputs)


class ExponentialsShifted(Mistake):
    """The largest score of each row was taken off first: right for the weights, but e^M is asked for here."""

    code = "exponentials-shifted"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, Exponentials):
            yield from instead(step, graph, ShiftedExponentials(), *step.inputs)


class SoftmaxMissing(OnScores):
    """The scores were used as weights, without a softmax."""

    code, op = "softmax-missing", Same()


@record
class MaskedShares(Entrywise):
    """A softmax over all keys, times 0 where a key is hidden."""

    def cell(self, at: At, *operands: Operand) -> Term:
        z, keep = operands
        row = total("l", z.cols, lambda column: Apply("exp", z[at[0], column]))
        return Product((Apply("exp", z[at]) / row, keep[at]))
