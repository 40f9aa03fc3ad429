"""Multi-head attention as a program, function by function."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.exercise.solve.solution import Solution
from attncalc.features.topics.base import Topic
from attncalc.pages.scripts.module_functions import FUNCTIONS, ModuleFunction, write_functions
from attncalc.worked.blocks import Block, Code, Paragraph


def explain(solution: Solution | None) -> Iterator[Block]:
    """Every function, each after a sentence on it."""
    for section in topic.sections.values():
        yield from section.explain(solution)


def topic_of(name: str, function: ModuleFunction) -> Topic:
    """The topic of one function."""

    def tell(solution: Solution | None) -> Iterator[Block]:  # noqa: ARG001  the same for every problem
        yield Paragraph(function.sentence)
        yield Code(write_functions()[name])

    return Topic(function.title, tell, answer="the function above.")


topic = Topic(
    "Multi-head attention as code",
    explain,
    answer="the five functions above.",
    sections={name: topic_of(name, f) for name, f in FUNCTIONS.items()},
)
