"""What comes after attention in a block: norms and the feed-forward network."""

from __future__ import annotations

from attncalc.ops.base import At, Op, Operand, Shape, agree
from attncalc.record import record
from attncalc.terms import ONLY, Apply, Axis, Constant, Entry, Power, Product, Quotient, Sum, Term, total


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
        size = Constant(x.cols)
        mean = Quotient(total("l", x.cols, lambda n: x[i, n]), size)
        squares = total("m", x.cols, lambda n: Power(x[i, n] - mean, Constant(2)))
        variance = Quotient(squares, Constant(x.cols - 1) if self.sample else size)
        spread = variance if self.eps == Constant(0) else variance + self.eps
        return scaled((x[at] - mean) / Apply("sqrt", spread), d, parameters, self.gamma, self.beta)

    def formula(self, *names: str) -> str:
        return f"norm({names[0]})"


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

    def formula(self, *names: str) -> str:
        return f"rmsnorm({names[0]})"


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
    out_in: bool
    first_bias: bool
    second_bias: bool

    def shape(self, *operands: Operand) -> Shape:
        x, w_1, w_2, *biases = operands
        first, second = ((w.cols, w.rows) if self.out_in else (w.rows, w.cols) for w in (w_1, w_2))
        agree(x.cols, first[0], x, w_1, f"{w_1.name} needs a row for each column of {x.name}")
        agree(first[1], second[0], w_1, w_2, f"{w_2.name} needs a row for each column of {w_1.name}")
        widths = [
            width for width, given in ((first[1], self.first_bias), (second[1], self.second_bias)) if given
        ]
        for b, width in zip(biases, widths, strict=True):
            agree(b.cols, width, b, w_1, f"{b.name} needs {width} entries")
        return x.rows, second[1]

    def cell(self, at: At, *operands: Operand) -> Term:
        i, d = at
        x, w_1, w_2, *biases = operands

        def hidden(m: Axis) -> Term:
            def product(c: Axis) -> Term:
                return x[i, c] * (w_1[m, c] if self.out_in else w_1[c, m])

            inner = total("c", x.cols, product)
            return activated(self.activation, inner + biases[0][ONLY, m] if self.first_bias else inner)

        width = w_1.rows if self.out_in else w_1.cols
        result = total("m", width, lambda m: hidden(m) * (w_2[d, m] if self.out_in else w_2[m, d]))
        return result + biases[-1][ONLY, d] if self.second_bias else result

    def formula(self, *names: str) -> str:
        x, w_1, w_2, *biases = names
        t = "^T" if self.out_in else ""
        first = f" + {biases[0]}" if self.first_bias else ""
        second = f" + {biases[-1]}" if self.second_bias else ""
        return f"{self.activation}({x} {w_1}{t}{first}) {w_2}{t}{second}"
