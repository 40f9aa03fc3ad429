"""The hints, rung by rung: which cells, a question, the law in the student's own numbers, a sibling.

Every rung has several versions, the fullest first; the first that gives nothing away is shown.
A sibling is another cell of the step; a twin is the same exercise with other numbers.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache

import numpy as np

from attncalc.core.errors import AttncalcError
from attncalc.core.graph.references import Reference
from attncalc.core.record import replace
from attncalc.core.terms import Entry, entries
from attncalc.core.terms.formulas import Name
from attncalc.exercise.load import Source
from attncalc.exercise.problem import Problem
from attncalc.exercise.solve.selection import At, integers
from attncalc.exercise.solve.solution import Solution
from attncalc.exercise.solve.solve import solve
from attncalc.features.authoring.vary.vary import Variation
from attncalc.features.practice.state import State
from attncalc.marking.checker import Checker
from attncalc.marking.report.feedback import Feedback
from attncalc.marking.report.levels import Level
from attncalc.marking.report.words import MOST_NAMED_CELLS
from attncalc.mistakes import MISTAKES
from attncalc.worked.blocks import Block, Equation, Equations, Paragraph
from attncalc.worked.view import View, rounding_of
from attncalc.worked.writer.steps import Writer

QUESTIONS = {mistake.code: mistake.question for mistake in MISTAKES}
OPEN = Entry("?")
"""Stands for a result that is left to the student."""
LAST = 5
"""The last rung that is a hint; after it there is only `show`."""
MOST_SIBLINGS = 20
"""The number of cells examined for one that can be shown."""

Way = tuple[Block, ...]
Twin = Callable[[], Solution | None]
"""A function that solves the same exercise with other numbers, called only if it is needed."""


def no_twin() -> None:
    """The twin of an exercise that has no other numbers: None."""


class Ladder:
    """Writes the hints for one state of one question."""

    def __init__(self, checker: Checker, state: State, secret_cells: dict[str, set[At]], twin: Twin) -> None:
        self.state, self.secret_cells, self.twin = state, secret_cells, twin
        self.solution = checker.solution
        self.step = self.solution[state.question.reference.step]
        self.writer = Writer(self.solution, View(rounding=rounding_of(self.solution.problem)))

    def ways(self, rung: int) -> Iterator[Way]:
        """The versions of a hint, best first; none if it does not apply."""
        return {2: self.name_cells, 3: self.ask_back, 4: self.put_in_numbers, LAST: self.work_a_sibling}[
            rung
        ]()

    def name_cells(self) -> Iterator[Way]:
        """The hint that names wrong or missing cells, if these are not all cells."""
        cells = self.state.wrong
        if len(cells) < len(self.state.cells) and not self.state.is_misshapen:
            names = [str(Reference.to_cell(self.step.symbol, at)) for at in cells]
            more = f" and {len(names) - MOST_NAMED_CELLS} more" if len(names) > MOST_NAMED_CELLS else ""
            yield (Paragraph(f"Look at {', '.join(names[:MOST_NAMED_CELLS])}{more}."),)

    def ask_back(self) -> Iterator[Way]:
        """The question that the mistake suggests, else what the step is for."""
        for mistake, step in self.state.explanations[:1]:
            if mistake in QUESTIONS:
                where = () if step == self.step.name else ("Look at ", Name(self.writer.symbol(step)), ". ")
                yield (Paragraph((*where, QUESTIONS[mistake])),)
        yield (Paragraph(self.step.sentence),)

    def put_in_numbers(self) -> Iterator[Way]:
        """The rule of a cell with the student's own numbers, without its value."""
        report = self.state.step
        assert report is not None, "hints come after an attempt"
        feedback = Feedback(self.state.report, self.solution, Level.MISTAKE, pointed=False)
        for at in self.state.wrong[:1]:
            line = feedback.own_line(report, at)
            for count in range(len(line.sides), 0, -1):
                sides = (*line.sides[:count], ("=", OPEN))
                yield (Equations((replace(line, sides=sides),)),)

    def work_a_sibling(self) -> Iterator[Way]:
        """Another cell of the step worked to its result, or one of the same exercise with other numbers."""
        for at in self.siblings():
            yield from show_line("Another entry goes like this:", self.writer.line(self.step, at))
        twin = self.twin()
        if twin is not None:
            writer = Writer(twin, self.writer.view)
            for at in (*self.state.wrong, *self.state.cells)[:MOST_SIBLINGS]:
                line = writer.line(twin[self.step.name], at)
                yield from show_line("With other numbers it goes like this:", line)

    def siblings(self) -> Iterator[At]:
        """The cells of the step that are found or not asked, and depend on no cell still to be found."""
        secret = self.secret_cells.get(self.step.name, set())
        cells = [at for at in np.ndindex(*self.step.shape) if at not in secret]
        near = sorted(cells, key=lambda at: at[:-1] != self.state.wrong[0][:-1])
        return (at for at in near[:MOST_SIBLINGS] if not self.is_from_secrets(at))

    def is_from_secrets(self, at: At) -> bool:
        """Whether the line of a cell uses the correct value of a cell that is not found yet."""
        for entry in entries(self.step.cell(at)):
            if entry.of in self.secret_cells:
                place = integers(entry)
                lead = len(self.solution[entry.of].shape) - len(place)
                if (*at[:lead], *place) in self.secret_cells[entry.of]:
                    return True
        return False


def show_line(words: str, line: Equation) -> Iterator[Way]:
    """A line with some words before it, if it shows how its result is computed."""
    if len(line.sides) > 1:
        yield Paragraph(words), Equations((line,))


FIRST, SHOWN = "001", "twin"
"""The student of a variant: the first, as `vary` counts them, or none, for hints."""


def vary_problem(source: Source, seed: int, whose: str = FIRST) -> Problem:
    """The exercise with other numbers and another name, so that their answers are not mixed up."""
    found = Variation(source, seed).draw(whose).source.problem
    stem, ending = os.path.splitext(source.name)
    return replace(found, name=f"{stem}-seed-{seed}{ending}")


def find_twin(source: Source, seed: int) -> Twin:
    """A function that solves the exercise with other numbers once; it returns None if there are none."""

    @cache
    def twin() -> Solution | None:
        with suppress(AttncalcError):
            return solve(vary_problem(source, seed, SHOWN))
        return None

    return twin


def is_varied(source: Source, seed: int) -> bool:
    """Whether the exercise can be drawn with other numbers."""
    with suppress(AttncalcError):
        return bool(vary_problem(source, seed))
    return False
