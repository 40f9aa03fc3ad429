"""An exercise as a graph of named steps, and its evaluation in order."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import Any, TypeAlias, TypeVar

import numpy as np

from attncalc.core.errors import Place, fault, inert, nearest
from attncalc.core.fields import Array, Field, Floats, Numbers, Real, Values
from attncalc.core.graph.labels import Kind, Label, Stage
from attncalc.core.graph.references import Reference
from attncalc.core.ops.base import Operand, Operation, Piece, Shape
from attncalc.core.readings.value import Run, evaluate, prepare
from attncalc.core.record import record, replace
from attncalc.core.terms import ONLY, Axis, Constant, Term, place_indices

Plan: TypeAlias = list[tuple[tuple[slice, slice], Run[Values]]]
"""The blocks of a matrix: the position of each, and the function that computes it."""


T = TypeVar("T")
WEIGHTS = "W_"
"""How the names of all weight matrices begin: they map vectors, and hold no tokens."""


@record
class Step:
    """One result: what it is, how it is computed, and from what."""

    label: Label
    title: str
    op: Operation
    inputs: tuple[str, ...]
    shape: Shape
    kind: Kind
    notes: tuple[str, ...] = ()

    @cached_property
    def name(self) -> str:
        """Its name in files and reports."""
        return self.label.name

    @property
    def role(self) -> str:
        """Its role: S, A, O."""
        return self.label.role

    @property
    def head(self) -> int | None:
        """The head it belongs to, if there are several."""
        return self.label.head

    @cached_property
    def axes(self) -> tuple[Axis, Axis]:
        """The running indices of the last two axes; the only query of an exercise has no index."""
        i, j = (
            Axis(letter, size) if letter and not (letter == "i" and self.shape[:-1] == (1,)) else ONLY
            for letter, size in zip(self.kind.letter_pair, self.shape[-2:], strict=True)
        )
        return i, j


@record
class Graph:
    """The given matrices, and the steps in the order of computation."""

    given: Mapping[str, Array]
    sizes: Mapping[str, int]
    steps: tuple[Step, ...]
    shapes: Mapping[str, Shape]
    labels: Mapping[str, Label]
    """The label of every matrix, by name."""
    heads: tuple[Mapping[str, str], ...] = ({},)
    """From role to name, for each head."""
    learnt: frozenset[str] = frozenset()
    """The given matrices that are parameters."""
    kinds: Mapping[str, Kind] = {}
    """The kinds of the matrices that have one, by name: of all steps, and of some given matrices."""
    in_columns: bool = False
    """Whether matrices are written with a column a token; they are stored and computed with a row each."""

    def is_turned(self, name: str) -> bool:
        """Whether a matrix is written as the transpose of what is stored: all but weight matrices."""
        if not self.in_columns or name not in self.shapes:
            return False
        label = self.labels[name]
        return not (label.of or label.role).startswith(WEIGHTS)

    def shown_shape(self, name: str) -> Shape:
        """The shape of a matrix as it is written."""
        *batch, rows, columns = self.shapes[name]
        return (*batch, columns, rows) if self.is_turned(name) else (*batch, rows, columns)

    def step(self, name: str | None) -> Step | None:
        """The step of that name."""
        return next((step for step in self.steps if step.name == name), None)

    def without(self, name: str) -> Graph:
        """The graph without one step, which no other uses."""

        def keep(mapping: Mapping[str, T]) -> dict[str, T]:
            return {key: value for key, value in mapping.items() if key != name}

        return replace(
            self,
            steps=tuple(step for step in self.steps if step.name != name),
            shapes=keep(self.shapes),
            labels=keep(self.labels),
            kinds=keep(self.kinds),
            heads=tuple({role: own for role, own in head.items() if own != name} for head in self.heads),
        )

    def chain(self, last: str, known: Collection[str]) -> list[Step]:
        """The steps from those that are known to `last`, which is included."""
        wanted = {last}
        found: list[Step] = []
        for step in reversed(self.steps):
            if step.name in wanted and (step.name == last or step.name not in known):
                found.append(step)
                wanted.update(step.inputs)
        return found[::-1]

    def find(self, stage: Stage, head: int | None = None) -> str | None:
        """The last matrix of a stage, given or computed: in a head, or for all heads together."""
        return next(reversed(self.all_at(stage, head)), None)

    def all_at(self, stage: Stage, head: int | None = None) -> list[str]:
        """The matrices of a stage in order: those of a head, or else those for all heads together."""
        found = [name for name, kind in self.kinds.items() if kind.stage == stage and not kind.limit]
        own = {*self.roles(head).values()}
        mine = [name for name in found if name in own]
        return mine or [name for name in found if self.labels[name].head is None]

    def roles(self, head: int | None = None) -> Mapping[str, str]:
        """Which name plays which role in a head, or in the only one; none for several heads together."""
        return self.heads[(head or 1) - 1] if head or len(self.heads) == 1 else {}

    def stage(self, name: str) -> Stage | None:
        """The stage that a matrix is, if it is one."""
        return self.kinds[name].stage if name in self.kinds else None

    def is_mask(self, name: str) -> bool:
        """Whether a given matrix says which keys are hidden."""
        return self.stage(name) == "mask"

    def symbol(self, name: str, names: Mapping[str, str]) -> str:
        """The course's name of a matrix."""
        if name in self.sizes:
            return names.get(name, name)
        return self.labels[name].to_course_name(names) if name in self.labels else name

    def given_once(self, names: Mapping[str, str]) -> list[str]:
        """The given matrices; of those that the course calls the same, which are equal, the first."""
        first = {self.symbol(name, names): name for name in reversed([*self.given])}
        return [name for name in self.given if first[self.symbol(name, names)] == name]

    def course(self, names: Mapping[str, str]) -> dict[str, str]:
        """From the course's names to the names of steps."""
        return {step.label.to_course_name(names): step.name for step in self.steps}

    def resolve(self, reference: Reference, names: Mapping[str, str]) -> Reference:
        """A reference with the course's name replaced by the name of the step."""
        return Reference(self.course(names).get(reference.step, reference.step), reference.at)

    def pieces(self, step: Step, op: Operation | None = None) -> list[Piece]:
        """The blocks of a step, each with the rule of its cells in letters; built once."""
        done = op or step.op
        key = id(step), id(done)
        if key not in self.piece_cache:
            operands = [Operand(name, self.shapes[name]) for name in step.inputs]
            self.piece_cache[key] = step, done, done.pieces(step.axes, *operands)
        return self.piece_cache[key][2]

    @cached_property
    def piece_cache(self) -> dict[tuple[int, int], tuple[Step, Operation, list[Piece]]]:
        """The blocks built so far, by step and operation, which are kept with them."""
        return {}

    def evaluate(
        self, step: Step, values: Mapping[str, Values], numbers: Field[Values], op: Operation | None = None
    ) -> Values:
        """The whole matrix of a step."""
        plan = self.plan(step, op or step.op, numbers)
        blocks = [compute(values) for _, compute in plan]
        if len(blocks) == 1:
            return blocks[0]
        lead = np.broadcast_shapes(*(block.shape[:-2] for block in blocks))
        parts = [(place, block) for (place, _), block in zip(plan, blocks, strict=True)]
        return numbers.assemble((*lead, *step.shape[-2:]), parts)

    def plan(self, step: Step, op: Operation, numbers: Field[Values]) -> Plan[Values]:
        """How the blocks of a step are computed in a field, made ready once."""
        key = id(step), id(op), id(numbers)
        if key not in self.plan_cache:
            blocks = [
                (where(piece), prepare(piece.rule, numbers, piece.axes)) for piece in self.pieces(step, op)
            ]
            self.plan_cache[key] = step, op, numbers, blocks
        return self.plan_cache[key][3]

    @cached_property
    def plan_cache(self) -> dict[tuple[int, int, int], tuple[Step, Operation, Field[Any], Plan[Any]]]:
        """The plans made so far, with what they are for: an identity lasts as long as its owner."""
        return {}

    def with_shapes(self, shapes: Mapping[str, Shape]) -> Graph:
        """The graph with the shapes of some more matrices."""
        return replace(self, shapes={**self.shapes, **shapes}) if shapes else self

    def cell(self, step: Step, at: tuple[int, ...], op: Operation | None = None, expand: bool = True) -> Term:
        """The rule of one cell of a step, with integers; its sums are written out if `expand` is true."""
        piece, letters = self.piece(step, at, op)
        return place_indices(piece.rule, letters, expand)

    def piece(
        self, step: Step, at: tuple[int, ...], op: Operation | None = None
    ) -> tuple[Piece, dict[str, int]]:
        """The block of a step that a cell belongs to, and the integers of its letters there."""
        for piece in self.pieces(step, op):
            letters = piece.letters(at)
            if letters is not None:
                return piece, letters
        raise IndexError(at)


