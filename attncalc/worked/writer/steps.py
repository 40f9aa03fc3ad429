"""The blocks of one step: its sentence and law, worked lines, the matrix."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Context, Decimal, Inexact, localcontext
from fractions import Fraction
from itertools import islice, product, takewhile
from math import prod

import numpy as np

from attncalc.core.ops.output import Output
from attncalc.core.ops.projection import Projection
from attncalc.core.ops.weights import LimitShares
from attncalc.core.readings.value import evaluate
from attncalc.core.record import record
from attncalc.core.terms import ONLY, Constant, Entry, Sum
from attncalc.core.terms.formulas import Maths, Name, Plus
from attncalc.core.terms.renaming import map_names
from attncalc.exercise.solve.selection import At, all_cells
from attncalc.exercise.solve.solution import Solution, SolvedStep
from attncalc.worked.blocks import (
    Block,
    Display,
    Displays,
    Equation,
    Equations,
    Grid,
    Heading,
    Law,
    Note,
    Paragraph,
)
from attncalc.worked.grids import FEW_ACROSS, MOST_ACROSS, fold_indices
from attncalc.worked.overview import say_rows
from attncalc.worked.rounding import as_literal, count_characters
from attncalc.worked.view import View
from attncalc.worked.writer.lines import LONGEST_SIDE, WrittenLine
from attncalc.worked.writer.matrices import LONGEST_IN_GRID, Thing
from attncalc.worked.writer.vectors import Vectors

MOST_WORKED = 40
MOST_ON_PAGE = 5000
"""The most entries of a solution whose matrices a page folds no more than other formats do."""
FEWEST_WORKED = 3
"""The worked entries of a large step, if the solution has very many entries."""
MOST_POINTED = 2000
"""The most entries of a step for which a page shows the working of each."""
LONGEST_LISTED = 180
MOST_ALIKE = 4
"""The most worked lines with the same numbers that are all written."""
DIGITS_ADDED = 400
"""Of weights that are added up exactly: more than any are shown with."""
FEWEST_KEYS, MOST_ADDED, MOST_READ = 2, 6, 3
"""The fewest keys whose weights are added up, the most keys, and the most queries that are read one by "
"one."""
MOST_NAMED_INPUTS = 6
MOST_SHAPES = 8
"""The most shapes beside a law."""


