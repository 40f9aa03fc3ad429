"""What a student answers: the lines of an answer, collected until it is complete, and the answers so far."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from attncalc.core.errors import Place, ProblemError, quote
from attncalc.core.fields import Array
from attncalc.core.fields.work_counter import at_most
from attncalc.core.graph.graph import Graph
from attncalc.core.record import record
from attncalc.core.terms import Term
from attncalc.exercise.problem import Problem
from attncalc.exercise.yaml.tree import Mapped, Scalar, from_python
from attncalc.exercise.yaml.writing import to_lists
from attncalc.features.practice.order_of_questions import say_shape
from attncalc.features.practice.typed import (
    HELP,
    PLACE,
    Typed,
    count_missing,
    find_miscount,
    find_rows,
    has_all_rows,
    is_open,
    read_typed,
    split_key,
    width_of,
    with_letters,
    write_cells,
)
from attncalc.marking.answers.answer import fitted
from attncalc.marking.answers.files import Answer, Unreadable, unreadable
from attncalc.marking.answers.questions import Question
from attncalc.marking.answers.reader import MOST_TERMS_OF_FILE
from attncalc.marking.answers.readings import is_unread
from attncalc.marking.checker import Checker
from attncalc.worked.blocks import BLANK

LONGEST_ANSWER = 10_000
"""The largest number of characters in an answer."""


@record
class Heard:
    """The content of an answer, or the reason why it has none."""

    told: tuple[Answer, ...]
    remark: str = ""


class Listener:
    """Collects typed lines: `lines` are those of an answer that is not complete yet."""

    def __init__(self, checker: Checker) -> None:
        self.reader, self.solution = checker.prepared[0].reader, checker.solution
        self.lines: list[str] = []

    @property
    def typed(self) -> Typed:
        """The key and the numbers of the lines so far."""
        return split_key("\n".join(self.lines))

    def prompt(self, question: Question) -> str:
        """The text before the next line."""
        name = self.typed.key or question.key(self.solution)
        if not self.lines:
            return f"{name}> "
        return "...> " if is_open(self.typed.text) else f"{name} row {len(self.lines) + 1}> "

    def add(self, line: str, question: Question) -> str:
        """Add a line; return the reason if it cannot be part of an answer, else an empty text."""
        before = self.lines
        try:
            if before and not is_open(self.typed.text) and has_all_rows(line, self.shape(question)):
                before = []
            self.lines = [*before, line]
            remark = self.find_remark(self.typed.text if not before else line, self.shape(question))
        except ProblemError as error:
            remark = error.faults[0].message
        self.lines = before if remark else self.lines
        return remark

    def is_whole(self, question: Question) -> bool:
        """Whether the answer is complete."""
        text = self.typed.text
        return not is_open(text) and not count_missing(text, self.shape(question))

    def shape(self, question: Question) -> tuple[int, ...]:
        """The shape of the answer under the typed key, else of the asked step."""
        key = self.typed.key
        if not key:
            return question.shape(self.solution)
        targets = self.reader.names.find(Scalar(key, Place(PLACE)))
        first, *others = (question.reference,) if (question.reference,) in targets else targets[0]
        heads = (1 + len(others),) if others else ()
        return (*heads, *Question(first).shape(self.solution))

    def find_remark(self, text: str, shape: tuple[int, ...]) -> str:
        """The reason why a line cannot be part of an answer; else empty."""
        if sum(map(len, self.lines)) > LONGEST_ANSWER:
            return f"This is longer than {LONGEST_ANSWER:,} characters."
        cells = [cell for row in find_rows(text, width_of(shape)) or () for cell in row]
        if cells and not any(map(self.is_legible, cells)):
            return f"{quote(text.strip())} is no number. {HELP}"
        return find_miscount(text, shape)

    def is_legible(self, cell: str) -> bool:
        """Whether a cell can be read."""
        with at_most(MOST_TERMS_OF_FILE):
            return not is_unread(self.reader.cells(Scalar(cell, Place(PLACE))))

    def hear(self, question: Question) -> Heard:
        """The typed answer: under its key, else to the question, else to the whole step of the question."""
        place, reference = Place(PLACE), question.reference
        node = read_typed(self.typed.text, self.shape(question))
        keys = [self.typed.key] if self.typed.key else [str(reference), reference.step]
        found = [self.reader.read(Mapped(((Scalar(key, place), node),), place), PLACE) for key in keys]
        fits = (one for one in found if one.entries and all(map(self.is_fitting, one.entries)))
        best = next(fits, found[0])
        faults = [fault for one in best.entries for fault in unreadable(one)]
        if best.faults or is_void(best.entries):
            return Heard((), next((fault.message for fault in (*best.faults, *faults)), ""))
        narrow = [one for one in best.entries if not self.is_fitting(one) and one.cells.ndim < 2]
        if narrow:
            answered, asked = say_shape(narrow[0].cells.shape), say_shape(self.shape(question))
            return Heard((), f"{answered.capitalize()} in place of {asked}.")
        return Heard(best.entries)

    def is_fitting(self, answer: Answer) -> bool:
        """Whether the answer has the shape of its step."""
        return fitted(answer.cells, self.reader.wanted(answer.reference)) is not None


def is_void(answers: tuple[Answer, ...]) -> bool:
    """Whether the answers have no cell that can be read."""
    return all(isinstance(cell, Unreadable) or cell == BLANK for one in answers for cell in one.cells.ravel())


class Sheet:
    """The cells of every answered step, in its shape; an answer of another shape is kept unchanged."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.cells: dict[str, Array] = {}

    def copy(self) -> Sheet:
        """An independent copy."""
        other = Sheet(self.graph)
        other.cells = dict(self.cells)
        return other

    def put(self, answer: Answer, problem: Problem) -> None:
        """Add the answer to a step, letters as letters; a blank keeps the earlier cell."""
        name, head = answer.reference.step, tuple(index - 1 for index in answer.reference.at)
        shape = self.graph.shapes[name]
        written = with_letters(answer.cells, problem)
        cells = fitted(written, shape[len(head) :])
        if cells is None:
            self.cells[name] = written
            return
        found = self.in_shape(name)
        is_new = np.asarray(np.frompyfunc(lambda cell: cell != BLANK, 1, 1)(cells), dtype=bool)
        found[head] = np.asarray(np.where(is_new, cells, found[head]))[()]
        self.cells[name] = found

    def show(self, name: str, at: tuple[int, ...], number: Term) -> None:
        """Fill in a correct number."""
        found = self.in_shape(name)
        found[at] = number
        self.cells[name] = found

    def in_shape(self, name: str) -> Array:
        """The answer to a step, in its shape."""
        shape, kept = self.graph.shapes[name], self.cells.get(name)
        return np.full(shape, BLANK, dtype=object) if kept is None or kept.shape != shape else kept.copy()

    def texts(self) -> Iterator[tuple[str, Array]]:
        """Every answered step, in the order of the steps, as a student could type it."""
        for step in self.graph.steps:
            if step.name in self.cells:
                texts = write_cells(self.cells[step.name])
                turned = self.graph.is_turned(step.name) and texts.ndim > 1
                yield step.name, texts.swapaxes(-1, -2) if turned else texts

    def to_answers(self) -> Mapped:
        """The answers as the content of an answers file."""
        place = Place(PLACE)
        items = ((Scalar(name, place), from_python(to_lists(texts), PLACE)) for name, texts in self.texts())
        return Mapped(tuple(items), place)
