"""Numbers to put in for free letters, which no exercise is likely to contain.

Two expressions that agree at two values of each letter are almost certainly the same.
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
"""Far apart, so that a number without the letter cannot agree at both."""
GROWTH = Fraction(18, 17)
"""The ratio between letters: no sum of a few letters then equals another, as v_a + v_c = 2·v_b would."""


def values_of(problem: Problem) -> tuple[Values, Values]:
    """Return two values for every letter, all different."""
    symbols = list(enumerate(problem.symbols))
    first, second = ({name: Constant(start * GROWTH**n) for n, name in symbols} for start in PLACES)
    return first, second


def replace_letters(thing: Any, values: Values) -> Any:
    """Return any value of a problem with numbers in place of its letters."""

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
    """Return a term with letters in place of the numbers that were put in for them."""
    if isinstance(term, Constant):
        for values in values_of(problem):
            for name, value in values.items():
                if abs(term.value) == value.value:
                    return Entry(name) if term == value else Negative(Entry(name))
    return map_members(term, lambda member: restore_letters(member, problem))