class Writer(Vectors):
    """Writes blocks from the steps of one solution."""

    def __init__(self, solution: Solution, view: View) -> None:
        super().__init__(solution, view.rounding)
        self.view = view
        if view.pointed and sum(prod(step.shape) for step in solution.steps) > MOST_ON_PAGE:
            self.most_across = FEW_ACROSS
        self.has_said_rounded = self.has_said_vanished = False
        """Whether notes already say that numbers are rounded, and that small ones are shown as 0."""

    # What is shown

    def opening(self, given: bool = True, noted: bool = True) -> Iterator[Block]:
        """Title, source and setting of the problem, its note and the given matrices if wanted."""
        problem = self.solution.problem
        if problem.title:
            yield Heading(problem.title, 1)
        if problem.source:
            yield Note(problem.source)
        if problem.setting:
            yield Paragraph(problem.setting)
        if problem.note and noted:
            yield Paragraph(problem.note)
        if given and self.solution.graph.given:
            yield from self.write_given()

    def write_given(self) -> Iterator[Block]:
        """The given matrices."""
        yield Heading("Given", 3)
        yield from self.definitions()
        given = {
            name: matrix
            for name, matrix in self.solution.graph.given.items()
            if name not in self.solution.problem.design
        }
        once = self.solution.graph.given_once(self.solution.problem.names)
        names = [name for name in given if name in once]
        yield Displays(tuple(self.display(name, self.view.folded) for name in names))
        for name in names:
            yield from self.in_named_vectors(name)
        large = any(max(matrix.shape) > self.most_across for matrix in given.values())
        if large and self.view.folded:
            yield Note("Large matrices are folded here; the problem file has all their entries.")

    def definitions(self) -> Iterator[Block]:
        """The vectors that the problem names."""
        defined = self.solution.problem.let.items()
        vectors = {name: x for name, x in defined if isinstance(x, np.ndarray) and x.ndim == 1 < x.size}
        rows = [(name, Grid((tuple(map(as_literal, x)),), (), ())) for name, x in vectors.items()]
        if rows:
            yield Displays(tuple(Display(name, (("=", grid),)) for name, grid in rows))

    # One step

    def step(
        self, step: SolvedStep, chosen: set[At] | None, folded: bool, again: bool = False
    ) -> Iterator[Block]:
        """Heading, law, worked lines and matrix of a step; only the matrix if it is shown again.

        `chosen` is None for all cells, which are not listed: there may be millions.
        """
        cells = Chosen(step.shape, sorted(chosen) if chosen is not None else None)
        yield Heading(step.title, 3, step.symbol)
        if self.view.detail == "key":
            yield from self.in_short(step, cells, again)
            return
        if self.view.detail != "brief" and not again:
            yield Paragraph(step.sentence)
            yield from self.laws(step)
        points = self.view.pointed and not self.view.is_live
        lined = self.view.detail == "cells" and not again and (points or not is_copy(step))
        if lined:
            yield from self.lines(step, cells, folded)
            yield from self.in_vectors(step, cells)
        # The exact form of a gradient is of no use to a reader, unless it has letters.
        is_listed = not step.step.label.of or bool(self.solution.problem.symbols)
        yield from self.result(step, cells, folded)
        if self.view.detail != "brief" and not again:
            yield from self.read_weights(step, cells)
        if is_listed and (self.view.detail != "brief" or not folded) and not again:
            shown = LONGEST_SIDE if lined else LONGEST_IN_GRID
            yield from self.long_entries(step, cells, shown)
        if not is_copy(step):
            yield from self.in_named_vectors(step.name, chosen)
        yield from self.notes(step, lined)

    def notes(self, step: SolvedStep, lined: bool) -> Iterator[Block]:
        """The notes below a step; those on rounding only once."""
        yield from map(Note, step.step.notes)
        if lined and self.has_rounded and not self.has_said_rounded:
            self.has_said_rounded = True
            yield Note("Numbers are shown rounded; the work goes on with all their digits.")
        if self.shown.has_vanished and not self.has_said_vanished:
            self.has_said_vanished = True
            yield Note(
                f"What is shown as {0:.{self.view.rounding.places}f} is too small for these places, not 0."
            )

    def in_short(self, step: SolvedStep, cells: Chosen, again: bool) -> Iterator[Block]:
        """A step as in a published key: the formula, one worked entry, and the result."""
        if not again:
            yield from islice(self.laws(step), 1)
        if not again and not is_copy(step):
            yield from self.lines(step, Chosen(step.shape, [self.most_telling(step, cells)]), folded=False)
            yield from self.in_vectors(step, cells)
        yield from self.result(step, cells, folded=True)
        if not is_copy(step):
            yield from self.in_named_vectors(step.name, cells.chosen)
        if not again:
            yield from self.read_weights(step, cells)
        yield from self.notes(step, lined=True)

    def most_telling(self, step: SolvedStep, cells: Chosen) -> At:
        """The cell with the most terms that are not 0, of the first ones."""
        values, field = self.solution.trace.values, self.solution.trace.field

        def count_terms(at: At) -> int:
            term = self.cell(step, at)
            parts = term.terms if isinstance(term, Sum) else (term,)
            return sum(bool(evaluate(part, values, field)[()] != 0) for part in parts)

        candidates = list(islice(cells, MOST_WORKED))
        if not self.can_be_written_out(step, candidates[0]):
            return candidates[0]
        return max(candidates, key=count_terms)

    def read_weights(self, step: SolvedStep, cells: Chosen) -> Iterator[Block]:
        """Below attention weights: that their rows add up to 1, and what they say."""
        kind = step.step.kind
        is_read = kind.is_weights and not kind.limit and step.step.op.adds_up
        if not is_read or len(step.shape) != 2 or step.shape[1] < FEWEST_KEYS or not is_finite(step):
            return
        whole = [row for row in range(step.shape[0]) if all((row, j) in cells for j in range(step.shape[1]))]
        if not whole:
            return
        sums = [self.say_total(step, row) for row in whole] if step.shape[1] <= MOST_ADDED else []
        if sums and len(sums) <= MOST_READ:
            parts = [part for said in sums for part in ("; ", *said)]
            yield Note(("Check: ", *parts[1:], "."), is_numeric=True)
        else:
            yield Note("Check: every row adds up to 1.", is_numeric=True)
        asked = {word for part in self.solution.problem.parts for word in part.words}
        if "attends" not in asked:
            yield Paragraph(say_rows(self.solution, step, whole), is_numeric=True)

    def say_total(self, step: SolvedStep, row: int) -> tuple[str | Maths, ...]:
        """The weights of a query as they are shown, added up."""
        grid = self.display(step.name, False, (row,)).grids[-1][1]
        shown = tuple(cell for cells in grid.cells for cell in cells if cell is not None)
        numbers = [cell.value for cell in shown if isinstance(cell, Constant)]
        return Plus(shown), " = 1" if add_up_to_one(numbers) else " ≈ 1"

    def laws(self, step: SolvedStep) -> Iterator[Block]:
        """The matrix formula with its shapes, and the rule of one entry."""
        op = self.solution.trace.ops[step.name]
        graph = self.solution.graph
        formula = self.in_own_letters(step.formula_of(op, self.symbol))
        subject = Name(step.symbol) if graph.in_columns else op.subject(step.symbol)
        # The only query of an exercise has no index.
        if formula and step.step.axes[0] is ONLY:
            formula, subject = without_query(formula), without_query(subject)
        if formula:
            names = (*step.inputs, step.name)
            *inputs, result = ((self.symbol(name), graph.shown_shape(name)[-2:]) for name in names)
            shown = tuple(inputs) if len(inputs) <= MOST_SHAPES else ()
            yield Law(subject, formula, shown, result)
        if not isinstance(formula, Name) and not isinstance(op, LimitShares):
            for piece in step.laws:
                left = self.rename_term(Entry(step.name, piece.axes))
                yield Equation(left, (("=", self.rename_term(piece.rule)),))

    def lines(self, step: SolvedStep, cells: Chosen, folded: bool) -> Iterator[Block]:
        """The worked lines; of a large matrix those of its first row, or of all entries that are shown."""
        if isinstance(step.step.op, LimitShares) and not self.view.pointed:
            said = [self.limit_lines(step, row) for row in dict.fromkeys(at[:-1] for at in cells)]
            if all(said):
                yield Equations(tuple(line for lines in said for line in lines))
                return
        points = self.view.pointed and not self.view.is_live
        if folded and points and cells.count == prod(step.shape):
            worked = list(list_unfolded(step.shape, self.most_across))
        elif folded and cells.count > (MOST_POINTED if points else MOST_WORKED):
            worked = list(cells.first(MOST_ACROSS if self.most_across == MOST_ACROSS else FEWEST_WORKED))
        else:
            worked = list(cells)
        yield from self.each_once([self.write_line(step, at) for at in worked])
        if len(worked) < cells.count:
            more = f"{cells.count - len(worked):,} more entries go the same way"
            yield self.hint(more, f"--step {step.name} shows them all, --row 2 those of one query")

    def each_once(self, lines: list[WrittenLine]) -> Iterator[Block]:
        """Worked lines; many with the same numbers are written once, except on interactive pages."""
        alike: dict[tuple[str, ...], list[Equation]] = {}
        for line in lines:
            alike.setdefault(line.texts[1:] or line.texts, []).append(line.equation)
        many = [] if self.view.pointed else [same for same in alike.values() if len(same) > MOST_ALIKE]
        dropped = {line.left for same in many for line in same[1:]}
        yield Equations(tuple(line.equation for line in lines if line.equation.left not in dropped))
        for first, *others in many:
            names = [part for line in others[:MOST_NAMED_INPUTS] for part in (", ", line.left)][1:]
            more = len(others) - MOST_NAMED_INPUTS
            yield Note(("Just like ", first.left, ": ", *names, f" and {more} more." if more > 0 else "."))

    def hint(self, said: str, typed: str) -> Note:
        """A note, with the command that shows more if the reader can type one."""
        return Note((f"{said}: {typed}." if self.view.is_typed else f"{said}.",))

    def in_vectors(self, step: SolvedStep, cells: Chosen) -> Iterator[Block]:
        """Projections and outputs as vectors, if the working is written in vectors."""
        op = self.solution.trace.ops[step.name]
        write = self.row_line if isinstance(op, Output) else self.projection_line
        is_written = isinstance(op, Output | Projection) and op.columns
        if not is_written or len(step.shape) > 2 or cells.count > MOST_WORKED:
            return
        lines = [write(step, row) for row in sorted({row for row, _ in cells})]
        if None not in lines:
            yield Equations(tuple(line for line in lines if line is not None))

    def result(self, step: SolvedStep, cells: Chosen, folded: bool) -> Iterator[Block]:
        """The matrix, or the rows of it that are shown."""
        if cells.count == prod(step.shape):
            yield Displays((self.display(step.name, folded),))
            if folded and max(step.shape[-2:]) > self.most_across:
                yield self.hint("The matrix is folded", f"--step {step.name} shows all of it")
        elif step.shape[-1] > 1:
            rows = sorted({at[:-1] for at in cells})
            whole = [row for row in rows if sum(at[:-1] == row for at in cells) == step.shape[-1]]
            yield Displays(tuple(self.display(step.name, folded, row) for row in whole))
        single = cells.count < step.shape[-1] and not folded
        if self.view.detail != "cells" and (single or (step.shape[-1] == 1 < step.shape[0] != cells.count)):
            yield Equations(tuple(self.value(step, at) for at in cells))

    def long_entries(self, step: SolvedStep, cells: Chosen, shown: int) -> Iterator[Block]:
        """The exact entries that are longer than what has been shown."""
        found = []
        for at in islice(cells, MOST_WORKED):
            exact = self.shown.exact(step.numbers[at], LONGEST_LISTED)
            is_left_out = (step.name, at) in self.left_out
            if exact is not None and (is_left_out or count_characters(exact) > shown):
                found.append(Equation(self.cell_name(step, at), (("=", exact),)))
        if found:
            yield Note("Exactly:")
            yield Equations(tuple(found))

    def value(self, step: SolvedStep, at: At) -> Equation:
        """A cell and its value."""
        return Equation(self.cell_name(step, at), self.line(step, at).sides[-1:])


