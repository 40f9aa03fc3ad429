"""Mistakes that were tried: their results, and what is said if one matches the answer."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from attncalc.core.fields import Floats
from attncalc.core.record import record, replace
from attncalc.core.terms.formulas import Text
from attncalc.marking.answers.answer import AnsweredStep
from attncalc.marking.follow.replay import Attempt
from attncalc.worked.prose import to_words


@record
class Diagnosis:
    """A mistake that explains an answer, and the step at which it was made.

    Mistakes of one group explain it only together; different groups are alternatives. `cells` is the number
    of wrong cells that it explains, `besides` are those that it contradicts, counted from 1.
    """

    mistake: str
    step: str
    text: Text
    group: int = 0
    cells: int = 0
    besides: tuple[tuple[int, ...], ...] = ()

    @property
    def message(self) -> str:
        """The text as words on one line."""
        return to_words(self.text)


def diagnoses_of(attempt: Attempt, group: int = 0) -> tuple[Diagnosis, ...]:
    """The diagnoses of an attempt that matches."""
    return tuple(
        Diagnosis(mistake.code, variation.step.name, variation.message or mistake.sentence, group)
        for mistake, variation in zip(attempt.mistakes, attempt.variations, strict=True)
    )


@record
class Match:
    """An attempt that explains an answer: the number of explained cells, the other cells, and the result.

    `slips` are those of the other cells (`besides`) that it contradicts.
    """

    attempt: Attempt
    cells: int
    besides: tuple[tuple[int, ...], ...]
    slips: tuple[tuple[int, ...], ...]
    result: Floats
    price: float
    """The bits that the explanation costs."""

    def diagnoses(self, group: int) -> tuple[Diagnosis, ...]:
        """Its diagnoses."""
        found = diagnoses_of(self.attempt, group)
        return tuple(replace(one, cells=self.cells, besides=self.slips) for one in found)


@record
class Table:
    """Attempts with their results, stacked for one comparison."""

    attempts: list[Attempt]
    results: Floats

    @cached_property
    def choices(self) -> int:
        """The number of mistakes to choose from: the ways to make one at a step are one choice."""
        return len({(one.mistakes, tuple(v.step.name for v in one.variations)) for one in self.attempts})

    def just(self, answer: AnsweredStep) -> list[Attempt]:
        """The attempts that give the whole answer."""
        where = answer.is_answered
        results = self.results[:, where]
        met = (answer.box_low[where] <= results) & (answer.box_high[where] >= results)
        return [self.attempts[n] for n in np.nonzero(met.all(axis=-1))[0]]
