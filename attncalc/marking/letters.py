"""Free letters in answers: marked at two values of each letter."""

from __future__ import annotations

from attncalc.core.record import replace
from attncalc.core.terms import Constant, Entry, Negative, Term, mapped
from attncalc.exercise.mechanisms.limit import Limit
from attncalc.exercise.problem import Problem
from attncalc.exercise.solve.letters import Values, replaced, values_of
from attncalc.exercise.solve.solution import Solution


def at_values(solution: Solution, values: Values) -> Problem:
    """A solved problem with numbers for its letters, and its limit as it was found with letters."""
    problem = solution.problem
    limit: Limit | None = problem.settings.get("limit")
    if limit is not None:
        known = {step.name: step.terms for step in solution.steps if step.step.label.limit}
        problem = problem.with_settings(limit=Limit(limit.letter, limit.target, limit.place, known))
    numbers = {name: replaced(getattr(problem, name), values) for name in ("settings", "let")}
    return replace(problem, **numbers, symbols={})


def restored(term: Term, problem: Problem) -> Term:
    """A term with letters again in place of their values."""
    if isinstance(term, Constant):
        for values in values_of(problem):
            for name, value in values.items():
                if abs(term.value) == value.value:
                    return Entry(name) if term == value else Negative(Entry(name))
    return mapped(term, lambda member: restored(member, problem))
