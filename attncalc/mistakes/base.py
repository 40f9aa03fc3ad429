"""What a mistake is: the steps that it can replace, and by what.

A `Mistake` yields `Variation`s of a step.  Most are built by `vary` (another operation or other inputs)
or `exchange_inputs` (the same operation on other matrices), often with an operation that is `Wrapped`
around the correct one and changes the rule of each cell.
"""

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
from attncalc.core.terms import Apply, Axis, Quotient, Term, map_members
from attncalc.core.terms.formulas import Name, Place, Text

NO_MATRICES: Mapping[str, Array] = {}


@record
class Variation:
    """A wrong version of a step: on matrices that only the mistake knows, or rounded to some places.

    `others` are further steps that it changes; `message` replaces the sentence of the mistake.
    """

    step: Step
    given: Mapping[str, Array] = NO_MATRICES
    others: tuple[Step, ...] = ()
    places: int | None = None
    message: str = ""

    @cached_property
    def changes(self) -> dict[str, Variation]:
        """The changed steps, each as a variation, by name."""
        return {step.name: replace(self, step=step, others=()) for step in (self.step, *self.others)}


class Mistake(ABC):
    """A mistake; its docstring is the sentence shown to the student."""

    code: str
    question: str
    """A question that helps a student who made it, without giving a value away."""
    behind: tuple[str, ...] = ()
    """Mistakes of earlier steps with the same result: if one of them matches, this one is not reported."""
    in_writing = False
    """Whether it is made in writing a result down, so that later steps use the correct result."""

    @property
    def sentence(self) -> str:
        """The sentence shown to the student."""
        return sentence_of(type(self))

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:  # noqa: ARG002  some are slips
        """The ways in which this mistake can be made at a step; the shape of the result may change."""
        return iter(())


class Slip(Mistake):
    """A mistake made in one entry: another rule was evaluated."""

    def alternatives(self, rule: Term, name: Place | Name) -> Iterator[tuple[Term, Text]]:  # noqa: ARG002
        """The rules that may have been evaluated in place of an entry's, each with its message."""
        return iter(())


class Rounding(Mistake):
    """A mistake in rounding, tried only if nothing else explains a result."""


@record
class Wrapped(Operation):
    """An operation whose result is changed afterwards."""

    op: Operation

    def shape(self, *operands: Operand) -> Shape:
        return self.op.shape(*operands)

    def pieces(self, axes: tuple[Axis, Axis], *operands: Operand) -> list[Piece]:
        return [Piece(piece.axes, self.change_rule(piece.rule)) for piece in self.op.pieces(axes, *operands)]

    def change_rule(self, rule: Term) -> Term:
        """Return the changed rule of a cell."""
        return rule


@record
class Divided(Wrapped):
    """The results of an operation divided by a number."""

    by: Term

    def change_rule(self, rule: Term) -> Term:
        return Quotient(rule, self.by)


@record
class Added(Wrapped):
    """An operation on all operands but the last, plus the last."""

    def shape(self, *operands: Operand) -> Shape:
        *own, added = operands
        shape = self.op.shape(*own)
        if added.shape[-2:] != shape:
            raise ShapeError(f"{added}: it cannot be added")
        return shape

    def pieces(self, axes: tuple[Axis, Axis], *operands: Operand) -> list[Piece]:
        *own, added = operands
        return [Piece(piece.axes, piece.rule + added[piece.axes]) for piece in self.op.pieces(axes, *own)]


@record
class OtherCalls(Wrapped):
    """An operation whose rules call other functions."""

    def change_rule(self, rule: Term) -> Term:
        inside = map_members(rule, self.change_rule)
        return self.change_call(inside) if isinstance(inside, Apply) else inside

    def change_call(self, call: Apply) -> Term:
        """Return the term in place of a call of a function."""
        return call


def with_core(op: Operation, core: Operation) -> Operation:
    """Replace the core of an operation, keeping what is wrapped around it."""
    match op:
        case Turned(inner, which):
            return Turned(with_core(inner, core), which)
        case WithPast(inner):
            return WithPast(with_core(inner, core))
    return core


def combine(first: Iterator[Variation], *rest: Iterator[Variation]) -> Iterator[Variation]:
    """Combine the first variation with all the others into one that changes several steps."""
    main = next(first, None)
    others = [variation.step for variations in rest for variation in variations]
    if main is not None and others:
        yield replace(main, others=tuple(others))


def vary(
    step: Step,
    graph: Graph,
    op: Operation,
    *inputs: str | None,
    given: Mapping[str, Array] = NO_MATRICES,
    message: str = "",
) -> Iterator[Variation]:
    """Yield the step with another operation on other matrices, if they exist and their shapes fit."""
    shapes = {**graph.shapes, **{name: matrix.shape for name, matrix in given.items()}}
    names = tuple(name for name in inputs if name in shapes)
    if len(names) < len(inputs) or (op, names) == (step.op, step.inputs):
        return
    try:
        shape = op.shape(*(Operand(name, shapes[name]) for name in names))
    except ShapeError:
        return
    wrong = replace(step, op=op, inputs=names, shape=(*step.shape[:-2], *shape), notes=())
    yield Variation(wrong, given, message=message)


def exchange_inputs(step: Step, graph: Graph, others: Mapping[str | None, str | None]) -> Iterator[Variation]:
    """Yield the step with some of its inputs replaced by other matrices."""
    return vary(step, graph, step.op, *(others.get(name, name) for name in step.inputs))
