"""A problem solved: every step with its values, its law and its cost."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property, reduce
from math import prod
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attncalc.document import Document
from attncalc.errors import fault
from attncalc.fields import Array, Undecided, field_named
from attncalc.graph import Graph, Step, Trace, trace
from attncalc.mechanisms import build_graph
from attncalc.notebook import Notebook
from attncalc.ops.base import Piece
from attncalc.ops.weights import ShiftedExponentials
from attncalc.problem_file import Problem
from attncalc.readings.cost import Cost, cost
from attncalc.record import record
from attncalc.steps import Reference, course_name
from attncalc.terms import Constant, Term, members

SMALL = 50_000
LARGEST_EXACT = 5_000_000
MOST_CELLS = 100_000_000
LARGEST = 10**308
LETTERS_COST = 100
"""How much more work a number with free letters is, about."""


@record
class SolvedStep(Notebook):
    """One step with its result."""

    step: Step
    graph: Graph
    trace: Trace
    problem: Problem

    frame_height = "24rem"

    @property
    def symbol(self) -> str:
        """How the course calls the step."""
        return course_name(self.problem.get("names", {}), self.name)

    def to_document(self, pointed: bool) -> Document:
        from attncalc.worked import document, usual_view

        solution = Solution(self.problem, self.graph, self.trace)
        return document(solution, usual_view(solution, pointed, (Reference(self.name),)))

    @property
    def name(self) -> str:
        """The name of the contract."""
        return self.step.name

    @property
    def title(self) -> str:
        """What the step is called in words."""
        return self.step.title

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the result, rows and columns last."""
        return self.step.shape

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names that the step uses."""
        return self.step.inputs

    @property
    def numbers(self) -> Array:
        """The result in the field of the solution."""
        return self.trace.values[self.name]

    @cached_property
    def value(self) -> NDArray[np.float64]:
        """The result as floats."""
        return self.trace.field.floats(self.numbers)

    @property
    def exact(self) -> Array | None:
        """The result as SymPy expressions, or None in numeric mode."""
        if self.trace.field.name != "exact":
            return None
        from attncalc.fields.algebra import to_sympy

        return np.asarray(np.frompyfunc(to_sympy, 1, 1)(self.numbers), dtype=object)

    @property
    def terms(self) -> Array:
        """The result as terms, one a cell."""
        return np.asarray(np.frompyfunc(self.trace.field.term, 1, 1)(self.numbers), dtype=object)

    @property
    def pieces(self) -> list[Piece]:
        """The blocks of the step, each with the rule of its cells in letters."""
        return self.graph.pieces(self.step, self.trace.ops[self.name])

    def cell(self, at: tuple[int, ...], expand: bool = True) -> Term:
        """The rule of the cell at 0-based indices, its sums written out or not."""
        return self.graph.cell(self.step, at, self.trace.ops[self.name], expand)

    @property
    def formula(self) -> str:
        """The matrix formula."""
        return self.trace.ops[self.name].formula(*self.inputs)

    @property
    def sentence(self) -> str:
        """What the step does, in one sentence."""
        return " ".join((self.trace.ops[self.name].__doc__ or "").split())

    @property
    def cost(self) -> Cost:
        """The operations of all cells together."""
        return pieces_cost(self.pieces) * prod(self.shape[:-2])

    @property
    def shifted(self) -> bool:
        """Whether the exponentials are those of scores less their row's maximum."""
        shifted = {name for name, op in self.trace.ops.items() if isinstance(op, ShiftedExponentials)}
        return self.name in shifted or (self.name[0] == "T" and not shifted.isdisjoint(self.inputs))


