"""The answers of a student so far, by step: later cells replace earlier ones."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from attncalc.core.errors import Place
from attncalc.core.fields import Array
from attncalc.core.graph.graph import Graph
from attncalc.core.terms import Term
from attncalc.exercise.problem import Problem
from attncalc.exercise.yaml.tree import Mapped, Scalar, from_python
from attncalc.exercise.yaml.writing import to_lists
from attncalc.features.practice.typed import PLACE, with_letters, write_cells
from attncalc.marking.answers.answer import fitted
from attncalc.marking.answers.files import Answer
from attncalc.worked.blocks import BLANK


class Sheet:
    """The cells of every answered step, in its shape; an answer of another shape is kept unchanged."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.cells: dict[str, Array] = {}

    def copy(self) -> Sheet:
        """An independent copy."""
        other = Sheet(self.graph)
        other.cells = dict(self.cells)
        return other

    def put(self, answer: Answer, problem: Problem) -> None:
        """Add the answer to a step, letters as letters; a blank keeps the earlier cell."""
        name, head = answer.reference.step, tuple(index - 1 for index in answer.reference.at)
        shape = self.graph.shapes[name]
        written = with_letters(answer.cells, problem)
        cells = fitted(written, shape[len(head) :])
        if cells is None:
            self.cells[name] = written
            return
        found = self.in_shape(name)
        is_new = np.asarray(np.frompyfunc(lambda cell: cell != BLANK, 1, 1)(cells), dtype=bool)
        found[head] = np.asarray(np.where(is_new, cells, found[head]))[()]
        self.cells[name] = found

    def show(self, name: str, at: tuple[int, ...], number: Term) -> None:
        """Fill in a correct number."""
        found = self.in_shape(name)
        found[at] = number
        self.cells[name] = found

    def in_shape(self, name: str) -> Array:
        """The answer to a step, in its shape."""
        shape, kept = self.graph.shapes[name], self.cells.get(name)
        return np.full(shape, BLANK, dtype=object) if kept is None or kept.shape != shape else kept.copy()

    def texts(self) -> Iterator[tuple[str, Array]]:
        """Every answered step, in the order of the steps, as a student could type it."""
        for step in self.graph.steps:
            if step.name in self.cells:
                yield step.name, write_cells(self.cells[step.name])

    def to_answers(self) -> Mapped:
        """The answers as the content of an answers file."""
        place = Place(PLACE)
        items = ((Scalar(name, place), from_python(to_lists(texts), PLACE)) for name, texts in self.texts())
        return Mapped(tuple(items), place)
