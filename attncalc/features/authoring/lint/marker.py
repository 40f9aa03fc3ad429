"""What the marker says to students who each make one mistake: lint reports nothing else."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from attncalc.core.fields import Floats
from attncalc.core.graph.references import Reference
from attncalc.core.record import record, replace
from attncalc.exercise.yaml.tree import Mapped, from_python
from attncalc.features.authoring.lint.wrong_answers import Exercise, Trial
from attncalc.marking.answers.questions import Question
from attncalc.marking.mark import mark_as_best_read
from attncalc.marking.prepared import Prepared
from attncalc.marking.report.report import Report

NO_STEPS: Mapping[str, Floats] = {}


@record
class Said:
    """What a report says of one student's answers: whether some are wrong, and the codes that it names."""

    is_wrong: bool
    names: tuple[str, ...]


class Marker:
    """Marks the answers to one set of numbers; equal answers are marked once."""

    def __init__(self, exercise: Exercise, prepared: Prepared, right: bytes) -> None:
        self.exercise, self.prepared, self.right = exercise, prepared, right
        self.known: dict[bytes, Said] = {}

    def mark(self, handed: bytes, trial: Trial) -> Said:
        """What is said to the student of a trial, who hands in these answers."""
        if handed not in self.known:
            self.known[handed] = self.say(self.read(handed, trial))
        return self.known[handed]

    def read(self, handed: bytes, trial: Trial) -> dict[str, Floats]:
        """The values of the asked steps in some answers."""
        return self.exercise.read(handed, self.right, trial)

    def say(self, values: Mapping[str, Floats], besides: Mapping[str, Floats] = NO_STEPS) -> Said:
        """What is said if these values are handed in where they are asked, and some steps besides."""
        report = mark_values(self.exercise, self.prepared, values, besides)
        return Said(any(step.is_bad for step in report.steps), report.mistakes)


def mark_values(
    exercise: Exercise,
    prepared: Prepared,
    values: Mapping[str, Floats],
    besides: Mapping[str, Floats] = NO_STEPS,
) -> Report:
    """Mark values, written as the exercise asks, and some whole steps besides."""
    with np.errstate(all="ignore"):
        return mark_as_best_read(prepared, to_answers(exercise, values, besides), "asked")


def to_answers(
    exercise: Exercise, values: Mapping[str, Floats], besides: Mapping[str, Floats] = NO_STEPS
) -> Mapped:
    """The asked cells as an answers file, with the asked number of decimals, and some whole steps besides."""
    asked = [question for question in exercise.questions if question.reference.step not in besides]
    found: dict[str, object] = {}
    for question in (*asked, *(Question(Reference(name)) for name in besides)):
        name, at = question.reference.step, tuple(n - 1 for n in question.reference.at)
        numbers = {**values, **besides}[name]
        # A result of a wrong shape may lack a row or a cell that is asked for.
        if all(n < size for n, size in zip(at, numbers.shape, strict=False)):
            texts = np.vectorize(write_rounded, otypes=[object])(numbers[at], exercise.places(name))
            found[question.key(exercise.solution)] = np.asarray(texts, dtype=object).tolist()
    root = from_python(found, "answers")
    assert isinstance(root, Mapped)
    return replace(root, in_rows=True)


def write_rounded(number: float, places: int) -> str:
    """A number with this number of decimals."""
    return f"{number:.{max(0, places)}f}"
