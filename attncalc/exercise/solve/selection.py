"""The cells of each step that are shown: the asked ones, and those that they are computed from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import TypeAlias

from attncalc.core.graph.references import Reference
from attncalc.core.terms import Entry, entries
from attncalc.exercise.solve.solution import Solution

At: TypeAlias = tuple[int, ...]
Cells: TypeAlias = dict[str, set[At]]
"""The cells of each step, counted from 0."""


def find_cells(solution: Solution, references: Iterable[Reference]) -> Cells:
    """Return the cells that references name."""
    cells: Cells = {step.name: set() for step in solution.steps}
    for reference in references:
        head = tuple(index - 1 for index in reference.at)
        shape = solution[reference.step].shape
        cells[reference.step] |= {at for at in all_cells(shape) if at[: len(head)] == head}
    return cells


def with_sources(solution: Solution, cells: Cells) -> Cells:
    """Return the cells, and all cells of earlier steps that they are computed from."""
    demand = {name: set(wanted) for name, wanted in cells.items()}
    for step in reversed(solution.steps):
        for at in demand[step.name]:
            for entry in entries(step.cell(at)):
                if entry.of in demand:
                    place = integers(entry)
                    # A matrix that does not depend on the tokens has no batch axes.
                    batch = len(solution[entry.of].shape) - len(place)
                    demand[entry.of].add(at[:batch] + place)
    return demand


def all_cells(shape: tuple[int, ...]) -> Iterator[At]:
    """The indices of all cells, in order."""
    return product(*map(range, shape))


def integers(entry: Entry) -> At:
    """Return the indices of an entry; an axis counts as its first value."""
    return tuple(index if isinstance(index, int) else index.start for index in entry.at)