@record
class Solution(Notebook):
    """A solved problem: `solution["A"]` is the step A."""

    problem: Problem
    graph: Graph
    trace: Trace

    def to_document(self, pointed: bool) -> Document:
        from attncalc.worked import document, usual_view

        return document(self, usual_view(self, pointed))

    @property
    def mode(self) -> str:
        """exact or numeric"""
        return self.trace.field.name

    @cached_property
    def steps(self) -> tuple[SolvedStep, ...]:
        """All steps in order."""
        return tuple(SolvedStep(step, self.graph, self.trace, self.problem) for step in self.graph.steps)

    @property
    def output(self) -> str:
        """The name of the last step; a limit is beside the way."""
        names = [step.name for step in self.graph.steps if not step.name.endswith("_limit")]
        return names[-1] if names else ""

    def __getitem__(self, name: str) -> SolvedStep:
        for step in self.steps:
            if name in (step.name, step.symbol):
                return step
        raise KeyError(f"{name}: the steps are {', '.join(step.name for step in self.steps)}")

    def __iter__(self) -> Iterator[SolvedStep]:
        return iter(self.steps)

    def __contains__(self, name: object) -> bool:
        return any(name in (step.name, step.symbol) for step in self.steps)


def solve(problem: Problem, mode: str | None = None) -> Solution:
    """Every step of a problem, exactly or numerically."""
    return solved(problem, build_graph(problem), mode)


def solved(problem: Problem, graph: Graph, mode: str | None = None) -> Solution:
    """Every step of a graph that a problem comes to."""
    cells = sum(prod(step.shape) for step in graph.steps)
    if cells > MOST_CELLS:
        raise fault(f"is too large: {cells:,} entries, at most {MOST_CELLS:,}", problem.place("X", "Q", "S"))
    letters, limit = problem.get("symbols", {}), problem.get("limit")
    chosen = mode or ("exact" if letters else problem.get("mode", "auto"))
    if chosen not in ("auto", "exact", "numeric"):
        raise fault(f"the mode is exact, numeric or auto, not {chosen!r}")
    if letters and chosen == "numeric":
        raise fault("has free letters, so it is solved exactly", problem.place("symbols"))
    work = exact_work(graph) * (LETTERS_COST if letters else 1)
    if chosen == "auto":
        exact = work <= SMALL and not any(map(has_decimals, graph.given.values()))
        chosen = "exact" if exact else "numeric"
    if chosen == "exact" and work > LARGEST_EXACT:
        message = f"is too large to be solved exactly: about {work:,} operations, at most {LARGEST_EXACT:,}"
        raise fault(message, problem.place("mode"))
    try:
        found = trace(graph, field_named(chosen, letters, limit and (limit.letter, limit.target)))
        for step in graph.steps:
            if not found.field.are_real(found.values[step.name]):
                raise Undecided(f"whether all entries of {step.name} are real numbers is not known")
            if leaves_range(found.values[step.name]):
                raise fault(f"{step.name} leaves the range of numbers, 10^±308", problem.place("X", "Q", "S"))
        return Solution(problem, graph, found)
    except Undecided as error:
        raise fault(f"cannot be decided: {error}", problem.place("limit", "symbols")) from None
    except ZeroDivisionError:
        raise fault("a row of scores adds up to 0, so it has no shares", problem.place("normalize")) from None


def leaves_range(values: Array) -> bool:
    """Whether a result is too large to be a float; −∞ is a hidden key."""
    if values.dtype != object:
        return bool(np.any(np.isnan(values) | np.isposinf(values)))
    rationals = [number for number in values.ravel() if isinstance(number, int | Fraction)]
    return any(not -LARGEST <= number <= LARGEST for number in rationals)


def pieces_cost(pieces: list[Piece]) -> Cost:
    """The operations of all blocks of a matrix."""
    return reduce(add, (cost(piece.rule, piece.axes) for piece in pieces))


def exact_work(graph: Graph) -> int:
    """About how many operations an exact solution takes: sums of as many powers of e as keys."""
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
    return any(is_decimal(term) for term in matrix.ravel())


def is_decimal(term: Any) -> bool:
    """Whether a number written with a point is part of a term."""
    if isinstance(term, Constant):
        return term.places is not None
    return any(map(is_decimal, members(term)))
