"""Solve a problem: choose exact or numeric mode, within limits of size and time."""

from __future__ import annotations

from fractions import Fraction
from math import prod

import numpy as np

from attncalc.core.errors import ProblemError, fault
from attncalc.core.fields import Array, Undecided, find_field
from attncalc.core.fields.work_counter import Exhausted, at_most
from attncalc.core.graph.graph import Graph, Step, trace
from attncalc.core.graph.noise import without_noise
from attncalc.core.record import replace
from attncalc.core.terms import has_point
from attncalc.exercise.mechanisms import build_graph
from attncalc.exercise.mechanisms.loss import stay_in_range
from attncalc.exercise.problem import Problem
from attncalc.exercise.questions import question_of
from attncalc.exercise.solve.solution import Solution, pieces_cost

SMALL = 50_000
LARGEST_EXACT = 5_000_000
MOST_EXACT_TERMS_OF_SMALL, MOST_EXACT_TERMS = 50_000, 150_000
"""The number of terms that an exact solution may take: by default, and if exact mode is asked for."""
LARGEST_PROBLEM = 100_000_000
LARGEST = 10**308
ROUGHLY = 10
"""Rough upper bound on the operations of an entry for each term of its sums."""
LETTERS_COST = 100
"""Rough factor by which arithmetic with free letters is slower."""


def solve(problem: Problem, mode: str | None = None) -> Solution:
    """Solve every step of a problem, exactly or numerically; check that its own design reaches its goal."""
    solution = solve_graph(problem, build_graph(problem), mode)
    if question := question_of(problem):
        question.check(solution)
    return solution


def solve_graph(problem: Problem, graph: Graph, mode: str | None = None) -> Solution:
    """Evaluate every step of the graph of a problem."""
    cells = sum(prod(step.shape) for step in graph.steps)
    if cells > LARGEST_PROBLEM:
        raise fault(
            f"is too large: {cells:,} entries, at most {LARGEST_PROBLEM:,}", problem.place("X", "Q", "S")
        )
    letters = problem.symbols
    chosen = "exact" if letters and mode in (None, "auto") else mode or problem.mode
    if chosen not in ("auto", "exact", "numeric"):
        raise fault(f"the mode is exact, numeric or auto, not {chosen!r}")
    if letters and chosen == "numeric":
        raise fault("has free letters, so it is solved exactly", problem.place("symbols"))
    decimals = chosen == "auto" and any(map(has_decimals, graph.given.values()))
    if chosen == "numeric" or decimals:
        return trace_graph(problem, graph, "numeric")
    is_asked, factor = chosen == "exact", LETTERS_COST if letters else 1
    try:
        if not is_within(graph, (LARGEST_EXACT if is_asked else SMALL) // factor):
            raise Exhausted
        with at_most(MOST_EXACT_TERMS if is_asked else MOST_EXACT_TERMS_OF_SMALL):
            if not is_asked and not sees_zeros(problem, graph):
                raise Exhausted
            return trace_graph(problem, graph, "exact")
    except (Exhausted, Undecided) as error:
        if not is_asked:
            return trace_graph(problem, graph, "numeric")
        raise explain_unsolved(problem, error) from None


def sees_zeros(problem: Problem, graph: Graph) -> bool:
    """Whether gradients that are 0 can be recognised as 0: among roots of sums that takes too long."""
    forward = tuple(step for step in graph.steps if not step.label.of)
    if len(forward) == len(graph.steps):
        return True
    solution = trace_graph(problem, replace(graph, steps=forward), "exact")
    is_plain = solution.trace.field.is_plain
    return all(is_plain(number) for step in solution.steps for number in step.numbers.ravel())


def explain_unsolved(problem: Problem, error: Exhausted | Undecided) -> ProblemError:
    """Return the fault that says why there is no exact solution."""
    if isinstance(error, Undecided):
        return fault(f"cannot be decided: {error}", problem.place("limit", "symbols"))
    hint = "" if problem.symbols else ": --numeric solves it"
    message = f"takes more than {MOST_EXACT_TERMS:,} terms to solve exactly{hint}"
    return fault(message, problem.place("mode", "symbols"))


def is_within(graph: Graph, most: int) -> bool:
    """Whether an exact solution takes at most `most` operations; counted only if an estimate is larger."""
    cells = sum(prod(step.shape) for step in graph.steps)
    widest = max((size for shape in graph.shapes.values() for size in shape), default=1)
    return ROUGHLY * cells * widest**3 <= most or estimate_work(graph) <= most


def trace_graph(problem: Problem, graph: Graph, mode: str) -> Solution:
    """Evaluate every step of a graph, exactly or in floats."""
    limit = problem.settings.get("limit")
    try:
        found = trace(graph, find_field(mode, problem.symbols, limit and (limit.letter, limit.target)))
        found = without_noise(graph, found) if mode == "numeric" else found
        for step in graph.steps:
            found.field.count_writing(found.values[step.name])
            if not found.field.are_real(found.values[step.name]):
                raise Undecided(f"whether all entries of {step.name} are real numbers is not known")
            if leaves_range(found.values[step.name]):
                other = stay_in_range(graph, step) if mode == "numeric" else None
                if other is None:
                    raise explain_range(problem, step)
                return trace_graph(problem, other, mode)
        return Solution(problem, graph, found)
    except ZeroDivisionError as error:
        raise explain_division(problem, graph.step(str(error)), str(error)) from None


def explain_range(problem: Problem, step: Step) -> ProblemError:
    """Return the fault that names a step which floats cannot hold."""
    return fault(f"{step.name} leaves the range of numbers, 10^±308", problem.place("X", "Q", "S", "L"))


def explain_division(problem: Problem, step: Step | None, matrix: str) -> ProblemError:
    """Return the fault that names a step which divides by zero."""
    if step and step.kind.is_weights:
        return fault(
            "a row of scores adds up to 0, so it has no shares", problem.place("normalize", "feature_map")
        )
    return fault(f"{matrix} divides by zero", problem.place(matrix, "block"))


def leaves_range(values: Array) -> bool:
    """Whether a result is too large to be a float; −∞ is a hidden key."""
    if values.dtype != object:
        top = values.max()
        return bool(np.isnan(top) or np.isposinf(top))
    rationals = [number for number in values.ravel() if isinstance(number, int | Fraction)]
    return any(not -LARGEST <= number <= LARGEST for number in rationals)


def estimate_work(graph: Graph) -> int:
    """Estimate the operations of an exact solution: sums have a power of e for each key."""
    longest = total = 0
    for step in graph.steps:
        each = pieces_cost(graph.pieces(step))
        total += (each.mul + each.add + each.div + each.exp) * prod(step.shape[:-2])
        longest = max(longest, step.shape[-1])
    return total * graph.sizes.get("n_k", longest)


def has_decimals(matrix: Array) -> bool:
    """Whether a given matrix holds numbers written with a point, or floats other than 0 and −∞."""
    if matrix.dtype != object:
        return bool(np.any(np.isfinite(matrix) & (matrix != 0)))
    return any(has_point(term) for term in matrix.ravel())
