"""What is found in one student's answers: verdicts, marks and reasons, ready for any format."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from attncalc.checking.diagnose import Diagnosis
from attncalc.checking.follow import Judged
from attncalc.record import record

Cells = tuple[tuple[int, ...], ...]


@record
class StepReport:
    """One step: its verdict, the cells that are wrong (counted from 1), its marks, and why.

    `follows_from` are the wrong steps it goes back to, `given` the same as the course calls them.
    """

    step: str
    symbol: str
    verdict: str
    wrong_cells: Cells
    score: float
    max_score: float
    diagnoses: tuple[Diagnosis, ...] = ()
    remarks: tuple[str, ...] = ()
    follows_from: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    judged: Judged | None = None
    missing: bool = False


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
    verdict: str
    score: float
    max_score: float
    first_wrong: FirstWrong | None
    steps: tuple[StepReport, ...]
    errors: tuple[str, ...]

    @property
    def exit_code(self) -> int:
        """0 when nothing is wrong, 1 when something is, 2 when the file could not be read at all."""
        if self.verdict == "unreadable" and not self.steps:
            return 2
        return int(self.verdict in ("incorrect", "unreadable") or bool(self.errors))

    def light(self) -> Report:
        """The same without the arrays, to be sent from process to process."""
        plain = (StepReport(**{**vars(step), "judged": None}) for step in self.steps)
        return Report(**{**vars(self), "steps": tuple(plain)})

    @property
    def mistakes(self) -> tuple[str, ...]:
        """The codes of all mistakes found, each once."""
        return tuple(dict.fromkeys(d.mistake for step in self.steps for d in step.diagnoses))


def overall(steps: Iterable[StepReport], faults: bool) -> str:
    """The verdict on a whole file."""
    steps = tuple(steps)
    verdicts = {step.verdict for step in steps}
    missing = any(step.missing for step in steps)
    if "shape" in verdicts or any(step.wrong_cells for step in steps):
        return "incorrect"
    if faults or "unreadable" in verdicts:
        return "unreadable"
    return "incomplete" if not verdicts or missing or verdicts & {"coarse", "blank"} else "correct"


def unread(problem: str, answers: str, errors: Iterable[str]) -> Report:
    """The report on a file that could not be read."""
    return Report(problem, answers, "", "unreadable", 0.0, 0.0, None, (), tuple(errors))


def counted(cells: NDArray[np.bool_]) -> Cells:
    """The indices where a mask holds, counted from 1."""
    return tuple(tuple(int(n) + 1 for n in at) for at in np.argwhere(cells))
