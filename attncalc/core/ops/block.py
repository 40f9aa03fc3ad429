"""The parts of a block after attention: norms with their means and variances, and activations."""

from __future__ import annotations

from abc import abstractmethod

from attncalc.core.ops.base import At, Entrywise, OfRows, Op, Operand, Shape, agree
from attncalc.core.record import record
from attncalc.core.terms import (
    ONLY,
    TWO,
    ZERO,
    Apply,
    Constant,
    Entry,
    Index,
    Power,
    Quotient,
    Term,
    total,
)
from attncalc.core.terms.formulas import Call, Formula, Minus, Name, Text, Times
from attncalc.core.terms.functions import ACTIVATIONS


@record
class Mean(OfRows):
    """The mean of each row."""

    def cell(self, at: At, *operands: Operand) -> Term:
        i, _ = at
        (x,) = operands
        return Quotient(total("d", x.cols, lambda d: x[i, d]), Constant(x.cols))

    def formula(self, *operands: Formula) -> Formula:
        return Call("mean", operands[0])


@record
class Variance(OfRows):
    """How far the entries of each row are from its mean."""

    sample: bool = False

    @property
    def sentence(self) -> Text:
        divided = "their number less 1" if self.sample else "their number"
        return (
            f"The squared distances of each row's entries from its mean, added up and divided by {divided}."
        )

    def cell(self, at: At, *operands: Operand) -> Term:
        i, _ = at
        x, mean = operands
        squares = total("d", x.cols, lambda d: Power(x[i, d] - mean[i, ONLY], TWO))
        return Quotient(squares, Constant(x.cols - self.sample))

    def formula(self, *operands: Formula) -> Formula:
        return Call("var", operands[0])


@record
class MeanSquare(OfRows):
    """The mean of the squares of each row."""

    def cell(self, at: At, *operands: Operand) -> Term:
        i, _ = at
        (x,) = operands
        return Quotient(total("d", x.cols, lambda d: Power(x[i, d], TWO)), Constant(x.cols))

    def formula(self, *operands: Formula) -> Formula:
        return Call("meansquare", operands[0])


@record
class Norm(Op):
    """Each row divided by how far it spreads, then times gamma and plus beta for its columns.

    Its operands are the rows, their statistics (the last is under the root), gamma and beta.
    """

    eps: Term
    gamma: bool = False
    beta: bool = False

    sample: bool = False
    """Whether its variance is that of a sample, which only its gradient depends on."""
    outside: bool = False
    """Whether eps is added to the root, not under it."""

    known = 1
    """The number of operands before gamma and beta."""
    is_centred = False
    """Whether the mean of a row is subtracted."""

    @abstractmethod
    def centre_entry(self, at: At, *operands: Operand) -> Term:
        """An entry before the division."""

    @abstractmethod
    def centre_formula(self, *operands: Formula) -> Formula:
        """The formula of the rows before the division."""

    def root(self, spread: Term) -> Term:
        """The divisor of a row."""
        if self.eps == ZERO:
            return Apply("sqrt", spread)
        return Apply("sqrt", spread) + self.eps if self.outside else Apply("sqrt", spread + self.eps)

    def normalise_entry(self, at: At, *operands: Operand) -> Term:
        """An entry before gamma and beta."""
        return self.centre_entry(at, *operands) / self.root(operands[self.known - 1][at[0], ONLY])

    def shape(self, *operands: Operand) -> Shape:
        x = operands[0]
        for p in operands[self.known :]:
            agree(p.cols, x.cols, p, x, f"{p.name} needs one entry for each column of {x.name}")
        return x.shape[-2:]

    def cell(self, at: At, *operands: Operand) -> Term:
        return self.scale_and_shift(self.normalise_entry(at, *operands), at[1], *operands)

    def scale_and_shift(self, x: Term, d: Index, *operands: Operand) -> Term:
        """x times gamma plus beta, if they are given."""
        x = self.times_gamma(x, d, *operands)
        return x + operands[-1][ONLY, d] if self.beta else x

    def times_gamma(self, x: Term, d: Index, *operands: Operand) -> Term:
        """x times gamma, if it is given."""
        return x * operands[self.known][ONLY, d] if self.gamma else x

    def gradient(self, at: At, result: Operand, incoming: Operand, *operands: Operand) -> Term:
        i, d = at
        cols = operands[0].cols

        def arriving(n: Index) -> Term:
            return self.times_gamma(incoming[i, n], n, *operands)

        def own(n: Index) -> Term:
            return self.normalise_entry((i, n), *operands) if self.gamma or self.beta else result[i, n]

        mean = Quotient(total("l", cols, arriving), Constant(cols))
        left = arriving(d) - mean if self.is_centred else arriving(d)
        along = own(d) * total("l", cols, lambda n: arriving(n) * own(n))
        turned_back = Quotient(along, Constant(cols - self.sample))
        spread = operands[self.known - 1][i, ONLY]
        if self.outside:
            return left / self.root(spread) - turned_back / Apply("sqrt", spread)
        return (left - turned_back) / self.root(spread)

    def formula(self, *operands: Formula) -> Formula:
        spread = operands[self.known - 1]
        assert isinstance(spread, Name)
        result: Formula = self.centre_formula(*operands) / self.root(Entry(spread.name))
        result = Times(result, operands[self.known]) if self.gamma else result
        return result + operands[-1] if self.beta else result


@record
class LayerNorm(Norm):
    """Each row less its mean, divided by the root of its variance."""

    known, is_centred = 3, True

    def centre_entry(self, at: At, *operands: Operand) -> Term:
        return operands[0][at] - operands[1][at[0], ONLY]

    def centre_formula(self, *operands: Formula) -> Formula:
        return operands[0] + Minus(operands[1])


@record
class RmsNorm(Norm):
    """Each row divided by the root of the mean of its squares."""

    known = 2

    def centre_entry(self, at: At, *operands: Operand) -> Term:
        return operands[0][at]

    def centre_formula(self, *operands: Formula) -> Formula:
        return operands[0]


@record
class Activation(Entrywise):
    """The activation function of every entry."""

    function: str

    def cell(self, at: At, *operands: Operand) -> Term:
        return ACTIVATIONS[self.function](operands[0][at])

    def formula(self, *operands: Formula) -> Formula:
        return Call(self.function, operands[0])


@record
class Gated(Activation):
    """The activation function of every entry, times the gate's entry."""

    def shape(self, *operands: Operand) -> Shape:
        hidden, gate = operands
        agree(hidden.cols, gate.cols, hidden, gate, "the gate needs as many columns as the hidden layer")
        return super().shape(*operands)

    def cell(self, at: At, *operands: Operand) -> Term:
        return super().cell(at, *operands) * operands[1][at]

    def formula(self, *operands: Formula) -> Formula:
        return Times(super().formula(*operands), operands[1])
