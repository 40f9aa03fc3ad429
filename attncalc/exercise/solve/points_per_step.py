"""The points of an exercise: which steps count, and how many points each is worth.

The maximum is the same for every student; answers to other steps earn no points.
"""

from __future__ import annotations

from math import fsum

import numpy as np
from numpy.typing import NDArray

from attncalc.core.fields import Numeric
from attncalc.core.graph.graph import number_of
from attncalc.core.graph.references import Reference
from attncalc.exercise.solve.selection import find_cells
from attncalc.exercise.solve.solution import Solution


class Points:
    """The points of one exercise."""

    def __init__(self, solution: Solution) -> None:
        problem = solution.problem
        goals = [solution.resolve(goal.reference).step for goal in problem.goal]
        asked_for = [solution.resolve(reference) for part in problem.parts for reference in part.steps]
        in_parts = masks(solution, [] if goals else asked_for)
        named = {
            solution.resolve(Reference(name)).step: float(str(number_of(term, Numeric())))
            for name, term in problem.marks.points.items()
        }
        last = [solution.last] if solution.last else []
        self.worth = {name: named.get(name, 1.0) for name in goals or [*in_parts, *named] or last}
        """The points of every step that counts: the goals of a design, else what parts or marks name."""
        self.wanted = {
            name: in_parts.get(name, np.ones(solution[name].shape, dtype=bool)) for name in self.worth
        }
        """The cells that are asked for, of every step that counts."""
        self.follow = problem.marks.follow
        """The share that a step earns after a wrong one that is not asked for."""
        self.is_implied = problem.marks.is_implied

    @property
    def most(self) -> float:
        """The points of the whole exercise."""
        return fsum(self.worth.values())

    def of(self, name: str) -> float:
        """Return the points of a step."""
        return self.worth.get(name, 0.0)


def masks(solution: Solution, references: list[Reference]) -> dict[str, NDArray[np.bool_]]:
    """Return the cells that references name, as a mask for each step."""
    found = {}
    for name, cells in find_cells(solution, references).items():
        if cells:
            mask = np.zeros(solution[name].shape, dtype=bool)
            mask[tuple(np.array(sorted(cells)).T)] = True
            found[name] = mask
    return found
