"""A worked line, and a matrix, as a teacher writes them on the board: in the course's own names."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from attncalc.document.blocks import Display, Equation, Grid, Relation
from attncalc.document.grids import Frame, grid_width, is_literal, kept
from attncalc.document.rounding import Rounding, Shown, count_characters
from attncalc.fields import Array, Real
from attncalc.notations.unicode import Ascii, write
from attncalc.readings.value import evaluate
from attncalc.solution.selection import At, integers
from attncalc.solution.solution import Solution, SolvedStep
from attncalc.terms import ONLY, Apply, Axis, Constant, Entry, Greatest, Term, Total, Valued, mapped

Sides: TypeAlias = list[tuple[Relation, Term]]

LONGEST_SIDE = 72
LONGEST_LINE = 240
LONGEST_IN_GRID = 16
WIDEST_EXACT_GRID = 64
GIVEN_LETTERS = {
    "X": "i ", "X_Q": "i ", "X_K": "j ", "X_V": "j ", "X_KV": "j ",
    "Q": "i ", "K": "j ", "V": "j ", "S": "ij", "mask": "ij",
}  # fmt: skip
"""What the rows and columns of given matrices count: queries (i), keys (j), or nothing with a name."""


class Lines:
    """Writes the entries and matrices of one solution."""

    def __init__(self, solution: Solution, rounding: Rounding) -> None:
        self.solution = solution
        self.shown = Shown(solution.trace.field, rounding)
        self.symbols = solution.problem.names

    # One worked line

    def line(self, step: SolvedStep, at: At) -> Equation:
        """A cell's worked line: names, then numbers, then the result, exact and rounded."""
        rule, number = self.in_batch(step.cell(at), at), step.numbers[at]
        if count_characters(rule) > LONGEST_LINE and len(at) == 2:
            rule = step.cell(at, expand=False)
        numbers = self.with_numbers(rule, at, self.shown.entry)
        exact = self.shown.exact(number, LONGEST_SIDE)
        decimal = self.shown.decimal(number)
        result: Sides = [("=" if self.shown.is_exact(number, decimal) else "≈", decimal)]
        written: Sides = [("=", exact)] if exact is not None else []
        sides: Sides = [("=", self.renamed(rule))]
        if numbers is not None:
            sides += [("=", numbers), ("=", self.decided(numbers)), *written, *result]
        else:
            rounded = self.with_numbers(rule, at, self.shown.rounded_entry)
            working: Sides = [("≈", rounded)] if rounded is not None else []
            # A plain number comes after its working; a long exact form before the decimals that follow.
            sides += [*working, *written] if is_literal(exact) else [*written, *working]
            sides += result
        return Equation(self.cell_name(step, at), tuple(without_repeats(sides)))

    def with_numbers(self, rule: Term, at: At, shown: Callable[[Real], Term | None]) -> Term | None:
        """A rule with numbers in place of its names; None if one of them cannot be shown so."""
        missing = False

        def put(term: Term) -> Term:
            nonlocal missing
            if isinstance(term, Greatest | Total) and len(at) == 2:
                found = shown(evaluate(term, self.solution.trace.values, self.shown.field)[()])
                missing = missing or found is None
                return found or term
            if not isinstance(term, Entry):
                return mapped(term, put)
            running = any(isinstance(index, Axis) and index.letter for index in term.at)
            if running or term.of not in self.solution.trace.values:
                return self.renamed(term)
            number = shown(self.entry_value(term, at))
            missing = missing or number is None
            return Valued(self.renamed_entry(term), number) if number else term

        written = put(rule)
        return None if missing else written

    def decided(self, term: Term) -> Term:
        """A term of numbers with its limits taken."""
        if isinstance(term, Apply) and term.function == "lim":
            return self.shown.field.term(evaluate(term, {}, self.shown.field)[()])
        return mapped(term, self.decided)

    def in_batch(self, term: Term, at: At) -> Term:
        """A term with the batch of a cell in front of its indices, where the matrices have one."""
        if not isinstance(term, Entry):
            return mapped(term, lambda member: self.in_batch(member, at))
        lead = len(self.solution.graph.shapes.get(term.of, ())) - len(term.at) if term.at else 0
        return Entry(term.of, at[len(at) - 2 - lead : len(at) - 2] + term.at) if lead else term

    def entry_value(self, entry: Entry, at: At) -> Real:
        """The number that an entry stands for, in the same batch as the cell."""
        array = self.solution.trace.values[entry.of]
        lead = array.ndim - len(entry.at)
        return array[at[len(at) - 2 - lead : len(at) - 2] + integers(entry)]

    def cell_name(self, step: SolvedStep, at: At) -> Term:
        """A cell on the left of its line; the one row or column of a vector is not counted."""
        pairs = zip(at[-2:], step.step.axes, strict=True)
        place = (index if axis.letter else ONLY for index, axis in pairs)
        return self.renamed(Entry(step.name, (*at[:-2], *place)))

    # One matrix

    def display(self, name: str, fold: bool, row: At | None = None) -> Display:
        """A matrix or one of its rows, exact where that is short, and rounded where that is plainer."""
        numbers = self.solution.trace.values[name]
        symbol = self.symbol(name)
        if row is not None:
            numbers = numbers[row][None]
        matrix = numbers.reshape(-1, numbers.shape[-1])

        def leads(n: int) -> At:
            return row or tuple(map(int, np.unravel_index(n, numbers.shape[:-1])))

        labels = self.row_labels(name, numbers.shape) if row is None else ()
        rows, columns = (kept(size, fold) for size in matrix.shape)
        frame = Frame(rows, columns, labels, self.column_labels(name, numbers.shape), leads)
        grids: list[tuple[Relation, Grid]] = []
        exact = frame.grid(matrix, lambda x: self.shown.exact(x, LONGEST_IN_GRID))
        if exact is not None and grid_width(exact) <= WIDEST_EXACT_GRID:
            grids.append(("=", exact))
        if not grids or not all(is_literal(cell) for line in grids[0][1].cells for cell in line):
            rounded = frame.grid(matrix, self.shown.decimal)
            assert rounded is not None
            if not grids or rounded.cells != grids[0][1].cells:
                grids.append(("=" if self.all_exact(matrix, rounded, frame) else "≈", rounded))
        places = tuple(n + 1 for n in row or ())
        return Display(symbol, tuple(grids), symbol, shaded=self.is_weights(name), row=places)

    def is_weights(self, name: str) -> bool:
        """Whether a matrix holds attention weights."""
        return self.solution.graph.labels[name].role == "A"

    def all_exact(self, matrix: Array, grid: Grid, frame: Frame) -> bool:
        """Whether a grid of decimals shows its numbers in full."""
        return all(
            self.shown.is_exact(matrix[i, j], cell)
            for i, line in zip(frame.rows, grid.cells, strict=True)
            for j, cell in zip(frame.columns, line, strict=True)
            if isinstance(cell, Constant)
        )

    def row_labels(self, name: str, shape: tuple[int, ...]) -> tuple[str, ...]:
        """The tokens of the rows where they are named, else numbers; none for what is given."""
        if len(shape) > 2:
            return tuple(",".join(str(n + 1) for n in at) for at in np.ndindex(shape[:-1]))
        return self.labels(name, 0, shape[-2])

    def column_labels(self, name: str, shape: tuple[int, ...]) -> tuple[str, ...]:
        """The tokens of the columns where they are keys, else numbers; none for what is given."""
        return self.labels(name, 1, shape[-1])

    def labels(self, name: str, axis: int, size: int) -> tuple[str, ...]:
        """The labels along one axis of a matrix."""
        problem = self.solution.problem
        tokens = {"i": problem.tokens, "j": problem.key_tokens or problem.tokens}
        step = self.solution.graph.step(name)
        letter = step.letter_pair[axis] if step else GIVEN_LETTERS.get(name, "  ")[axis].strip()
        found = tokens.get(letter)
        if found and len(found) == size:
            return tuple(found)
        return tuple(map(str, range(1, size + 1))) if step and letter else ()

    # Names

    def symbol(self, name: str) -> str:
        """How this course calls a name."""
        return self.solution.graph.symbol(name, self.symbols)

    def renamed(self, term: Term) -> Term:
        """A term with the course's own names."""
        return self.renamed_entry(term) if isinstance(term, Entry) else mapped(term, self.renamed)

    def renamed_entry(self, entry: Entry) -> Entry:
        """An entry by the course's own name."""
        return Entry(self.symbol(entry.of), entry.at)


def without_repeats(sides: Sides) -> Sides:
    """The sides of a chain, none of which reads like the one before it."""
    texts = [write(term, Ascii()) for _, term in sides]
    return [side for n, side in enumerate(sides) if n == 0 or texts[n] != texts[n - 1]]
