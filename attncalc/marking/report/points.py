"""What earns the points of an exercise.

Asked cells that are right earn their share. Each mistake costs once: what follows from a wrong step that is
asked for, where it has cost points, earns in full; what follows from one that is not asked for (answered or
not) earns the share that the problem names.

More answers never cost points: a wrong step is also judged without the right ones before it, without some of
the wrong ones, and alone; what gives it most counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from attncalc.core.fields import Floats
from attncalc.core.graph.graph import Step
from attncalc.core.record import record, replace
from attncalc.exercise.solve.points_per_step import Points
from attncalc.exercise.solve.solution import Solution
from attncalc.marking.answers.answer import AnsweredStep, State
from attncalc.marking.follow.judge import Judged, Mark
from attncalc.marking.follow.truth import Truth, largest_of
from attncalc.marking.follow.walk import Walk, walk
from attncalc.marking.policy import POLICY
from attncalc.marking.report.effort import (
    find_constant_cells,
    find_copied,
    is_alike,
    is_effortless,
    is_nothing,
)
from attncalc.marking.report.report import Cells, StepReport
from attncalc.marking.why.attempts import Diagnosis
from attncalc.marking.why.explain import Explained, Reasons
from attncalc.marking.why.paths import find_path
from attncalc.mistakes import SLIP_CODES

if TYPE_CHECKING:
    from attncalc.marking.prepared import Prepared

MOST_COMBINED = 3
"""The most wrong steps of which all combinations are left out."""


@record
class Credit:
    """What every cell of a step earns, from 0 to 1, and the reasons why some earn a share only.

    `given` are the wrong steps that it follows from, `mistake` is one on the way to it, and `among` are the
    answers by which it is judged, if these are not all.
    """

    cells: Floats
    given: tuple[str, ...] = ()
    mistake: Diagnosis | None = None
    among: tuple[str, ...] | None = None
    judged: Judged | None = None
    """How the step is judged by them, if it is right."""
    effortless: str = ""
    """The wrong step that leaves no work for this one, if there is one."""

    @property
    def total(self) -> float:
        """The sum over all cells."""
        return float(self.cells.sum())


Credits = Mapping[str, Credit]


class Marks(Points):
    """The points of one exercise, and which answers earn them."""

    def __init__(self, solution: Solution, truth: Truth) -> None:
        super().__init__(solution)
        self.truth = truth

    @cached_property
    def constant(self) -> Mapping[str, NDArray[np.bool_]]:
        """Which cells of every step are the same whatever is given."""
        return find_constant_cells(self.truth)

    def is_paying(self, name: str) -> bool:
        """Whether a mistake at a step costs points there."""
        return self.of(name) > 0

    def share(self, name: str, cells: Floats) -> float:
        """The share of the points of a step for what its cells earn.

        Cells that need no work count only as far as the others are earned.
        """
        wanted = self.wanted[name]
        earned = float(cells[wanted].mean())
        worked_out = wanted & ~self.constant[name] if earned < 1 else wanted
        return min(earned, float(cells[worked_out].mean())) if worked_out.any() else earned

    def earned(self, name: str, credit: Credit) -> Floats:
        """What every cell of a step earns, so that the asked ones add up to its points."""
        mean = credit.cells[self.wanted[name]].mean()
        return credit.cells * (self.share(name, credit.cells) / mean) if mean else credit.cells

    def is_missing(self, judged: Judged) -> bool:
        """Whether asked cells are left out; an unreadable cell is not."""
        wanted = self.wanted.get(judged.answer.step.name)
        return wanted is not None and bool((wanted & (judged.answer.state <= State.BLANK)).any())

    def with_implied(self, steps: tuple[StepReport, ...]) -> tuple[StepReport, ...]:
        """The steps; those before a right final answer have all their points, if the scheme says so.

        What is answered of them makes no difference: a wrong one must not earn less than one left out.
        """
        counting = [step for step in steps if step.step in self.worth]
        if not self.is_implied or not counting or not is_whole(counting[-1]):
            return steps
        last = counting[-1]
        before = {step.name for step in self.truth.graph.chain(last.step, ())} - {last.step}
        said = f"implied by {last.symbol}, which is right"
        return tuple(
            replace(step, score=step.max_score, missing=False, implied=said)
            if step.step in before and step.score < step.max_score
            else step
            for step in steps
        )


def is_whole(step: StepReport) -> bool:
    """Whether all asked cells of a step are answered and right."""
    return step.verdict.is_right and not step.missing and step.score >= step.max_score > 0


def find_credits(
    prepared: Prepared, answered: Mapping[str, AnsweredStep], found: Walk, explained: Explained
) -> Credits:
    """What the asked steps among the answers earn."""
    marks = prepared.marks
    return {
        name: find_credit(prepared, answered, found, explained, name)
        for name in found.judged
        if name in marks.worth
    }


def find_credit(
    prepared: Prepared, answered: Mapping[str, AnsweredStep], found: Walk, explained: Explained, name: str
) -> Credit:
    """What one step earns: as it is judged among all answers, or among some of them if that gives more."""
    marks = prepared.marks
    own = credit_of_all(prepared, found, explained, name)
    if not is_lost(prepared.truth, found.judged[name], own):
        return own
    others = (judge_among(prepared, answered, name, some) for some in choose_answers(prepared, found, name))
    return max([own, *others], key=lambda one: marks.share(name, one.cells))


def credit_as_judged(prepared: Prepared, found: Walk, explained: Explained) -> Credits:
    """What the asked steps earn as they are judged, if there is no time to judge them otherwise."""
    asked = [name for name in found.judged if name in prepared.marks.worth]
    return {name: credit_of_all(prepared, found, explained, name) for name in asked}


def credit_of_all(prepared: Prepared, found: Walk, explained: Explained, name: str) -> Credit:
    """What a step earns among all answers: a wrong number costs nothing where it changes hardly anything."""
    credit, judged = credit_of(prepared, found, explained, name), found.judged[name]
    if credit.effortless:
        return credit
    unspoilt = (judged.marks == Mark.FOLLOWS) & (credit.cells > 0) & is_unspoilt(prepared.truth, judged)
    return replace(credit, cells=np.where(unspoilt, 1.0, credit.cells))


def is_lost(truth: Truth, judged: Judged, credit: Credit) -> bool:
    """Whether cells might earn more among fewer answers: they earn nothing, or are nearly correct."""
    lost = (credit.cells == 0) | ((credit.cells < 1) & find_near(truth, judged))
    return not credit.effortless and bool((judged.answer.is_answered & lost).any())


def choose_answers(prepared: Prepared, found: Walk, name: str) -> Iterator[tuple[str, ...]]:
    """Some of the answers before a step: the wrong ones, fewer and fewer of these, none; all but one.

    If many are wrong, only none.
    """
    before = {step.name for step in prepared.graph.chain(name, ())} - {name}
    given = tuple(one for one in found.judged if one in before)
    wrong = [one for one in given if found.judged[one].is_wrong]
    sizes = range(len(wrong), -1, -1) if len(wrong) <= MOST_COMBINED else (0,)
    some = [chosen for size in sizes for chosen in combinations(wrong, size)]
    if len(wrong) <= MOST_COMBINED:
        some += combinations(given, max(0, len(given) - 1))
    yield from dict.fromkeys(chosen for chosen in some if chosen != given)


def judge_among(
    prepared: Prepared, answered: Mapping[str, AnsweredStep], name: str, some: tuple[str, ...]
) -> Credit:
    """What a step earns if it is judged by some of the answers only; alone, mistakes on the way are tried."""
    chosen = {one: step for one, step in answered.items() if one in (*some, name)}
    found = walk(prepared.truth, chosen, set(), prepared.excuse)
    if Mark.COARSE in found.judged[name].present:
        found, _ = find_path(prepared.doctor, chosen, found, prepared.excuse)
    is_tried = not some and found.judged[name].is_wrong
    reasons = {name: find_reasons(prepared, found, name)} if is_tried else {}
    judged = found.judged[name]
    credit = credit_of(prepared, found, Explained(reasons), name)
    near = (judged.marks != Mark.ROUNDED) | find_near(prepared.truth, judged)
    right = judged if judged.is_right and near.all() else None
    return replace(credit, cells=np.where(near, credit.cells, 0.0), among=some, judged=right)


def find_near(truth: Truth, judged: Judged) -> NDArray[np.bool_]:
    """Which numbers are so near to the correct ones that they are right whatever else is answered."""
    answer, expected = judged.answer, truth.floats[judged.answer.step.name]
    off, largest = np.abs(answer.middle - expected), largest_of(expected)
    hardly = (off <= POLICY.doubt_of_largest * largest) & (off <= POLICY.fine * np.abs(expected))
    return np.asarray(hardly | ((off <= answer.unit) & (answer.unit <= POLICY.fine * largest)))


def find_reasons(prepared: Prepared, found: Walk, name: str) -> Reasons:
    """The mistakes that explain a wrong step."""
    matches = prepared.doctor.explanations(found, name, pairs=False)
    return Reasons(tuple(one for n, match in enumerate(matches) for one in match.diagnoses(n)))


def credit_of(prepared: Prepared, found: Walk, explained: Explained, name: str) -> Credit:
    """What the cells of a step earn as it is judged, and why."""
    marks, judged = prepared.marks, found.judged[name]
    right = (judged.marks == Mark.CORRECT) | (judged.marks == Mark.ROUNDED)
    if is_alike(judged) or find_copied(prepared.truth, found, judged):
        return Credit(np.zeros(judged.marks.shape), effortless=find_cause(prepared, found, judged))
    if judged.is_right or is_effortless(prepared.truth, found, judged):
        return Credit(right.astype(float), effortless=find_cause(prepared, found, judged))
    follows = judged.marks == Mark.FOLLOWS
    unpaid = find_unpaid(prepared, found, explained, judged.answer.step) if follows.any() else ()
    if any(is_nothing(prepared.truth, found.judged[one]) for one in unpaid):
        return Credit(right.astype(float), effortless=find_cause(prepared, found, judged))
    earlier = find_earlier_mistake(prepared, found, explained, name)
    besides = mask_of(judged, earlier.besides if earlier else ())
    explained_cells = judged.wrong & ~besides if earlier else np.zeros_like(right)
    cells = np.where(right, 1.0, np.where(follows, marks.follow if unpaid else 1.0, 0.0))
    return Credit(np.where(explained_cells, marks.follow, cells), unpaid, earlier)


def is_unspoilt(truth: Truth, judged: Judged) -> NDArray[np.bool_]:
    """Which cells no wrong number changes by much: the student's own numbers give the correct value, too."""
    expected, (low, high) = truth.range(judged.answer.step.name), (judged.allowed.low, judged.allowed.high)
    with np.errstate(invalid="ignore"):
        is_narrow = high - low <= POLICY.fine * largest_of(expected.low)
    return np.asarray((low <= expected.low) & (high >= expected.high) & is_narrow)


