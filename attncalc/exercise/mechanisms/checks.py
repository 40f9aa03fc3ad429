"""What can be refused only when the steps of a problem are known: the names that it defines."""

from __future__ import annotations

from collections import Counter

from attncalc.core.errors import Faults, fault, quote
from attncalc.core.graph.graph import Graph
from attncalc.exercise.problem import Problem


def check_names(problem: Problem, graph: Graph, faults: Faults) -> None:
    """Refuses names that the problem defines and that a matrix of it has already."""
    for name in (*problem.let, *problem.symbols):
        with faults.gathered():
            if name in graph.shapes:
                raise fault(f"{quote(name)} already has a meaning", problem.defined.get(name))
    called = Counter(label.called(problem.names) for label in graph.labels.values())
    for label in graph.labels.values():
        name = label.called(problem.names)
        with faults.gathered():
            if name != label.name and (name in graph.shapes or called[name] > 1):
                raise fault(f"{quote(name)} is already the name of a step", problem.defined.get(name))
