"""The sheet of a variant, and its key."""

from __future__ import annotations

from attncalc.core.record import replace
from attncalc.exercise.bundled import ENDING
from attncalc.exercise.load import Source
from attncalc.exercise.solve.solution import Solution
from attncalc.exercise.solve.solve import solve
from attncalc.pages.documents.html.interactive import interactive
from attncalc.worked.blocks import Document
from attncalc.worked.view import Excerpt, View, rounding_of
from attncalc.worked.worksheet import worksheet


def sheet_of(source: Source, is_pointed: bool) -> Document:
    """The worksheet of a problem file."""
    return worksheet(*solved(source, is_pointed))


def key_of(source: Source, is_pointed: bool) -> Document:
    """The solution of a problem file."""
    return interactive(*solved(source, is_pointed))


def excerpt_of(source: Source, id_: str, code: str) -> Excerpt:
    """The solution of a variant under its id, for a sheet or a key that is no document."""
    solution = solve(replace(source.problem, name=f"{id_}{ENDING}"))
    return Excerpt(solution, View(rounding=rounding_of(solution.problem), code=code))


def solved(source: Source, is_pointed: bool) -> tuple[Solution, View]:
    """The solution, and how it is shown."""
    solution = solve(source.problem)
    return solution, View(rounding=rounding_of(solution.problem), pointed=is_pointed)
