"""The part of a solution that is shown, and how its numbers are rounded; what formats of solutions take."""

from __future__ import annotations

from attncalc.core.errors import fault
from attncalc.core.graph.references import Reference
from attncalc.core.record import record
from attncalc.exercise.problem import Problem
from attncalc.exercise.solve.solution import Solution, SolvedStep
from attncalc.worked.rounding import Rounding


@record
class View:
    """The part of a solution that is shown, and its level of detail."""

    detail: str = "cells"
    rounding: Rounding = Rounding()
    references: tuple[Reference, ...] = ()
    parts: tuple[str, ...] = ()
    """The labels of the parts that are shown; empty for all."""
    row: int | None = None
    head: int | None = None
    pointed: bool = False
    """Whether a reader can point at every shown entry, even at one that is only copied."""
    is_live: bool = False
    """Whether the page computes: its script writes the lines of entries that are pointed at."""
    folded: bool = True
    """Whether large given matrices are folded."""
    is_typed: bool = False
    """Whether the reader is at a terminal and can type commands."""
    code: str = ""
    """The code of the variant of a problem, if it is one."""

    def shows(self, label: str) -> bool:
        """Whether a part is shown."""
        return not self.parts or label in self.parts


def usual_view(solution: Solution, pointed: bool, references: tuple[Reference, ...] = ()) -> View:
    """Return the view that a problem asks for, on an interactive page or on paper."""
    return View(rounding=rounding_of(solution.problem), references=references, pointed=pointed)


def rounding_of(problem: Problem) -> Rounding:
    """Return the rounding that a problem asks for."""
    if problem.digits == "key":
        return Rounding(problem.places, is_keyed=True)
    return Rounding(problem.places, problem.digits)


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
