"""`attncalc.load` and `attncalc.problem`: a problem that a notebook can show."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from attncalc.api.notebook import Notebook
from attncalc.core.record import record
from attncalc.exercise import load as loading
from attncalc.exercise.problem import Problem
from attncalc.exercise.solve.solve import solve
from attncalc.worked.blocks import Block, Document, Heading, Paragraph
from attncalc.worked.view import usual_view
from attncalc.worked.writer.steps import Writer


@record
class ShownProblem(Notebook, Problem):
    """A problem, shown as what it gives and what it asks."""

    def __repr__(self) -> str:
        return Problem.__repr__(self)

    def to_document(self, pointed: bool) -> Document:  # noqa: ARG002  what is given has no working
        return Document(tuple(self.blocks()), title=self.heading)

    def blocks(self) -> Iterator[Block]:
        """The given matrices, and the questions."""
        solution = solve(self)
        yield from Writer(solution, usual_view(solution, pointed=False)).opening()
        for part in self.parts:
            if part.ask:
                yield Heading(f"({part.label})", 2)
                yield Paragraph(part.ask)


def load(file: str | os.PathLike[str]) -> ShownProblem:
    """The problem in a file, under a bundled name, or on standard input for '-'."""
    return ShownProblem(**vars(loading.load(file)))


def problem(**keys: Any) -> ShownProblem:
    """A problem from Python: the keys of a file with Python values."""
    return ShownProblem(**vars(loading.problem(**keys)))