@record
class Chosen:
    """The cells of a step that are shown, in order: some that are listed, or all."""

    shape: tuple[int, ...]
    listed: list[At] | None

    def __contains__(self, at: At) -> bool:
        return self.listed is None or at in self.listed

    def __iter__(self) -> Iterator[At]:
        return iter(self.listed) if self.listed is not None else all_cells(self.shape)

    @property
    def chosen(self) -> set[At] | None:
        """The cells that are listed; None for all."""
        return None if self.listed is None else set(self.listed)

    @property
    def count(self) -> int:
        """The number of cells."""
        return len(self.listed) if self.listed is not None else prod(self.shape)

    def first(self, most: int) -> Iterator[At]:
        """Yield the cells of the first row, at most this number."""
        row = next(iter(self))[:-1]
        return islice(takewhile(lambda at: at[:-1] == row, self), most)


def list_unfolded(shape: tuple[int, ...], most: int) -> Iterator[At]:
    """Yield the cells of a matrix that remain when it is folded."""
    for i, j in product(*(fold_indices(size, True, most) for size in (prod(shape[:-1]), shape[-1]))):
        if i is not None and j is not None:
            yield (*map(int, np.unravel_index(i, shape[:-1])), j)


def without_query(formula: Thing) -> Thing:
    """Return a formula without the index i: c for c_i, α_j for α_ij.

    >>> without_query(Name("alpha_ij")), without_query(Name("c_i"))
    (Name(name='alpha_j'), Name(name='c'))
    """
    return map_names(formula, lambda name: re.sub(r"_i(?=j$)|_i$", "_", name).rstrip("_"))


def add_up_to_one(numbers: list[int | Fraction | Decimal | float]) -> bool:
    """Whether numbers are exactly 1 together; no matter how small some are, this takes no time.

    >>> add_up_to_one([Decimal("0.3"), Decimal("0.7")]), add_up_to_one([1, Decimal("1e-400000000000")])
    (True, False)
    """
    decimals = [Decimal(number) for number in numbers if not isinstance(number, Fraction)]
    if len(decimals) < len(numbers):
        return sum(Fraction(number) for number in numbers) == 1
    with localcontext(Context(DIGITS_ADDED)) as context:
        return sum(decimals) == 1 and not context.flags[Inexact]


def is_finite(step: SolvedStep) -> bool:
    """Whether a step has neither letters nor infinite entries."""
    return bool(np.isfinite(step.value).all())


def is_copy(step: SolvedStep) -> bool:
    """Whether a step only copies entries of its inputs."""
    return all(isinstance(piece.rule, Entry) for piece in step.pieces)
