"""The bundled problems, chosen by their contents; each is loaded, solved and written once for all tests."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from math import prod
from pathlib import Path
from typing import TypeVar

import attncalc
from attncalc.core.errors import ProblemError
from attncalc.exercise.bundled import find_bundled, list_bundled
from attncalc.exercise.mechanisms import build_graph
from attncalc.exercise.solve.solution import Solution
from attncalc.marking.checker import Checker
from attncalc.marking.report.report import Report
from attncalc.pages.documents.html.interactive import interactive
from attncalc.worked.blocks import Document
from attncalc.worked.view import View
from attncalc.worked.words import topic_named
from attncalc.worked.worksheet import worksheet

Member = TypeVar("Member")


class Lazy(Mapping[str, Member]):
    """Something by the name of a bundled problem, made when it is first looked up."""

    def __init__(self, make: Callable[[str], Member]) -> None:
        self.make = cache(make)

    def __getitem__(self, name: str) -> Member:
        if name not in NAMES:
            raise KeyError(name)
        return self.make(name)

    def __iter__(self) -> Iterator[str]:
        return iter(NAMES)

    def __len__(self) -> int:
        return len(NAMES)


NAMES = list_bundled()
TEXTS = Lazy(lambda name: Path(find_bundled(name)).read_text("utf-8"))
STATED = Lazy(lambda name: dict(re.findall(r"^(\w+): *(.*)$", TEXTS[name], re.MULTILINE)))
"""The keys of a problem file, each with the text on its line: enough to choose cases without loading problems."""
PROBLEMS = Lazy(attncalc.load)
GRAPHS = Lazy(lambda name: build_graph(PROBLEMS[name]))

WORKED = [name for name in NAMES if any(key[0].isupper() for key in STATED[name])]
"""Those with matrices."""
NUMERIC = [name for name in WORKED if "symbols" not in STATED[name]]
"""Those without free letters."""
ONE_SEQUENCE = [name for name in NUMERIC if not re.search(r"\[\s*\[\s*\[", TEXTS[name])]
"""Those of them that are no batch."""
KEYED = [name for name in WORKED if "answers" in STATED[name]]
"""Those with a published key."""
FEW = [
    "discussion-10-q2", "twice-the-temperature", "code-lab-b", "dot-product-1", "softcap", "concat-score",
    "general-score", "attention-exploration-d", "retention", "linear-attention", "gated-network", "alibi",
    "causal-cache", "sinusoidal", "backward-by-hand", "learned-sink", "rope-degrees", "udl-12-1",
    "d2l-valid-lens", "encoder-layer",
]  # fmt: skip
"""Small problems that together hold everything the bundled ones hold; the slow tests take all of them."""


def contents(name: str) -> set[object]:
    """The keys of a problem, its operations, whether it has heads, and whether it is a batch."""
    problem, steps = PROBLEMS[name], GRAPHS[name].steps
    facts = {fact for step in steps for fact in (type(step.op), step.head is None, len(step.shape))}
    return facts | (problem.origins.keys() - problem.settings.keys())


def count_numbers(name: str) -> int:
    """The number of entries in all steps of a problem."""
    return sum(prod(step.shape) for step in GRAPHS[name].steps)


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
def explained_topic(name: str) -> Document:
    """A topic, shown on a problem; alone if it does not apply to that."""
    topic = topic_named(name)
    try:
        return Document(tuple(topic.explain(solved("dot-product-3"))))
    except ProblemError:
        return Document(tuple(topic.explain(None)))
