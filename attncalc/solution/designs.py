"""What a design reaches: the goals of a problem, each beside what the solution comes to."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from attncalc.errors import fault
from attncalc.fields import Array, Real
from attncalc.fields.exact import Exact
from attncalc.graph.graph import number_of, numbers_of
from attncalc.graph.references import Reference
from attncalc.inputs.design import Goal
from attncalc.notations.unicode import Ascii, write
from attncalc.record import record
from attncalc.solution.letters import Values, values_of
from attncalc.solution.solution import Solution
from attncalc.terms import Entry, Term, mapped

EXACTLY = 1e-9
"""By what share of their size floats may differ that should be equal."""
NOTHING = Decimal("1e-500")
"""Below this a difference is one that cancels, as far as digits tell."""
DIGITS = 20


@record
class Reached:
    """One goal: the numbers wanted, those reached, and which of them are near enough."""

    reference: Reference
    wanted: Array
    numbers: Array
    is_met: NDArray[np.bool_]

    @property
    def is_reached(self) -> bool:
        """Whether all of it is as it must be."""
        return bool(self.is_met.all())

    @property
    def missed(self) -> tuple[tuple[int, ...], ...]:
        """The cells that are not, counted from 1."""
        return tuple((*self.reference.at, *(int(n) + 1 for n in at)) for at in np.argwhere(~self.is_met))


def find_reached(solution: Solution) -> tuple[Reached, ...]:
    """Every goal of a problem and what its solution reaches."""
    return tuple(reach(solution, goal) for goal in solution.problem.goal)


def reach(solution: Solution, goal: Goal) -> Reached:
    """One goal, cell by cell."""
    reference = solution.resolved(goal.reference)
    field = solution.trace.field
    found = field.array(solution[reference.step].numbers[tuple(n - 1 for n in reference.at)])
    wanted = numbers_of(goal.wanted, field).reshape(found.shape)
    met = [is_near(solution, x, y) for x, y in zip(found.ravel(), wanted.ravel(), strict=True)]
    return Reached(reference, wanted, found, np.array(met).reshape(found.shape))


def is_near(solution: Solution, found: Real, wanted: Real) -> bool:
    """Whether a number is what it must be: exactly, or as near as the problem wants it."""
    field, within = solution.trace.field, solution.problem.within
    if found == wanted:
        return True
    if -np.inf in (found, wanted):
        return False
    difference = field.total(field.array([found, -wanted]))[()]
    if field.name == "numeric":
        return bool(abs(difference) <= (within or EXACTLY * max(1.0, abs(float(wanted)))))
    if difference == 0:
        return True
    if within is None and field.is_plain(difference):
        return False
    return all(off <= (within or NOTHING) for off in sizes(solution, difference))


def sizes(solution: Solution, number: Real) -> list[Decimal]:
    """How large an exact number is, at two values of each letter."""
    term = solution.trace.field.term(number)
    at_values = (number_of(with_numbers(term, values), Exact()) for values in values_of(solution.problem))
    return [abs(Exact().decimal(found, DIGITS)) for found in at_values]


def with_numbers(term: Term, values: Values) -> Term:
    """A term with numbers for its letters."""
    if isinstance(term, Entry):
        return values.get(term.of, term)
    return mapped(term, lambda member: with_numbers(member, values))


def check_own_design(solution: Solution) -> None:
    """Refuses a problem whose own design does not reach its goal."""
    found = find_reached(solution) if solution.problem.design else ()
    for goal, reached in zip(solution.problem.goal, found, strict=False):
        if not reached.is_reached:
            term = solution.trace.field.term
            cells = ", ".join(write(term(x), Ascii()) for x in reached.numbers.ravel())
            raise fault(
                f"the file's own design does not reach {goal.reference}: it gives {cells}", goal.place
            )
