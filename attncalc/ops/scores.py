"""How well queries match keys."""

from __future__ import annotations

from attncalc.ops.base import At, Op, Operand, Piece, Shape, agree
from attncalc.record import record
from attncalc.terms import ONLY, Apply, Axis, Constant, Index, Quotient, Term, total


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
class GeneralScores(Op):
    """How well each query matches each key, through a matrix between them."""

    out_in: bool = False

    def shape(self, *operands: Operand) -> Shape:
        q, k, w = operands
        rows, columns = (w.cols, w.rows) if self.out_in else (w.rows, w.cols)
        agree(q.cols, rows, q, w, f"{w.name} needs a row for each column of {q.name}")
        agree(k.cols, columns, k, w, f"{w.name} needs a column for each column of {k.name}")
        return q.rows, k.rows

    def cell(self, at: At, *operands: Operand) -> Term:
        i, j = at
        q, k, w = operands

        def weighted(d: Axis) -> Term:
            return total("c", k.cols, lambda c: (w[c, d] if self.out_in else w[d, c]) * k[j, c])

        return total("d", q.cols, lambda d: q[i, d] * weighted(d))

    def formula(self, *names: str) -> str:
        q, k, w = names
        return f"{q} {w}{'^T' if self.out_in else ''} {k}^T"


@record
class AdditiveScores(Op):
    """How well each query matches each key: a small network that adds them and takes the tanh."""

    out_in: bool = False

    def shape(self, *operands: Operand) -> Shape:
        q, k, w_q, w_k, v = operands
        for x, w in ((q, w_q), (k, w_k)):
            rows, columns = (w.cols, w.rows) if self.out_in else (w.rows, w.cols)
            agree(x.cols, rows, x, w, f"{w.name} needs a row for each column of {x.name}")
            agree(columns, v.cols, w, v, f"{v.name} needs one entry for each column of {w.name}")
        return q.rows, k.rows

    def cell(self, at: At, *operands: Operand) -> Term:
        i, j = at
        q, k, w_q, w_k, v = operands

        def projected(x: Operand, row: Index, w: Operand, a: Axis) -> Term:
            return total("c", x.cols, lambda c: x[row, c] * (w[a, c] if self.out_in else w[c, a]))

        def tanh(a: Axis) -> Term:
            return Apply("tanh", projected(q, i, w_q, a) + projected(k, j, w_k, a))

        return total("a", v.cols, lambda a: v[ONLY, a] * tanh(a))

    def formula(self, *names: str) -> str:
        q, k, w_q, w_k, v = names
        t = "^T" if self.out_in else ""
        return f"{v} tanh({q} {w_q}{t} + {k} {w_k}{t})"


@record
class ConcatScores(Op):
    """How well each query matches each key: a small network on both, one behind the other."""

    out_in: bool = False
    key_first: bool = False

    def shape(self, *operands: Operand) -> Shape:
        q, k, w, v = operands
        rows, columns = (w.cols, w.rows) if self.out_in else (w.rows, w.cols)
        agree(rows, q.cols + k.cols, w, q, f"{w.name} needs a row for each column of {q.name} and {k.name}")
        agree(columns, v.cols, w, v, f"{v.name} needs one entry for each column of {w.name}")
        return q.rows, k.rows

    def cell(self, at: At, *operands: Operand) -> Term:
        i, j = at
        q, k, w, v = operands

        def part(x: Operand, row: Index, start: int, a: Axis) -> Term:
            def product(c: Axis) -> Term:
                weight = Axis(c.letter, c.size, start)
                return x[row, c] * (w[a, weight] if self.out_in else w[weight, a])

            return total("c", x.cols, product)

        def tanh(a: Axis) -> Term:
            query, key = (
                part(q, i, k.cols if self.key_first else 0, a),
                part(k, j, 0 if self.key_first else q.cols, a),
            )
            return Apply("tanh", key + query if self.key_first else query + key)

        return total("a", v.cols, lambda a: v[ONLY, a] * tanh(a))

    def formula(self, *names: str) -> str:
        q, k, w, v = names
        both = f"{k}; {q}" if self.key_first else f"{q}; {k}"
        return f"{v} tanh([{both}] {w}{'^T' if self.out_in else ''})"


@record
class WithPast(Op):
    """How well each query matches each key, the cached ones first."""

    scores: Op

    def shape(self, *operands: Operand) -> Shape:
        q, past, k, *rest = operands
        rows, cached = self.scores.shape(q, past, *rest)
        return rows, cached + self.scores.shape(q, k, *rest)[1]

    def cell(self, at: At, *operands: Operand) -> Term:
        raise NotImplementedError

    def pieces(self, axes: tuple[Axis, Axis], *operands: Operand) -> list[Piece]:
        i, j = axes
        q, past, k, *rest = operands
        found, start = [], 0
        for keys in (past, k):
            rule = self.scores.cell((i, Axis(j.letter, keys.rows)), q, keys, *rest)
            found.append(Piece((i, Axis(j.letter, keys.rows, start)), rule))
            start += keys.rows
        return found

    def formula(self, *names: str) -> str:
        q, past, k, *rest = names
        return self.scores.formula(q, f"[{past}; {k}]", *rest)


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
