"""The questions of an exercise, part by part, and the answers file that has a blank for each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from attncalc.core.errors import fault
from attncalc.core.graph.references import Reference
from attncalc.core.record import record
from attncalc.exercise.solve.solution import Solution
from attncalc.exercise.yaml.writing import to_lists, write_entry
from attncalc.marking.answers.headings import UNNAMED, WORDS
from attncalc.marking.answers.names import WRAPPER


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
        """The shape of the asked cells, as they are written."""
        name, at = self.reference.step, self.reference.at
        return solution.graph.shapes[name][len(at) :] if at else solution.graph.shown_shape(name)


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


BLANK = "_"


def write_answers(solution: Solution) -> str:
    """The whole file."""
    problem = solution.problem
    if not solution.steps:
        raise fault("asks for derivations only: there are no numbers to fill in", problem.place("parts"))
    lines = [f"# {problem.heading}: a number in place of every {BLANK}"]
    lines += [] if problem.name in UNNAMED else [f"problem: {quoted_name(problem.called)}"]
    lines += ["student:", ""]
    lines += designs(solution) if problem.design else blanks(solution)
    return "\n".join(lines) + "\n"


def designs(solution: Solution) -> Iterator[str]:
    """Blanks for the matrices that a student has to find, as the course calls them."""
    for name in solution.problem.design:
        symbol = solution.graph.symbol(name, solution.problem.names)
        yield from write_blank(symbol, solution.graph.shapes[name])


def blanks(solution: Solution) -> Iterator[str]:
    """Blanks for the asked steps, rows and cells, part by part."""
    part = ""
    for question in find_questions(solution):
        if question.part and question.part != part:
            yield f"# part {question.part}"
        part = question.part
        yield from write_blank(question.key(solution), question.shape(solution))


def write_blank(key: str, shape: tuple[int, ...]) -> Iterator[str]:
    """A key with a blank in every cell, and its shape in words."""
    comment = " x ".join(map(str, shape)) if len(shape) != 1 else f"{shape[0]} entries"
    return write_entry(key, to_lists(np.full(shape, BLANK)), comment)


def quoted_name(name: str) -> str:
    """The name of a file, quoted if YAML would read it as something else."""
    return name if name.replace("-", "").isalnum() else "'" + name.replace("'", "''") + "'"
