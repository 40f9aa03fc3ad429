"""The questions of practice: steps, rows or cells, in the order in which they are computed."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.core.errors import fault
from attncalc.core.graph.graph import shape_text
from attncalc.core.graph.references import Reference
from attncalc.core.terms.formulas import Name, Place
from attncalc.exercise.solve.selection import At, all_cells
from attncalc.exercise.solve.solution import Solution, SolvedStep
from attncalc.marking.answers.questions import Question, find_questions
from attncalc.worked.blocks import Block, Heading, Note, Paragraph
from attncalc.worked.writer.steps import Writer

MOST_NAMED_STEPS = 3
OTHERS = "steps before it"


def order_questions(solution: Solution, everything: bool) -> list[Question]:
    """The questions that the exercise asks, or one for every step, in the order of the steps."""
    problem = solution.problem
    if problem.design:
        message = "asks for a design with many right answers: check says what one reaches"
        raise fault(message, problem.place("design"))
    if not solution.steps:
        raise fault("asks for derivations only: there are no numbers to find", problem.place("parts"))
    names = [step.name for step in solution.steps]
    found = [Question(Reference(name)) for name in names] if everything else find_questions(solution)
    return sorted(found, key=lambda question: (names.index(question.reference.step), question.reference.at))


def cells_of(question: Question, solution: Solution) -> list[At]:
    """The asked cells, counted from 0."""
    head = tuple(index - 1 for index in question.reference.at)
    shape = solution.graph.shapes[question.reference.step]
    return [(*head, *rest) for rest in all_cells(shape[len(head) :])]


def say_shape(shape: tuple[int, ...]) -> str:
    """A shape in words."""
    return f"{shape[0]} numbers" if len(shape) == 1 else shape_text(shape)


def write_question(questions: list[Question], number: int, writer: Writer) -> Iterator[Block]:
    """A question: in words, with its shape and its law."""
    solution, question = writer.solution, questions[number]
    step, shape = solution[question.reference.step], question.shape(solution)
    yield Heading(step.title, 3, step.symbol)
    part = f", part {question.part}" if question.part else ""
    at = question.reference.at
    name = Place(step.symbol, at, whole=len(at) == len(step.shape)) if at else Name(step.symbol)
    yield Note((f"Question {number + 1} of {len(questions)}{part}: ", name, f", {say_shape(shape)}."))
    words = (each.ask for each in solution.problem.parts if each.label == question.part and each.ask)
    yield from map(Paragraph, words)
    asked = {one.reference.step for one in questions}
    for one in (*find_inner(step, solution, asked), step):
        yield from writer.laws(one)
    sources = find_sources(step, solution, asked)
    yield from (Note(note) for one in (*sources, step) for note in one.step.notes)
    before = [one.symbol for one in sources if not one.step.kind.inner]
    if before:
        named = ", ".join(before) if len(before) <= MOST_NAMED_STEPS else OTHERS
        yield Note(f"You may answer {named} as well: {before[-1]} = ...")


def find_sources(step: SolvedStep, solution: Solution, asked: set[str]) -> list[SolvedStep]:
    """The steps between the given or asked matrices and this step, in order."""
    needed = set(step.inputs)
    for one in reversed(solution.steps):
        if one.name in needed - asked:
            needed |= set(one.inputs)
    return [one for one in solution.steps if one.name in needed - asked]


def find_inner(step: SolvedStep, solution: Solution, asked: set[str]) -> list[SolvedStep]:
    """The inner steps of a softmax or a norm that ends in this step."""
    needed = set(step.inputs)
    for one in reversed(solution.steps):
        if one.name in needed and one.step.kind.inner:
            needed |= set(one.inputs)
    return [one for one in solution.steps if one.name in needed - asked and one.step.kind.inner]
