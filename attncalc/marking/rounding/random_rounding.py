"""The error of a step if every result on the way to it is rounded up or down by chance.

How a student rounded is not known, but the written numbers show to how many decimals or digits. An answer
that is off by less than such roundings is not wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np

from attncalc.core.fields import Array, Floats
from attncalc.core.graph.graph import Step
from attncalc.core.graph.labels import Kind
from attncalc.marking.answers.answer import AnsweredStep
from attncalc.marking.follow.replay import chain_to
from attncalc.marking.follow.truth import Truth
from attncalc.marking.policy import POLICY
from attncalc.marking.rounding.predict import Many, is_by_hand, predict


class ByChance(Many):
    """Floats with a first axis of trials, each of which rounds every result by chance.

    Every other trial also rounds inside a step. A number that needs no rounding keeps its value. Chance
    depends on the number alone, so that equal numbers are always rounded alike.
    """

    def __init__(self, batches: int) -> None:
        places, digits, trials = POLICY.scatter_places, POLICY.scatter_digits, POLICY.trials
        super().__init__(trials * (len(places) + len(digits)), batches)
        self.last = np.repeat([-float(n) for n in (*places, *digits)], trials)
        self.by_digits = slice(trials * len(places), None)
        self.chances = np.random.default_rng(1).uniform(1e5, 1e6, self.count)
        self.within = np.arange(self.count) % 2 == 0

    def round_step(self, x: Array, kind: Kind, unit: float | None) -> Array:  # noqa: ARG002
        return self.measure_scatter(x)

    def measure_scatter(self, x: Array) -> Array:
        """Numbers as each of the people rounds them."""
        axes = (-1, *(1,) * (x.ndim - 1))
        size = np.abs(x[self.by_digits])
        last = np.broadcast_to(self.last.reshape(axes), x.shape).copy()
        last[self.by_digits] += 1 + np.floor(np.log10(np.where((size > 0) & np.isfinite(size), size, 1)))
        unit = 10.0**last
        chance = (x * self.chances.reshape(axes)) % 1 - 0.5
        return np.where(np.isfinite(x), np.rint(x / unit + POLICY.chance * chance) * unit, x)

    def between(self, x: Array) -> Array:
        """Round numbers inside a step; those shared by all trials are unchanged."""
        if not x.ndim or len(x) != self.count:
            return x
        return np.where(self.within.reshape(-1, *(1,) * (x.ndim - 1)), self.measure_scatter(x), x)

    def multiply(self, x: Array, y: Array) -> Array:
        return self.between(super().multiply(x, y))

    def divide(self, over: Array, under: Array) -> Array:
        return self.between(super().divide(over, under))

    def apply(self, function: str, x: Array) -> Array:
        return self.between(super().apply(function, x))

    def total(self, x: Array) -> Array:
        return self.between(super().total(x))


@cache
def many_by_chance(batches: int) -> ByChance:
    """The same trials for all steps."""
    return ByChance(batches)


def scatter(truth: Truth, before: Mapping[str, AnsweredStep], answer: AnsweredStep) -> Floats | None:
    """The error of each cell of a step under rounding by chance, at the precision of the answer."""
    chain = chain_to(truth, before, answer.step)
    if not (is_long(chain) and is_by_hand(chain)) or not (precisions := find_precisions(answer)):
        return None
    names = tuple(step.name for step in chain)
    if names not in truth.scatters:
        truth.scatters[names] = measure_scatter(truth, chain)
    off: Floats = truth.scatters[names][precisions].max(axis=0)
    # The result may have been rounded twice: with a digit more, then to the written digits.
    return np.asarray(np.maximum(off, 2 * answer.unit / POLICY.slack))


def is_long(chain: list[Step]) -> bool:
    """Whether a chain leads through a block, or is a gradient; for shorter ones all habits are listed."""
    return any(step.label.of or step.label.layer is not None for step in chain)


def measure_scatter(truth: Truth, chain: list[Step]) -> Floats:
    """For each precision, the error of the last step of a chain under rounding by chance."""
    expected = truth.floats[chain[-1].name]
    found = predict(truth, chain, truth.floats, {}, many_by_chance(expected.ndim - 2)).values
    off = np.abs(found - expected)
    furthest = np.where(np.isfinite(off), off, 0).reshape(-1, POLICY.trials, *expected.shape).max(axis=1)
    # If the numbers of one cell happen to need no rounding, another student's do.
    size = np.where(np.isfinite(expected), np.abs(expected), 0)
    shares = np.divide(furthest, size, out=np.zeros(furthest.shape), where=size > 0)
    usual = np.median(shares.reshape(len(shares), -1), axis=1).reshape(-1, *(1,) * expected.ndim)
    return np.asarray(np.maximum(furthest, usual * size))


def find_precisions(answer: AnsweredStep) -> list[int]:
    """Return the indices of the precisions that fit how the step is written."""
    # Computed numbers are floats, not written ones.
    is_written = np.array([cell is not None for cell in answer.cells.flat]).reshape(answer.cells.shape)
    rounded = is_written & answer.is_answered & (answer.unit > 0)
    if not rounded.any():
        return []
    unit, size = answer.unit[rounded], np.abs(answer.middle[rounded])
    digits = 1 + np.floor(np.log10(np.maximum(size[size > 0] / unit[size > 0], 1)) + POLICY.tie_error)
    all_places, all_digits = POLICY.scatter_places, POLICY.scatter_digits
    by_places = min(round(-np.log10(unit.min())), all_places[-1]) - all_places[0]
    by_digits = min(int(digits.max(initial=0)), all_digits[-1]) - all_digits[0]
    # Equal decimals and unequal digits: the student rounded to decimals, not to digits.
    counts_places, counts_digits = np.ptp(unit) == 0, digits.size and np.ptp(digits) == 0
    found = [] if counts_digits and not counts_places else [by_places]
    found += [] if counts_places and not counts_digits else [by_digits + len(all_places)] * (by_digits >= 0)
    return [n for n in found if n >= 0]
