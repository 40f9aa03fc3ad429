"""The output of attention."""

from __future__ import annotations

from attncalc.core.fields import Field, Undecided, Values
from attncalc.core.ops.base import At, Op, Operand, Operation, Shape, ShapeError, agree, vector
from attncalc.core.record import record, replace
from attncalc.core.terms import Apply, Axis, Term, total
from attncalc.core.terms.formulas import Formula, Stacked, SumOf


@record
class Output(Op):
    """The values, each weighted by how much it is attended to, added up."""

    columns: bool = False

    def shape(self, *operands: Operand) -> Shape:
        a, v = operands
        agree(a.cols, v.rows, a, v, f"{v.name} needs one row for each key")
        return a.rows, v.cols

    def cell(self, at: At, *operands: Operand) -> Term:
        i, d = at
        a, v = operands
        return total("j", a.cols, lambda j: a[i, j] * v[j, d])

    def formula(self, *operands: Formula) -> Formula:
        a, v = operands
        return SumOf("j", vector(a, "ij") @ vector(v, "j")) if self.columns else a @ v

    def subject(self, symbol: str) -> Formula:
        subject = super().subject(symbol)
        return vector(subject, "i") if self.columns else subject

    @property
    def in_rows(self) -> Operation:
        return replace(self, columns=False)


@record
class LimitOutput(Output):
    """The values, each weighted by what its weight tends to, added up."""

    finite: bool = False

    def cell(self, at: At, *operands: Operand) -> Term:
        i, d = at
        a, v = operands

        def value(j: Axis) -> Term:
            return Apply("lim", v[j, d]) if self.finite else v[j, d]

        return total("j", a.cols, lambda j: a[i, j] * value(j))

    def settle(self, field: Field[Values], *values: Values) -> Operation:
        # This is the limit of the output only if exponentials outgrow the values.
        if not field.is_outgrown(values[1]):
            why = (
                "a value has no finite limit"
                if self.finite
                else "the values may grow as fast as the weights fall"
            )
            raise Undecided(why)
        return self


@record
class OutputWithPast(Op):
    """The cached and the new values, each weighted by how much it is attended to, added up."""

    def shape(self, *operands: Operand) -> Shape:
        a, past, v = operands
        agree(past.cols, v.cols, past, v, f"{past.name} and {v.name} must be equally wide")
        if a.cols != past.rows + v.rows:
            raise ShapeError(f"{a}, {past} and {v}: there must be one value for each key")
        return a.rows, v.cols

    def cell(self, at: At, *operands: Operand) -> Term:
        i, d = at
        a, past, v = operands
        cached = total("j", past.rows, lambda j: a[i, j] * past[j, d])
        new = total("l", v.rows, lambda n: a[i, Axis(n.letter, n.size, past.rows)] * v[n, d])
        return cached + new

    def formula(self, *operands: Formula) -> Formula:
        a, past, v = operands
        return a @ Stacked((past, v), below=True)
