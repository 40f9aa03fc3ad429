"""What a design and its goal may name."""

from __future__ import annotations

import numpy as np

from attncalc.core.errors import Faults, fault, nearest, quote
from attncalc.core.graph.graph import Graph, check_reference, shape_text
from attncalc.exercise.problem import Goal, Problem


def check_graph(problem: Problem, graph: Graph, faults: Faults) -> None:
    """Refuses a design of what is not given, and a goal that is not there or of another shape."""
    for name in problem.design:
        with faults.gathered():
            # What a block or a mask holds has no key that a student could write.
            keys = [key for key, value in problem.settings.items() if isinstance(value, np.ndarray)]
            given = [key for key in keys if key in graph.given]
            if name in given:
                continue
            why = "has an axis for its heads" if name in keys else "is not given"
            hint = nearest(name, given) or f"; given are {', '.join(given)}" if given else ""
            raise fault(f"{quote(name)} {why}, so it cannot be designed{hint}", problem.place("design"))
    for goal in problem.goal:
        with faults.gathered():
            check_goal(goal, problem, graph)


def check_goal(goal: Goal, problem: Problem, graph: Graph) -> None:
    """Refuses a goal whose cells are not there, or are not as many as what is wanted."""
    reference = graph.resolved(goal.reference, problem.names)
    check_reference(graph, reference, goal.place)
    shape = graph.shapes[reference.step][len(reference.at) :]
    wanted = (1,) * (2 - len(shape)) + tuple(shape)
    if goal.wanted.shape != wanted:
        sizes = " and ".join(map(shape_text, (wanted, goal.wanted.shape)))
        raise fault(f"{goal.reference} and what it must reach differ in shape: {sizes}", goal.place)
