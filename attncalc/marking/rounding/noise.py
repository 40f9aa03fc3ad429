"""The noise of a step: how far each cell moves if every result on the way is a little off by chance.

How a student rounded may not be known, but the written numbers show to how many decimals or digits. Trials
with errors of that size in every operation give the standard deviation of each cell. An answer that is off by
that much costs few bits, one that is off by much more costs many.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from math import erf, sqrt

import numpy as np

from attncalc.core.fields import Array, Floats
from attncalc.core.graph.graph import Step
from attncalc.core.graph.labels import Kind
from attncalc.marking.answers.answer import AnsweredStep
from attncalc.marking.follow.replay import chain_to
from attncalc.marking.follow.truth import Truth
from attncalc.marking.policy import LIMITS, POLICY
from attncalc.marking.rounding.plans import to_unit, unit_of_digits
from attncalc.marking.rounding.predict import Many, is_by_hand, predict

ALL_PLACES, ALL_DIGITS = range(1, 7), range(2, 7)
"""The decimals and the significant digits for which the noise is measured."""
TRIALS = 16
"""Trials for each of them: enough to know a standard deviation within a fifth."""
ERF = np.vectorize(erf, otypes=[float])


class Noisy(Many):
    """Floats with a first axis of trials, in each of which every operation errs by chance.

    A number that needs no rounding has no error. Chance depends on the number alone, so that equal numbers
    always err alike.
    """

    def __init__(self, batches: int) -> None:
        super().__init__(TRIALS * (len(ALL_PLACES) + len(ALL_DIGITS)), batches)
        places = [*ALL_PLACES, *(0 for _ in ALL_DIGITS)]
        self.units = np.repeat([10.0**-n for n in places], TRIALS)
        self.digits = np.repeat([*(0 for _ in ALL_PLACES), *ALL_DIGITS], TRIALS)
        self.chances = np.random.default_rng(1).uniform(1e5, 1e6, self.count)

    def round_step(self, x: Array, kind: Kind, unit: float | None) -> Array:  # noqa: ARG002
        return self.err(x)

    def err(self, x: Array) -> Array:
        """Numbers with an error of up to half a unit."""
        if not self.is_own(x):
            return x
        axes = (-1, *(1,) * (x.ndim - 1))
        unit, digits = self.units.reshape(axes), self.digits.reshape(axes)
        unit = np.where(digits > 0, unit_of_digits(x, digits), unit)
        with np.errstate(invalid="ignore"):
            exact = np.abs(to_unit(x, unit) - x) <= LIMITS.tie_error * np.abs(x)
            chance = (x * self.chances.reshape(axes)) % 1 - 0.5
        return np.where(np.isfinite(x) & ~exact, x + unit * chance, x)

    def multiply(self, x: Array, y: Array) -> Array:
        return self.err(super().multiply(x, y))

    def divide(self, over: Array, under: Array) -> Array:
        return self.err(super().divide(over, under))

    def apply(self, function: str, x: Array) -> Array:
        return self.err(super().apply(function, x))

    def total(self, x: Array) -> Array:
        return self.err(super().total(x))


@cache
def noisy(batches: int) -> Noisy:
    """The same trials for all steps."""
    return Noisy(batches)


def prices_of_noise(
    truth: Truth, before: Mapping[str, AnsweredStep], answer: AnsweredStep, off: Floats
) -> list[Floats]:
    """For each precision that the numbers show, the bits of every cell that is off by some amount."""
    chain = chain_to(truth, before, answer.step)
    some = answer.is_answered & (answer.unit > 0)
    precisions = find_precisions(answer, some) if is_by_hand(chain) else []
    exact = np.where(off > 0, np.inf, 0)
    deviations = find_deviations(truth, chain) if precisions else exact
    return [np.where(some, price_of_errors(off, answer.unit, deviations[n]), exact) for n in precisions]


def find_deviations(truth: Truth, chain: list[Step]) -> Floats:
    """The standard deviations of the last step of a chain for each precision, found once."""
    key = tuple(step.name for step in chain)
    if key not in truth.deviations:
        expected = truth.floats[chain[-1].name]
        found = predict(truth, chain, truth.floats, {}, noisy(expected.ndim - 2)).values
        square = np.nan_to_num((found - expected) ** 2, nan=0, posinf=0)
        truth.deviations[key] = np.sqrt(square.reshape(-1, TRIALS, *expected.shape).mean(axis=1))
    return truth.deviations[key]


def price_of_errors(off: Floats, unit: Floats, deviation: Floats) -> Floats:
    """The bits of numbers in some unit that miss their values, if errors have a normal distribution."""
    spread = np.sqrt(deviation**2 + (unit / POLICY.slack) ** 2) * sqrt(2)
    spread = np.where(spread > 0, spread, 1)
    within = ERF((off + unit / 2) / spread) - ERF((off - unit / 2) / spread)
    return np.asarray(-np.log2(np.maximum(within / 2, 1e-30)))


def find_precisions(answer: AnsweredStep, some: Array) -> list[int]:
    """The numbers of decimals and of digits at which a student may have worked, as indices."""
    # Computed numbers are floats, not written ones.
    if not some.any() or any(cell is None for cell in answer.cells[some]):
        return []
    digits = digits_of(answer)
    # A few shorter numbers may have lost a zero at the end; a whole row has not.
    units, counts = np.unique(answer.unit[some], return_counts=True)
    rows = (
        answer.unit[(answer.unit == answer.unit[..., :1]).all(axis=-1)] if answer.unit.shape[-1] > 1 else ()
    )
    usual = (counts > POLICY.most_slips * counts.sum()) | (units == units.min()) | np.isin(units, rows)
    units = units[usual]
    finest = np.ceil(-np.log10(units) - LIMITS.tie_error)
    shown = {min(int(places), ALL_PLACES[-1]) for places in finest}
    found = [places - ALL_PLACES[0] for places in sorted(shown) if places >= ALL_PLACES[0]]
    by_digits = [min(digits, ALL_DIGITS[-1]) - ALL_DIGITS[0]] if digits >= ALL_DIGITS[0] else []
    return found + [len(ALL_PLACES) + n for n in by_digits]


def digits_of(answer: AnsweredStep) -> int:
    """The most significant digits of an entry of an answer."""
    some = answer.is_answered & (answer.unit > 0)
    units = np.abs(answer.middle[some]) / answer.unit[some]
    return int(1 + np.floor(np.log10(np.maximum(units, 1)) + LIMITS.tie_error).max(initial=0))