def where(piece: Piece) -> tuple[slice, slice]:
    """The rows and columns of a block."""
    rows, columns = (slice(axis.start, axis.at(axis.size - 1) + 1, axis.stride) for axis in piece.axes)
    return rows, columns


@record
class Trace:
    """The values of all names in one field, and the operations that were carried out."""

    field: Numbers
    values: dict[str, Array]
    ops: dict[str, Operation]


def trace(graph: Graph, numbers: Numbers) -> Trace:
    """Evaluate every step in order."""
    values = {name: numbers.constant(size) for name, size in graph.sizes.items()}
    ops: dict[str, Operation] = {}
    for name, matrix in graph.given.items():
        with name_zero_division(name):
            values[name] = numbers_of(matrix, numbers)
    for step in graph.steps:
        operands = [values[name] for name in step.inputs]
        op = ops[step.name] = step.op.settle(numbers, *operands)
        with name_zero_division(step.name):
            op.check_values(numbers, *operands)
            values[step.name] = graph.evaluate(step, values, numbers, op)
    return Trace(numbers, values, ops)


@contextmanager
def name_zero_division(matrix: str) -> Iterator[None]:
    """Name the matrix in which a division by zero is raised."""
    try:
        yield
    except ZeroDivisionError:
        raise ZeroDivisionError(matrix) from None


