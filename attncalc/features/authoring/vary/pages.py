"""The sheet of a variant, and its key."""

from __future__ import annotations

from attncalc.exercise.load import Source
from attncalc.exercise.solve.solution import Solution
from attncalc.exercise.solve.solve import solve
from attncalc.pages.documents.html.interactive import interactive
from attncalc.worked.blocks import Document
from attncalc.worked.view import View, rounding_of
from attncalc.worked.worksheet import worksheet


def sheet_of(source: Source, is_pointed: bool) -> Document:
    """The worksheet of a problem file."""
    return worksheet(*solved(source, is_pointed))


def key_of(source: Source, is_pointed: bool) -> Document:
    """The solution of a problem file."""
    return interactive(*solved(source, is_pointed))


def solved(source: Source, is_pointed: bool) -> tuple[Solution, View]:
    """The solution, and how it is shown."""
    solution = solve(source.problem)
    return solution, View(rounding=rounding_of(solution.problem), pointed=is_pointed)
