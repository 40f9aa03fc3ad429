"""What mistakes in the backward pass have in common: a gradient is made of shares, one of which is wrong."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping

from attncalc.core.graph.backward import back_through
from attncalc.core.graph.gradient import Gradient, Share, gradient_op
from attncalc.core.graph.graph import Graph, Step
from attncalc.core.ops.base import Operand, Operation, Piece
from attncalc.core.record import replace
from attncalc.core.terms import Entry, Term, mapped
from attncalc.mistakes.base import Mistake, Variation


def with_shares(step: Step, graph: Graph, shares: Iterable[Share]) -> Iterator[Variation]:
    """A gradient made of other shares, where these are others and there are any."""
    assert isinstance(step.op, Gradient)
    found = tuple(shares)
    if not found or found == step.op.shares:
        return
    op = gradient_op(graph, step.op.size, found)
    yield Variation(replace(step, op=op, inputs=tuple(one.name for one in op.operands)))


def with_entries_of(step: Step, graph: Graph, others: Mapping[str, str]) -> Iterator[Variation]:
    """A gradient in which other matrices, equally large, stand in place of some."""
    if isinstance(step.op, Gradient):
        found = (
            replace(share, piece=Piece(share.piece.axes, renamed(share.piece.rule, others)))
            for share in step.op.shares
        )
        yield from with_shares(step, graph, found)


def renamed(rule: Term, others: Mapping[str, str]) -> Term:
    """A rule with entries of other matrices."""
    if isinstance(rule, Entry):
        return replace(rule, of=others.get(rule.of, rule.of))
    return mapped(rule, lambda term: renamed(term, others))


def gradients_as_done(graph: Graph, changes: Mapping[str, Variation]) -> dict[str, Variation]:
    """The gradients that belong to steps done otherwise on the way forward, by the rules of these."""
    found: dict[str, Variation] = {}
    done = {name: change.step for name, change in changes.items() if not change.given}
    known = graph.with_shapes({one.gradient.name: graph.shapes[name] for name, one in graph.labels.items()})
    for whole in graph.steps:
        inside = [step for step in graph.steps if step.inner and step.name in whole.inputs]
        steps = [done.get(step.name, step) for step in (*inside, whole)]
        if whole.inner or whole.label.gradient.name not in graph.shapes or steps == [*inside, whole]:
            continue
        back = list(back_through(known, steps))
        for step in (found[one.name].step if one.name in found else one for one in graph.steps):
            for variation in with_shares_through(step, graph, whole, back):
                found[step.name] = variation
    return found


def with_shares_through(
    step: Step, graph: Graph, through: Step, back: Iterable[tuple[str, Piece]]
) -> Iterator[Variation]:
    """A gradient with other shares in place of those that come back through some step."""
    shares = step.op.shares if isinstance(step.op, Gradient) else ()
    own = [share for share in shares if share.through == through.name]
    rest = [share for share in shares if share.through != through.name]
    if own:
        new = (replace(own[0], piece=piece) for name, piece in back if name == step.label.source.name)
        yield from with_shares(step, graph, (*rest, *new))


class OneShare(Mistake):
    """A mistake in what comes back through one step, or in all alike."""

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if not isinstance(step.op, Gradient):
            return
        shares = step.op.shares
        for n, share in enumerate(shares):
            for rule in self.rules(share, step, graph):
                other = replace(share, piece=Piece(share.piece.axes, rule))
                yield from with_shares(step, graph, (*shares[:n], other, *shares[n + 1 :]))

    @abstractmethod
    def rules(self, share: Share, step: Step, graph: Graph) -> Iterator[Term]:
        """What the rule of a share may have been taken for."""


class Through(OneShare):
    """A mistake in going back through a step of some kind."""

    kind: type[Operation] | tuple[type[Operation], ...]
    is_entrywise = False
    """Whether it can be made only on the way to a matrix of the same shape."""

    def rules(self, share: Share, step: Step, graph: Graph) -> Iterator[Term]:
        user = graph.step(share.through)
        if not user or (self.is_entrywise and step.shape != user.shape):
            return
        if isinstance(user.op.core, self.kind):
            incoming = Operand(user.label.gradient.name, user.shape)
            yield from self.instead(share.piece, user, incoming, graph)

    @abstractmethod
    def instead(self, piece: Piece, user: Step, incoming: Operand, graph: Graph) -> Iterator[Term]:
        """Other rules for a block of what comes back through a step."""


class PassedOn(Through):
    """A gradient passed on as it came."""

    is_entrywise = True

    def instead(self, piece: Piece, user: Step, incoming: Operand, graph: Graph) -> Iterator[Term]:  # noqa: ARG002
        yield incoming[piece.axes]
