"""Matrices as blocks: in the course's own names, with labels for rows and columns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from math import isinf, prod
from typing import TypeVar

import numpy as np

from attncalc.core.fields import Array, Real
from attncalc.core.graph.references import count_from_one, parse_reference
from attncalc.core.readings.value import evaluate
from attncalc.core.terms import (
    Apply,
    Constant,
    Entry,
    Greatest,
    Product,
    Quotient,
    Term,
    Total,
    map_members,
    members,
)
from attncalc.core.terms.renaming import rename_letters
from attncalc.core.terms.turned import turn_entry, turn_indices
from attncalc.exercise.solve.selection import At, integers
from attncalc.exercise.solve.solution import Solution
from attncalc.exercise.yaml.tree import Node, Scalar, Sequence
from attncalc.worked.blocks import Display, Grid, Relation
from attncalc.worked.grids import MOST_ACROSS, Frame, fold_indices, grid_width, is_literal
from attncalc.worked.rounding import Rounding, Shown

Thing = TypeVar("Thing")
PLAIN = ("relu", "sqrt")
"""Functions whose floats do not hide a small difference."""
MOST_CHECKED_ENTRIES = 2000
"""The largest number of entries that are checked one by one; else whole steps are checked."""


class Certainty:
    """Decides whether an entry equals the float that is shown for it; exact numbers always do."""

    def __init__(self, solution: Solution) -> None:
        self.solution = solution
        self.is_exact = solution.trace.field.name == "exact"
        self.is_small = sum(prod(step.shape) for step in solution.steps) <= MOST_CHECKED_ENTRIES
        self.known: dict[tuple[str, At], bool] = {}
        self.plain: dict[str, bool] = {}

    def holds(self, name: str, at: At) -> bool:
        """Whether an entry equals its float, up to digits that are not shown."""
        if self.is_exact or self.is_plain(name):
            return True
        if not self.is_small or len(at) > 2:
            return False
        if (name, at) not in self.known:
            self.known[name, at] = self.is_certain(self.solution[name].cell(at), at)
        return self.known[name, at]

    def is_plain(self, name: str) -> bool:
        """Whether no function behind a step can come too close to a limit for a float."""
        if name not in self.solution:
            return True
        if name not in self.plain:
            step = self.solution[name]
            rules = all(is_plain_term(piece.rule) for piece in step.pieces)
            self.plain[name] = rules and all(map(self.is_plain, step.inputs))
        return self.plain[name]

    def is_certain(self, term: Term, at: At) -> bool:
        """Whether a term equals its float."""
        match term:
            case Entry(of, place):
                return not place or of not in self.solution or self.holds(of, (*at[:-2], *integers(term)))
            case Apply(function, inner) if function not in PLAIN:
                value = float(evaluate(inner, self.solution.trace.values, self.solution.trace.field)[()])
                return isinf(value) or value == 0
            case Total() | Greatest():
                return False
            case Product() | Quotient() if self.is_nothing(term, at):
                return True
        return all(self.is_certain(part, at) for part in members(term))

    def is_nothing(self, term: Product | Quotient, at: At) -> bool:
        """Whether a product or a quotient is certainly 0, because its first part is."""
        first = term.factors[0] if isinstance(term, Product) else term.over
        value = evaluate(first, self.solution.trace.values, self.solution.trace.field)[()]
        return float(value) == 0 and self.is_certain(first, at)


def is_plain_term(term: Term) -> bool:
    """Whether no function in a term can come too close to a limit."""
    if isinstance(term, Apply) and term.function not in PLAIN:
        return False
    return all(map(is_plain_term, members(term)))


DECIMAL = re.compile(r"[+-]?[0-9]*\.[0-9]*(?:[eE][+-]?[0-9]{1,3})?")


def key_places(solution: Solution) -> Iterator[tuple[Real, int]]:
    """Yield the numbers that the published key gives as decimals, and their numbers of places."""
    for key, node in solution.problem.answers.items if solution.problem.answers else ():
        reference = parse_reference(key.text)
        if reference is None or reference.step not in solution:
            continue
        step = solution[reference.step]
        turned = solution.graph.is_turned(step.name) and not reference.at
        for place, text in list_texts(node, tuple(n - 1 for n in reference.at)):
            at = turn_indices(place) if turned else place
            if DECIMAL.fullmatch(text) and is_inside(at, step.shape):
                yield step.numbers[at], -int(Decimal(text).as_tuple().exponent)


def list_texts(node: Node, at: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], str]]:
    """Yield the texts in nested lists, each with its indices."""
    if isinstance(node, Scalar):
        yield at, node.text
    elif isinstance(node, Sequence):
        for n, item in enumerate(node.items):
            yield from list_texts(item, (*at, n))


def is_inside(at: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    """Whether indices name a cell of a matrix."""
    return len(at) == len(shape) and all(0 <= n < size for n, size in zip(at, shape, strict=True))


LONGEST_IN_GRID = 16
WIDEST_EXACT_GRID = 64


class Matrices:
    """Writes the matrices of one solution."""

    def __init__(self, solution: Solution, rounding: Rounding) -> None:
        self.solution = solution
        self.shown = Shown(solution.trace.field, rounding)
        for number, places in key_places(solution) if rounding.is_keyed else ():
            self.shown.keep(number, places)
        self.symbols: dict[str, str] = {}
        """The course's own names of matrices, as far as they were needed."""
        self.certainty = Certainty(solution)
        self.most_across = MOST_ACROSS
        """The most rows and columns of a matrix that are shown unfolded."""

    # One matrix

    def display(self, name: str, fold: bool, row: At | None = None) -> Display:
        """Return a matrix or a row of it: exact if that is short, and rounded unless that adds nothing."""
        symbol, turned = self.symbol(name), self.solution.graph.is_turned(name)
        numbers, labels = self.solution.trace.values[name], self.all_labels(name)
        if row is not None:
            numbers, labels = numbers[row][None], ((), labels[1])
        if turned:
            numbers, labels = numbers.swapaxes(-1, -2), labels[::-1]
        matrix = numbers.reshape(-1, numbers.shape[-1])

        def place(n: int, j: int) -> At:
            at = (*map(int, np.unravel_index(n, numbers.shape[:-1])), j)
            if row is None:
                return at
            return (*row[:-1], at[-2], row[-1]) if turned else (*row, at[-1])

        rows, columns = (fold_indices(size, fold, self.most_across) for size in matrix.shape)
        frame = Frame(rows, columns, *labels, place)
        grids: list[tuple[Relation, Grid]] = []
        exact = frame.grid(matrix, lambda x: self.shown.exact(x, LONGEST_IN_GRID))
        if exact is not None and grid_width(exact) <= WIDEST_EXACT_GRID:
            grids.append(("=", exact))
        if not grids or not all(is_literal(cell) for line in grids[0][1].cells for cell in line):
            rounded = frame.grid(matrix, self.shown.decimal)
            assert rounded is not None
            if not grids or rounded.cells != grids[0][1].cells:
                is_equal = self.all_exact(matrix, rounded, frame) and self.all_certain(name, rounded)
                # A fraction is not written twice.
                if not (grids and is_equal) or self.shown.rounding.is_asked:
                    grids.append(("=" if is_equal else "≈", rounded))
        places = tuple(n + 1 for n in row or ())
        shaded = self.is_weights(name)
        return Display(symbol, tuple(grids), symbol, shaded=shaded, row=places, turned=turned)

    def is_weights(self, name: str) -> bool:
        """Whether a matrix holds attention weights."""
        return self.solution.graph.stage(name) == "weights"

    def all_exact(self, matrix: Array, grid: Grid, frame: Frame) -> bool:
        """Whether a grid of decimals shows its numbers in full."""
        return all(
            self.shown.is_exact(matrix[i, j], cell)
            for i, line in zip(frame.rows, grid.cells, strict=True)
            for j, cell in zip(frame.columns, line, strict=True)
            if isinstance(cell, Constant)
        )

    def all_certain(self, name: str, grid: Grid) -> bool:
        """Whether every number in a grid is certain, not a float that only looks exact."""
        turned = self.solution.graph.is_turned(name)
        places = (at for line in grid.places for at in line if at is not None)
        return all(self.certainty.holds(name, turn_indices(at) if turned else at) for at in places)

    def all_labels(self, name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the tokens of the rows and of the columns, else numbers; nothing for given matrices."""
        shape = self.solution.graph.shapes[name]
        columns = self.labels(name, 1, shape[-1])
        if len(shape) > 2:
            return tuple(count_from_one(at) for at in np.ndindex(shape[:-1])), columns
        # A word before a single row reads as a factor.
        return self.labels(name, 0, shape[-2]) if shape[-2] > 1 else (), columns

    def labels(self, name: str, axis: int, size: int) -> tuple[str, ...]:
        """The labels along one axis of a matrix."""
        problem, graph = self.solution.problem, self.solution.graph
        tokens = {
            "i": problem.tokens,
            "j": problem.key_tokens or problem.tokens,
            "v": problem.vocabulary,
        }
        is_given, kind = name in graph.given, graph.kinds.get(name)
        # A given matrix of one head has no labels.
        letter = kind.letter_pair[axis] if kind and not (is_given and graph.labels[name].head) else ""
        found = tokens.get(letter, ())
        if len(found) >= size:
            # Cached tokens come before the new ones.
            is_cached = graph.stage(name) in ("cached keys", "cached values")
            return found[:size] if is_cached else found[len(found) - size :]
        return tuple(map(str, range(1, size + 1))) if letter and not is_given else ()

    # Names

    @property
    def is_in_columns(self) -> bool:
        """Whether the course's vectors are columns."""
        return bool(self.solution.problem.settings.get("vectors") == "columns")

    def in_own_letters(self, thing: Thing) -> Thing:
        """Return blocks or formulas with the course's letters for sizes."""
        return rename_letters(thing, self.solution.problem.size_names)

    def symbol(self, name: str) -> str:
        """Return the course's own name of a matrix."""
        if name not in self.symbols:
            self.symbols[name] = self.solution.graph.symbol(name, self.solution.problem.names)
        return self.symbols[name]

    def rename_term(self, term: Term) -> Term:
        """A term with the course's own names."""
        return self.rename_entry(term) if isinstance(term, Entry) else map_members(term, self.rename_term)

    def rename_entry(self, entry: Entry) -> Entry:
        """An entry by the course's own name, its indices in the order in which the matrix is written."""
        own = Entry(self.symbol(entry.of), entry.at)
        return turn_entry(own) if self.solution.graph.is_turned(entry.of) else own