def find_cause(prepared: Prepared, found: Walk, judged: Judged) -> str:
    """The wrong step that leaves no work for a step that follows from it, under its name in the course."""
    if Mark.FOLLOWS not in judged.present:
        return ""
    sources = find_sources(prepared, found, judged.answer.step)
    return prepared.symbols[sources[-1]] if sources else ""


def mask_of(judged: Judged, cells: Cells) -> NDArray[np.bool_]:
    """The mask of some cells, which are counted from 1."""
    mask = np.zeros(judged.marks.shape, dtype=bool)
    for cell in cells:
        mask[tuple(n - 1 for n in cell)] = True
    return mask


def find_earlier_mistake(
    prepared: Prepared, found: Walk, explained: Explained, name: str
) -> Diagnosis | None:
    """The first single mistake that explains a wrong step, and was made before it in a step left out.

    A slip, or two mistakes at once, leave nothing to earn.
    """
    if name not in explained.reasons or not found.judged[name].is_wrong:
        return None
    before = {step.name for step in prepared.graph.chain(name, ())} - {name} - found.judged.keys()
    diagnoses = explained.reasons[name].diagnoses
    groups = Counter(one.group for one in diagnoses)
    single = (one for one in diagnoses if groups[one.group] == 1 and one.mistake not in SLIP_CODES)
    return next((one for one in single if one.step in before), None)


