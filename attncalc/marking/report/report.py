"""What is found in one student's answers: verdicts, marks and reasons, ready for any format."""

from __future__ import annotations

from collections.abc import Iterable, Sized
from math import fsum
from typing import Protocol

from attncalc.core.errors import inert
from attncalc.core.fields import Floats
from attncalc.core.record import record, replace
from attncalc.exercise.solve.solution import Solution, SolvedStep
from attncalc.marking.follow.judge import Judged
from attncalc.marking.verdicts import OverallVerdict, StepVerdict
from attncalc.marking.why.attempts import Diagnosis

Cells = tuple[tuple[int, ...], ...]
ARRAYS = ("judged", "mistaken", "carried", "expected")
"""What of a step is held in memory only."""


@record
class StepReport:
    """One step: its verdict, the cells that are wrong (counted from 1), its marks, and why.

    `follows_from` are the wrong steps it goes back to, `given` the same as the course calls them.
    `right` is the step as it should be, where that is told.
    """

    step: str
    symbol: str
    verdict: StepVerdict
    wrong_cells: Cells
    score: float
    max_score: float
    diagnoses: tuple[Diagnosis, ...] = ()
    remarks: tuple[str, ...] = ()
    trivial: str = ""
    """Why no credit is carried, where none is."""
    rounding: str = ""
    """How the student rounded, where that explains a step that is right so."""
    follows_from: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    judged: Judged | None = None
    mistaken: Floats | None = None
    """What the mistake that is named comes to in the wrong cells that it explains."""
    carried: Floats | None = None
    """What a wrong step should be by the numbers that are written before it."""
    missing: bool = False
    is_all_wrong: bool = False
    """Whether every entry of several is wrong."""
    against: tuple[str, ...] = ()
    """The wrong steps, as the course calls them, from which a right one does not follow."""
    implied: str = ""
    """Why a step that is not told has its points, where it has."""
    expected: SolvedStep | None = None
    reached: str = ""
    """What a design comes to, where this is what it had to reach."""
    waiting: str = ""
    """What has to be told before it can be judged."""

    def __repr__(self) -> str:
        return f"<{self.step} {self.verdict}>"

    @property
    def is_bad(self) -> bool:
        """Whether something in it is wrong, whatever else it is."""
        return bool(self.wrong_cells) or self.verdict is StepVerdict.SHAPE


@record
class FirstWrong:
    """The first step that is wrong, and its cells, counted from 1."""

    step: str
    cells: Cells


@record
class Report:
    """One answers file, marked."""

    problem: str
    answers: str
    student: str
    verdict: OverallVerdict
    score: float
    max_score: float
    first_wrong: FirstWrong | None
    steps: tuple[StepReport, ...]
    errors: tuple[str, ...]
    is_read: bool = True
    """Whether anything in it could be read."""
    own: Solution | None = None
    """The problem solved with the student's own design, where there is one."""

    def __repr__(self) -> str:
        found = ", ".join(f"{step.step} {step.verdict}" for step in self.steps) or "nothing read"
        return f"<Report {self.verdict}, {self.score:g} of {self.max_score:g} points: {found}>"

    @property
    def exit_code(self) -> int:
        """0 when nothing is wrong, 1 when something is, 2 when the file could not be read at all."""
        if not self.is_read:
            return 2
        bad = self.verdict in (OverallVerdict.INCORRECT, OverallVerdict.UNREADABLE)
        return int(bad or bool(self.errors))

    @property
    def unanswered(self) -> float:
        """The points of what is asked for and stands in no step."""
        return self.max_score - fsum(step.max_score for step in self.steps)

    def light(self) -> Report:
        """The same without the arrays, to be sent from process to process."""
        steps = tuple(replace(step, **dict.fromkeys(ARRAYS)) for step in self.steps)
        return replace(self, steps=steps, own=None)

    @property
    def mistakes(self) -> tuple[str, ...]:
        """The codes of all mistakes found, each once."""
        return tuple(dict.fromkeys(d.mistake for step in self.steps for d in step.diagnoses))


class Reports(Sized, Iterable[Report], Protocol):
    """Some reports, to be gone through as often as one likes."""


def find_first_wrong(steps: Iterable[StepReport]) -> FirstWrong | None:
    """The first of some steps that is wrong."""
    bad = next((step for step in steps if step.is_bad), None)
    return FirstWrong(bad.step, bad.wrong_cells) if bad else None


def overall(steps: Iterable[StepReport], faults: bool) -> OverallVerdict:
    """The verdict on a whole file."""
    steps = tuple(steps)
    verdicts = {step.verdict for step in steps}
    if any(step.is_bad for step in steps):
        return OverallVerdict.INCORRECT
    if faults or StepVerdict.UNREADABLE in verdicts:
        return OverallVerdict.UNREADABLE
    blank = any(step.verdict is StepVerdict.BLANK and not step.implied for step in steps)
    missing = blank or any(step.missing for step in steps) or StepVerdict.COARSE in verdicts
    return OverallVerdict.INCOMPLETE if missing or not verdicts else OverallVerdict.CORRECT


def unread(problem: str, answers: str, most: float, errors: Iterable[str]) -> Report:
    """The report on a file that could not be read, of the points that there are for everyone."""
    return Report(
        problem=problem,
        answers=inert(answers),
        student="",
        verdict=OverallVerdict.UNREADABLE,
        score=0.0,
        max_score=most,
        first_wrong=None,
        steps=(),
        errors=tuple(errors),
        is_read=False,
    )
