"""Try a student's design: in the limit, or with a large number if no limit can be found."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from math import inf

import numpy as np

from attncalc.core.errors import AttncalcError
from attncalc.core.fields import Numeric
from attncalc.core.graph.graph import Graph, number_of
from attncalc.core.graph.references import Reference
from attncalc.core.notations.terms import to_greek
from attncalc.core.record import record, replace
from attncalc.core.terms import Constant, entries
from attncalc.exercise.mechanisms import build_graph
from attncalc.exercise.mechanisms.limit import Limit
from attncalc.exercise.problem import Goal, Problem
from attncalc.exercise.solve.letters import replace_letters
from attncalc.exercise.solve.solution import Solution
from attncalc.exercise.solve.solve import solve_graph
from attncalc.features.designs.answers import ToldDesign
from attncalc.features.designs.goals import APPROACHED, Reached, find_reached

LARGE = {"10^30": 10**30, "1000": 1000, "100": 100}
"""Numbers that may replace a letter that grows: 10^30 in powers, the others in exponents."""


@record
class Trial:
    """A problem solved with a student's design, and the number that replaces a letter, if one does."""

    solution: Solution
    number: str = ""

    @cached_property
    def reached(self) -> tuple[Reached, ...]:
        """Every goal of the problem, in order, and what the design reaches."""
        return find_reached(self.solution)

    @property
    def is_right(self) -> bool:
        """Whether the design reaches all goals."""
        return all(each.is_reached for each in self.reached)

    @property
    def is_exact(self) -> bool:
        """Whether the design reaches exactly the wanted numbers, without a number for a letter."""
        return not self.number and all((each.numbers == each.wanted).all() for each in self.reached)


def try_design(problem: Problem, answer: ToldDesign) -> Trial:
    """Solve the problem with a student's design in place of its own."""
    own = problem.with_settings(**answer.matrices)
    graph = build_graph(own)
    try:
        return Trial(solve_graph(own, graph))
    except AttncalcError:
        limit: Limit | None = problem.settings.get("limit")
        letter = limit.letter if limit and limit.target == inf else ""
        for number in find_numbers(answer, letter) if letter else ():
            with suppress(AttncalcError):
                return with_number(own, graph, letter, number)
        raise


def is_right_transposed(problem: Problem, answer: ToldDesign) -> bool:
    """Whether a design would reach its goal with all its matrices transposed."""
    turned = {name: matrix.T for name, matrix in answer.matrices.items()}
    if any(matrix.shape != matrix.T.shape or matrix.size == 1 for matrix in turned.values()):
        return False
    with suppress(AttncalcError):
        return try_design(problem, replace(answer, matrices=turned)).is_right
    return False


def find_numbers(answer: ToldDesign, letter: str) -> Iterator[str]:
    """The numbers for a letter at which a design is finite, largest first; none if it has other letters."""
    terms = [term for matrix in answer.matrices.values() if matrix.dtype == object for term in matrix.flat]
    is_alone = {entry.of for term in terms for entry in entries(term)} <= {letter, "pi"}
    for said, number in LARGE.items() if is_alone else ():
        field = Numeric({letter: float(number)})
        with np.errstate(all="ignore"):
            is_finite = all(np.isfinite(number_of(term, field)) for term in terms)
        if is_finite:
            yield said


def with_number(problem: Problem, graph: Graph, letter: str, number: str) -> Trial:
    """Solve a problem with a large number for the letter that grows, and with goals without the limit."""
    goals = tuple(without_limit(goal, problem, graph) for goal in problem.goal)
    settings = {key: value for key, value in problem.settings.items() if key != "limit"}
    values = {letter: Constant(LARGE[number])}
    own = replace(
        problem,
        settings=replace_letters(settings, values),
        let=replace_letters(problem.let, values),
        goal=replace_letters(goals, values),
        within=problem.within or APPROACHED,
        symbols={name: kind for name, kind in problem.symbols.items() if name != letter},
        parts=(),
    )
    return Trial(solve_graph(own, build_graph(own)), f"{to_greek(letter)} = {number}")


def without_limit(goal: Goal, problem: Problem, graph: Graph) -> Goal:
    """The same goal for the step whose limit is taken."""
    reference = graph.resolve(goal.reference, problem.names)
    plain = replace(graph.labels[reference.step], limit=False).name
    return replace(goal, reference=Reference(plain, reference.at))
