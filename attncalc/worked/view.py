"""How much of a solution is shown, and how its numbers are rounded."""

from __future__ import annotations

from attncalc.core.graph.references import Reference
from attncalc.core.record import record
from attncalc.exercise.problem import Problem
from attncalc.exercise.solve.solution import Solution
from attncalc.worked.rounding import Rounding


@record
class View:
    """How much of a solution is shown."""

    detail: str = "cells"
    rounding: Rounding = Rounding()
    references: tuple[Reference, ...] = ()
    parts: tuple[str, ...] = ()
    """The labels of some parts of the exercise; none are all."""
    row: int | None = None
    head: int | None = None
    pointed: bool = False
    """Whether every entry that is shown can be pointed at, also one that is only moved."""
    is_live: bool = False
    """Whether the page computes: its script writes the lines of entries that are pointed at."""
    folded: bool = True
    """Whether large given matrices are folded."""
    is_typed: bool = False
    """Whether it is read where commands are typed."""

    def shows(self, label: str) -> bool:
        """Whether a part is shown."""
        return not self.parts or label in self.parts


def usual_view(solution: Solution, pointed: bool, references: tuple[Reference, ...] = ()) -> View:
    """How a problem wants to be shown, on a page that can be pointed at or on paper."""
    return View(rounding=rounding_of(solution.problem), references=references, pointed=pointed)


def rounding_of(problem: Problem) -> Rounding:
    """How a problem wants its numbers rounded."""
    if problem.digits == "key":
        return Rounding(problem.places, is_keyed=True)
    return Rounding(problem.places, problem.digits)
