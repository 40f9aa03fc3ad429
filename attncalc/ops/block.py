"""What comes after attention in a block: norms and the feed-forward network."""

from __future__ import annotations

from attncalc.ops.base import At, Op, Operand, Shape, agree
from attncalc.record import record
from attncalc.terms import (
    ONLY,
    Apply,
    Axis,
    Constant,
    Entry,
    Index,
    Power,
    Product,
    Quotient,
    Sum,
    Term,
    total,
)
from attncalc.terms.formulas import Call, Formula


class Norm(Op):
    """An operation on each row, with parameters for its columns."""

    def shape(self, *operands: Operand) -> Shape:
        x, *parameters = operands
        for p in parameters:
            agree(p.cols, x.cols, p, x, f"{p.name} needs one entry for each column of {x.name}")
        return x.shape[-2:]


@record
class LayerNorm(Norm):
    """Each row less its mean, divided by its standard deviation."""

    eps: Term
    sample: bool = False
    gamma: bool = False
    beta: bool = False

    def cell(self, at: At, *operands: Operand) -> Term:
        i, d = at
        x, *parameters = operands
        centred = x[at] - self.mean(i, x)
        return scaled(centred / self.deviation(i, x), d, parameters, self.gamma, self.beta)

    def mean(self, i: Index, x: Operand) -> Term:
        """The mean of a row."""
        return Quotient(total("l", x.cols, lambda n: x[i, n]), Constant(x.cols))

    def deviation(self, i: Index, x: Operand) -> Term:
        """The standard deviation of a row."""
        squares = total("m", x.cols, lambda n: Power(x[i, n] - self.mean(i, x), Constant(2)))
        variance = Quotient(squares, Constant(x.cols - 1 if self.sample else x.cols))
        return Apply("sqrt", variance if self.eps == Constant(0) else variance + self.eps)

    def formula(self, *operands: Formula) -> Formula:
        return Call("norm", operands[0])


@record
class RmsNorm(Norm):
    """Each row divided by the root of the mean of its squares."""

    eps: Term
    gamma: bool = False

    def cell(self, at: At, *operands: Operand) -> Term:
        i, d = at
        x, *parameters = operands
        squares = Quotient(total("l", x.cols, lambda n: Power(x[i, n], Constant(2))), Constant(x.cols))
        spread = squares if self.eps == Constant(0) else squares + self.eps
        return scaled(x[at] / Apply("sqrt", spread), d, parameters, self.gamma, False)

    def formula(self, *operands: Formula) -> Formula:
        return Call("rmsnorm", operands[0])


def scaled(x: Term, d: object, parameters: list[Operand], gamma: bool, beta: bool) -> Term:
    """x times gamma plus beta, as far as they are given."""
    assert isinstance(d, Axis)
    if gamma:
        x = Product((x, parameters[0][ONLY, d]))
    return x + parameters[-1][ONLY, d] if beta else x


def activated(activation: str, x: Term) -> Term:
    """The activation function of a feed-forward network."""
    one, half = Constant(1), Constant(2)
    if activation == "relu":
        return Apply("relu", x)
    if activation == "silu":
        return x / (one + Apply("exp", Constant(0) - x))
    if activation == "gelu":
        return x * (one + Apply("erf", x / Apply("sqrt", half))) / half
    cubic = Sum((x, Quotient(Constant(44715), Constant(1000000)) * Power(x, Constant(3))))
    inside = Apply("sqrt", half / Entry("pi")) * cubic
    return x * (one + Apply("tanh", inside)) / half


@record
class FeedForward(Op):
    """Two layers with an activation between them, for each token alone."""

    activation: str
    first_bias: bool
    second_bias: bool

    def shape(self, *operands: Operand) -> Shape:
        x, w_1, w_2, *biases = operands
        agree(x.cols, w_1.rows, x, w_1, f"{w_1.name} needs a {w_1.row} for each column of {x.name}")
        agree(w_1.cols, w_2.rows, w_1, w_2, f"{w_2.name} needs a {w_2.row} for each output of {w_1.name}")
        given = ((w_1.cols, self.first_bias), (w_2.cols, self.second_bias))
        for b, width in zip(biases, (width for width, has in given if has), strict=True):
            agree(b.cols, width, b, w_1, f"{b.name} needs {width} entries")
        return x.rows, w_2.cols

    def cell(self, at: At, *operands: Operand) -> Term:
        i, d = at
        x, w_1, w_2, *biases = operands

        def hidden(m: Axis) -> Term:
            inner = total("c", x.cols, lambda c: x[i, c] * w_1[c, m])
            return self.activate(inner + biases[0][ONLY, m] if self.first_bias else inner)

        result = total("m", w_1.cols, lambda m: hidden(m) * w_2[m, d])
        return result + biases[-1][ONLY, d] if self.second_bias else result

    def activate(self, x: Term) -> Term:
        """What the activation makes of a hidden entry."""
        return activated(self.activation, x)

    def formula(self, *operands: Formula) -> Formula:
        x, w_1, w_2, *biases = operands
        inner = x @ w_1 + biases[0] if self.first_bias else x @ w_1
        result = Call(self.activation, inner) @ w_2
        return result + biases[-1] if self.second_bias else result
