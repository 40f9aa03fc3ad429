"""From tokens to queries, keys and values."""

from __future__ import annotations

from attncalc.core.ops.base import At, Entrywise, Op, Operand, Operation, Shape, agree, vector
from attncalc.core.record import record, replace
from attncalc.core.terms import ONLY, Axis, Index, Term, total
from attncalc.core.terms.formulas import Formula, Plus


@record
class Projection(Op):
    """Each token's vector times the weight matrix."""

    columns: bool = False  # written q = Wᵀx, the weight first
    letter: str = "i"  # of the tokens

    def shape(self, *operands: Operand) -> Shape:
        x, w, *bias = operands
        agree(x.cols, w.rows, x, w, f"{w.name} needs as many {w.row}s as {x.name} has columns")
        for b in bias:
            agree(b.cols, w.cols, b, w, f"{b.name} needs one entry for each output of {w.name}")
            agree(b.rows, 1, b, w, f"{b.name} must be one row")
        return x.rows, w.cols

    def cell(self, at: At, *operands: Operand) -> Term:
        i, d = at
        x, w, *bias = operands

        def product(c: Axis) -> Term:
            return w[c, d] * x[i, c] if self.columns else x[i, c] * w[c, d]

        return add_bias(total("c", x.cols, product), d, bias)

    def formula(self, *operands: Formula) -> Formula:
        x, w, *bias = operands
        product = w.T @ vector(x, self.letter) if self.columns else x @ w
        return Plus((product, *bias)) if bias else product

    def subject(self, symbol: str) -> Formula:
        subject = super().subject(symbol)
        return vector(subject, self.letter) if self.columns else subject

    @property
    def in_rows(self) -> Operation:
        return replace(self, columns=False)


@record
class Copy(Entrywise):
    """Each token's vector unchanged: there is no weight matrix."""

    def shape(self, *operands: Operand) -> Shape:
        x, *bias = operands
        for b in bias:
            agree(b.cols, x.cols, b, x, f"{b.name} needs one entry for each column of {x.name}")
            agree(b.rows, 1, b, x, f"{b.name} must be one row")
        return super().shape(*operands)

    def cell(self, at: At, *operands: Operand) -> Term:
        x, *bias = operands
        return add_bias(x[at], at[1], bias)

    def formula(self, *operands: Formula) -> Formula:
        return Plus(operands) if len(operands) > 1 else operands[0]


def add_bias(result: Term, d: Index, bias: list[Operand]) -> Term:
    """A result with the entry of a bias for its column added."""
    for b in bias:
        result = result + b[ONLY, d]
    return result
