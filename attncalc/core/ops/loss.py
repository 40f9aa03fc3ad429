"""From logits to the loss: probabilities, the loss of each row, and their mean."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from attncalc.core.fields import Field, Values
from attncalc.core.ops.base import At, Entrywise, OfRows, Op, Operand, Operation, Piece, Shape
from attncalc.core.ops.weights import is_beyond, less_mean
from attncalc.core.readings.magnitude import magnitude
from attncalc.core.record import record, replace
from attncalc.core.terms import (
    ONE,
    ONLY,
    ZERO,
    Apply,
    Axis,
    Constant,
    Index,
    Negative,
    Quotient,
    Term,
    greatest,
    total,
)
from attncalc.core.terms.formulas import Call, Formula, Minus, Name, Plus, Text


@record
class Softmax(Entrywise):
    """e to the power of every logit, as a share of its row's total."""

    temperature: Term = ONE
    is_shifted: bool = False
    """Whether the largest logit of a row is taken off first: e to the logit itself would overflow."""

    @property
    def sentence(self) -> Text:
        less = " less the largest of its row" if self.is_shifted else ""
        over = "" if self.temperature == ONE else " over the temperature"
        return f"e to the power of every logit{less}{over}, as a share of its row's total."

    def cell(self, at: At, *operands: Operand) -> Term:
        (x,) = operands
        i, _ = at

        def power(column: Index) -> Term:
            logit: Term = x[i, column]
            if self.is_shifted:
                logit = logit - greatest("n", x.cols, lambda n: x[i, n])
            return Apply("exp", logit if self.temperature == ONE else logit / self.temperature)

        return power(at[1]) / total("l", x.cols, power)

    def formula(self, *operands: Formula) -> Formula:
        (x,) = operands
        return Call("softmax", x if self.temperature == ONE else x / self.temperature)

    def gradient(self, at: At, result: Operand, incoming: Operand, *operands: Operand) -> Term:  # noqa: ARG002
        found = result[at] * less_mean(at, result, incoming)
        return found if self.temperature == ONE else found / self.temperature

    @cached_property
    def shifted(self) -> Operation:
        return replace(self, is_shifted=True)

    def settle(self, field: Field[Values], *values: Values) -> Operation:
        logits = field.floats(values[0]) / magnitude(self.temperature).value
        return self.shifted if is_beyond(np.max(logits, axis=-1)) else self


@record
class TargetLoss(Operation):
    """Minus the logarithm of the probability that each row gives to its target."""

    targets: tuple[int | None, ...]
    """The column of every row's target, counted from 0; a row without one loses nothing."""

    def shape(self, *operands: Operand) -> Shape:
        return operands[0].rows, 1

    def pieces(self, axes: tuple[Axis, Axis], *operands: Operand) -> list[Piece]:  # noqa: ARG002  one row each
        return [
            Piece((Axis("", 1, row), ONLY), self.rule(row, target, *operands))
            for row, target in enumerate(self.targets)
        ]

    def rule(self, row: int, target: int | None, *operands: Operand) -> Term:
        """The loss of one row."""
        return ZERO if target is None else Negative(Apply("ln", operands[0][row, target]))

    def formula(self, *operands: Formula) -> Formula:
        (p,) = operands
        assert isinstance(p, Name)
        return Minus(Call("ln", Name(f"{p.name}_target")))


@record
class LogitLoss(TargetLoss):
    """The losses from the logits, each less the largest: a probability is too small for a float."""

    temperature: Term = ONE

    def rule(self, row: int, target: int | None, *operands: Operand) -> Term:
        (x,) = operands
        if target is None:
            return ZERO

        def logit(column: Index) -> Term:
            less = x[row, column] - greatest("n", x.cols, lambda n: x[row, n])
            return less if self.temperature == ONE else less / self.temperature

        return Apply("ln", total("v", x.cols, lambda v: Apply("exp", logit(v)))) - logit(target)

    def formula(self, *operands: Formula) -> Formula:
        (x,) = operands
        assert isinstance(x, Name)
        logits, target = (
            one if self.temperature == ONE else one / self.temperature
            for one in (x, Name(f"{x.name}_target"))
        )
        return Plus((Call("logsumexp", logits), Minus(target)))


@record
class CrossEntropy(OfRows):
    """Minus the logarithms of the probabilities, times targets that are 1 in one column and 0 else."""

    def cell(self, at: At, *operands: Operand) -> Term:
        p, y = operands
        return Negative(total("v", p.cols, lambda v: y[at[0], v] * Apply("ln", p[at[0], v])))


@record
class MeanLoss(Op):
    """The mean of the losses of the rows."""

    count: int
    """The number of rows with a target."""
    is_partial: bool = False
    """Whether other rows have none."""

    @property
    def sentence(self) -> Text:
        return "The mean of the losses of all rows with a target." if self.is_partial else super().sentence

    def shape(self, *operands: Operand) -> Shape:  # noqa: ARG002  one number
        return 1, 1

    def cell(self, at: At, *operands: Operand) -> Term:  # noqa: ARG002  there is one
        (x,) = operands
        return Quotient(total("i", x.rows, lambda i: x[i, ONLY]), Constant(self.count))

    def formula(self, *operands: Formula) -> Formula:
        return Call("mean", operands[0])


@record
class Perplexity(Entrywise):
    """e to the power of the loss: among how many equally likely tokens one would have to guess."""

    def cell(self, at: At, *operands: Operand) -> Term:
        return Apply("exp", operands[0][at])

    def formula(self, *operands: Formula) -> Formula:
        return Call("exp", operands[0])
