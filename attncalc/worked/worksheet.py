"""A problem as a sheet to hand out: given matrices, questions with their points, and room to answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import prod

from attncalc.core.graph.references import Reference
from attncalc.core.record import replace
from attncalc.core.terms.formulas import Maths, Name, Place, Words
from attncalc.exercise.problem import Part
from attncalc.exercise.questions import question_of
from attncalc.exercise.solve.points_per_step import Points
from attncalc.exercise.solve.selection import Cells, all_cells, find_cells
from attncalc.exercise.solve.solution import Solution, SolvedStep
from attncalc.worked.blocks import (
    BLANK,
    Block,
    Display,
    Displays,
    Document,
    Equation,
    Equations,
    Grid,
    Heading,
    Law,
    Note,
    Paragraph,
    Room,
)
from attncalc.worked.view import View
from attncalc.worked.words import topic_named, word_named
from attncalc.worked.writer.steps import Writer

IN_WORDS = 6
"""The number of lines for an answer in words."""
FEWEST_LINES, MOST_LINES = 2, 12
"""The number of lines for the working of one entry, and of a large matrix."""


def worksheet(solution: Solution, view: View) -> Document:
    """Write the parts of a problem, its steps, or the steps that the user names, as questions."""
    return Document(tuple(Sheet(solution, view).blocks()))


class Sheet:
    """Writes the blocks of one worksheet."""

    def __init__(self, solution: Solution, view: View) -> None:
        self.solution, self.view = solution, view
        # On paper nothing can be unfolded.
        self.writer = Writer(solution, View(rounding=view.rounding, folded=False))
        self.explained: set[str] = set()
        self.worth = Points(solution)
        self.seen: Cells = {}

    def blocks(self) -> Iterator[Block]:
        """The given matrices, then the questions; the note is left out, because it may contain results."""
        opening = self.writer.opening(given=False, noted=False)
        points = (f"Points, of {self.worth.most:g}",) if self.solution.problem.marks.points else ()
        yield from (*opening, Room(words=("Name", *points)))
        if self.solution.graph.given:
            yield from self.writer.write_given()
        parts = [part for part in self.solution.problem.parts if self.view.shows(part.label)]
        if self.view.references:
            yield from self.question(self.view.references)
            return
        if not self.view.parts:
            yield from self.other_question(None)
        if parts and self.view.row is None:
            for part in parts:
                yield from self.part(part)
        elif not self.solution.problem.design:
            yield from self.steps()

    def part(self, part: Part) -> Iterator[Block]:
        """One part of the exercise."""
        references = [self.solution.resolve(named) for named in part.steps]
        yield Heading(f"({part.label})", 2)
        yield from self.points(references)
        if part.ask:
            yield Paragraph(part.ask)
        if other := self.other_question(part):
            yield from other
        elif part.steps:
            yield from self.question(references, bool(part.ask))
        if not part.ask:
            yield from (Paragraph(word_named(word).question) for word in part.words)
            if part.explain:
                yield Paragraph(f"Explain: {topic_named(part.explain).title}.")
        if part.words or part.explain or not part.steps:
            yield Room(IN_WORDS)

    def points(self, references: list[Reference]) -> Iterator[Block]:
        """The points of the asked cells, if the problem has points; cells of a step have equal shares."""
        if not self.solution.problem.marks.points or self.solution.problem.goal:
            return
        worth = 0.0
        for name, cells in find_cells(self.solution, references).items():
            new = cells - self.seen.get(name, set())
            self.seen[name] = self.seen.get(name, set()) | cells
            if name in self.worth.wanted:
                worth += self.worth.of(name) * len(new) / float(self.worth.wanted[name].sum())
        if worth:
            yield Note(f"{worth:.3g} point{'s' * (worth != 1)}")

    def other_question(self, part: Part | None) -> list[Block]:
        """Return the problem's own question, in place of the steps of a part or before all parts."""
        question = question_of(self.solution.problem)
        return [*question.ask(self, part)] if question else []

    def steps(self) -> Iterator[Block]:
        """Every step, or one query's row of it."""
        for step in self.solution.steps:
            row = self.view.row if step.step.kind.letters[0] == "i" and len(step.shape) == 2 else None
            reference = Reference(step.name, (row,) if row else ())
            yield Heading(step.title, 3, step.symbol)
            yield from self.points([reference])
            if self.view.detail == "steps":
                yield Paragraph(step.sentence)
            yield from self.laws(step)
            yield from self.blanks(reference)

    def question(self, references: Iterable[Reference], is_asked: bool = False) -> Iterator[Block]:
        """The steps to find; for each, the laws that have not been shown yet, and room for the result."""
        references = list(references)
        if not is_asked:
            names = enumerate_names([self.name_reference(reference) for reference in references])
            yield Paragraph(("Find ", *names, "."))
        for reference in references:
            yield from self.laws_of({reference.step})
            yield from self.blanks(reference)

    def laws_of(self, needed: set[str]) -> Iterator[Block]:
        """The laws of some steps, and of those before them, that have not been shown yet."""
        for step in reversed(self.solution.steps):
            needed |= set(step.inputs) if step.name in needed else set()
        for step in self.solution.steps:
            if step.name in needed - self.explained:
                yield from self.laws(step)
        self.explained |= needed

    def laws(self, step: SolvedStep) -> Iterator[Block]:
        """The laws of a step without its shape, if they are asked for: they may give answers away."""
        if self.view.detail != "steps":
            return
        for block in self.writer.laws(step):
            yield Equation(block.subject, (("=", block.formula),)) if isinstance(block, Law) else block
        yield from map(Note, step.step.notes)

    def name_reference(self, reference: Reference) -> Maths:
        """Return the name of the step, row or cell of a reference."""
        step = self.solution[reference.step]
        if len(reference.at) == 1 and len(step.shape) == 2:
            return Words((f"row {reference.at[0]} of ", Name(step.symbol)))
        whole = len(reference.at) == len(step.shape)
        return Place(step.symbol, reference.at, whole) if reference.at else Name(step.symbol)

    def blanks(self, reference: Reference) -> Iterator[Block]:
        """Room for the working, and the matrix, the rows or the cell to fill in."""
        step, at = self.solution[reference.step], tuple(n - 1 for n in reference.at)
        entries = prod(step.shape[len(at) :])
        yield Room(min(MOST_LINES, max(FEWEST_LINES, entries)))
        if len(at) == len(step.shape):
            yield Equations((Equation(self.writer.cell_name(step, at), (("=", BLANK),)),))
        else:
            yield Displays(tuple(self.displays(step, at)))

    def displays(self, step: SolvedStep, at: tuple[int, ...]) -> Iterator[Display]:
        """A matrix or some of its rows, with blanks."""
        if not at:
            yield blank_cells(self.writer.display(step.name, fold=False))
        elif len(at) < len(step.shape):
            for rest in all_cells(step.shape[len(at) : -1]):
                yield blank_cells(self.writer.display(step.name, False, (*at, *rest)))


def blank_cells(display: Display) -> Display:
    """Return a matrix with a blank in every cell."""
    grid = display.grids[0][1]
    cells = tuple(tuple(cell and BLANK for cell in row) for row in grid.cells)
    blank = Grid(cells, grid.rows, grid.columns, places=grid.places)
    return replace(display, grids=(("=", blank),), shaded=False)


def enumerate_names(names: list[Maths]) -> Iterator[str | Maths]:
    """Yield names with separators: a, b and c."""
    for number, name in enumerate(names):
        yield name
        yield {len(names) - 1: "", len(names) - 2: " and "}.get(number, ", ")
