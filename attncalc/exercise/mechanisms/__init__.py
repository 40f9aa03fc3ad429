"""From a problem to its graph, one mechanism a file: the keys it reads and the steps it adds.

Every file in this folder that defines `mechanism` is loaded; each names the mechanisms it comes after.
"""

from collections.abc import Iterable
from graphlib import TopologicalSorter
from itertools import groupby
from typing import Any

import numpy as np

from attncalc.core.errors import Faults, Place, count_of, fault, inert, quote
from attncalc.core.families import load_members
from attncalc.core.graph.graph import Graph, check_reference
from attncalc.core.graph.labels import Kind
from attncalc.core.graph.references import Reference
from attncalc.core.record import replace
from attncalc.exercise.keys.readers import Reader, matrix, scores
from attncalc.exercise.mechanisms.base import Building, Mechanism, parse_key
from attncalc.exercise.problem import Claim, Problem
from attncalc.exercise.questions import question_of


def in_order(mechanisms: Iterable[Mechanism]) -> list[Mechanism]:
    """Sort mechanisms by the names in their `after` and `before`; closing ones come last."""
    by_name = {mechanism.name: mechanism for mechanism in mechanisms}
    sorter = TopologicalSorter({name: by_name[name].after for name in sorted(by_name)})
    for name in sorted(by_name):
        for later in by_name[name].before:
            sorter.add(later, name)
    found = [by_name[name] for name in sorter.static_order()]
    return sorted(found, key=lambda mechanism: mechanism.closing)


MECHANISMS: list[Mechanism] = in_order(
    module.mechanism for module in load_members("exercise.mechanisms") if hasattr(module, "mechanism")
)
"""All mechanisms in the order in which they act."""
READERS: dict[str, Reader[Any]] = {key.name: key.read for one in MECHANISMS for key in one.keys}
NUMBERED: tuple[str, ...] = tuple(key for mechanism in MECHANISMS for key in mechanism.numbered)
"""The keys that may end in the number of a head."""
FORWARD: tuple[Kind, ...] = tuple(kind for mechanism in MECHANISMS for kind in mechanism.steps)
KINDS: tuple[Kind, ...] = (
    *FORWARD,
    *(kind.gradient for kind in reversed(FORWARD) if kind.has_gradient),
)
"""All kinds of steps in the order of computation, and of their gradients."""
GIVEN: tuple[Kind, ...] = tuple(kind for mechanism in MECHANISMS for kind in mechanism.given)
"""The kinds of given matrices that are never steps."""


def is_step_name(name: str) -> bool:
    """Whether some mechanism gives this name to a step."""
    return any(kind.is_called(name) for kind in KINDS)


def build_graph(problem: Problem) -> Graph:
    """Build the graph of a problem; raise a fault if its keys do not fit together."""
    building = Building(problem, (*KINDS, *GIVEN))
    if is_derivation(problem):
        return building.graph()
    for each_head, mechanisms in groupby(find_acting(problem), lambda mechanism: mechanism.each_head):
        group = list(mechanisms)
        for head in range(1, len(building.heads) + 1) if each_head else (None,):
            building.head = head
            for mechanism in group:
                mechanism.build(building)
    graph = building.graph()
    check(problem, building, graph)
    return graph


def find_acting(problem: Problem) -> list[Mechanism]:
    """Return all mechanisms, or those from the one that resumes from a given matrix."""
    resumed = (n for n, mechanism in enumerate(MECHANISMS) if mechanism.resumes in problem.settings)
    return MECHANISMS[next(resumed, 0) :]


