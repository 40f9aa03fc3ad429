"""The backward pass: the gradient of every matrix as a further step.

A step's rule, read backwards, gives the gradient that each entry in it receives; the gradient of a matrix
is the sum over all steps that use it.  So dQ_id = Σ_j dS_ij·K_jd follows from the rule of S.  Only a softmax
and a norm state the gradient for all the steps inside them, which have no step dX: dM = A ⊙ (dA − rowsum(A ⊙
dA)).  Nor have the steps between the logits and the loss: the derivatives of the mean, the logarithm and the
softmax are substituted into each other and simplified to dL = (p − y)/n.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from math import nan

from attncalc.core.fields import Array
from attncalc.core.graph.gradient import Block, Gradient, Share, as_axis, block_of, gradient_op, letter_swaps
from attncalc.core.graph.graph import Graph, Step
from attncalc.core.graph.labels import Kind, Label, gradient_title
from attncalc.core.ops.base import Operand, Piece, Shape
from attncalc.core.readings.derivative import pull_back, reletter
from attncalc.core.readings.simplify import factor_out, simplify
from attncalc.core.record import replace
from attncalc.core.terms import (
    ONE,
    Axis,
    Constant,
    Entry,
    Product,
    Term,
    Total,
    entries,
    letters_of,
    map_members,
)


def gradients(
    graph: Graph, output: str, titles: Mapping[str, str], parts_of_whole: Container[str] = ()
) -> Iterator[Step]:
    """A step dX for every matrix X that the output depends on: steps in reverse order, then given matrices.

    The gradient of the output is given.  `titles` describes the given matrices, in their order.  Steps in
    `parts_of_whole`, such as those of the loss, get no step dX: their gradients are substituted into what
    they pass on.
    """
    graph = graph.with_shapes({graph.labels[name].gradient.name: graph.shapes[name] for name in graph.labels})
    shares: dict[str, list[Share]] = {}
    for step in reversed(graph.steps):
        own, title, passed_on = shares.get(step.name, []), step.title, shares_of(graph, step)
        if step.name != output and not own:
            continue
        if step.name != output and step.name in parts_of_whole and len(own) == 1:
            title, gradient = own[0].title, own[0].piece
            passed_on = substitute(passed_on, step.label.gradient.name, gradient, graph)
        elif step.name != output:
            yield gradient_step(graph, step.label, title, own, step.kind.letters)
        for name, piece in passed_on:
            shares.setdefault(name, []).append(Share(step.name, title, piece))
    for name, title in titles.items():
        if name in shares:
            letters = letters_of_given(shares[name][-1].piece, graph.shapes[name])
            yield gradient_step(graph, graph.labels[name], title, shares[name], letters)


def letters_of_given(piece: Piece, shape: Shape) -> str:
    """The letters of rows and columns of the gradient of a given matrix."""
    # A parameter with one entry for each head, such as a sink: each share is a single entry.
    sizes = zip(piece.axes, shape, strict=True)
    return "".join(axis.letter or (" " if size == 1 else "h") for axis, size in sizes)


def gradient_step(graph: Graph, label: Label, title: str, shares: list[Share], letters: str) -> Step:
    """The gradient of one matrix, its shares in the order of the steps."""
    op = gradient_op(graph, graph.shapes[label.name], reversed(shares))
    inputs = tuple(one.name for one in op.operands)
    kind = Kind(label.gradient.role, gradient_title(title), letters)
    return Step(label.gradient, kind.title, op, inputs, op.size, kind)


def substitute(
    shares: Iterable[tuple[str, Piece]], name: str, gradient: Piece, graph: Graph
) -> Iterator[tuple[str, Piece]]:
    """Substitute a gradient for its name in shares and simplify, using that rows of shares add up to 1."""

    def add_up(term: Term) -> Term:
        match term:
            case Total(axis, Entry(of, (_, last))) if last == axis and of in graph.given:
                return ONE if are_shares(graph.given[of]) else term
        return map_members(term, add_up)

    for source, piece in shares:
        rule = put_in(piece.rule, name, gradient)
        yield source, Piece(piece.axes, simplify(add_up(simplify(rule))))


def put_in(term: Term, name: str, gradient: Piece) -> Term:
    """Substitute a gradient for its name in a term."""
    if isinstance(term, Entry) and term.of == name:
        return reletter(gradient.rule, letter_swaps(gradient.axes, term.at))
    return map_members(term, lambda member: put_in(member, name, gradient))


def are_shares(matrix: Array) -> bool:
    """Whether the numbers of every row add up to 1."""
    return all(sum(x.value if isinstance(x, Constant) else nan for x in row) == 1 for row in matrix)


def shares_of(graph: Graph, step: Step) -> Iterator[tuple[str, Piece]]:
    """The gradients that a step, together with the steps inside it, passes to its inputs."""
    inside = [inner for name in step.inputs if (inner := graph.step(name)) and inner.kind.inner]
    result, *operands = (Operand(name, graph.shapes[name]) for name in (step.name, *step.inputs))
    incoming = Operand(step.label.gradient.name, step.shape)
    whole = step.op.gradient(step.axes, result, incoming, *operands)
    if whole is None:
        yield from read_off(graph, step, set())
        return
    names = {inner.name for inner in inside}
    before = dict.fromkeys(name for inner in inside for name in inner.inputs if name not in names)
    source, *others = before or step.inputs[:1]
    yield from read_off(graph, step, {*names, source, *others})
    yield source, Piece(step.axes, keep_apart(whole, {axis.letter for axis in step.axes}))
    beside = step.op.gradient_beside(result, incoming)
    if beside:
        for name in others:
            yield name, Piece(place_of(graph, name, inside), keep_apart(beside, set()))


def back_through(graph: Graph, steps: Iterable[Step]) -> Iterator[tuple[str, Piece]]:
    """The gradients that the last of some steps passes to the inputs of all, by the rules of the steps.

    The others are inside it; their gradients are substituted into what they pass on.
    """
    *inside, last = steps
    shares: dict[str, list[Share]] = {}
    for step in (last, *reversed(inside)):
        own = Gradient(step.shape, tuple(shares.pop(step.name, ())), ())
        for name, piece in read_off(graph, step, set()) if own.shares or step is last else ():
            rule = put_in(piece.rule, step.label.gradient.name, own.blocks[0]) if own.shares else piece.rule
            share = Share(last.name, last.title, Piece(piece.axes, keep_apart(rule, letters_at(piece.axes))))
            shares.setdefault(name, []).append(share)
    for name, found in shares.items():
        yield from ((name, share.piece) for share in found)


def letters_at(axes: Iterable[Axis]) -> set[str]:
    """The letters of some axes."""
    return {axis.letter for axis in axes}


def read_off(graph: Graph, step: Step, reached: set[str]) -> Iterator[tuple[str, Piece]]:
    """The gradients of the entries in a step's rule, except for matrices in `reached`."""
    found: dict[tuple[str, Block], list[Piece]] = {}
    for piece in graph.pieces(step):
        for name, share in pass_back(graph, step.name, piece):
            made = graph.step(name)
            # A matrix without inputs, such as the angles of positions, has no gradient.
            if name not in reached and (made is None or made.inputs):
                found.setdefault((name, block_of(share)), []).append(share)
    for (name, _), shares in found.items():
        yield name, add_shares(shares)


