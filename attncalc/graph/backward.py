"""The backward pass: a graph with the gradient of every matrix as further steps.

A step's rule, read backwards, says what each entry in it receives; the gradient of a matrix is the sum
of what its entries receive in all steps that use it.  So dQ_id = Σ_j dS_ij·K_jd comes from the rule of
S.  Only a softmax and a norm say themselves what comes of all the steps inside them, which have no
gradients of their own: dM = A ⊙ (dA − rowsum(A ⊙ dA)).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import TypeAlias

from attncalc.fields import Array
from attncalc.graph.graph import Graph, Step
from attncalc.graph.labels import Label
from attncalc.ops.base import Operand, Operation, Piece, Shape
from attncalc.readings.derivative import pulled, relettered
from attncalc.record import changed, record
from attncalc.terms import Axis, Constant, Entry, Index, Sum, Term, Total, entries, letters_of, mapped, parts

Block: TypeAlias = tuple[tuple[int, int, int], tuple[int, int, int]]
"""Start, size and stride of the rows and columns of a block."""


@record
class Gradient(Operation):
    """How much the loss grows with each entry."""

    size: Shape
    blocks: tuple[Piece, ...]

    def shape(self, *operands: Operand) -> Shape:  # noqa: ARG002
        return self.size

    def pieces(self, axes: tuple[Axis, Axis], *operands: Operand) -> list[Piece]:  # noqa: ARG002
        return list(self.blocks)


def with_gradients(graph: Graph, output: str, upstream: Array) -> Graph:
    """The graph with a step dX for every matrix X that the output depends on; dO is given."""
    incoming = of_gradient(graph.labels[output])
    labels = {**graph.labels, incoming.name: incoming}
    shapes = {**graph.shapes, incoming.name: upstream.shape}
    given = {**graph.given, incoming.name: upstream}
    shares: dict[str, list[Piece]] = {}
    steps: list[Step] = []
    done = {output}
    for step in reversed(graph.steps):
        if step.name not in done and step.name not in shares:
            continue
        if step.name != output:
            steps.append(gradient_step(step.label, step.shape, shares[step.name], step.letters))
        for name, share in shared(graph, step):
            shares.setdefault(name, []).append(share)
    for name, matrix in graph.given.items():
        if name in shares and graph.labels[name].role != "mask":
            letters = "".join(axis.letter or " " for axis in shares[name][0].axes)
            steps.append(gradient_step(graph.labels[name], matrix.shape, shares[name], letters))
    return changed(
        graph,
        given=given,
        steps=(*graph.steps, *steps),
        shapes=shapes | {step.name: step.shape for step in steps},
        labels=labels | {step.name: step.label for step in steps},
    )


def of_gradient(label: Label) -> Label:
    """What the gradient of a matrix is."""
    return changed(label, role=f"d{label.role}")


def shared(graph: Graph, step: Step) -> Iterator[tuple[str, Piece]]:
    """What the entries receive that a step is computed from, the steps inside it taken as one with it."""
    inside = [inner for name in step.inputs if (inner := graph.step(name)) and inner.inner]
    result, *operands = (Operand(name, graph.shapes[name]) for name in (step.name, *step.inputs))
    incoming = Operand(of_gradient(step.label).name, step.shape)
    whole = step.op.gradient(step.axes, result, incoming, *operands) if inside else None
    reached = {name for inner in inside for name in (inner.name, *inner.inputs)} if whole else set()
    for piece in graph.pieces(step):
        for name, share in received(graph, step.name, piece):
            made = graph.step(name)
            # What depends on nothing, such as the angles of positions, has no gradient.
            if name not in reached and (made is None or made.inputs):
                yield name, share
    if whole:
        source = next(name for name in reached if name not in {inner.name for inner in inside})
        yield source, Piece(step.axes, keep_apart(whole, {axis.letter for axis in step.axes}))


def received(graph: Graph, name: str, piece: Piece) -> Iterator[tuple[str, Piece]]:
    """What the entries in a step's rule receive from the gradient of its cells."""
    own = Entry(of_gradient(graph.labels[name]).name, piece.axes)
    for entry, gradient, axes in pulled(piece.rule, own):
        place = tuple(as_axis(index) for index in entry.at)
        kept = {axis.letter for axis in place}
        summed = [axis for axis in (*piece.axes, *axes) if axis.letter and axis.letter not in kept]
        rule = keep_apart(simpler(gradient, piece.rule, Entry(name, piece.axes)), kept)
        for axis in reversed(summed):
            rule = Total(Axis(axis.letter, axis.size), rule)
        yield entry.of, Piece(place, rule)  # type: ignore[arg-type]


SPARE = "lnpqrstuvw"
"""Letters for sums inside a gradient whose own are taken by its indices."""


def keep_apart(term: Term, taken: set[str]) -> Term:
    """A term none of whose sums runs along a letter that is taken, by an index or by a sum around it."""
    if not isinstance(term, Total):
        return mapped(term, lambda member: keep_apart(member, taken))
    letter, inside = term.axis.letter, term.term
    if letter in taken:
        letter = next(fresh for fresh in SPARE if fresh not in taken | letters_of(term))
        inside = relettered(inside, {term.axis.letter: letter, letter: term.axis.letter})
    return Total(changed(term.axis, letter=letter), keep_apart(inside, taken | {letter}))


def as_axis(index: Index) -> Axis:
    """An index as the axis of a block; a single place is a block of one."""
    return index if isinstance(index, Axis) else Axis("", 1, index)


def simpler(gradient: Term, rule: Term, cell: Entry) -> Term:
    """A gradient in which the step's own rule is called by the step's name: E for e^M."""
    return cell if gradient == rule else mapped(gradient, lambda term: simpler(term, rule, cell))


def gradient_step(label: Label, shape: Shape, shares: Iterable[Piece], letters: str) -> Step:
    """The gradient of one matrix: the shares of each of its blocks added up."""
    blocks: dict[Block, Piece] = {}
    for share in shares:
        rows, columns = ((axis.start, axis.size, axis.stride) for axis in share.axes)
        before = blocks.get((rows, columns))
        blocks[rows, columns] = added(before, share) if before else share
    found = (*blocks.values(), *untouched(shape, blocks.values()))
    inputs = dict.fromkeys(entry.of for piece in found for entry in entries(piece.rule) if entry.at)
    op = Gradient(shape, found)
    return Step(of_gradient(label), "Gradient", op, tuple(inputs), shape, letters)


def untouched(shape: Shape, blocks: Iterable[Piece]) -> Iterator[Piece]:
    """The columns that nothing comes back to, such as those of other heads: their gradient is 0."""
    axes = [block.axes for block in blocks]
    rows, columns = axes[0]
    touched = {axis.at(number) for _, axis in axes for number in range(axis.size)}
    for is_touched, run in groupby(range(shape[-1]), touched.__contains__):
        if not is_touched:
            start, *others = run
            zeros = Axis(columns.letter, 1 + len(others), start)
            yield Piece((Axis(rows.letter, shape[-2]), zeros), Constant(0))


def added(one: Piece, other: Piece) -> Piece:
    """Two shares of the same block, the second in the letters of the first."""
    letters: dict[str, str] = {}
    for mine, theirs in zip(one.axes, other.axes, strict=True):
        if mine.letter != theirs.letter:
            letters |= {theirs.letter: mine.letter, mine.letter: theirs.letter}
    rule = relettered(other.rule, letters)
    return Piece(one.axes, Sum((*parts(one.rule, Sum), *parts(rule, Sum))))
