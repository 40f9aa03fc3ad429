"""Mistakes in a gradient: paths left out, factors transposed or confused, parts of a norm kept constant."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator

from attncalc.core.graph.gradient import Gradient, Share, gradient_op
from attncalc.core.graph.graph import Graph, Step
from attncalc.core.ops.base import Operand, Piece
from attncalc.core.ops.block import Norm
from attncalc.core.ops.position import Addition, Rotation
from attncalc.core.record import replace
from attncalc.core.terms import (
    ONLY,
    Axis,
    Constant,
    Entry,
    Index,
    Product,
    Quotient,
    Term,
    Total,
    map_members,
    total,
)
from attncalc.mistakes.base import Mistake, Variation
from attncalc.mistakes.gradient_shares import OneShare, Through, with_shares


class GradientRopeSign(Mistake):
    """The gradient was rotated the same way as the vectors: on the way back it turns the other way."""

    code = "gradient-rope-sign"
    question = "Which rotation undoes the one on the way forward?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        shares = step.op.shares if isinstance(step.op, Gradient) else ()
        user = graph.step(shares[0].through) if shares else None
        if user and isinstance(user.op, Rotation):
            incoming = Operand(user.label.gradient.name, user.shape)
            theta = Operand(user.inputs[1], graph.shapes[user.inputs[1]])
            pieces = user.op.pieces(user.axes, incoming, theta)
            yield from with_shares(step, graph, (replace(shares[0], piece=piece) for piece in pieces))


class GradientResidualMissing(Mistake):
    """What comes back along the residual was left out: it passes the gradient on unchanged."""

    code = "gradient-residual-missing"
    question = "Along which two ways does a change get past the layer?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, Gradient):
            rest = (share for share in step.op.shares if not is_skipped(share, step, graph))
            yield from with_shares(step, graph, rest)


def is_skipped(share: Share, step: Step, graph: Graph) -> bool:
    """Whether a share comes back along the residual, past a layer."""
    user = graph.step(share.through)
    return bool(
        user
        and isinstance(user.op, Addition)
        and user.kind.stage == "residual"
        and user.inputs[0] == step.label.source.name
    )


class GradientInputsOne(Mistake):
    """Only some of the ways were taken: the gradient adds up what comes back along each."""

    code = "gradient-inputs-one"
    question = "In how many places was this matrix used on the way forward?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if not isinstance(step.op, Gradient) or len(step.op.blocks) == len(step.op.shares):
            return
        shares = step.op.shares
        ways = dict.fromkeys(share.through for share in shares if not is_skipped(share, step, graph))
        if len(ways) < len({share.through for share in shares}):
            yield from with_shares(step, graph, (share for share in shares if share.through not in ways))
        # Besides a single path there is only the residual, which is another mistake.
        for way in ways if len(ways) > 1 else ():
            yield from with_shares(step, graph, (share for share in shares if share.through == way))
            if len(ways) > 2:
                yield from with_shares(step, graph, (share for share in shares if share.through != way))


class OfProduct(OneShare):
    """A mistake in a product of two matrices."""

    def rules(self, share: Share, step: Step, graph: Graph) -> Iterator[Term]:
        match share.piece.rule:
            case Total(axis, Product((Entry(_, (_, _)) as x, Entry(_, (_, _)) as y))):
                yield from (Total(axis, Product(pair)) for pair in self.pairs(x, y, step, graph))

    @abstractmethod
    def pairs(self, x: Entry, y: Entry, step: Step, graph: Graph) -> Iterator[tuple[Term, Term]]:
        """The wrong pairs of factors."""


class GradientTransposed(OfProduct):
    """A factor was taken the wrong way round: one of them is transposed on the way back."""

    code = "gradient-transposed"
    question = "Which of the two matrices is transposed, so that rows meet columns?"

    def pairs(self, x: Entry, y: Entry, step: Step, graph: Graph) -> Iterator[tuple[Term, Term]]:  # noqa: ARG002
        for n, factor in enumerate((x, y)):
            if len({*graph.shapes[factor.of]}) == 1:
                turned = Entry(factor.of, factor.at[::-1])
                yield (y, turned)[::-1] if n == 0 else (x, turned)

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        yield from super().variations(step, graph)
        shares = step.op.shares if isinstance(step.op, Gradient) else ()
        turned = [[*self.rules(share, step, graph)] for share in shares]
        if sum(map(bool, turned)) > 1:
            yield from with_shares(step, graph, map(with_last, shares, turned))


def with_last(share: Share, rules: list[Term]) -> Share:
    """Replace the rule of a share by the last of the given rules, if there are any."""
    return replace(share, piece=Piece(share.piece.axes, rules[-1])) if rules else share


class GradientOwnFactor(OfProduct):
    """The matrix itself was taken as the factor: what a product grows with is the other factor."""

    code = "gradient-own-factor"
    question = "With respect to one factor of a product, what is its slope?"

    def pairs(self, x: Entry, y: Entry, step: Step, graph: Graph) -> Iterator[tuple[Term, Term]]:
        own = step.label.source.name
        for n, factor in enumerate((x, y)):
            label = graph.labels.get(factor.of)
            if label and not label.of and factor.of != own and graph.shapes[own] == graph.shapes[factor.of]:
                instead = Entry(own, factor.at)
                yield (instead, y) if n == 0 else (x, instead)


class GradientBiasUnsummed(Mistake):
    """The rows were not added up: one bias is added to every row, so it receives from all of them."""

    code = "gradient-bias-unsummed"
    question = "How many rows does the bias change?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        shares = step.op.shares if isinstance(step.op, Gradient) else ()
        match [share.piece.rule for share in shares]:
            case [Total(axis, Entry(_, (Axis() as rows, Axis() as columns)) as entry)] if axis.size > 1:
                size = rows.size, columns.size
                one = replace(shares[0], piece=Piece((rows, columns), entry))
                op = gradient_op(graph, size, [one])
                kind = replace(step.kind, letters=rows.letter + columns.letter)
                yield Variation(replace(step, op=op, shape=size, kind=kind))


class GradientAveraged(OneShare):
    """The gradient was averaged over the rows in place of being added up."""

    code = "gradient-averaged"
    question = "Is what the rows ask of a parameter added up or averaged?"

    def rules(self, share: Share, step: Step, graph: Graph) -> Iterator[Term]:
        match share.piece.rule:
            case Total(axis, _) as rule if step.label.source.name in graph.learnt and axis.size > 1:
                yield Quotient(rule, Constant(axis.size))


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
