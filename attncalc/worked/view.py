"""The part of a solution that is shown, and how its numbers are rounded."""

from __future__ import annotations

from attncalc.core.graph.references import Reference
from attncalc.core.record import record
from attncalc.exercise.problem import Problem
from attncalc.exercise.solve.solution import Solution
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
