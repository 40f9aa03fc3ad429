"""What attention returns."""

from __future__ import annotations

from attncalc.ops.base import At, Op, Operand, Shape, agree
from attncalc.record import record
from attncalc.terms import Term, total


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

    def formula(self, *names: str) -> str:
        a, v = names
        return f"sum_j {a.lower()}_ij {v.lower()}_j" if self.columns else f"{a} {v}"

    def subject(self, symbol: str) -> str:
        return f"{symbol.lower()}_i" if self.columns else symbol
