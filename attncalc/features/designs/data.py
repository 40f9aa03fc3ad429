"""A design and its goal for other programs."""

from __future__ import annotations

from attncalc.exercise.solve.solution import Solution
from attncalc.features.designs.goals import Reached, find_reached
from attncalc.pages.solutions.json import texts


def to_data(solution: Solution) -> dict[str, object]:
    """The design of the file, and every goal."""
    return {
        "design": {name: texts(solution.trace.values[name], solution) for name in solution.problem.design},
        "goal": [goal_object(reached, solution) for reached in find_reached(solution)],
    }


def goal_object(reached: Reached, solution: Solution) -> dict[str, object]:
    """One goal of a design: what is wanted, what is reached, and whether that is near enough."""
    return {
        "step": reached.reference.step,
        "at": list(reached.reference.at),
        "wanted": texts(reached.wanted, solution),
        "value": texts(reached.numbers, solution),
        "reached": reached.is_reached,
    }
