"""The report on one student's answers: verdicts, points and reasons, ready for any format."""

from __future__ import annotations

from collections.abc import Iterable, Sized
from math import fsum
from typing import Protocol

from attncalc.core.errors import inert
from attncalc.core.fields import Floats
from attncalc.core.record import record, replace
from attncalc.exercise.solve.solution import Solution, SolvedStep
from attncalc.marking.follow.judge import Judged
from attncalc.marking.roster import NO_PERSON, Person
from attncalc.marking.verdicts import OverallVerdict, StepVerdict
from attncalc.marking.why.attempts import Diagnosis

Cells = tuple[tuple[int, ...], ...]
SAME_MISTAKE, GIVEN_MISTAKE = "the same mistake as in your", "right, given the mistake in your"
ARRAYS = ("judged", "mistaken", "carried", "expected", "earned")
"""The fields of a step that are kept in memory only."""


@record
class StepReport:
    """One step: its verdict, the wrong cells (counted from 1), its points, and the reasons.

    `follows_from` are the wrong steps on which it depends, `given` the same under their names in the course.
    `expected` is the correct step, if the level shows it.
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
    """Why a step that follows earns nothing, if so."""
    credit: str = ""
    """Why it earns a share of its points, if so, with a slot for every name in `credited`."""
    credited: tuple[str, ...] = ()
    earned: Floats | None = None
    """What every cell earns, from 0 to 1."""
    rounding: str = ""
    """How the student rounded, if that explains a right step."""
    follows_from: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    shares: str = ""
    """How it shares the mistake found at these steps, if it does not follow from their numbers."""
    judged: Judged | None = None
    mistaken: Floats | None = None
    """The values of the named mistake in the wrong cells that it explains."""
    carried: Floats | None = None
    """The values of a wrong step that the numbers written before it give."""
    missing: bool = False
    is_all_wrong: bool = False
    """Whether all entries are wrong."""
    has_few_before: bool = False
    """Whether only the numbers before it have too few digits to judge it."""
    is_doubtful: bool = False
    """Whether a number with too few digits is not one that the correct value rounds to."""
    misshapen: tuple[str, ...] = ()
    """The wrong shapes, each with the expected one."""
    against: tuple[str, ...] = ()
    """The wrong steps, under their names in the course, from which some of its numbers do not follow."""
    implied: str = ""
    """Why an unanswered step has its points, if so."""
    expected: SolvedStep | None = None
    reached: str = ""
    """What a design gives, if this step is its goal."""
    waiting: str = ""
    """What must be answered before it can be judged."""

    def __repr__(self) -> str:
        return f"<{self.step} {self.verdict}>"

    @property
    def is_bad(self) -> bool:
        """Whether a cell or the shape is wrong."""
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
    words: str = ""
    """The verdict in words, if the steps that it is about are not shown."""
    own: Solution | None = None
    """The problem solved with the student's own design, if there is one."""
    notes: tuple[str, ...] = ()
    """How names and values were read that are written otherwise than the contract has them."""
    is_flawed: bool = False
    """Whether something answered is wrong or cannot be read, whatever it costs."""
    person: Person = NO_PERSON
    """The student on the roster, or as far as the names of exported files say."""
    is_late: bool = False
    handed_in: tuple[str, ...] = ()
    """How it was handed in: late, beside other files, by a student not on the roster, or not at all."""

    def __repr__(self) -> str:
        found = ", ".join(f"{step.step} {step.verdict}" for step in self.steps) or "nothing read"
        return f"<Report {self.verdict}, {self.score:g} of {self.max_score:g} points: {found}>"

    @property
    def is_missing(self) -> bool:
        """Whether it is on a student of the roster who handed nothing in."""
        return not self.answers

    @property
    def exit_code(self) -> int:
        """0 when nothing is wrong, 1 when something is, 2 when the file could not be read at all."""
        if not self.is_read:
            return 2
        return int(self.is_flawed or bool(self.errors))

    @property
    def unanswered(self) -> float:
        """The points of asked steps that are in no step of the report."""
        return self.max_score - fsum(step.max_score for step in self.steps)

    def light(self) -> Report:
        """The same report without arrays, for sending it to another process."""
        steps = tuple(replace(step, **dict.fromkeys(ARRAYS)) for step in self.steps)
        return replace(self, steps=steps, own=None)

    @property
    def mistakes(self) -> tuple[str, ...]:
        """The codes of all mistakes found, each once."""
        return tuple(dict.fromkeys(d.mistake for step in self.steps for d in step.diagnoses))


class Reports(Sized, Iterable[Report], Protocol):
    """Reports that can be iterated more than once."""


def find_first_wrong(steps: Iterable[StepReport]) -> FirstWrong | None:
    """The first of some steps that is wrong."""
    bad = next((step for step in steps if step.is_bad), None)
    return FirstWrong(bad.step, bad.wrong_cells) if bad else None


def is_flawed(steps: Iterable[StepReport], errors: Iterable[str]) -> bool:
    """Whether something answered is wrong or cannot be read."""
    return any(errors) or any(step.is_bad or step.verdict is StepVerdict.UNREADABLE for step in steps)


def overall(steps: Iterable[StepReport], faults: bool) -> OverallVerdict:
    """The verdict on a whole file: correct if and only if it has all points, whatever else is answered."""
    steps = tuple(steps)
    asked = [step for step in steps if step.max_score > 0]
    if asked and all(step.score >= step.max_score for step in asked):
        return OverallVerdict.CORRECT
    is_tried = any(step.verdict is not StepVerdict.BLANK for step in asked)
    if is_tried and any(step.is_bad for step in steps):
        return OverallVerdict.INCORRECT
    if faults or any(step.verdict is StepVerdict.UNREADABLE for step in steps):
        return OverallVerdict.UNREADABLE
    return OverallVerdict.INCOMPLETE


def not_handed_in(problem: str, most: float, person: Person) -> Report:
    """The report on a student of the roster who handed nothing in."""
    return Report(
        problem=problem,
        answers="",
        student=inert(person.name or person.id),
        verdict=OverallVerdict.INCOMPLETE,
        score=0.0,
        max_score=most,
        first_wrong=None,
        steps=(),
        errors=(),
        person=person,
        handed_in=("did not hand in",),
    )


def unread(problem: str, answers: str, most: float, errors: Iterable[str]) -> Report:
    """The report on a file that could not be read."""
    return Report(
        problem=problem,
        answers=inert(answers),
        student="",
        verdict=OverallVerdict.UNREAD,
        score=0.0,
        max_score=most,
        first_wrong=None,
        steps=(),
        errors=tuple(errors),
        is_read=False,
        is_flawed=True,
    )
