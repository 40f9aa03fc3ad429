"""What earns the points of an exercise."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from attncalc.core.record import replace
from attncalc.exercise.solve.points_per_step import Points
from attncalc.marking.answers.answer import AnsweredStep, State
from attncalc.marking.follow.judge import Judged, Mark
from attncalc.marking.follow.truth import Truth, extent_of
from attncalc.marking.policy import POLICY
from attncalc.marking.report.report import StepReport
from attncalc.marking.verdicts import StepVerdict


class Marks(Points):
    """The points of one exercise, and which answers earn them."""

    def earned(self, judged: Judged, is_spoiled: bool) -> float:
        """The share of the asked cells of a step that earn its points."""
        if is_alike(judged):
            return 0.0
        name = judged.answer.step.name
        counting = self.wanted.get(name, np.ones(judged.marks.shape, dtype=bool))
        return float((find_earning(judged, is_spoiled) & counting).sum() / counting.sum())

    def with_implied(self, steps: tuple[StepReport, ...]) -> tuple[StepReport, ...]:
        """The steps; unanswered ones have all their points if a right final answer implies them."""
        counting = [step for step in steps if step.step in self.worth]
        if not self.is_implied or not counting or not is_whole(counting[-1]):
            return steps
        said = f"implied by {counting[-1].symbol}, which is right"
        return tuple(
            replace(step, score=step.max_score, missing=False, implied=said)
            if step.verdict is StepVerdict.BLANK and step.max_score
            else step
            for step in steps
        )

    def is_missing(self, judged: Judged) -> bool:
        """Whether asked cells are left out; an unreadable cell is not."""
        wanted = self.wanted.get(judged.answer.step.name)
        return wanted is not None and bool((wanted & (judged.answer.state <= State.BLANK)).any())


def is_alike(judged: Judged) -> bool:
    """Whether a step that is not right has the same number in all of its cells, three or more."""
    if judged.is_right or not judged.answer.is_answered.all():
        return False
    numbers = judged.answer.middle.ravel()
    return len(numbers) > 2 and bool(np.all(numbers == numbers[0]))


def find_earning(judged: Judged, is_spoiled: bool) -> NDArray[np.bool_]:
    """Which cells earn points."""
    best = Mark.ROUNDED if is_spoiled else Mark.FOLLOWS
    return np.asarray((judged.marks >= Mark.CORRECT) & (judged.marks <= best))


def is_whole(step: StepReport) -> bool:
    """Whether all asked cells of a step are answered and right."""
    return step.verdict.is_right and not step.missing and step.score >= step.max_score > 0


def is_trivial(truth: Truth, answer: AnsweredStep, before: Mapping[str, Judged]) -> bool:
    """Whether an answer leaves no work for later steps: all alike, one entry a row, rows copied."""
    middle = answer.middle
    expected = truth.range(answer.step.name).low
    if not answer.is_answered.all() or middle.size < 2:
        return False
    if extent_of(middle) <= POLICY.flat * extent_of(expected) and extent_of(expected) > 0:
        return True
    if is_selection(middle) and not is_selection(expected):
        return True
    if answer.step.kind.stage == "output":
        values = truth.graph.find("values", answer.step.head) or ""
        rows = before[values].answer.low if values in before else truth.floats.get(values)
        return rows is not None and is_copied(middle, rows) and not is_copied(expected, rows)
    return False


def is_selection(matrix: NDArray[np.float64]) -> bool:
    """Whether no row has more than one entry, so that a product with it only picks rows."""
    return bool(np.all(((matrix != 0) & np.isfinite(matrix)).sum(axis=-1) <= 1))


def is_copied(rows: NDArray[np.float64], others: NDArray[np.float64]) -> bool:
    """Whether every row is nearly one of the others."""
    off = np.abs(rows[..., :, None, :] - others[..., None, :, :]).max(axis=-1).min(axis=-1)
    return bool(np.all(off <= POLICY.copied * max(float(np.ptp(others)), 1e-12)))
