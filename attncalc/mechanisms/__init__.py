"""From a problem to its graph, one mechanism a file: the keys it reads and the steps it adds.

A file in this folder that defines `mechanism` is found by itself; the stages put them in order.
"""

import re
from itertools import groupby

from attncalc.errors import Faults, fault
from attncalc.families import members
from attncalc.graph.graph import Graph, check_reference
from attncalc.graph.references import Reference
from attncalc.inputs.problem import Problem
from attncalc.inputs.readers import Reader, matrix, scores
from attncalc.mechanisms.base import Building, Mechanism, Stage

MECHANISMS: list[Mechanism] = sorted(
    (module.mechanism for module in members("mechanisms") if hasattr(module, "mechanism")),
    key=lambda mechanism: mechanism.stage,
)
"""All mechanisms in the order in which they act."""


def build_graph(problem: Problem) -> Graph:
    """The steps of a problem; what does not fit together is a fault of the problem."""
    building = Building(problem)
    if is_derivation(problem):
        return building.graph()
    done = problem.settings.get("O") is not None
    acting = [mechanism for mechanism in MECHANISMS if not done or mechanism.stage == Stage.BLOCK]
    for per_head, mechanisms in groupby(acting, lambda mechanism: mechanism.stage.per_head):
        group = list(mechanisms)
        for head in range(len(building.heads) if per_head else 1):
            building.head = head
            for mechanism in group:
                mechanism.build(building)
        building.head = 0
    graph = building.graph()
    faults = Faults()
    for key in unused(building):
        with faults.gathered():
            raise fault(f"{key} is not used by anything here", problem.place(key))
    for part in problem.parts:
        for reference in part.steps:
            with faults.gathered():
                check_reference(graph, problem.resolved(reference), part.place)
    for name in problem.marks:
        with faults.gathered():
            check_reference(graph, problem.resolved(Reference(name)), problem.place("marks"))
    for key, labels, size in (("tokens", problem.tokens, "n_q"), ("key_tokens", problem.key_tokens, "n_k")):
        with faults.gathered():
            if key in problem.origins and len(labels) != graph.sizes.get(size):
                message = f"{key} has {len(labels)} labels for {graph.sizes.get(size, 'no')} rows"
                raise fault(message, problem.place(key))
    faults.raise_if_any()
    return graph


def is_derivation(problem: Problem) -> bool:
    """Whether a problem gives no matrices and asks for derivations only."""
    parts = problem.parts
    derived = bool(parts) and all(part.explain and not part.show for part in parts)
    return derived and not any(reader_of(key) in (matrix, scores) for key in problem.settings)


def unused(building: Building) -> list[str]:
    """The matrices that a problem gives and nothing reads."""
    return [key for key in building.problem.settings if reader_of(key) is matrix and key not in building.read]


def reader_of(key: str) -> Reader | None:
    """The reader of a mechanism's key, which may carry the number of a head."""
    base, _, number = key.rpartition("_")
    for mechanism in MECHANISMS:
        if key in mechanism.keys:
            return mechanism.keys[key]
        if base in mechanism.numbered and re.fullmatch(r"[1-9][0-9]?", number):
            return mechanism.keys[base]
    return None
