"""The state of one question: which of its cells are answered, correct or wrong, and why."""

from __future__ import annotations

from functools import cached_property

from attncalc.exercise.solve.selection import At
from attncalc.features.practice.order_of_questions import cells_of
from attncalc.marking.answers.questions import Question
from attncalc.marking.checker import Checker
from attncalc.marking.follow.judge import Mark
from attncalc.marking.report.report import Report

BEFORE_HINTS = 1
"""The rung below the hints: the verdict on every answer."""


class State:
    """What is known of the cells of one question."""

    def __init__(self, question: Question, checker: Checker, report: Report) -> None:
        self.question, self.report = question, report
        self.solution = checker.solution
        self.step = next((one for one in report.steps if one.step == question.reference.step), None)
        self.cells = cells_of(question, checker.solution)

    def mark(self, at: At) -> int:
        """The judgement of one cell."""
        judged = self.step.judged if self.step else None
        return Mark.UNANSWERED if judged is None or self.is_misshapen else int(judged.marks[at])

    @cached_property
    def told_shape(self) -> tuple[int, ...] | None:
        """The shape of the answer, if it differs from that of the step."""
        judged = self.step.judged if self.step else None
        answer = judged.answer.misshapen[0][0] if judged and judged.answer.misshapen else None
        return answer.written_shape(answer.cells.shape) if answer else None

    @property
    def is_misshapen(self) -> bool:
        """Whether the answer has another shape."""
        return self.told_shape is not None

    @cached_property
    def marks(self) -> dict[At, int]:
        """The judgements of all cells."""
        return {at: self.mark(at) for at in self.cells}

    def count(self, *marks: int) -> int:
        """The number of cells with one of these marks."""
        return sum(mark in marks for mark in self.marks.values())

    @property
    def is_tried(self) -> bool:
        """Whether anything is answered."""
        return self.is_misshapen or self.count(Mark.UNANSWERED, Mark.BLANK) < len(self.cells)

    @property
    def is_passed(self) -> bool:
        """Whether all cells are correct, or follow from earlier wrong answers."""
        return self.count(Mark.CORRECT, Mark.ROUNDED, Mark.FOLLOWS) == len(self.cells)

    @property
    def is_found(self) -> bool:
        """Whether all cells are correct."""
        return not self.unfound

    @cached_property
    def unfound(self) -> list[At]:
        """The cells that are not correct."""
        return [at for at, mark in self.marks.items() if mark not in (Mark.CORRECT, Mark.ROUNDED)]

    @cached_property
    def wrong(self) -> list[At]:
        """The cells that hints are about: those that are wrong, else those still to be found."""
        wrong = [at for at, mark in self.marks.items() if mark == Mark.WRONG]
        passed = (Mark.CORRECT, Mark.ROUNDED, Mark.FOLLOWS)
        return wrong or [at for at, mark in self.marks.items() if mark not in passed]

    @property
    def explanations(self) -> list[tuple[str, str]]:
        """The mistakes that explain what is wrong, and the steps at which they were made."""
        return [(one.mistake, one.step) for one in self.step.diagnoses] if self.step else []


class Progress:
    """The progress of one question: the rung of its last hint, the number of hints, and if it was shown."""

    def __init__(self) -> None:
        self.rung, self.hints, self.is_shown = BEFORE_HINTS, 0, False
        self.last: object = None
        """What was wrong in the last answer, and why."""
        self.mistakes: dict[str, None] = {}
        """The mistakes that were the only explanation of an answer."""


def find_secrets(states: list[State], progress: list[Progress]) -> dict[str, set[At]]:
    """The asked cells that are neither found nor shown, by step."""
    found: dict[str, set[At]] = {}
    for state, one in zip(states, progress, strict=True):
        if not one.is_shown:
            found.setdefault(state.question.reference.step, set()).update(state.unfound)
    return found
