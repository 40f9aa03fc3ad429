"""What a mistake is: the steps that it can replace, and by what."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping

from attncalc.fields import Array
from attncalc.graph.graph import Graph, Step
from attncalc.ops.base import Operand, Operation, ShapeError
from attncalc.record import record


@record
class Variation:
    """A step done otherwise, with matrices that only the mistake knows, and others done otherwise with it."""

    step: Step
    given: Mapping[str, Array]
    others: tuple[Step, ...] = ()

    @property
    def changes(self) -> dict[str, Variation]:
        """Every step done otherwise, by name."""
        return {step.name: Variation(step, self.given) for step in (self.step, *self.others)}


class Mistake(ABC):
    """A mistake; its docstring is the sentence shown to the student."""

    code: str

    @abstractmethod
    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        """The ways in which this mistake can be made at a step."""


def together(first: Iterator[Variation], *rest: Iterator[Variation]) -> Iterator[Variation]:
    """One variation in which several steps are done otherwise."""
    main = next(first, None)
    others = [variation.step for variations in rest for variation in variations]
    if main is not None and others:
        yield Variation(main.step, main.given, tuple(others))


def instead(
    step: Step, graph: Graph, op: Operation, *inputs: str, given: Mapping[str, Array] | None = None
) -> Iterator[Variation]:
    """The step with another operation, if it fits and gives the same shape."""
    shapes = {**graph.shapes, **{name: matrix.shape for name, matrix in (given or {}).items()}}
    if any(name not in shapes for name in inputs):
        return
    try:
        shape = op.shape(*(Operand(name, shapes[name]) for name in inputs))
    except ShapeError:
        return
    if shape == step.shape[-2:]:
        changed = Step(step.name, step.title, op, tuple(inputs), step.shape, step.letters)
        yield Variation(changed, given or {})
