"""Mistakes in the gradient of a norm: parts taken as constant, or left out."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator

from attncalc.core.graph.graph import Graph, Step
from attncalc.core.ops.base import Operand, Piece
from attncalc.core.ops.block import Norm
from attncalc.core.record import replace
from attncalc.core.terms import ONLY, Constant, Index, Quotient, Term, map_members, total
from attncalc.mistakes.gradient_shares import Through


class OfNorm(Through):
    """A mistake in the gradient of the rows of a norm, not of its parameters."""

    kind = Norm

    def other_rules(self, piece: Piece, user: Step, incoming: Operand, graph: Graph) -> Iterator[Term]:
        assert isinstance(user.op, Norm)
        operands = [Operand(name, graph.shapes[name]) for name in user.inputs]
        is_of_rows = tuple(axis.size for axis in piece.axes) == operands[0].shape[-2:]
        if is_of_rows and piece.axes[0].letter:
            yield from self.of_norm(piece, user.op, incoming, operands)

    @abstractmethod
    def of_norm(self, piece: Piece, norm: Norm, incoming: Operand, operands: list[Operand]) -> Iterator[Term]:
        """Wrong rules for the gradient of a cell."""


def root_of(piece: Piece, norm: Norm, operands: list[Operand]) -> Term:
    """The root that a row was divided by."""
    return norm.root(operands[norm.known - 1][piece.axes[0], ONLY])


class GradientNormFixed(OfNorm):
    """The mean or the spread of the row, or both, were taken as constants: each entry changes them, too."""

    code = "gradient-norm-fixed"
    question = "What else in a norm changes when one entry of the row does?"

    def of_norm(self, piece: Piece, norm: Norm, incoming: Operand, operands: list[Operand]) -> Iterator[Term]:
        i, d = piece.axes
        cols, root = operands[0].cols, root_of(piece, norm, operands)

        def arriving(n: Index) -> Term:
            return norm.times_gamma(incoming[i, n], n, *operands)

        yield arriving(d) / root
        if norm.is_centred:
            mean = Quotient(total("l", cols, arriving), Constant(cols))
            yield (arriving(d) - mean) / root
            yield piece.rule + mean / root


class GradientNormSum(OfNorm):
    """Sums were subtracted in place of means on the way back through the norm."""

    code = "gradient-norm-sum"
    question = "By what are the sums divided that are subtracted in the gradient of a norm?"

    def of_norm(self, piece: Piece, norm: Norm, incoming: Operand, operands: list[Operand]) -> Iterator[Term]:  # noqa: ARG002
        yield drop_divisors(piece.rule)


def drop_divisors(rule: Term) -> Term:
    """A rule with sums in place of means."""
    match rule:
        case Quotient(sums, Constant()):
            return sums
    return map_members(rule, drop_divisors)


class GradientNormRoot(OfNorm):
    """The division by the root of the norm was left out on the way back."""

    code = "gradient-norm-root"
    question = "What was every row divided by on the way forward?"

    def of_norm(self, piece: Piece, norm: Norm, incoming: Operand, operands: list[Operand]) -> Iterator[Term]:  # noqa: ARG002
        if not norm.outside:  # else two roots are divided by
            yield piece.rule * root_of(piece, norm, operands)


class GradientNormMissing(OfNorm):
    """The norm was not differentiated: the gradient was passed on as it came."""

    code = "gradient-norm-missing"
    question = "Does a norm pass a change on as it comes?"

    def of_norm(self, piece: Piece, norm: Norm, incoming: Operand, operands: list[Operand]) -> Iterator[Term]:  # noqa: ARG002
        yield incoming[piece.axes]


class GradientGammaMissing(OfNorm):
    """The factors gamma of the norm were left out on the way back."""

    code = "gradient-gamma-missing"
    question = "What was every column multiplied by after the norm?"

    def of_norm(self, piece: Piece, norm: Norm, incoming: Operand, operands: list[Operand]) -> Iterator[Term]:
        if norm.gamma:
            plain = replace(norm, gamma=False, beta=True)
            result = operands[0]  # not used: with beta, rows are normalised anew
            yield plain.gradient(piece.axes, result, incoming, *operands)
