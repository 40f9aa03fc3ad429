"""The input of the formats of solutions."""

from __future__ import annotations

from attncalc.core.errors import fault
from attncalc.core.graph.references import Reference
from attncalc.core.record import record
from attncalc.exercise.solve.solution import Solution, SolvedStep
from attncalc.worked.view import View


@record
class Excerpt:
    """A solution, and which of its steps are asked for."""

    solution: Solution
    view: View = View()

    @property
    def steps(self) -> tuple[SolvedStep, ...]:
        """The steps asked for, by default all; for formats without single rows."""
        if self.view.row is not None:
            raise fault("this format has no single rows: leave out --row")
        head, named = self.view.head, self.view.references or self.asked
        names = {reference.step for reference in named}
        wanted = (step for step in self.solution.steps if not self.is_chosen or step.name in names)
        return tuple(step for step in wanted if head is None or step.step.label.belongs_to(head))

    @property
    def is_chosen(self) -> bool:
        """Whether only a part of the solution is asked for."""
        return bool(self.view.references or self.view.parts)

    @property
    def asked(self) -> tuple[Reference, ...]:
        """The references asked for by the parts that are shown."""
        parts = (part for part in self.solution.problem.parts if self.view.shows(part.label))
        return tuple(self.solution.resolve(reference) for part in parts for reference in part.steps)
