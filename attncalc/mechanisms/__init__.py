"""From a problem to its graph, one mechanism a file: the keys it reads and the steps it adds.

A file in this folder that defines `mechanism` is found by itself; the stages put them in order.
"""

import re
from importlib import import_module
from itertools import groupby
from pkgutil import iter_modules
from typing import TYPE_CHECKING

from attncalc.errors import Faults, Place, fault, inert, nearest
from attncalc.graph import Graph
from attncalc.mechanisms.base import Building, Mechanism, Stage
from attncalc.readers import Reader, matrix, scores
from attncalc.steps import Reference, own_name

if TYPE_CHECKING:
    from attncalc.problem_file import Problem

MECHANISMS: list[Mechanism] = sorted(
    (
        found
        for module in iter_modules(__path__)
        if (found := getattr(import_module(f"{__name__}.{module.name}"), "mechanism", None))
    ),
    key=lambda mechanism: mechanism.stage,
)
"""All mechanisms in the order in which they act."""


def build_graph(problem: "Problem") -> Graph:
    """The steps of a problem; what does not fit together is a fault of the problem."""
    building = Building(problem)
    if is_derivation(problem):
        return building.graph()
    done = problem.get("O") is not None
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
    for part in problem.get("parts", ()):
        for reference in part.steps:
            with faults.gathered():
                check_reference(graph, resolved(problem, reference), part.place)
    for name in problem.get("marks", {}):
        with faults.gathered():
            check_reference(graph, resolved(problem, Reference(name)), problem.place("marks"))
    for key, size in (("tokens", "n_q"), ("key_tokens", "n_k")):
        labels = problem.get(key)
        with faults.gathered():
            if labels is not None and len(labels) != graph.sizes.get(size):
                message = f"{key} has {len(labels)} labels for {graph.sizes.get(size, 'no')} rows"
                raise fault(message, problem.place(key))
    faults.raise_if_any()
    return graph


def is_derivation(problem: "Problem") -> bool:
    """Whether a problem gives no matrices and asks for derivations only."""
    parts = problem.get("parts", ())
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


def resolved(problem: "Problem", reference: Reference) -> Reference:
    """The reference under the step's own name, where the course has one of its own."""
    return Reference(own_name(problem.get("names", {}), reference.step), reference.at)


def check_reference(graph: Graph, reference: Reference, place: Place | None = None) -> None:
    """Refuses a step that is not there, or a row or cell outside it."""
    step = graph.step(reference.step)
    if step is None:
        names = [step.name for step in graph.steps]
        known = f"the steps are {', '.join(names)}" if names else "the problem has none"
        hint = nearest(reference.step, names) or f"; {known}"
        raise fault(f"there is no step '{inert(reference.step)}'{hint}", place)
    sizes = step.shape
    if len(reference.at) > len(sizes) or any(
        not 1 <= index <= size for index, size in zip(reference.at, sizes, strict=False)
    ):
        raise fault(f"{reference} is outside {step.name}, which is {'×'.join(map(str, sizes))}", place)
