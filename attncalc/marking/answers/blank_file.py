"""The answers file of a problem, to be filled in: a blank for everything asked for."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from attncalc.core.errors import fault
from attncalc.exercise.solve.solution import Solution
from attncalc.exercise.yaml.writing import to_lists, write_entry
from attncalc.marking.answers.questions import find_questions
from attncalc.marking.answers.reader import UNNAMED

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
    """Blanks for the matrices that a student has to find."""
    for name in solution.problem.design:
        yield from write_blank(name, solution.graph.shapes[name])


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
