"""Save progress as an ordinary answers file, with the hints used in comments, and resume from one."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

import numpy as np

from attncalc.core.errors import Place, ProblemError, count_of, fault, inert
from attncalc.core.graph.references import Reference
from attncalc.exercise.numbers.texts import PLAIN
from attncalc.exercise.yaml.tree import LARGEST_FILE, decode, read_bytes
from attncalc.exercise.yaml.writing import to_lists, write_entry
from attncalc.features.practice.cells import NOTHING
from attncalc.features.practice.practice import Practice
from attncalc.features.practice.state import Progress
from attncalc.marking.answers.blank_file import quoted_name
from attncalc.marking.answers.files import ENDINGS, read_answers
from attncalc.marking.answers.questions import Question
from attncalc.marking.answers.reader import UNNAMED, refuse_others, student_of

HELPED = re.compile(r"# (?P<name>.+?): (?:(?P<hints>[0-9]{1,6}) hints?)?(?:, )?(?P<shown>shown)?")
YAML = tuple(ending for ending in ENDINGS if ending.startswith(".y"))


def write_progress(practice: Practice) -> str:
    """All typed answers as an answers file, with the rows of an incomplete matrix."""
    problem, solution = practice.problem, practice.solution
    lines = [f"# {problem.heading}: practised, a {NOTHING} for what is missing"]
    lines += [] if problem.name in UNNAMED else [f"problem: {quoted_name(problem.called)}"]
    lines += [f"student: {put_in_quotes(practice.student)}" if practice.student else "student:", ""]
    for name, texts in practice.with_waiting().texts():
        key = Question(Reference(name)).key(solution)
        lines += write_entry(
            key, to_lists(np.asarray(np.frompyfunc(put_in_quotes, 1, 1)(texts), dtype=object))
        )
    return "\n".join([*lines, *help_lines(practice)]) + "\n"


def put_in_quotes(text: str) -> str:
    """A text in quotes, so that YAML reads it as text; a plain number without."""
    return text if text == NOTHING or PLAIN.fullmatch(text) else "'" + inert(text).replace("'", "''") + "'"


def help_lines(practice: Practice) -> Iterator[str]:
    """The hints used, question by question."""
    for question, one in zip(practice.questions, practice.progress, strict=True):
        helped = [count_of(one.hints, "hint")] if one.hints else []
        helped += ["shown"] if one.is_shown else []
        if helped:
            yield f"# {question.key(practice.solution)}: {', '.join(helped)}"


def check_name(file: str) -> None:
    """Raise an error if the name of a file does not end like a YAML file."""
    if not file.lower().endswith(YAML):
        raise fault(f"answers are kept in a file that ends in {' or '.join(YAML)}", Place(file))


def check_folder(file: str) -> None:
    """Raise an error if the folder of a file does not exist or cannot be written to."""
    folder = os.path.dirname(file) or os.curdir
    if not os.path.isdir(folder):
        raise fault("cannot be written: there is no such folder", Place(file))
    if not os.access(folder, os.W_OK):
        raise fault("cannot be written: permission denied", Place(file))


def go_on_from(practice: Practice, file: str) -> None:
    """Load the answers and hints of a file, and go to the first question that is not done."""
    _, root = read_answers(file)
    refuse_others(root, practice.problem)
    answers = practice.listener.reader.read(root, file)
    if answers.faults:
        raise ProblemError(*answers.faults)
    for answer in answers.entries:
        practice.sheet.put(answer, practice.problem)
    practice.student = student_of(root)
    named = {one.key(practice.solution): at for at, one in enumerate(practice.questions)}
    for line in decode(read_bytes(file, LARGEST_FILE), file).splitlines():
        match = HELPED.fullmatch(line.strip())
        if match and match["name"] in named:
            recall(practice.progress[named[match["name"]]], match)
    practice.mark()
    practice.start()


def recall(one: Progress, match: re.Match[str]) -> None:
    """Restore the progress of a question from its comment."""
    one.hints, one.is_shown = int(match["hints"] or 0), bool(match["shown"])
