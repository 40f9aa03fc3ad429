"""A solution as comma-separated values, a block for every matrix: it needs no spreadsheet program."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from io import StringIO

import numpy as np

from attncalc.core.errors import fault
from attncalc.exercise.solve.solution import Solution
from attncalc.pages import Page
from attncalc.worked.view import Excerpt

DIGITS = 10
"""Significant digits, unless the problem or the user says how many decimals."""


def render(excerpt: Excerpt, _: Page) -> str:
    """The given matrices and the steps, each below its name, with an empty line after it."""
    solution, steps = excerpt.solution, excerpt.steps
    if not steps:
        raise fault("has no steps to compute", solution.problem.place("parts"))
    for step in steps:
        if any(map(solution.trace.field.is_open, step.numbers.ravel())):
            raise fault(f"{step.name} has entries with free letters; a table has numbers only")
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    kinds = solution.graph.kinds
    given = [] if excerpt.is_chosen else [*solution.graph.given]
    titles = {name: kinds[name].title if name in kinds else "given" for name in given}
    for name, title in {**titles, **{step.name: step.title for step in steps}}.items():
        writer.writerow([solution.graph.symbol(name, solution.problem.names), title])
        writer.writerows(rows_of(solution, name, excerpt.view.rounding.places))
        writer.writerow([])
    return text.getvalue().removesuffix("\n")


def rows_of(solution: Solution, name: str, places: int | None) -> Iterator[list[str]]:
    """Yield the rows of a matrix as it is written; those of a batch one after the other."""
    values = np.asarray(solution.trace.field.floats(solution.trace.values[name])) + 0
    if solution.graph.is_turned(name):
        values = values.swapaxes(-1, -2)
    for row in values.reshape(-1, values.shape[-1]):
        yield [f"{x:.{DIGITS}g}" if places is None else f"{x:.{places}f}" for x in row]
