"""A solution as a document, the way a teacher writes it on the board."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice, product, takewhile
from math import prod
from typing import Any, TypeAlias

import numpy as np

from attncalc.document import (
    Block,
    Display,
    Displays,
    Document,
    Equation,
    Equations,
    Formula,
    Grid,
    Heading,
    Note,
    Paragraph,
    Relation,
)
from attncalc.fields import Array
from attncalc.grids import MOST_ACROSS, Frame, grid_width, is_literal, kept
from attncalc.mechanisms import resolved
from attncalc.ops.heads import Concatenation, HeadColumns
from attncalc.ops.projection import Copy
from attncalc.overview import WORDS
from attncalc.readings.value import evaluate
from attncalc.readings.writing import Ascii, write
from attncalc.record import record
from attncalc.rounding import Rounding, Shown, length
from attncalc.selection import At, Cells, all_cells, asked, integers, with_sources
from attncalc.solution import Solution, SolvedStep
from attncalc.steps import Reference, course_name
from attncalc.terms import ONLY, Apply, Axis, Constant, Entry, Greatest, Term, Total, mapped
from attncalc.topics import topic_named

Sides: TypeAlias = list[tuple[Relation, Term]]

MOST_LINES = 40
MOST_POINTED = 2000
"""The entries of a step up to which a page can show the working of each."""
LONGEST_SIDE = 72
LONGEST_LISTED = 400
LONGEST_LINE = 240
LONGEST_IN_GRID = 16
WIDEST_EXACT_GRID = 64


@record
class View:
    """How much of a solution is shown."""

    detail: str = "cells"
    rounding: Rounding = Rounding()
    references: tuple[Reference, ...] = ()
    row: int | None = None
    head: int | None = None
    most_lines: int = MOST_LINES
    listed: bool = True
    """Whether long exact entries are written out as well."""

    @property
    def pointed(self) -> bool:
        """Whether every entry that is shown can be pointed at, also one that is only moved."""
        return self.most_lines > MOST_LINES


def usual_view(solution: Solution, pointed: bool, references: tuple[Reference, ...] = ()) -> View:
    """How a problem wants to be shown, on a page that can be pointed at or on paper."""
    rounding = Rounding(solution.problem.get("places"), solution.problem.get("digits"))
    lines = MOST_POINTED if pointed else MOST_LINES
    return View(rounding=rounding, references=references, most_lines=lines)


def document(solution: Solution, view: View) -> Document:
    """The whole solution, its parts, or what the user points at."""
    writer = Writer(solution, view)
    if view.references:
        return Document(tuple(writer.pointed_at(view.references)))
    parts = solution.problem.get("parts", ())
    steps = writer.parts(parts) if parts and view.row is None else writer.all()
    return Document((*writer.opening(), *steps))


class Writer:
    """Writes blocks from the steps of one solution."""

    def __init__(self, solution: Solution, view: View) -> None:
        self.solution = solution
        self.view = view
        self.shown = Shown(solution.trace.field, view.rounding)
        self.symbols = solution.problem.get("names", {})

    # What is shown

    def opening(self) -> Iterator[Block]:
        """Title, source, note, and what is given."""
        problem = self.solution.problem
        if problem.get("title"):
            yield Heading(problem.get("title"), 1)
        if problem.get("source"):
            yield Note(problem.get("source"))
        if problem.get("note"):
            yield Paragraph(problem.get("note"))
        if self.solution.graph.given:
            yield from self.given()

    def given(self) -> Iterator[Block]:
        """What the problem gives."""
        yield Heading("Given", 3)
        yield Displays(tuple(self.display(name, fold=True) for name in self.solution.graph.given))
        for name in self.solution.graph.given:
            yield from self.in_named_vectors(name)
        if any(max(matrix.shape) > MOST_ACROSS for matrix in self.solution.graph.given.values()):
            yield Note("Large matrices are folded here; the problem file has all their entries.")

    def all(self) -> Iterator[Block]:
        """Every step in order, or one query's row of each."""
        for step in self.solution.steps:
            number = step.name.rpartition("_")[2]
            if self.view.head is not None and number.isdigit() and int(number) != self.view.head:
                continue
            cells = None
            if self.view.row is not None and step.step.letters[0] == "i":
                cells = {at for at in all_cells(step.shape) if at[-2] == self.view.row - 1}
            yield from self.step(step, cells, folded=True)

    def parts(self, parts: Iterable[Any]) -> Iterator[Block]:
        """Part by part: what is asked, after what it needs and has not been shown yet."""
        seen: Cells = {step.name: set() for step in self.solution.steps}
        for part in parts:
            yield Heading(f"({part.label})", 2)
            references = [resolved(self.solution.problem, reference) for reference in part.steps]
            wanted = asked(self.solution, references)
            sources = with_sources(self.solution, wanted)
            for step in self.solution.steps:
                missing = sources[step.name] - seen[step.name]
                if not wanted[step.name] and (not missing or self.view.detail == "brief"):
                    continue
                cells = wanted[step.name] | missing
                yield from self.step(step, cells, folded=True, again=not missing)
                seen[step.name] |= cells
            for word in part.words:
                yield from WORDS[word](self.solution)
            if part.explain:
                yield from self.explained(part.explain)

    def explained(self, name: str) -> Iterator[Block]:
        """A topic, shown on this problem where it has steps."""
        topic = topic_named(name)
        yield Heading(topic.title, 3)
        yield from topic.explain(self.solution)

    def pointed_at(self, references: tuple[Reference, ...]) -> Iterator[Block]:
        """The steps and rows that the user names; a cell with all that it comes from."""
        wanted = asked(self.solution, references)
        single = [r for r in references if len(r.at) == len(self.solution[r.step].shape)]
        sources = with_sources(self.solution, asked(self.solution, single))
        for step in self.solution.steps:
            cells = wanted[step.name] | sources[step.name]
            if cells:
                yield from self.step(step, cells, folded=False)

    # One step

    def step(
        self, step: SolvedStep, chosen: set[At] | None, folded: bool, again: bool = False
    ) -> Iterator[Block]:
        """What a step is, its law, its worked lines, its matrix; the matrix alone when shown again.

        Without cells chosen it is all of them, which are not listed here: they may be millions.
        """
        cells = Chosen(step.shape, sorted(chosen) if chosen is not None else None)
        yield Heading(f"{step.title} {step.symbol}", 3)
        if self.view.detail != "brief" and not again:
            yield Paragraph(step.sentence)
            yield from self.laws(step)
        lined = self.view.detail == "cells" and not again and (self.view.pointed or not is_copy(step))
        if lined:
            yield from self.lines(step, cells, folded)
        if self.view.listed and (self.view.detail != "brief" or not folded) and not again:
            shown = LONGEST_SIDE if lined else LONGEST_IN_GRID
            yield from self.long_entries(step, cells, shown)
        yield from self.result(step, cells, folded)
        if not is_copy(step):
            yield from self.in_named_vectors(step.name, chosen)
        for note in step.step.notes:
            yield Note(note)

    def laws(self, step: SolvedStep) -> Iterator[Block]:
        """The matrix formula with its shapes, and the rule of one entry."""
        op = self.solution.trace.ops[step.name]
        shapes = self.solution.graph.shapes
        formula = op.formula(*map(self.symbol, step.inputs))
        if formula:
            sizes = ((self.symbol(name), shapes[name][-2:]) for name in (*step.inputs, step.name))
            yield Formula(op.subject(step.symbol), formula, tuple(sizes))
        if step.formula not in step.inputs:
            for piece in step.pieces:
                left = self.renamed(Entry(step.name, piece.axes))
                yield Equation(left, (("=", self.renamed(piece.rule)),))

    def lines(self, step: SolvedStep, cells: Chosen, folded: bool) -> Iterator[Block]:
        """The worked lines; of a large matrix those of its first row, or of all entries that are shown."""
        if folded and self.view.pointed and cells.count == prod(step.shape):
            worked = list(unfolded(step.shape))
        elif folded and cells.count > self.view.most_lines:
            worked = list(cells.first(MOST_ACROSS))
        else:
            worked = list(cells)
        yield Equations(tuple(self.line(step, at) for at in worked))
        if len(worked) < cells.count:
            yield Note(
                f"{cells.count - len(worked):,} more entries go the same way: "
                f"--step {step.name} shows them all, --row 2 those of one query."
            )

    def result(self, step: SolvedStep, cells: Chosen, folded: bool) -> Iterator[Block]:
        """The matrix, or the rows of it that are shown."""
        if cells.count == prod(step.shape):
            yield Displays((self.display(step.name, folded),))
            if folded and max(step.shape[-2:]) > MOST_ACROSS:
                yield Note(f"The matrix is folded: --step {step.name} shows all of it.")
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
        for at in islice(cells, MOST_LINES):
            exact = self.shown.exact(step.numbers[at], LONGEST_LISTED)
            if exact is not None and length(exact) > shown:
                found.append(Equation(self.cell_name(step, at), (("=", exact),)))
        if found:
            yield Equations(tuple(found))

    def value(self, step: SolvedStep, at: At) -> Equation:
        """A cell and its value."""
        return Equation(self.cell_name(step, at), self.line(step, at).sides[-1:])

    def in_named_vectors(self, name: str, cells: set[At] | None = None) -> Iterator[Block]:
        """The rows of a matrix in terms of the vectors that the problem names: O₂ = u_a."""
        if not self.solution.problem.get("let") or self.shown.field.name != "exact":
            return
        from attncalc.naming import named_rows

        step = self.solution.graph.step(name)
        base = name.rstrip("0123456789").rstrip("_")
        letter = step.letter_pair[1] if step else GIVEN_LETTERS.get(base, "ij")[1]
        said = {} if letter == "j" else named_rows(self.solution, name)
        rows = {n: term for n, term in said.items() if cells is None or (n, 0) in cells}
        lines = (Equation(Entry(self.symbol(name), (n,)), (("=", term),)) for n, term in rows.items())
        if rows:
            yield Equations(tuple(lines))

    # One worked line

    def line(self, step: SolvedStep, at: At) -> Equation:
        """A cell's worked line: names, then numbers, then the result, exact and rounded."""
        rule, number = self.in_batch(step.cell(at), at), step.numbers[at]
        if length(rule) > LONGEST_LINE and len(at) == 2:
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

    def with_numbers(self, rule: Term, at: At, shown: Callable[[Any], Term | None]) -> Term | None:
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
            return number or term

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

    def entry_value(self, entry: Entry, at: At) -> Any:
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
        symbol = of = self.symbol(name)
        if row is not None:
            symbol = f"{symbol}[{', '.join(str(n + 1) for n in row)}]"
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
        return Display(symbol, tuple(grids), of, shaded=name.split("_")[0] == "A")

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
        tokens = {"i": problem.get("tokens"), "j": problem.get("key_tokens", problem.get("tokens"))}
        step = self.solution.graph.step(name)
        letter = step.letter_pair[axis] if step else GIVEN_LETTERS.get(name, "  ")[axis].strip()
        found = tokens.get(letter)
        if found and len(found) == size:
            return tuple(found)
        return tuple(map(str, range(1, size + 1))) if step and letter else ()

    # Names

    def symbol(self, name: str) -> str:
        """How this course calls a name."""
        return course_name(self.symbols, name)

    def renamed(self, term: Term) -> Term:
        """A term with the course's own names."""
        if isinstance(term, Entry):
            return Entry(self.symbol(term.of), term.at)
        return mapped(term, self.renamed)


