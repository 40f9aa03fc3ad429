"""What a design reaches: the goals of a problem, each with the numbers of the solution."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from attncalc.core.errors import Faults, fault, nearest, quote
from attncalc.core.fields import Array, Floats, Real
from attncalc.core.fields.exact import Exact
from attncalc.core.fields.lazy_sympy import algebra
from attncalc.core.graph.graph import Graph, check_reference, number_of, numbers_of, shape_text
from attncalc.core.graph.references import Reference
from attncalc.core.notations.unicode import Ascii, write
from attncalc.core.record import record, replace
from attncalc.core.terms import entries
from attncalc.exercise.mechanisms.limit import Limit
from attncalc.exercise.problem import Goal, Problem
from attncalc.exercise.solve.letters import replace_letters, values_of
from attncalc.exercise.solve.solution import Solution

GOAL_MISSED = "goal-missed"
"""The code of a design that does not reach its goal."""
EXACTLY = 1e-9
"""The relative difference up to which numbers count as equal: programs round."""
APPROACHED = 0.01
"""The accepted distance from a limit for weights without its letter, which only come near it."""


@record
class Reached:
    """One goal: the numbers wanted, those reached, and the distances between them.

    `step` is the step of these numbers: that before the limit, if the limit changes nothing.
    """

    reference: Reference
    step: str
    wanted: Array
    numbers: Array
    off: Floats
    leeway: Floats
    """The distances up to which numbers count as equal."""
    within: float
    """The distance that is near enough; 0 if the numbers must be equal."""

    @property
    def is_met(self) -> NDArray[np.bool_]:
        """Which of the numbers are near enough."""
        return self.off <= np.maximum(self.within, self.leeway)

    @property
    def is_equal(self) -> bool:
        """Whether all numbers count as equal to those wanted."""
        return bool((self.off <= self.leeway).all())

    @property
    def is_reached(self) -> bool:
        """Whether all numbers are near enough."""
        return bool(self.is_met.all())

    @property
    def missed(self) -> tuple[tuple[int, ...], ...]:
        """The cells that are not near enough, counted from 1."""
        return tuple((*self.reference.at, *(int(n) + 1 for n in at)) for at in np.argwhere(~self.is_met))


def find_reached(solution: Solution) -> tuple[Reached, ...]:
    """Every goal of a problem and what its solution reaches."""
    return tuple(reach(solution, goal) for goal in solution.problem.goal)


def reach(solution: Solution, goal: Goal) -> Reached:
    """Compare one goal with the solution, cell by cell."""
    reference = solution.resolve(goal.reference)
    found = numbers_at(solution, reference)
    wanted = numbers_of(goal.wanted, solution.trace.field).reshape(found.shape)
    within = solution.problem.within or 0.0
    step = reference.step
    if has_no_letter(solution, reference):
        within = within or APPROACHED
        plain = replace(solution[step].step.label, limit=False).name
        same = distances(solution, found, numbers_at(solution, Reference(plain, reference.at)))
        step = plain if (same == 0).all() else step
    off, leeway = (distances(solution, found, wanted), leeways(solution, wanted))
    return Reached(reference, step, wanted, found, off, leeway, within)


def numbers_at(solution: Solution, reference: Reference) -> Array:
    """The numbers of a step, or of a row or a cell of it."""
    numbers = solution[reference.step].numbers[tuple(n - 1 for n in reference.at)]
    return solution.trace.field.array(numbers)


def has_no_letter(solution: Solution, reference: Reference) -> bool:
    """Whether a goal in a limit comes from weights that do not depend on its letter."""
    limit: Limit | None = solution.problem.settings.get("limit")
    if limit is None or not solution[reference.step].step.label.limit:
        return False
    weights = [step for step in solution.steps if step.step.kind.is_weights and not step.step.kind.limit]
    places = (Reference(step.name, reference.at[: len(step.shape) - 1]) for step in weights)
    rows = (row for place in places for row in np.atleast_2d(numbers_at(solution, place)))
    return any(is_free_of(row, limit.letter, solution) for row in rows)


def is_free_of(numbers: Array, letter: str, solution: Solution) -> bool:
    """Whether none of some numbers contains a letter."""
    terms = map(solution.trace.field.term, numbers.ravel())
    return all(entry.of != letter for term in terms for entry in entries(term))


def distances(solution: Solution, found: Array, wanted: Array) -> Floats:
    """The distances between numbers found and wanted."""
    pairs = zip(found.ravel(), wanted.ravel(), strict=True)
    return np.array([distance(solution, x, y) for x, y in pairs]).reshape(found.shape)


def leeways(solution: Solution, wanted: Array) -> Floats:
    """The distances up to which numbers count as equal to those wanted."""
    sizes = (size(solution, x) if x != -np.inf else 0.0 for x in wanted.ravel())
    return np.array([EXACTLY * max(1.0, x) for x in sizes]).reshape(wanted.shape)


def distance(solution: Solution, found: Real, wanted: Real) -> float:
    """The distance between two numbers; with letters, the largest for values of these up to 1."""
    field = solution.trace.field
    if found == wanted:
        return 0.0
    if -np.inf in (found, wanted):
        return np.inf
    return size(solution, field.total(field.array([found, -wanted]))[()])


def size(solution: Solution, number: Real) -> float:
    """The absolute value of a number; with letters, the largest for values of these up to 1."""
    field = solution.trace.field
    if not field.is_open(number):
        return abs(float(field.floats(field.array(number))))
    factors = algebra.coefficients(number)
    if factors is not None:
        return float(np.abs(field.floats(field.array(list(factors.values())))).sum())
    term = field.term(number)
    chosen = (number_of(replace_letters(term, values), Exact()) for values in values_of(solution.problem))
    return max(abs(float(Exact().decimal(x, 20))) for x in chosen)


def check_own_design(solution: Solution) -> None:
    """Raise an error if the problem's own design does not reach its goal."""
    found = find_reached(solution) if solution.problem.design else ()
    for goal, reached in zip(solution.problem.goal, found, strict=False):
        if not reached.is_reached:
            term = solution.trace.field.term
            cells = ", ".join(write(term(x), Ascii()) for x in reached.numbers.ravel())
            raise fault(
                f"the file's own design does not reach {goal.reference}: it gives {cells}", goal.place
            )


