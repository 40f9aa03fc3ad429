"""`attncalc.solve`: a solution that shows itself."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from attncalc.document.blocks import Document
from attncalc.document.steps import usual_view
from attncalc.graph.references import Reference
from attncalc.handouts.worked import document
from attncalc.inputs.problem import Problem
from attncalc.interface.notebook import Notebook
from attncalc.loading.load import as_problem
from attncalc.record import record
from attncalc.solution import solve as solving
from attncalc.solution.solution import Solution, SolvedStep


@record
class ShownStep(Notebook, SolvedStep):
    """One step with its result."""

    frame_height = "24rem"

    def to_document(self, pointed: bool) -> Document:
        solution = Solution(self.problem, self.graph, self.trace)
        return document(solution, usual_view(solution, pointed, (Reference(self.name),)))


@record
class ShownSolution(Notebook, Solution):
    """A solved problem: `solution["A"]` is the step A."""

    def to_document(self, pointed: bool) -> Document:
        return document(self, usual_view(self, pointed))

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
