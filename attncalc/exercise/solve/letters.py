"""Numbers for free letters, such as no exercise would choose.

Two expressions that agree at two values of each letter are the same expression, but for a coincidence.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from attncalc.core.terms import Arithmetic, Constant, Entry, Negative, Term, map_members
from attncalc.exercise.problem import Problem

Values: TypeAlias = Mapping[str, Constant]
PLACES = (Fraction(37, 61), Fraction(83, 29))
"""Far apart, so that a number without the letter cannot pass at both."""
GROWTH = Fraction(18, 17)
"""From letter to letter: v_a + v_c is then not 2·v_b, nor is any sum of few letters another one."""


def values_of(problem: Problem) -> tuple[Values, Values]:
    """Two values for every letter, all different."""
    symbols = list(enumerate(problem.symbols))
    first, second = ({name: Constant(start * GROWTH**n) for n, name in symbols} for start in PLACES)
    return first, second


def replaced(thing: Any, values: Values) -> Any:
    """Anything that a problem may say, with numbers for its letters."""

    def put(x: Any) -> Any:
        match x:
            case Entry(name, ()):
                return values.get(name, x)
            case Arithmetic():
                return map_members(x.node, put)
            case np.ndarray() if x.dtype == object:
                return np.asarray(np.frompyfunc(put, 1, 1)(x), dtype=object)
            case dict():
                return {key: put(value) for key, value in x.items()}
            case tuple() if hasattr(x, "_fields"):
                return type(x)(*map(put, x))
            case list() | tuple():
                return type(x)(map(put, x))
        names = getattr(type(x), "__match_args__", None)
        return type(x)(*(put(getattr(x, name)) for name in names)) if names else x

    return put(thing)


def restore_letters(term: Term, problem: Problem) -> Term:
    """A term in which letters stand for the numbers that were put in for them."""
    if isinstance(term, Constant):
        for values in values_of(problem):
            for name, value in values.items():
                if abs(term.value) == value.value:
                    return Entry(name) if term == value else Negative(Entry(name))
    return map_members(term, lambda member: restore_letters(member, problem))
