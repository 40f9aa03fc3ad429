"""From scores to weights: the softmax step by step, and weights without a softmax."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from attncalc.core.fields import Field, Floats, Values
from attncalc.core.ops.base import At, Entrywise, OfRows, Operand, Operation
from attncalc.core.record import record
from attncalc.core.terms import ONE, ONLY, Apply, Index, Negative, Term, greatest, total
from attncalc.core.terms.formulas import Call, Formula, Indexed, Minus, Name, Text

LARGEST_EXPONENT = 700
SMALLEST_MAXIMUM = -600


def overflows(sink: Index | None, field: Field[Values], scores: Values, *sinks: Values) -> bool:
    """Whether e to the power of a score, or of its sink, would overflow or underflow."""
    top = np.max(field.floats(scores), axis=-1)
    if sink is not None:
        top = np.maximum(top, field.floats(sinks[0])[..., 0, sink if isinstance(sink, int) else 0, None])
    return is_beyond(top)


def is_beyond(largest: Floats) -> bool:
    """Whether e to the power of the largest score of a row is too large or too small to divide by."""
    seen = largest[~np.isneginf(largest)]
    return bool(np.any(seen > LARGEST_EXPONENT) or np.any(seen < SMALLEST_MAXIMUM))


def largest_of(i: Index, sink: Index | None, scores: Operand, *sinks: Operand) -> Term:
    """The largest of the scores of a row and its sink; 0 for a row in which all keys are hidden."""
    largest = greatest("l", scores.cols, lambda j: scores[i, j])
    if sink is None:
        return Apply("visible", largest)
    beside = sinks[0][ONLY, sink]
    return beside + Apply("relu", largest - beside)


@record
class Exponentials(Entrywise):
    """e to the power of every score."""

    sink: Index | None = None
    """The index of the sink of these scores, if there are sinks."""

    def cell(self, at: At, *operands: Operand) -> Term:
        return Apply("exp", operands[0][at])

    def formula(self, *operands: Formula) -> Formula:
        return Call("exp", operands[0])

    @cached_property
    def shifted(self) -> Operation:
        return ShiftedExponentials(self.sink)

    def settle(self, field: Field[Values], *values: Values) -> Operation:
        return self.shifted if overflows(self.sink, field, *values) else self


@record
class ShiftedExponentials(Entrywise):
    """e to the power of every score less the largest of its row: e to the score itself would overflow."""

    sink: Index | None = None

    def cell(self, at: At, *operands: Operand) -> Term:
        return Apply("exp", operands[0][at] - largest_of(at[0], self.sink, *operands))

    def formula(self, *operands: Formula) -> Formula:
        return Call("exp", operands[0] + Minus(Name("max")))


@record
class RowTotals(OfRows):
    """The total of each row."""

    function: str | None = None

    def cell(self, at: At, *operands: Operand) -> Term:
        i, _ = at
        (e,) = operands
        return total("j", e.cols, lambda j: e[i, j] if not self.function else Apply(self.function, e[i, j]))

    def formula(self, *operands: Formula) -> Formula:
        return Call("rowsum", operands[0])


@record
class SinkTotals(OfRows):
    """The total of each row, and e to the power of the sink, which takes weight and has no value."""

    sink: Index
    is_shifted: bool = False

    @property
    def sentence(self) -> Text:
        less = "; both exponents less the largest of the row" if self.is_shifted else ""
        return f"{super().sentence[:-1]}{less}."

    def cell(self, at: At, *operands: Operand) -> Term:
        e, scores, sinks = operands
        exponent: Term = sinks[ONLY, self.sink]
        if self.is_shifted:
            exponent = exponent - largest_of(at[0], self.sink, scores, sinks)
        return total("j", e.cols, lambda j: e[at[0], j]) + Apply("exp", exponent)

    def formula(self, *operands: Formula) -> Formula:
        e, _, sinks = operands
        sink = Indexed(sinks, str(self.sink + 1)) if isinstance(self.sink, int) else sinks
        return Call("rowsum", e) + Call("exp", sink + Minus(Name("max")) if self.is_shifted else sink)

    @cached_property
    def shifted(self) -> Operation:
        return SinkTotals(self.sink, is_shifted=True)

    def settle(self, field: Field[Values], *values: Values) -> Operation:
        return self.shifted if overflows(self.sink, field, *values[1:]) else self


@record
class Shares(Entrywise):
    """Each entry as a share of its row's total, so that a row adds up to 1."""

    visible_only: bool = False
    zero_rows: bool = False
    has_sink: bool = False
    """Whether every total includes a sink."""

    @property
    def adds_up(self) -> bool:
        return not self.has_sink

    @property
    def sentence(self) -> Text:
        leaving = "Each entry as a share of its row's total, of which the sink takes the rest."
        return leaving if self.has_sink else super().sentence

    def cell(self, at: At, *operands: Operand) -> Term:
        e, t = operands
        share: Term = Apply("visible", e[at]) if self.visible_only else e[at]
        return share / self.below(t[at[0], ONLY])

    def below(self, row_total: Term) -> Term:
        """The divisor of a row."""
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
        off = less_mean(at, result, incoming)
        if not self.visible_only:
            return result[at] * off
        return off / self.below(t[at[0], ONLY]) * Apply("seen", e[at])

    def gradient_beside(self, result: Operand, incoming: Operand) -> Term | None:
        if not self.has_sink:
            return None
        # The sink has the weight that the keys leave, and its value is 0.
        keys = result.cols

        def row(i: Index) -> Term:
            left = ONE - total("j", keys, lambda j: result[i, j])
            return left * total("l", keys, lambda j: result[i, j] * incoming[i, j])

        return Negative(total("i", result.rows, row))


def less_mean(at: At, shares: Operand, incoming: Operand) -> Term:
    """The gradient of a share less the weighted mean of its row's gradients."""
    i, _ = at
    return incoming[at] - total("l", shares.cols, lambda key: shares[i, key] * incoming[i, key])


@record
class LimitShares(Entrywise):
    """In the limit only the keys whose exponent keeps up with the largest have weight; ties share it."""

    zero_rows: bool = False
    sink: Index | None = None

    @property
    def adds_up(self) -> bool:
        return self.sink is None

    def cell(self, at: At, *operands: Operand) -> Term:
        i, _ = at
        m, *sinks = operands

        def behind(other: Term) -> Term:
            return Apply("exp", Apply("lim", other - m[at]))

        row_total = total("l", m.cols, lambda key: behind(m[i, key]))
        if self.sink is not None:
            row_total = row_total + behind(sinks[0][ONLY, self.sink])
        if self.zero_rows:
            return Apply("seen", m[at]) / Apply("nonzero", row_total)
        return ONE / row_total

    def formula(self, *operands: Formula) -> Formula:
        return Name("lim") @ Call("softmax", operands[0])


@record
class Unnormalised(Entrywise):
    """The scores themselves as weights; a hidden key has weight 0."""

    def cell(self, at: At, *operands: Operand) -> Term:
        return Apply("visible", operands[0][at])

    def formula(self, *operands: Formula) -> Formula:
        return operands[0]