GIVEN_LETTERS = {
    "X": "i ", "X_Q": "i ", "X_K": "j ", "X_V": "j ", "X_KV": "j ",
    "Q": "i ", "K": "j ", "V": "j ", "S": "ij", "mask": "ij",
}  # fmt: skip
"""What the rows and columns of given matrices count: queries (i), keys (j), or nothing with a name."""


@record
class Chosen:
    """The cells of a step that are shown, in order: some that are listed, or all."""

    shape: tuple[int, ...]
    listed: list[At] | None

    def __iter__(self) -> Iterator[At]:
        return iter(self.listed) if self.listed is not None else all_cells(self.shape)

    @property
    def count(self) -> int:
        """How many they are."""
        return len(self.listed) if self.listed is not None else prod(self.shape)

    def first(self, most: int) -> Iterator[At]:
        """Those of the first row, up to so many."""
        row = next(iter(self))[:-1]
        return islice(takewhile(lambda at: at[:-1] == row, self), most)


def unfolded(shape: tuple[int, ...]) -> Iterator[At]:
    """The cells of a matrix that are shown where it is folded."""
    for i, j in product(kept(prod(shape[:-1]), fold=True), kept(shape[-1], fold=True)):
        if i is not None and j is not None:
            yield (*map(int, np.unravel_index(i, shape[:-1])), j)


def is_copy(step: SolvedStep) -> bool:
    """Whether a step only puts entries of its inputs elsewhere."""
    moved = isinstance(step.step.op, HeadColumns | Concatenation)
    return moved or (isinstance(step.step.op, Copy) and len(step.inputs) == 1)


def without_repeats(sides: Sides) -> Sides:
    """The sides of a chain, none of which reads like the one before it."""
    texts = [write(term, Ascii()) for _, term in sides]
    return [side for n, side in enumerate(sides) if n == 0 or texts[n] != texts[n - 1]]
