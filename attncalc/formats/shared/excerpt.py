"""What the formats of solutions take."""

from __future__ import annotations

from attncalc.document.steps import View
from attncalc.errors import fault
from attncalc.record import record
from attncalc.solution.solution import Solution, SolvedStep


@record
class Excerpt:
    """A solution, and what of it is asked for."""

    solution: Solution
    view: View = View()

    @property
    def steps(self) -> tuple[SolvedStep, ...]:
        """The steps that are asked for, all of them by default; for what has no single rows."""
        if self.view.row is not None:
            raise fault("this format has no single rows: leave out --row")
        named, head = {reference.step for reference in self.view.references}, self.view.head
        wanted = (step for step in self.solution.steps if not named or step.name in named)
        return tuple(step for step in wanted if head is None or step.step.label.belongs_to(head))
