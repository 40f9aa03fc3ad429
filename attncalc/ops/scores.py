"""How well queries match keys."""

from __future__ import annotations

from attncalc.ops.base import At, Op, Operand, Shape, agree
from attncalc.record import record
from attncalc.terms import Constant, Quotient, Term, total


@record
class Scores(Op):
    """How well each query matches each key: their dot product."""

    columns: bool = False

    def shape(self, *operands: Operand) -> Shape:
        q, k = operands
        agree(q.cols, k.cols, q, k, f"{q.name} and {k.name} must be equally wide")
        return q.rows, k.rows

    def cell(self, at: At, *operands: Operand) -> Term:
        i, j = at
        q, k = operands
        return total("d", q.cols, lambda d: q[i, d] * k[j, d])

    def formula(self, *names: str) -> str:
        q, k = names
        return f"{q.lower()}_i^T {k.lower()}_j" if self.columns else f"{q} {k}^T"

    def subject(self, symbol: str) -> str:
        return f"{symbol.lower()}_ij" if self.columns else symbol


@record
class Scale(Op):
    """Every score times one factor, so that wide vectors do not make large scores."""

    factor: Term
    text: str

    def shape(self, *operands: Operand) -> Shape:
        return operands[0].shape[-2:]

    def cell(self, at: At, *operands: Operand) -> Term:
        score = operands[0][at]
        match self.factor:
            case Quotient(Constant(1), under):
                return Quotient(score, under)
        return score * self.factor

    def formula(self, *names: str) -> str:
        match self.factor:
            case Quotient(Constant(1), _):
                return f"{names[0]} / {self.text.partition('/')[2].strip()}"
        return f"{names[0]} * {self.text}"


@record
class Mask(Op):
    """A mask is added: −∞ hides a key, for e^−∞ = 0."""

    def shape(self, *operands: Operand) -> Shape:
        return operands[0].shape[-2:]

    def cell(self, at: At, *operands: Operand) -> Term:
        z, mask = operands
        return z[at] + mask[at]

    def formula(self, *names: str) -> str:
        return " + ".join(names)