def check(problem: Problem, building: Building, graph: Graph) -> None:
    """Raise a fault for every unused key, and for every name of a step that does not exist."""
    faults = Faults()
    for key in find_unused(building):
        with faults.collect():
            raise fault(f"{key} is not used by anything here", problem.place(key))
    check_names(problem, graph, faults)
    for claim in problem.claims:
        with faults.collect():
            check_claim(claim, graph)
    if question := question_of(problem):
        question.check_graph(problem, graph, faults)
    for part in problem.parts:
        for reference in part.steps:
            with faults.collect():
                resolved = graph.resolve(reference, problem.names)
                refuse_words(graph, resolved, part.place)
                check_reference(graph, resolved, part.place)
    for name in problem.marks.points:
        with faults.collect():
            check_reference(graph, graph.resolve(Reference(name), problem.names), problem.place("marks"))
    for key, labels, size in (("tokens", problem.tokens, "n_q"), ("key_tokens", problem.key_tokens, "n_k")):
        with faults.collect():
            if key in problem.origins and len(labels) != graph.sizes.get(size):
                raise fault(wrong_labels(key, labels, graph.sizes.get(size)), problem.place(key))
    faults.raise_if_any()


def check_claim(claim: Claim, graph: Graph) -> None:
    """Raise a fault if the file says another size than the matrices have."""
    known = [graph.sizes[size] for size in claim.sizes if size in graph.sizes]
    if not known:
        scaled = f"write scale: 1/sqrt({claim.number}) if it divides the scores, or leave it out"
        raise fault(f"{inert(claim.key)} does not follow from what is given: {scaled}", claim.place)
    if claim.number not in known:
        raise fault(f"{inert(claim.key)} is {known[0]} here, not {claim.number}", claim.place)


def refuse_words(graph: Graph, reference: Reference, place: Place) -> None:
    """Raise a fault if a step is named in words, which only answers may do."""
    kind = next((kind for kind in KINDS if reference.step.lower() in kind.spoken), None)
    if kind and not graph.step(reference.step) and graph.step(kind.role):
        meant = replace(reference, step=kind.role)
        raise fault(f"there is no step '{inert(reference.step)}'; did you mean '{meant}'?", place)


def wrong_labels(key: str, labels: tuple[str, ...], rows: int | None) -> str:
    """Say that there are too many or too few labels; a single text with all of them is split in the hint."""
    words = labels[0].split() if len(labels) == 1 else []
    hint = f": write [{', '.join(words)}]" if len(words) == rows else ""
    return f"{key} has {count_of(len(labels), 'label')} for {count_of(rows or 0, 'row')}{hint}"


def is_derivation(problem: Problem) -> bool:
    """Whether a problem gives no matrices and asks for derivations only."""
    parts = problem.parts
    derived = bool(parts) and all(not part.show for part in parts)
    return derived and not any(reader_of(key) in (matrix, scores) for key in problem.settings)


def find_unused(building: Building) -> list[str]:
    """Return the given matrices that no mechanism has read."""
    return [key for key in building.problem.settings if reader_of(key) is matrix and key not in building.read]


def reader_of(key: str) -> Reader[Any] | None:
    """Return the reader of a mechanism's key, which may end in the number of a head; None if unknown."""
    label = parse_key(key)
    is_numbered = key not in READERS and label.head and label.role in NUMBERED
    return READERS.get(label.role if is_numbered else key)


def check_names(problem: Problem, graph: Graph, faults: Faults) -> None:
    """Raise a fault for every name that the problem defines and that one of its matrices already has."""
    for name in (*problem.let, *problem.symbols):
        with faults.collect():
            if name in graph.shapes:
                raise fault(f"{quote(name)} already has a meaning", problem.defined.get(name))
    if not problem.names:
        return
    called: dict[str, list[str]] = {}
    for label in graph.labels.values():
        called.setdefault(label.to_course_name(problem.names), []).append(label.name)
    for name, steps in called.items():
        with faults.collect():
            if len(steps) > 1 and not are_equal(graph, steps):
                if all(graph.labels[step].of for step in steps):
                    said = f"{' and '.join(steps)} would both be called {quote(name)}"
                    raise fault(f"{said}: give what they are gradients of names of their own")
                taken = name in steps and name not in problem.names
                hint = f": give that one another, such as {name}: {name}_0" if taken else ""
                raise fault(f"{quote(name)} is already the name of a step{hint}", problem.defined.get(name))


def are_equal(graph: Graph, names: list[str]) -> bool:
    """Whether these are given matrices with the same entries, which a course may call the same."""
    first, *others = (graph.given.get(name) for name in names)
    return first is not None and all(other is not None and np.array_equal(first, other) for other in others)