def find_unpaid(prepared: Prepared, found: Walk, explained: Explained, step: Step) -> tuple[str, ...]:
    """The wrong steps that a step follows from, and that cost no points themselves or on the way to it."""
    marks = prepared.marks
    before: set[str] = set(step.inputs)
    unpaid: list[str] = []
    is_paid = False
    for earlier in reversed(prepared.graph.steps):
        judged = found.judged.get(earlier.name) if earlier.name in before else None
        if judged and (judged.is_wrong or Mark.FOLLOWS in judged.present) and marks.is_paying(earlier.name):
            is_paid = True
        elif judged and judged.is_wrong:
            unpaid.insert(0, earlier.name)
        elif earlier.name in before:
            before.update(earlier.inputs)
    if unpaid or is_paid:
        return tuple(unpaid)
    # The mistake was made in a step that is left out, and shows first in one that it does not come from.
    return tuple(name for name in explained.sources if not marks.is_paying(name))


def find_sources(prepared: Prepared, found: Walk, step: Step) -> list[str]:
    """The last wrong steps that a step depends on."""
    before: set[str] = set(step.inputs)
    sources: list[str] = []
    for earlier in reversed(prepared.graph.steps):
        if earlier.name in before:
            if earlier.name in found.judged and found.judged[earlier.name].is_wrong:
                sources.insert(0, earlier.name)
            else:
                before.update(earlier.inputs)
    return sources
