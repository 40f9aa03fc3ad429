"""Free letters in answers: marked at one value of each letter, such as no exercise would choose.

Two expressions that agree there are the same expression, but for a coincidence.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from attncalc.mechanisms.limit import Limit
from attncalc.problem_file import Problem
from attncalc.solution import solve
from attncalc.terms import Constant, Entry, Term, mapped

VALUES = (Fraction(37, 29), Fraction(43, 31), Fraction(59, 53), Fraction(83, 61), Fraction(71, 67))


def values_of(problem: Problem) -> dict[str, Constant]:
    """A value for every letter."""
    symbols = problem.get("symbols", {})
    return {name: Constant(VALUES[n % len(VALUES)] + n // len(VALUES)) for n, name in enumerate(symbols)}


def at_values(problem: Problem) -> Problem:
    """The problem with numbers for its letters, and its limit as it was found with letters."""
    values = values_of(problem)
    if not values:
        return problem
    settings = {**problem.settings, "symbols": {}}
    limit: Limit | None = problem.get("limit")
    if limit is not None:
        solution = solve(problem)
        known = {step.name: step.terms for step in solution.steps if step.name.endswith("_limit")}
        settings["limit"] = Limit(limit.letter, limit.target, limit.place, known)
    return Problem(problem.name, replaced(settings, values), problem.places, problem.commas)


def restored(term: Term, values: dict[str, Constant]) -> Term:
    """A term with letters again in place of their values."""
    for name, value in values.items():
        if term == value:
            return Entry(name)
    return mapped(term, lambda member: restored(member, values))


def replaced(thing: Any, values: dict[str, Constant]) -> Any:
    """Anything that a problem may say, with numbers for its letters."""

    def put(x: Any) -> Any:
        match x:
            case Entry(name, ()):
                return values.get(name, x)
            case Term():
                return mapped(x, put)
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
