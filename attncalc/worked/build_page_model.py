"""The model that an interactive page computes with, and whether a page can compute a solution."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from attncalc.core.fields import Floats
from attncalc.core.graph.graph import Step, half_units
from attncalc.core.ops.base import Operation, Piece
from attncalc.core.terms import Apply, Term, entries, members
from attncalc.core.terms.functions import ON_PAGES
from attncalc.exercise.solve.solution import Solution
from attncalc.worked.page_model import KNOWN, Given, Model, Rule
from attncalc.worked.writer.lines import LONGEST_SIDE, Lines

MOST_GIVEN = 20_000
"""The largest number of given entries of a page that computes."""
MOST_OPERATIONS = 3_000_000
"""The largest number of operations that a page repeats at every change."""


def is_computed(solution: Solution) -> bool:
    """Whether a page can compute a solution: it has no letters, tokens are rows, and it is not too large."""
    problem, graph = solution.problem, solution.graph
    if problem.symbols or problem.in_columns or "limit" in problem.settings or not solution.steps:
        return False
    again = {*graph.given} - {*graph.given_once(problem.names)}
    named = (name for name in (*graph.shapes, *graph.sizes) if name not in again)
    symbols = [graph.symbol(name, problem.names) for name in named]
    given = sum(matrix.size for matrix in graph.given.values())
    return (
        len({*symbols}) == len(symbols)
        and given <= MOST_GIVEN
        and sum(sum(step.cost.counts().values()) for step in solution.steps) <= MOST_OPERATIONS
        and all((numbers < np.inf).all() for numbers in read_given(solution))
        and {*find_named_numbers(solution)} <= {*graph.sizes, *KNOWN}
        and {*find_used_functions(solution)} <= ON_PAGES
    )


def read_given(solution: Solution) -> Iterator[Floats]:
    """Yield the given matrices as floats."""
    for name in solution.graph.given:
        yield solution.trace.field.floats(solution.trace.values[name])


def find_named_numbers(solution: Solution) -> Iterator[str]:
    """Yield the names of numbers that rules use."""
    for step in solution.steps:
        for piece in step.pieces:
            yield from (entry.of for entry in entries(piece.rule) if not entry.at)


def find_used_functions(solution: Solution) -> Iterator[str]:
    """Yield the functions that rules apply."""

    def inside(term: Term) -> Iterator[str]:
        if isinstance(term, Apply):
            yield term.function
        for member in members(term):
            yield from inside(member)

    for step in solution.steps:
        for piece in step.pieces:
            yield from inside(piece.rule)


def model_of(writer: Lines) -> Model:
    """Build the model of a solution that a page can compute."""
    solution, rounding = writer.solution, writer.shown.rounding
    graph, field = solution.graph, solution.trace.field
    names = {**graph.given, **{step.name: None for step in graph.steps}}
    exact = {writer.symbol(name): tuple(exact_terms(writer, name)) for name in names}
    floats = zip(graph.given, read_given(solution), strict=True)
    problem = solution.problem
    once = graph.given_once(problem.names)
    return Model(
        tuple(build_given(writer, name, numbers) for name, numbers in floats if name in once),
        {writer.symbol(name): size for name, size in graph.sizes.items()},
        tuple(rule_of(writer, step) for step in graph.steps),
        exact if field.name == "exact" else {},
        rounding.places,
        rounding.digits,
        (problem.tokens, problem.key_tokens or problem.tokens),
        asked=problem.places,
    )


def build_given(writer: Lines, name: str, numbers: Floats) -> Given:
    """Return a given matrix under the course's own name."""
    graph = writer.solution.graph
    is_rounded = writer.solution.problem.inputs == "rounded"
    label, halves = graph.labels[name], half_units(graph.given[name]) if is_rounded else None
    return Given(writer.symbol(name), graph.stage(name), label.head, numbers, halves)


def rule_of(writer: Lines, step: Step) -> Rule:
    """Return a step with its rules in the course's own names."""
    graph = writer.solution.graph

    def pieces(op: Operation | None) -> tuple[Piece, ...]:
        found = graph.pieces(step, op) if op else []
        return tuple(Piece(piece.axes, writer.rename_term(piece.rule)) for piece in found)

    return Rule(
        writer.symbol(step.name), step.title, step.kind, step.head, step.shape, step.axes,
        pieces(step.op), pieces(step.op.shifted),
    )  # fmt: skip


def exact_terms(writer: Lines, name: str) -> Iterator[Term | None]:
    """Yield the exact terms of a matrix; None for an entry that does not fit into a line."""
    for number in writer.solution.trace.values[name].ravel():
        yield writer.shown.exact(number, LONGEST_SIDE)
