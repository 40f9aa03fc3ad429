"""From tokens to queries, keys and values."""

from __future__ import annotations

from attncalc.ops.base import At, Op, Operand, Shape, agree
from attncalc.record import record
from attncalc.terms import ONLY, Axis, Term, total


@record
class Projection(Op):
    """Each token's vector times the weight matrix."""

    columns: bool = False  # written q = Wᵀx, the weight first
    out_in: bool = False  # the weight matrix is stored d_out × d_in
    letter: str = "i"  # of the tokens

    def shape(self, *operands: Operand) -> Shape:
        x, w, *bias = operands
        into, out = (w.cols, w.rows) if self.out_in else (w.rows, w.cols)
        side = "columns" if self.out_in else "rows"
        agree(x.cols, into, x, w, f"{w.name} needs as many {side} as {x.name} has columns")
        for b in bias:
            agree(b.cols, out, b, w, f"{b.name} needs one entry for each output of {w.name}")
            agree(b.rows, 1, b, w, f"{b.name} must be one row")
        return x.rows, out

    def cell(self, at: At, *operands: Operand) -> Term:
        i, d = at
        x, w, *bias = operands

        def product(c: Axis) -> Term:
            token, weight = x[i, c], w[d, c] if self.out_in else w[c, d]
            return weight * token if self.columns else token * weight

        result = total("c", x.cols, product)
        for b in bias:
            result = result + b[ONLY, d]
        return result

    def formula(self, *names: str) -> str:
        x, w, *bias = names
        if self.columns:
            product = f"{w}{'' if self.out_in else '^T'} {x.lower()}_{self.letter}"
        else:
            product = f"{x} {w}{'^T' if self.out_in else ''}"
        return " + ".join([product, *bias])

    def subject(self, symbol: str) -> str:
        return f"{symbol.lower()}_{self.letter}" if self.columns else symbol


@record
class Copy(Op):
    """Each token's vector as it is: there is no weight matrix."""

    def shape(self, *operands: Operand) -> Shape:
        x, *bias = operands
        for b in bias:
            agree(b.cols, x.cols, b, x, f"{b.name} needs one entry for each column of {x.name}")
            agree(b.rows, 1, b, x, f"{b.name} must be one row")
        return x.rows, x.cols

    def cell(self, at: At, *operands: Operand) -> Term:
        i, d = at
        x, *bias = operands
        result: Term = x[i, d]
        for b in bias:
            result = result + b[ONLY, d]
        return result

    def formula(self, *names: str) -> str:
        return " + ".join(names)
