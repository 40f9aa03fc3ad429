"""`attncalc.solve`: a solution that shows itself."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from attncalc.document.blocks import Block, Displays, Document, Heading
from attncalc.document.view import usual_view
from attncalc.graph.references import Reference
from attncalc.handouts.interactive import interactive
from attncalc.inputs.problem import Problem
from attncalc.interface.notebook import Notebook
from attncalc.loading.load import as_problem
from attncalc.record import changed, record
from attncalc.solution import solve as solving
from attncalc.solution.solution import Solution, SolvedStep


@record
class ShownStep(Notebook, SolvedStep):
    """One step with its result."""

    def to_document(self, pointed: bool) -> Document:
        """The matrix, and then how it comes about."""
        solution = Solution(self.problem, self.graph, self.trace)
        told = interactive(solution, usual_view(solution, pointed, (Reference(self.name),)))
        return changed(told, blocks=tuple(sorted(told.blocks, key=matrix_first)), title="")


def matrix_first(block: Block) -> int:
    """Where a block of one step stands."""
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
    """Every step of a problem, exactly or numerically (`mode`): solution["A"].value, .exact, .shape."""
    found = solving.solve(as_problem(problem), mode)
    return ShownSolution(found.problem, found.graph, found.trace)
