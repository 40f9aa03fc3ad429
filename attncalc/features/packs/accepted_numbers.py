"""The asked cells of an exercise, for systems that mark each alone: correct values and those of mistakes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm

import numpy as np
from numpy.typing import NDArray

from attncalc.core.fields import Floats
from attncalc.core.record import record
from attncalc.features.authoring.lint.batches import only_set
from attncalc.features.authoring.lint.wrong_answers import Exercise, Sheet, Trial
from attncalc.features.authoring.vary.variant_key import PRECISION
from attncalc.marking.policy import POLICY
from attncalc.marking.why.attempts import diagnoses_of
from attncalc.mistakes import MISTAKES
from attncalc.worked.rounding import round_to_places

NEAR = 5
"""Within this multiple of its leeway a number is off by rounding or a slip, never by a misunderstanding."""
MOST_NAMED_MISTAKES = 3
"""The most mistakes named for one number: if more give it, none is named."""
MOST_WRONG = 40
"""The most wrong numbers of one cell: other systems have to read them all."""
SHARES_OF_A_POINT = 1000
"""What the points of a step are taken to, as shares of one."""
BEHIND = {mistake.code: mistake.behind for mistake in MISTAKES}


@record
class Range:
    """A number, and the accepted distance from it."""

    middle: Decimal
    leeway: Decimal

    def is_near(self, number: Decimal) -> bool:
        """Whether a number is accepted, or so near that rounding on the way may have led to it."""
        return abs(number - self.middle) <= NEAR * self.leeway


@record
class Wrong:
    """A wrong value of a cell: codes and sentences of its mistakes, and a question if there is only one."""

    range: Range
    mistakes: tuple[str, ...]
    sentences: tuple[str, ...]
    question: str


@record
class Blank:
    """One cell: its correct range (None for −∞), its wrong values, its decimals, its share of the marks."""

    right: Range | None
    wrong: tuple[Wrong, ...]
    places: int
    weight: int


class Blanks:
    """All asked cells of an exercise."""

    def __init__(self, exercise: Exercise) -> None:
        self.exercise, self.solution = exercise, exercise.solution
        self.sheet = Sheet(exercise, only_set(exercise.right.floats))

    def find(self, name: str, at: tuple[int, ...]) -> Blank:
        """The cell of a step, counted from 0."""
        right = self.right(name, at)
        wrong = sorted(self.wrong(name, at, right), key=lambda one: len(one.mistakes)) if right else []
        return Blank(right, tuple(wrong[:MOST_WRONG]), self.places(name), self.weights[name])

    def is_whole(self, name: str) -> bool:
        """Whether all numbers of a step are whole."""
        value = self.solution[name].value
        return bool(np.all(np.isneginf(value) | (value == np.round(value))))

    def places(self, name: str) -> int:
        """The number of decimals of a step: 0 if all its numbers are whole."""
        return 0 if self.is_whole(name) else self.exercise.places(name)

    def right(self, name: str, at: tuple[int, ...]) -> Range | None:
        """The correct number rounded as asked, with half a unit of leeway; None for −∞."""
        number = self.solution[name].numbers[at]
        if self.solution[name].value[at] == -np.inf:
            return None
        places = self.places(name)
        exact = self.solution.trace.field.decimal(number, PRECISION + max(0, places))
        rounded = round_to_places(exact, places)
        leeway = Decimal(0) if self.is_whole(name) else half_unit(rounded, places)
        # For a number halfway between two, both ways of rounding are correct.
        is_between = abs(exact - rounded) == leeway > 0
        return Range(round_to_places(exact, places + 1) if is_between else rounded, leeway)

    def wrong(self, name: str, at: tuple[int, ...], right: Range) -> Iterator[Wrong]:
        """The wrong values that mistakes give, unless too many mistakes give the same."""
        places = self.exercise.places(name)
        found: dict[Decimal, list[Trial]] = {}
        for trial, row in self.handed:
            units = row[self.column(name, at)]
            if np.isfinite(units):
                number = Decimal(round(units)).scaleb(-places)
                found.setdefault(number, []).append(trial)
        for number, trials in found.items():
            told = without_second_names(trials)
            codes = tuple(dict.fromkeys(trial.code for trial in told))
            if not right.is_near(number) and len(codes) <= MOST_NAMED_MISTAKES:
                yield self.name(Range(number, half_unit(number, places)), codes, told)

    def name(self, range_: Range, codes: tuple[str, ...], trials: list[Trial]) -> Wrong:
        """The description of a wrong value."""
        sentences = dict.fromkeys(
            diagnosis.message for trial in trials for diagnosis in diagnoses_of(trial.attempt)
        )
        question = trials[0].attempt.mistakes[0].question if len(codes) == 1 else ""
        return Wrong(range_, codes, tuple(sentences), question)

    @cached_property
    def handed(self) -> list[tuple[Trial, Floats]]:
        """The answers with each mistake, in units of the last place, if their shape is correct."""
        each = self.exercise.hand_in(self.exercise.right.floats).each
        return [
            (trial, np.frombuffer(found))
            for trial, found in zip(self.exercise.trials, each, strict=True)
            if found is not None and not trial.is_misshapen
        ]

    def column(self, name: str, at: tuple[int, ...]) -> int:
        """The column of a cell in the answers."""
        start = int(self.sheet.places[name].start)
        before = self.exercise.wanted[name].ravel()[: np.ravel_multi_index(at, self.solution[name].shape)]
        return start + int(before.sum())

    @cached_property
    def weights(self) -> Mapping[str, int]:
        """The share of one cell of each step in the marks."""
        return share_out(self.exercise.prepared.marks.worth, self.exercise.wanted)


def share_out(worth: Mapping[str, float], wanted: Mapping[str, NDArray[np.bool_]]) -> dict[str, int]:
    """The points of steps shared by their asked cells, as the smallest whole numbers."""
    shares = {
        name: Fraction(worth.get(name, 0)).limit_denominator(SHARES_OF_A_POINT) / int(mask.sum())
        for name, mask in wanted.items()
    }
    whole = lcm(*(share.denominator for share in shares.values()))
    weights = {name: int(share * whole) for name, share in shares.items()}
    divisor = gcd(*weights.values()) or 1
    return {name: weight // divisor for name, weight in weights.items()}


def half_unit(number: Decimal, places: int) -> Decimal:
    """Half a unit of the last of n places, or of the last digit that is judged."""
    last = number.adjusted() - POLICY.judged_digits + 1 if number else -places
    return Decimal(5).scaleb(max(-places, last) - 1)


def without_second_names(trials: list[Trial]) -> list[Trial]:
    """Mistakes with the same value, without those that an earlier mistake among them explains."""
    codes = {trial.code for trial in trials}
    return [trial for trial in trials if codes.isdisjoint(BEHIND.get(trial.code, ()))]
