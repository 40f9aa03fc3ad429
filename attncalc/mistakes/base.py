"""What a mistake is: the steps that it can replace, and by what."""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterator, Mapping
from functools import cached_property

from attncalc.core.docstrings import sentence_of
from attncalc.core.fields import Array
from attncalc.core.graph.graph import Graph, Step
from attncalc.core.ops.base import Operand, Operation, Piece, Shape, ShapeError, Turned
from attncalc.core.ops.scores import WithPast
from attncalc.core.record import record, replace
from attncalc.core.terms import Axis, Quotient, Term
from attncalc.core.terms.formulas import Place, Text

NOTHING: Mapping[str, Array] = {}


@record
class Variation:
    """A step done otherwise: with matrices that only the mistake knows, or rounded to some places.

    `others` are steps done otherwise with it, `message` says more than the mistake's own sentence.
    """

    step: Step
    given: Mapping[str, Array] = NOTHING
    others: tuple[Step, ...] = ()
    places: int | None = None
    message: str = ""

    @cached_property
    def changes(self) -> dict[str, Variation]:
        """Every step done otherwise, by name."""
        return {step.name: replace(self, step=step, others=()) for step in (self.step, *self.others)}


class Mistake(ABC):
    """A mistake; its docstring is the sentence shown to the student."""

    code: str
    question: str
    """What may be asked of a student who made it: it helps, and gives no value away."""
    behind: tuple[str, ...] = ()
    """Mistakes of earlier steps that come to the same: where one of them matches, this one is not said."""
    in_writing = False
    """Whether it is made where a result is put down, and never where it is only used."""

    @property
    def sentence(self) -> str:
        """What is said to the student."""
        return sentence_of(type(self))

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:  # noqa: ARG002  some are slips
        """The ways in which this mistake can be made at a step; one may change the shape."""
        return iter(())


class Slip(Mistake):
    """A mistake made in one entry: its rule taken for another."""

    def alternatives(self, rule: Term, name: Place) -> Iterator[tuple[Term, Text]]:  # noqa: ARG002
        """What the rule of an entry may have been taken for, each with what is said of it."""
        return iter(())


class Rounding(Mistake):
    """Digits dropped on the way, which is looked for only where nothing else explains a result."""


@record
class Wrapped(Operation):
    """An operation whose result is changed afterwards."""

    op: Operation

    def shape(self, *operands: Operand) -> Shape:
        return self.op.shape(*operands)

    def pieces(self, axes: tuple[Axis, Axis], *operands: Operand) -> list[Piece]:
        return [Piece(piece.axes, self.afterwards(piece.rule)) for piece in self.op.pieces(axes, *operands)]

    def afterwards(self, rule: Term) -> Term:
        """What is made of the rule of a cell."""
        return rule


@record
class Divided(Wrapped):
    """The results of an operation divided by a number."""

    by: Term

    def afterwards(self, rule: Term) -> Term:
        return Quotient(rule, self.by)


@record
class Added(Wrapped):
    """The results of an operation on all operands but the last, which is added to them."""

    def shape(self, *operands: Operand) -> Shape:
        *own, added = operands
        shape = self.op.shape(*own)
        if added.shape[-2:] != shape:
            raise ShapeError(f"{added}: it cannot be added")
        return shape

    def pieces(self, axes: tuple[Axis, Axis], *operands: Operand) -> list[Piece]:
        *own, added = operands
        return [Piece(piece.axes, piece.rule + added[piece.axes]) for piece in self.op.pieces(axes, *own)]


def with_core(op: Operation, core: Operation) -> Operation:
    """An operation in the wrapping of another."""
    match op:
        case Turned(_, which):
            return Turned(core, which)
        case WithPast():
            return WithPast(core)
    return core


def together(first: Iterator[Variation], *rest: Iterator[Variation]) -> Iterator[Variation]:
    """One variation in which several steps are done otherwise."""
    main = next(first, None)
    others = [variation.step for variations in rest for variation in variations]
    if main is not None and others:
        yield replace(main, others=tuple(others))


def instead(
    step: Step,
    graph: Graph,
    op: Operation,
    *inputs: str | None,
    given: Mapping[str, Array] = NOTHING,
    message: str = "",
) -> Iterator[Variation]:
    """The step with another operation on other matrices, if they are there and fit together."""
    shapes = {**graph.shapes, **{name: matrix.shape for name, matrix in given.items()}}
    names = tuple(name for name in inputs if name in shapes)
    if len(names) < len(inputs) or (op, names) == (step.op, step.inputs):
        return
    try:
        shape = op.shape(*(Operand(name, shapes[name]) for name in names))
    except ShapeError:
        return
    done = replace(step, op=op, inputs=names, shape=(*step.shape[:-2], *shape), notes=())
    yield Variation(done, given, message=message)


def exchanged(step: Step, graph: Graph, others: Mapping[str | None, str | None]) -> Iterator[Variation]:
    """The step with other matrices in place of some of its own."""
    return instead(step, graph, step.op, *(others.get(name, name) for name in step.inputs))