def check_graph(problem: Problem, graph: Graph, faults: Faults) -> None:
    """Collect errors: a design that is not given, a goal that does not exist or has another shape."""
    for name in problem.design:
        with faults.collect():
            # Matrices inside a block or a mask have no key that a student could write.
            keys = [key for key, value in problem.settings.items() if isinstance(value, np.ndarray)]
            given = [key for key in keys if key in graph.given]
            if name in given:
                continue
            why = "has an axis for its heads" if name in keys else "is not given"
            hint = nearest(name, given) or f"; given are {', '.join(given)}" if given else ""
            raise fault(f"{quote(name)} {why}, so it cannot be designed{hint}", problem.place("design"))
    for goal in problem.goal:
        with faults.collect():
            check_goal(goal, problem, graph)


def check_goal(goal: Goal, problem: Problem, graph: Graph) -> None:
    """Raise an error if the cells of a goal do not exist, or differ in shape from what is wanted."""
    reference = graph.resolve(goal.reference, problem.names)
    check_reference(graph, reference, goal.place)
    shape = graph.shapes[reference.step][len(reference.at) :]
    wanted = (1,) * (2 - len(shape)) + tuple(shape)
    if goal.wanted.shape != wanted:
        sizes = " and ".join(map(shape_text, (wanted, goal.wanted.shape)))
        raise fault(f"{goal.reference} and what it must reach differ in shape: {sizes}", goal.place)
