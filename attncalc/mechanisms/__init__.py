"""From a problem to its graph, one mechanism a file: the keys it reads and the steps it adds.

A file in this folder that defines `mechanism` is found by itself; the stages put them in order.
"""

from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

from attncalc.errors import Faults, Place, fault, inert, nearest
from attncalc.graph import Graph
from attncalc.mechanisms.base import Building, Mechanism
from attncalc.readers import matrix
from attncalc.steps import Reference

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
    for mechanism in MECHANISMS:
        mechanism.build(building)
    graph = building.graph()
    faults = Faults()
    for key in unused(building):
        with faults.gathered():
            raise fault(f"{key} is not used by anything here", problem.place(key))
    for part in problem.get("parts", ()):
        for reference in part.show:
            with faults.gathered():
                check_reference(graph, resolved(problem, reference), part.place)
    for key, size in (("tokens", "n_q"), ("key_tokens", "n_k")):
        labels = problem.get(key)
        with faults.gathered():
            if labels is not None and len(labels) != graph.sizes[size]:
                message = f"{key} has {len(labels)} labels for {graph.sizes[size]} rows"
                raise fault(message, problem.place(key))
    faults.raise_if_any()
    return graph


def unused(building: Building) -> list[str]:
    """The matrices that a problem gives and nothing reads."""
    keys = {key: reader for mechanism in MECHANISMS for key, reader in mechanism.keys.items()}
    return [key for key in building.problem.settings if keys.get(key) is matrix and key not in building.read]


def resolved(problem: "Problem", reference: Reference) -> Reference:
    """The reference under the step's own name, where the course has one of its own."""
    own = {course: step for step, course in problem.get("names", {}).items()}
    return Reference(own.get(reference.step, reference.step), reference.at)


def check_reference(graph: Graph, reference: Reference, place: Place | None = None) -> None:
    """Refuses a step that is not there, or a row or cell outside it."""
    step = graph.step(reference.step)
    if step is None:
        names = [step.name for step in graph.steps]
        hint = nearest(reference.step, names) or f"; the steps are {', '.join(names)}"
        raise fault(f"there is no step '{inert(reference.step)}'{hint}", place)
    sizes = step.shape
    if len(reference.at) > len(sizes) or any(
        not 1 <= index <= size for index, size in zip(reference.at, sizes, strict=False)
    ):
        raise fault(f"{reference} is outside {step.name}, which is {'×'.join(map(str, sizes))}", place)
