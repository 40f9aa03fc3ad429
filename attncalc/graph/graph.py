"""An exercise as a graph of named steps, and its evaluation in order."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from attncalc.errors import Place, fault, inert, nearest
from attncalc.fields import Array, Field, Numbers, Values
from attncalc.graph.references import Reference
from attncalc.ops.base import Operand, Operation, Piece, Shape
from attncalc.readings.value import evaluate
from attncalc.record import record
from attncalc.terms import ONLY, Axis, Constant, Term, placed


@record
class Step:
    """One named result: how it is computed, from what, and the letters of its rows and columns."""

    name: str
    title: str
    op: Operation
    inputs: tuple[str, ...]
    shape: Shape
    letters: str
    notes: tuple[str, ...] = ()

    @cached_property
    def axes(self) -> tuple[Axis, Axis]:
        """The running indices of the last two axes."""
        i, j = (
            Axis(letter, size) if letter else ONLY
            for letter, size in zip(self.letter_pair, self.shape[-2:], strict=True)
        )
        return i, j

    @property
    def letter_pair(self) -> tuple[str, str]:
        """The letters of rows and columns; the one row or column of a vector has none."""
        return self.letters[0].strip(), self.letters[1:].strip()


@record
class Graph:
    """What is given, and the steps in the order of computation."""

    given: Mapping[str, Array]
    sizes: Mapping[str, int]
    steps: tuple[Step, ...]
    shapes: Mapping[str, Shape]

    def step(self, name: str) -> Step | None:
        """The step of that name."""
        return next((step for step in self.steps if step.name == name), None)

    def pieces(self, step: Step, op: Operation | None = None) -> list[Piece]:
        """The blocks of a step, each with the rule of its cells in letters; put together once."""
        done = op or step.op
        key = id(step), id(done)
        if key not in self.known:
            operands = [Operand(name, self.shapes[name]) for name in step.inputs]
            self.known[key] = step, done, done.pieces(step.axes, *operands)
        return self.known[key][2]

    @cached_property
    def known(self) -> dict[tuple[int, int], tuple[Step, Operation, list[Piece]]]:
        """The blocks put together so far, by step and operation."""
        return {}

    def evaluate(
        self, step: Step, values: Mapping[str, Values], numbers: Field[Values], op: Operation | None = None
    ) -> Values:
        """The whole matrix of a step."""
        pieces = self.pieces(step, op)
        blocks = [evaluate(piece.rule, values, numbers, piece.axes) for piece in pieces]
        if len(blocks) == 1:
            return blocks[0]
        lead = np.broadcast_shapes(*(block.shape[:-2] for block in blocks))
        parts = [(where(piece), block) for piece, block in zip(pieces, blocks, strict=True)]
        return numbers.assembled((*lead, *step.shape[-2:]), parts)

    def with_shapes(self, shapes: Mapping[str, Shape]) -> Graph:
        """The same graph, knowing some more matrices."""
        return Graph(self.given, self.sizes, self.steps, {**self.shapes, **shapes}) if shapes else self

    def cell(self, step: Step, at: tuple[int, ...], op: Operation | None = None, expand: bool = True) -> Term:
        """The rule of one cell of a step, with integers, its sums written out or not."""
        for piece in self.pieces(step, op):
            letters = piece.letters(at)
            if letters is not None:
                return placed(piece.rule, letters, expand)
        raise IndexError(at)


def where(piece: Piece) -> tuple[slice, slice]:
    """The rows and columns of a block."""
    rows, columns = (slice(axis.start, axis.at(axis.size - 1) + 1, axis.stride) for axis in piece.axes)
    return rows, columns


@record
class Trace:
    """The values of all names in one field, and the operations as they were carried out."""

    field: Numbers
    values: dict[str, Array]
    ops: dict[str, Operation]


def trace(graph: Graph, numbers: Numbers, told: Mapping[str, Array] | None = None) -> Trace:
    """Evaluates every step in order; a name in `told` keeps the value given there."""
    told = told or {}
    values = {name: numbers_of(matrix, numbers) for name, matrix in graph.given.items()}
    values |= {name: numbers.constant(size) for name, size in graph.sizes.items()}
    ops: dict[str, Operation] = {}
    for step in graph.steps:
        op = step.op.settled(numbers, *(values[name] for name in step.inputs))
        ops[step.name] = op
        if step.name in told:
            values[step.name] = told[step.name]
        else:
            values[step.name] = graph.evaluate(step, values, numbers, op)
    return Trace(numbers, values, ops)


def numbers_of(matrix: Array, numbers: Numbers) -> Array:
    """A given matrix, of terms or of floats, as numbers of a field."""
    if matrix.dtype != object:
        return numbers.given(matrix)
    values = [number_of(term, numbers) for term in matrix.ravel()]
    array = np.empty(len(values), dtype=numbers.dtype)
    array[:] = values
    return array.reshape(matrix.shape)


def number_of(term: Term, numbers: Numbers) -> object:
    """The number that a term stands for."""
    if isinstance(term, Constant):
        return numbers.constant(term.value)[()]
    return evaluate(term, {}, numbers)[()]


def check_reference(graph: Graph, reference: Reference, place: Place | None = None) -> None:
    """Refuses a step that is not there, or a row or cell outside it."""
    step = graph.step(reference.step)
    if step is None:
        names = [step.name for step in graph.steps]
        known = f"the steps are {', '.join(names)}" if names else "the problem has none"
        hint = nearest(reference.step, names) or f"; {known}"
        raise fault(f"there is no step '{inert(reference.step)}'{hint}", place)
    sizes = step.shape
    if len(reference.at) > len(sizes) or any(
        not 1 <= index <= size for index, size in zip(reference.at, sizes, strict=False)
    ):
        raise fault(f"{reference} is outside {step.name}, which is {'×'.join(map(str, sizes))}", place)
