"""The questions of an exercise, part by part."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attncalc.core.graph.references import Reference
from attncalc.core.record import record
from attncalc.exercise.solve.solution import Solution
from attncalc.marking.answers.names import WRAPPER
from attncalc.marking.answers.reader import WORDS


@record
class Question:
    """A step, a row or a cell that is asked for, and the part that asks for it, if any."""

    reference: Reference
    part: str = ""

    def key(self, solution: Solution) -> str:
        """Its name in the course, or in the contract if the former has another meaning in answers."""
        step = solution[self.reference.step]
        is_taken = step.symbol.lower() in (*WORDS, WRAPPER)
        return str(Reference(step.name if is_taken else step.symbol, self.reference.at))

    def shape(self, solution: Solution) -> tuple[int, ...]:
        """The shape of the asked cells."""
        return solution[self.reference.step].shape[len(self.reference.at) :]


def find_questions(solution: Solution) -> list[Question]:
    """All questions, each once: from parts and marks, else the last step."""
    asked = [*questions_in_order(solution)]
    parts = {question.reference: question.part for question in reversed(asked)}
    found = [Question(one, parts[one]) for one in without_covered([one.reference for one in asked])]
    last = [Question(Reference(solution.last))] if solution.last else []
    return found or last


def questions_in_order(solution: Solution) -> Iterator[Question]:
    """The questions of parts and marks, in order."""
    problem = solution.problem
    asked: set[str] = set()
    for part in problem.parts:
        for reference in map(solution.resolve, part.steps):
            yield Question(reference, part.label)
            asked.add(reference.step)
    for name in problem.marks.points:
        reference = solution.resolve(Reference(name))
        # Points for a step are points for the rows or cells of it that a part asks for.
        if reference.step not in asked:
            yield Question(reference)


def without_covered(references: Iterable[Reference]) -> list[Reference]:
    """References, each once, without those that are inside another one."""
    once = [*dict.fromkeys(references)]
    return [one for one in once if not any(covers(other, one) for other in once if other != one)]


def covers(whole: Reference, part: Reference) -> bool:
    """Whether one reference includes another."""
    return whole.step == part.step and part.at[: len(whole.at)] == whole.at