def place_of(graph: Graph, name: str, inside: list[Step]) -> tuple[Axis, Axis]:
    """The row and column at which the steps inside another step use a matrix."""
    rules = (piece.rule for step in inside for piece in graph.pieces(step))
    row, column = next(entry.at for rule in rules for entry in entries(rule) if entry.of == name)
    return as_axis(row), as_axis(column)


def add_shares(pieces: list[Piece]) -> Piece:
    """Add the gradients of an entry that occurs several times in one rule."""
    first, *others = pieces
    rules = [reletter(one.rule, letter_swaps(one.axes, first.axes)) for one in others]
    return Piece(first.axes, factor_out([first.rule, *rules])) if others else first


def pass_back(graph: Graph, name: str, piece: Piece) -> Iterator[tuple[str, Piece]]:
    """The gradients that a block of a step passes to the entries in its rule."""
    own = Entry(graph.labels[name].gradient.name, piece.axes)
    for entry, gradient, axes in pull_back(piece.rule, own):
        rows, columns = map(as_axis, entry.at)
        kept = {rows.letter, columns.letter}
        summed = [axis for axis in (*piece.axes, *axes) if axis.letter and axis.letter not in kept]
        rule = keep_apart(by_name(gradient, piece.rule, Entry(name, piece.axes)), kept)
        rule = in_reading_order(rule, rows)
        for axis in reversed(summed):
            rule = Total(Axis(axis.letter, axis.size), rule)
        yield entry.of, Piece((rows, columns), rule)


def in_reading_order(rule: Term, rows: Axis) -> Term:
    """Order a product of two so that its first factor runs along the rows, as in Aᵀ dO."""
    match rule:
        case Product((x, y)) if rows.letter not in letters_of(x) and rows.letter in letters_of(y):
            return Product((y, x))
    return rule


SPARE = "lnpqrstuvw"
"""Letters for sums inside a gradient whose letters are taken by its indices."""


def keep_apart(term: Term, taken: set[str]) -> Term:
    """Rename the letters of sums that are taken by an index or by an enclosing sum."""
    if not isinstance(term, Total):
        return map_members(term, lambda member: keep_apart(member, taken))
    letter, inside = term.axis.letter, term.term
    if letter in taken:
        letter = next(fresh for fresh in SPARE if fresh not in taken | letters_of(term))
        inside = reletter(inside, {term.axis.letter: letter, letter: term.axis.letter})
    return Total(replace(term.axis, letter=letter), keep_apart(inside, taken | {letter}))


def by_name(gradient: Term, rule: Term, cell: Entry) -> Term:
    """Replace the step's rule in a gradient by the step's name: E for e^M."""
    return cell if gradient == rule else map_members(gradient, lambda term: by_name(term, rule, cell))
