"""`attncalc.practice`: an exercise practised in Python or in a notebook."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from attncalc.api.check import ShownReport
from attncalc.api.notebook import Notebook
from attncalc.core.record import record
from attncalc.exercise.bundled import list_bundled
from attncalc.exercise.load import Source, as_problem, load_source
from attncalc.exercise.problem import Problem
from attncalc.features.practice.ladder import find_twin, no_twin
from attncalc.features.practice.practice import Practice
from attncalc.marking.checker import Checker
from attncalc.worked.blocks import Document


@record
class Said(Notebook, Document):
    """A question, or the reply to an answer."""

    def __repr__(self) -> str:
        return str(self)

    def to_document(self, pointed: bool) -> Document:  # noqa: ARG002  it shows no working
        return self


class ShownPractice(Notebook, Practice):
    """An exercise practised: `practice.question`, `practice.answer("4 3 2; 7 4 1")`, `practice.hint()`."""

    def __repr__(self) -> str:
        return f"<Practice {self.problem.heading}: {self.prompt.rstrip('> ')} is asked>"

    def to_document(self, pointed: bool) -> Document:  # noqa: ARG002  it shows no working
        return Document((*self.opening.blocks, *self.question.blocks))

    @property
    def question(self) -> Said:
        """The current question; at the end, the summary."""
        return Said(super().question.blocks)

    def answer(self, text: str) -> Said:
        """Take a typed answer, and reply."""
        return Said(super().answer(text).blocks)

    def hint(self) -> Said:
        """The next hint."""
        return self.answer("hint")

    @property
    def report(self) -> ShownReport:
        """The report on all answers so far."""
        return ShownReport(**vars(super().report), solution=self.solution)


def practice(
    problem: Problem | Mapping[str, Any] | str | os.PathLike[str], everything: bool = False
) -> ShownPractice:
    """Practise a problem, or what `load` and `problem` take: the steps it asks for, or every step."""
    found = as_problem(problem)
    source = find_source(found)
    return ShownPractice(Checker(found), everything, find_twin(source, 0) if source else no_twin)


def find_source(problem: Problem) -> Source | None:
    """The file that a problem was loaded from, or the bundled one; None for a problem made in Python."""
    if os.path.isfile(problem.name):
        return load_source(problem.name)
    is_bundled = problem.name == f"{problem.called}.yaml" and problem.called in list_bundled()
    return load_source(problem.called) if is_bundled else None
