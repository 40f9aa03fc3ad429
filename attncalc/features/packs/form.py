"""A problem as a form to fill in: the given matrices, then the questions, with a blank for each number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from math import prod

import numpy as np

from attncalc.core.errors import fault
from attncalc.core.record import record
from attncalc.core.terms.formulas import Maths
from attncalc.exercise.solve.solution import Solution
from attncalc.marking.answers.questions import Question, find_questions
from attncalc.worked.blocks import Block, Displays, Equations, Heading, Room
from attncalc.worked.view import View, rounding_of
from attncalc.worked.worksheet import Sheet

MOST_BLANKS = 400
"""The most blanks of a form."""


@record
class Field:
    """A matrix, a row or a cell to fill in: what it is called, and the labels of its rows and columns."""

    question: Question
    called: Maths
    rows: int
    columns: int
    labels: tuple[str, ...] = ()
    heads: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """A unique name, also with a number appended: S_, S_row_3_."""
        at = self.question.reference.at
        kind = [("row", "cell")[len(at) - 1]] if at else []
        return "_".join([self.question.reference.step, *kind, *map(str, at), ""])

    @property
    def blank_names(self) -> list[str]:
        """The names of its blanks, row by row."""
        return [f"{self.name}{number}" for number in range(1, self.rows * self.columns + 1)]

    def places(self) -> Iterator[tuple[int, ...]]:
        """The cells of the step, counted from 0, one row after the other."""
        at = tuple(n - 1 for n in self.question.reference.at)
        free = 2 - len(at)
        for row in range(self.rows):
            for column in range(self.columns):
                yield (*at, *(row, column)[2 - free :])


@record
class Section:
    """Some blocks, and the fields below them."""

    blocks: tuple[Block, ...]
    fields: tuple[Field, ...] = ()


class Form:
    """One form, section by section."""

    def __init__(self, solution: Solution) -> None:
        refuse_others(solution)
        self.solution, self.problem = solution, solution.problem
        self.questions = find_questions(solution)
        self.sheet = Sheet(solution, View(rounding=rounding_of(self.problem)))

    def is_finite(self, field: Field) -> bool:
        """Whether a field holds numbers only, and not −∞."""
        value = self.solution[field.question.reference.step].value
        return all(np.isfinite(value[at]) for at in field.places())

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """The given matrices, then the questions part by part; parts without numbers are left out."""
        opening = self.sheet.writer.opening(noted=False)
        given = (block for block in opening if not is_title(block))
        return (Section(tuple(given)), *self.parts(), *self.rest())

    def parts(self) -> Iterator[Section]:
        """The parts that ask for numbers."""
        for part in self.problem.parts:
            asked = [one for one in self.questions if one.part == part.label]
            if asked:
                yield self.section(self.sheet.part(part), asked)

    def rest(self) -> Iterator[Section]:
        """The questions outside parts: the steps that have marks, or the last one."""
        asked = [one for one in self.questions if not one.part]
        if asked:
            yield self.section(self.sheet.question([one.reference for one in asked]), asked)

    def section(self, blocks: Iterable[Block], asked: list[Question]) -> Section:
        """Questions with their laws; the blanks of the worksheet are fields."""
        shown = (block for block in blocks if not isinstance(block, Displays | Equations | Room))
        return Section(tuple(shown), tuple(map(self.field, asked)))

    def field(self, question: Question) -> Field:
        """The field of one question."""
        name = question.reference.step
        rows, columns = (1, 1, *question.shape(self.solution))[-2:]
        labels = self.sheet.writer.labels(name, 0, rows) if not question.reference.at else ()
        heads = self.sheet.writer.labels(name, 1, columns) if len(question.reference.at) < 2 else ()
        return Field(question, self.sheet.name_reference(question.reference), rows, columns, labels, heads)


def is_title(block: Block) -> bool:
    """Whether a block is the title of the page."""
    return isinstance(block, Heading) and block.level == 1


def refuse_others(solution: Solution) -> None:
    """Raise an error for an exercise that is not made of matrices of numbers."""
    problem = solution.problem
    if problem.symbols:
        raise fault("has letters: a blank takes numbers only", problem.place("symbols"))
    if problem.design:
        raise fault("has many right designs: blanks take one right number each", problem.place("design"))
    if problem.in_columns:
        raise fault("has a column for each token: a pack has a row for each", problem.place("layout"))
    shapes = [question.shape(solution) for question in find_questions(solution)]
    if any(len(step.shape) > 2 for step in solution.steps):
        raise fault("is a batch: blanks stand in rows and columns only", problem.place("X", "Q", "S"))
    count = sum(map(prod, shapes))
    if count > MOST_BLANKS:
        raise fault(
            f"asks for {count:,} numbers: at most {MOST_BLANKS} can be filled in", problem.place("parts")
        )
