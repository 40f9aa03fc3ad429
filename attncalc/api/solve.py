"""`attncalc.solve`: a solution that a notebook can show."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from attncalc.api.notebook import Notebook
from attncalc.core.graph.references import Reference
from attncalc.core.record import record, replace
from attncalc.exercise.load import as_problem
from attncalc.exercise.problem import Problem
from attncalc.exercise.solve import solve as solving
from attncalc.exercise.solve.solution import Solution, SolvedStep
from attncalc.pages.documents.html.interactive import interactive
from attncalc.worked.blocks import Block, Displays, Document, Heading
from attncalc.worked.view import usual_view


@record
class ShownStep(Notebook, SolvedStep):
    """One step with its result."""

    def to_document(self, pointed: bool) -> Document:
        """The matrix, and then its working."""
        solution = Solution(self.problem, self.graph, self.trace)
        shown = interactive(solution, usual_view(solution, pointed, (Reference(self.name),)))
        return replace(shown, blocks=tuple(sorted(shown.blocks, key=matrix_first)), title="")


def matrix_first(block: Block) -> int:
    """The sort key of the blocks of a step: heading, matrices, all others."""
    return 0 if isinstance(block, Heading) else 1 if isinstance(block, Displays) else 2


@record
class ShownSolution(Notebook, Solution):
    """A solved problem: `solution["A"]` is the step A."""

    def to_document(self, pointed: bool) -> Document:
        return interactive(self, usual_view(self, pointed))

    @cached_property
    def steps(self) -> tuple[ShownStep, ...]:
        """All steps in order."""
        return tuple(ShownStep(step, self.graph, self.trace, self.problem) for step in self.graph.steps)

    def __getitem__(self, name: str) -> ShownStep:
        found = super().__getitem__(name)
        assert isinstance(found, ShownStep)
        return found


def solve(problem: Problem | Mapping[str, Any] | str, mode: str | None = None) -> ShownSolution:
    """Solve every step of a problem, exactly or numerically (`mode`): solution["A"].value, .exact, .shape."""
    found = solving.solve(as_problem(problem), mode)
    return ShownSolution(found.problem, found.graph, found.trace)