def numbers_of(matrix: Array, numbers: Numbers) -> Array:
    """A given matrix, of terms or of floats, as numbers of a field."""
    if matrix.dtype != object:
        return numbers.from_floats(matrix)
    values = [number_of(term, numbers) for term in matrix.ravel()]
    array = np.empty(len(values), dtype=numbers.dtype)
    array[:] = values
    return array.reshape(matrix.shape)


def half_units(matrix: Array) -> Floats:
    """Half a unit of the last decimal of every entry: its error if the given matrix is rounded."""
    half = np.zeros(matrix.shape)
    for at in np.ndindex(matrix.shape):
        cell = matrix[at]
        if isinstance(cell, Constant) and cell.places is not None:
            half[at] = 0.5 * 10.0**-cell.places
    return half


def number_of(term: Term, numbers: Numbers) -> Real:
    """The value of a term without entries."""
    if isinstance(term, Constant):
        return numbers.constant(term.value)[()]
    return evaluate(term, {}, numbers)[()]


def shape_text(shape: tuple[int, ...]) -> str:
    """A shape in words."""
    return "×".join(map(str, shape)) if shape else "one number"


def check_reference(graph: Graph, reference: Reference, place: Place | None = None) -> None:
    """Raise an error for an unknown step, or a row or cell outside it."""
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
        hint = ": rows and columns count from 1" if 0 in reference.at else ""
        raise fault(f"{reference} is outside {step.name}, which is {shape_text(sizes)}{hint}", place)
