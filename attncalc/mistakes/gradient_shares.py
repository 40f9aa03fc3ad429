"""Base classes of mistakes in the backward pass: a gradient is a sum of shares, one of which is wrong."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping

from attncalc.core.graph.backward import back_through
from attncalc.core.graph.gradient import Gradient, Share, gradient_op
from attncalc.core.graph.graph import Graph, Step
from attncalc.core.ops.base import Operand, Operation, Piece
from attncalc.core.record import replace
from attncalc.core.terms import Entry, Term, map_members
from attncalc.mistakes.base import Mistake, Variation


def with_shares(step: Step, graph: Graph, shares: Iterable[Share]) -> Iterator[Variation]:
    """Yield a gradient made of other shares, unless they are the same or there are none."""
    assert isinstance(step.op, Gradient)
    found = tuple(shares)
    if not found or found == step.op.shares:
        return
    op = gradient_op(graph, step.op.size, found)
    yield Variation(replace(step, op=op, inputs=tuple(one.name for one in op.operands)))


def with_entries_of(step: Step, graph: Graph, others: Mapping[str, str]) -> Iterator[Variation]:
    """Yield a gradient in which some matrices are replaced by others of the same shape."""
    if isinstance(step.op, Gradient):
        found = (
            replace(share, piece=Piece(share.piece.axes, rename_matrices(share.piece.rule, others)))
            for share in step.op.shares
        )
        yield from with_shares(step, graph, found)


def rename_matrices(rule: Term, others: Mapping[str, str]) -> Term:
    """Replace the matrices whose entries stand in a rule."""
    if isinstance(rule, Entry):
        return replace(rule, of=others.get(rule.of, rule.of))
    return map_members(rule, lambda term: rename_matrices(term, others))


def find_matching_gradients(graph: Graph, changes: Mapping[str, Variation]) -> dict[str, Variation]:
    """The gradients that match wrong steps of the forward pass: the derivatives of the wrong rules."""
    found: dict[str, Variation] = {}
    wrong = {name: change.step for name, change in changes.items() if not change.given}
    known = graph.with_shapes({one.gradient.name: graph.shapes[name] for name, one in graph.labels.items()})
    for whole in graph.steps:
        inside = [step for step in graph.steps if step.kind.inner and step.name in whole.inputs]
        steps = [wrong.get(step.name, step) for step in (*inside, whole)]
        if whole.kind.inner or whole.label.gradient.name not in graph.shapes or steps == [*inside, whole]:
            continue
        back = list(back_through(known, steps))
        for step in (found[one.name].step if one.name in found else one for one in graph.steps):
            for variation in with_shares_through(step, graph, whole, back):
                found[step.name] = variation
    return found


def with_shares_through(
    step: Step, graph: Graph, through: Step, back: Iterable[tuple[str, Piece]]
) -> Iterator[Variation]:
    """Yield a gradient with other shares in place of those that come back through a step."""
    shares = step.op.shares if isinstance(step.op, Gradient) else ()
    own = [share for share in shares if share.through == through.name]
    rest = [share for share in shares if share.through != through.name]
    new = [replace(own[0], piece=piece) for name, piece in back if own and name == step.label.source.name]
    # A sum that was cut short uses fewer rows: what comes back through it does not fill the gradient.
    if own and count_rows(new) == count_rows(own):
        yield from with_shares(step, graph, (*rest, *new))


def count_rows(shares: Iterable[Share]) -> set[int]:
    """The numbers of rows that some shares fill."""
    return {share.piece.axes[0].size for share in shares}


class OneShare(Mistake):
    """A mistake in one share of a gradient, or in all of them alike."""

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
        """Wrong rules for a share."""


class Through(OneShare):
    """A mistake in the backward pass through a step of some kind."""

    kind: type[Operation] | tuple[type[Operation], ...]
    is_entrywise = False
    """Whether it can be made only on the way to a matrix of the same shape."""

    def rules(self, share: Share, step: Step, graph: Graph) -> Iterator[Term]:
        user = graph.step(share.through)
        if not user or (self.is_entrywise and step.shape != user.shape):
            return
        if isinstance(user.op.core, self.kind):
            incoming = Operand(user.label.gradient.name, user.shape)
            yield from self.other_rules(share.piece, user, incoming, graph)

    @abstractmethod
    def other_rules(self, piece: Piece, user: Step, incoming: Operand, graph: Graph) -> Iterator[Term]:
        """Wrong rules for a block of what comes back through a step."""


class PassedOn(Through):
    """The gradient passed on unchanged."""

    is_entrywise = True

    def other_rules(self, piece: Piece, user: Step, incoming: Operand, graph: Graph) -> Iterator[Term]:  # noqa: ARG002
        yield incoming[piece.axes]
