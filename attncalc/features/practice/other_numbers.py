"""The same exercise with other numbers: to practise it again, or to show how a cell is worked."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cache

from attncalc.core.errors import AttncalcError
from attncalc.core.record import replace
from attncalc.exercise.load import Source
from attncalc.exercise.problem import Problem
from attncalc.exercise.solve.solution import Solution
from attncalc.exercise.solve.solve import solve
from attncalc.features.authoring.vary.vary import Variation
from attncalc.features.practice.ladder import Twin

FIRST, SHOWN = "001", "twin"
"""The student of a variant: the first, as `vary` counts them, or none, for hints."""


def vary_problem(source: Source, seed: int, whose: str = FIRST) -> Problem:
    """The exercise with other numbers and another name, so that their answers are not mixed up."""
    found = Variation(source, seed).draw(whose).source.problem
    stem, ending = os.path.splitext(source.name)
    return replace(found, name=f"{stem}-seed-{seed}{ending}")


def find_twin(source: Source, seed: int) -> Twin:
    """A function that solves the exercise with other numbers once; it returns None if there are none."""

    @cache
    def twin() -> Solution | None:
        with suppress(AttncalcError):
            return solve(vary_problem(source, seed, SHOWN))
        return None

    return twin


def is_varied(source: Source, seed: int) -> bool:
    """Whether the exercise can be drawn with other numbers."""
    with suppress(AttncalcError):
        return bool(vary_problem(source, seed))
    return False
