"""The bundled problems by what they hold; each is solved and written once for all tests."""

from __future__ import annotations

from functools import cache
from math import prod

import attncalc
from attncalc.exercise.bundled import bundled_names
from attncalc.exercise.mechanisms import build_graph, is_derivation
from attncalc.exercise.solve.solution import Solution
from attncalc.features.topics import topic_named
from attncalc.marking.checker import Checker
from attncalc.marking.report.report import Report
from attncalc.pages.documents.html.interactive import interactive
from attncalc.worked.blocks import Document
from attncalc.worked.view import View
from attncalc.worked.worksheet import worksheet
from tests.helpers.samples import representatives

PROBLEMS = {name: attncalc.load(name) for name in bundled_names()}
NAMES = list(PROBLEMS)
GRAPHS = {name: build_graph(problem) for name, problem in PROBLEMS.items()}
WORKED = [name for name, problem in PROBLEMS.items() if not is_derivation(problem)]
"""Those with matrices."""
NUMERIC = [name for name in WORKED if not PROBLEMS[name].symbols]
"""Those without free letters."""
ONE_SEQUENCE = [name for name in NUMERIC if all(len(shape) == 2 for shape in GRAPHS[name].shapes.values())]
"""Those of them that are no batch."""
KEYED = [name for name in WORKED if PROBLEMS[name].answers]
"""Those with a published key."""


def contents(name: str) -> set[object]:
    """What a problem holds: the keys of its file, its operations, whether there are heads, and a batch."""
    problem, steps = PROBLEMS[name], GRAPHS[name].steps
    facts = {fact for step in steps for fact in (type(step.op), step.head is None, len(step.shape))}
    return facts | (problem.origins.keys() - problem.settings.keys())


def count_numbers(name: str) -> int:
    """How many numbers are worked out in a problem."""
    return sum(prod(step.shape) for step in GRAPHS[name].steps)


FEW = [*representatives(sorted(NAMES, key=count_numbers), contents)]
"""Those that tables are tried on every day; all are among the slow tests."""


@cache
def solved(name: str, mode: str | None = None) -> Solution:
    """The solution of a bundled problem."""
    return attncalc.solve(PROBLEMS[name], mode)


@cache
def checker_of(name: str) -> Checker:
    """The checker of a bundled problem."""
    return Checker(PROBLEMS[name])


@cache
def key_report(name: str) -> Report:
    """What is found in a published key."""
    return checker_of(name).check_key()


@cache
def worked(name: str, pointed: bool = False) -> Document:
    """The worked solution of a bundled problem."""
    return interactive(solved(name), View(pointed=pointed))


@cache
def sheet(name: str) -> Document:
    """The worksheet of a bundled problem."""
    return worksheet(solved(name), View())


@cache
def told_topic(name: str) -> Document:
    """A topic, shown on a problem."""
    return Document(tuple(topic_named(name).explain(solved("dot-product-3"))))
