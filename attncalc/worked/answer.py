"""The line that ends a part: what answers its question, in the course's own letters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from attncalc.core.graph.references import Reference
from attncalc.core.record import replace
from attncalc.core.terms.formulas import Maths, Text
from attncalc.exercise.problem import Part
from attncalc.exercise.questions import question_of
from attncalc.exercise.solve.selection import At, all_cells
from attncalc.exercise.solve.solution import SolvedStep
from attncalc.worked.blocks import Answer, Display, Equation
from attncalc.worked.grids import MOST_ACROSS
from attncalc.worked.prose import pieces

if TYPE_CHECKING:
    from attncalc.worked.writer.steps import Writer

MOST_IN_TEXT = 4
"""The most cells of a row, and the most vectors, that an answer names one by one."""


def answer_of(writer: Writer, part: Part | None) -> Answer | None:
    """Return what answers a part, or a problem without parts; None if nothing is asked."""
    if part and part.answer:
        return Answer(part.answer)
    question = question_of(writer.solution.problem)
    designed = question.answer(writer, part) if question else None
    said = tuple(map(pieces, say_words(writer, part))) if part else ()
    if isinstance(designed, Answer):
        return replace(designed, text=joined((pieces(designed.text), *said), " "))
    references = asked_references(writer, part)
    lines = [line for reference in references for line in in_a_line(writer, reference)]
    whole = [reference for reference in references if not any(in_a_line(writer, reference))]
    displays = tuple(display for reference in whole for display in matrices(writer, reference))
    text = joined((joined(map(written, lines), ", "), *said), ". " if lines else " ")
    return Answer(text, displays) if text or displays else None


def asked_references(writer: Writer, part: Part | None) -> list[Reference]:
    """The steps that a part asks for; without parts the last step."""
    solution = writer.solution
    if part:
        return [solution.resolve(reference) for reference in part.steps]
    return [Reference(solution.last)] if solution.last and not solution.problem.design else []


def say_words(writer: Writer, part: Part) -> Iterator[Text]:
    """What answers the words and the topic that a part asks for."""
    from attncalc.worked.words import topic_named, word_named

    for word in part.words:
        if answer := word_named(word).answer:
            yield answer(writer.solution)
    if part.explain:
        yield writer.in_own_letters(topic_named(part.explain).say(writer.solution))


def in_a_line(writer: Writer, reference: Reference) -> Iterator[Equation]:
    """The cells or vectors of a reference as equations; nothing if a matrix shows them better."""
    step, at = writer.solution[reference.step], tuple(n - 1 for n in reference.at)
    rows = list(all_cells(step.shape[len(at) : -1])) if len(at) < len(step.shape) else []
    is_vector = step.step.kind.letter_pair[1] != "j"
    if len(at) == len(step.shape):
        yield writer.value(step, at)
    elif rows == [()] or step.shape[:-1] == (1,):
        row = at or (0,)
        yield from one_row(writer, step, row, is_vector)
    elif is_vector and writer.is_in_columns and len(rows) <= MOST_IN_TEXT and len(step.shape) == 2:
        found = [line for row in rows for line in one_row(writer, step, (*at, *row), is_vector)]
        yield from found if len(found) == len(rows) else ()


def one_row(writer: Writer, step: SolvedStep, row: At, is_vector: bool) -> Iterator[Equation]:
    """A row as one vector, or cell by cell."""
    width = step.shape[-1]
    if is_vector and width > 1:
        if line := writer.vector_line(step, row):
            yield line
    elif width <= MOST_IN_TEXT:
        yield from (writer.value(step, (*row, j)) for j in range(width))


def matrices(writer: Writer, reference: Reference) -> Iterator[Display]:
    """A matrix, or some of its rows, in its last form: in decimals if it has them."""
    step, at = writer.solution[reference.step], tuple(n - 1 for n in reference.at)
    rows = list(all_cells(step.shape[len(at) : -1])) if at else [None]
    for rest in rows[:MOST_ACROSS]:
        display = writer.display(step.name, writer.view.folded, (*at, *rest) if rest is not None else None)
        yield replace(display, grids=display.grids[-1:], of="", shaded=False)


def written(line: Equation) -> tuple[str | Maths, ...]:
    """An equation inside a sentence."""
    sides = (part for relation, side in line.sides for part in (f" {relation} ", side))
    return line.left, *sides


def joined(texts: Iterable[Iterable[str | Maths]], between: str) -> tuple[str | Maths, ...]:
    """Texts with something between them; those that are empty are left out."""
    found = [tuple(text) for text in texts]
    parts = (part for text in found if text for part in (between, *text))
    return tuple(parts)[1:]
