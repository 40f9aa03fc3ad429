"""How well queries match keys."""

from __future__ import annotations

from math import inf

from attncalc.core.ops.base import At, Entrywise, Op, Operand, Operation, Piece, Shape, agree, vector
from attncalc.core.readings.subterms import to_decimals
from attncalc.core.record import record, replace
from attncalc.core.terms import ONLY, Apply, Axis, Constant, Index, Quotient, Sum, Term, entries, total
from attncalc.core.terms.formulas import Call, Formula, Plus, Stacked, Text, Times, sentence


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

    def formula(self, *operands: Formula) -> Formula:
        q, k = operands
        return vector(q, "i").T @ vector(k, "j") if self.columns else q @ k.T

    def subject(self, symbol: str) -> Formula:
        subject = super().subject(symbol)
        return vector(subject, "ij") if self.columns else subject

    @property
    def in_rows(self) -> Operation:
        return replace(self, columns=False)


@record
class GeneralScores(Op):
    """How well each query matches each key, through a matrix between them."""

    def shape(self, *operands: Operand) -> Shape:
        q, k, w = operands
        agree(q.cols, w.rows, q, w, f"{w.name} needs a row for each column of {q.name}")
        agree(k.cols, w.cols, k, w, f"{w.name} needs a column for each column of {k.name}")
        return q.rows, k.rows

    def cell(self, at: At, *operands: Operand) -> Term:
        i, j = at
        q, k, w = operands

        def weigh_key(d: Axis) -> Term:
            return total("c", k.cols, lambda c: w[d, c] * k[j, c])

        return total("d", q.cols, lambda d: q[i, d] * weigh_key(d))

    def formula(self, *operands: Formula) -> Formula:
        q, k, w = operands
        return q @ w @ k.T


@record
class AdditiveScores(Op):
    """How well each query matches each key: a small network that adds them and takes the tanh."""

    def shape(self, *operands: Operand) -> Shape:
        q, k, w_q, w_k, v = operands
        for x, w in ((q, w_q), (k, w_k)):
            agree(x.cols, w.rows, x, w, f"{w.name} needs a row for each column of {x.name}")
            agree(w.cols, v.cols, w, v, f"{v.name} needs one entry for each column of {w.name}")
        return q.rows, k.rows

    def cell(self, at: At, *operands: Operand) -> Term:
        i, j = at
        q, k, w_q, w_k, v = operands

        def project(x: Operand, row: Index, w: Operand, a: Axis) -> Term:
            return total("c", x.cols, lambda c: x[row, c] * w[c, a])

        def tanh(a: Axis) -> Term:
            return Apply("tanh", project(q, i, w_q, a) + project(k, j, w_k, a))

        return total("a", v.cols, lambda a: v[ONLY, a] * tanh(a))

    def formula(self, *operands: Formula) -> Formula:
        q, k, w_q, w_k, v = operands
        return v @ Call("tanh", q @ w_q + k @ w_k)


@record
class ConcatScores(Op):
    """How well each query matches each key: a small network on both, one behind the other."""

    key_first: bool = False

    def shape(self, *operands: Operand) -> Shape:
        q, k, w, v = operands
        agree(w.rows, q.cols + k.cols, w, q, f"{w.name} needs a row for each column of {q.name} and {k.name}")
        agree(w.cols, v.cols, w, v, f"{v.name} needs one entry for each column of {w.name}")
        return q.rows, k.rows

    def cell(self, at: At, *operands: Operand) -> Term:
        i, j = at
        q, k, w, v = operands

        def part(x: Operand, row: Index, start: int, a: Axis) -> Term:
            return total("c", x.cols, lambda c: x[row, c] * w[Axis(c.letter, c.size, start), a])

        def tanh(a: Axis) -> Term:
            query = part(q, i, k.cols if self.key_first else 0, a)
            key = part(k, j, 0 if self.key_first else q.cols, a)
            return Apply("tanh", key + query if self.key_first else query + key)

        return total("a", v.cols, lambda a: v[ONLY, a] * tanh(a))

    def formula(self, *operands: Formula) -> Formula:
        q, k, w, v = operands
        both = Stacked((k, q) if self.key_first else (q, k), below=True)
        return v @ Call("tanh", both @ w)


@record
class WithPast(Operation):
    """How well each query matches each key, the cached ones first."""

    scores: Operation

    def shape(self, *operands: Operand) -> Shape:
        q, past, k, *rest = operands
        rows, cached = self.scores.shape(q, past, *rest)
        return rows, cached + self.scores.shape(q, k, *rest)[1]

    def pieces(self, axes: tuple[Axis, Axis], *operands: Operand) -> list[Piece]:
        i, j = axes
        q, past, k, *rest = operands
        found, start = [], 0
        for keys in (past, k):
            for piece in self.scores.pieces((i, Axis(j.letter, keys.rows)), q, keys, *rest):
                found.append(Piece((i, Axis(j.letter, keys.rows, start)), piece.rule))
            start += keys.rows
        return found

    def formula(self, *operands: Formula) -> Formula | None:
        q, past, k, *rest = operands
        return self.scores.in_rows.formula(q, Stacked((past, k), below=True), *rest)

    @property
    def core(self) -> Operation:
        return self.scores.core


@record
class Scale(Entrywise):
    """Every score times one factor."""

    factor: Term

    @property
    def sentence(self) -> Text:
        """The sentence gives the reason for the factor if it depends on a width."""
        is_width = any(entry.of in ("d_k", "d_model") for entry in entries(self.factor))
        why = ", so that wide vectors do not make large scores"
        return f"Every score times one factor{why if is_width else ''}."

    def cell(self, at: At, *operands: Operand) -> Term:
        score = operands[0][at]
        match self.factor:
            case Quotient(Constant(1), under):
                return Quotient(score, under)
        return score * self.factor

    def formula(self, *operands: Formula) -> Formula:
        match to_decimals(self.factor):
            case Quotient(Constant(1), under):
                return operands[0] / under
            case factor:
                return Times(operands[0], factor)


@record
class Mask(Entrywise):
    """The scores times their decay, and a bias and a mask added to them, the mask last."""

    is_biased: bool = False
    is_masked: bool = True
    is_decayed: bool = False
    is_exponent: bool = True
    """Whether powers of e follow, so that −∞ hides a key."""

    @property
    def sentence(self) -> Text:
        decayed = "Every score times its decay. " if self.is_decayed else ""
        if not self.is_masked:
            return f"{decayed}The bias is added." if self.is_biased else decayed.strip()
        added = decayed + ("The bias and a mask are added" if self.is_biased else "A mask is added")
        hidden = Constant(-inf)
        if not self.is_exponent:
            return sentence(added + ": {} hides a key.", hidden)
        return sentence(added + ": {} hides a key, for {} = 0.", hidden, Apply("exp", hidden))

    def cell(self, at: At, *operands: Operand) -> Term:
        scores, *added = (x[at] for x in operands)
        if not self.is_decayed:
            return Sum((scores, *added))
        decay, *added = added
        return Sum((scores * decay, *added)) if added else scores * decay

    def formula(self, *operands: Formula) -> Formula:
        if not self.is_decayed:
            return Plus(operands)
        scores, decay, *added = operands
        decayed = Times(scores, decay, entrywise=True)
        return Plus((decayed, *added)) if added else decayed
