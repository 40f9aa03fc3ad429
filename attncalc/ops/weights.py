"""From scores to weights: the softmax as it is done by hand, and its plainer relatives."""

from __future__ import annotations

import numpy as np

from attncalc.fields import Field, Values
from attncalc.ops.base import At, Entrywise, Op, Operand, Operation, Shape
from attncalc.record import record
from attncalc.terms import ONLY, Apply, Axis, Constant, Term, greatest, total
from attncalc.terms.formulas import Call, Formula, Minus, Name

LARGEST_EXPONENT = 700
SMALLEST_MAXIMUM = -600


@record
class Exponentials(Entrywise):
    """e to the power of every score."""

    def cell(self, at: At, *operands: Operand) -> Term:
        return Apply("exp", operands[0][at])

    def formula(self, *operands: Formula) -> Formula:
        return Call("exp", operands[0])

    def settled(self, field: Field[Values], *values: Values) -> Operation:
        top = np.max(field.floats(values[0]), axis=-1)
        seen = top[~np.isneginf(top)]
        beyond = np.any(seen > LARGEST_EXPONENT) or np.any(seen < SMALLEST_MAXIMUM)
        return SHIFTED if beyond else self


@record
class ShiftedExponentials(Entrywise):
    """e to the power of every score less the largest of its row: e to the score itself would overflow."""

    def cell(self, at: At, *operands: Operand) -> Term:
        i, _ = at
        (m,) = operands
        return Apply("exp", m[at] - Apply("visible", greatest("l", m.cols, lambda j: m[i, j])))

    def formula(self, *operands: Formula) -> Formula:
        return Call("exp", operands[0] + Minus(Name("max")))


SHIFTED = ShiftedExponentials()


@record
class RowTotals(Op):
    """The total of each row."""

    function: str | None = None

    def shape(self, *operands: Operand) -> Shape:
        return operands[0].rows, 1

    def cell(self, at: At, *operands: Operand) -> Term:
        i, _ = at
        (e,) = operands
        return total("j", e.cols, lambda j: e[i, j] if not self.function else Apply(self.function, e[i, j]))

    def formula(self, *operands: Formula) -> Formula:
        return Call("rowsum", operands[0])


@record
class Shares(Entrywise):
    """Each entry as a share of its row's total, so that a row adds up to 1."""

    visible_only: bool = False
    zero_rows: bool = False

    def cell(self, at: At, *operands: Operand) -> Term:
        e, t = operands
        share: Term = Apply("visible", e[at]) if self.visible_only else e[at]
        return share / self.below(t[at[0], ONLY])

    def below(self, row_total: Term) -> Term:
        """What the entries of a row are divided by."""
        return Apply("nonzero", row_total) if self.zero_rows else row_total

    def formula(self, *operands: Formula) -> Formula:
        e, t = operands
        return e / t

    def check_values(self, field: Field[Values], *values: Values) -> None:
        if self.visible_only and self.zero_rows:
            scores, totals = (field.floats(x) for x in values)
            is_seen = ~np.isneginf(scores).all(axis=-1, keepdims=True)
            if np.any(is_seen & (totals == 0)):
                raise ZeroDivisionError

    def gradient(self, at: At, result: Operand, incoming: Operand, *operands: Operand) -> Term:
        e, t = operands
        off = incoming[at] - total("l", e.cols, lambda key: result[at[0], key] * incoming[at[0], key])
        if not self.visible_only:
            return result[at] * off
        return off / self.below(t[at[0], ONLY]) * Apply("seen", e[at])


@record
class LimitShares(Entrywise):
    """In the limit only the keys whose exponent keeps up with the largest have weight; ties share it."""

    zero_rows: bool = False

    def cell(self, at: At, *operands: Operand) -> Term:
        i, _ = at
        (m,) = operands

        def behind(key: Axis) -> Term:
            return Apply("exp", Apply("lim", m[i, key] - m[at]))

        row_total = total("l", m.cols, behind)
        if self.zero_rows:
            return Apply("seen", m[at]) / Apply("nonzero", row_total)
        return Constant(1) / row_total

    def formula(self, *operands: Formula) -> Formula:
        return Name("lim") @ Call("softmax", operands[0])


@record
class Unnormalised(Entrywise):
    """The scores themselves as weights; a hidden key has weight 0."""

    def cell(self, at: At, *operands: Operand) -> Term:
        return Apply("visible", operands[0][at])

    def formula(self, *operands: Formula) -> Formula:
        return operands[0]
