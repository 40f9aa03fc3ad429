"""How far a step scatters when every result on the way to it is rounded up or down by chance.

Nobody's own way of rounding is known, but how finely it was done shows in what is written: to so many
decimals, or to so many digits. What is off by less than such roundings come to is not wrong.
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
from attncalc.marking.rounding.habits import Many, carried, is_by_hand


class ByChance(Many):
    """Floats as many people have them along a first axis, each of whom rounds every result by chance.

    Every other one rounds within a step, too. What needs no rounding keeps its value. Chance is what the
    number itself makes of it, so that the same numbers always scatter alike.
    """

    def __init__(self, batches: int) -> None:
        places, digits, trials = POLICY.scatter_places, POLICY.scatter_digits, POLICY.trials
        super().__init__(trials * (len(places) + len(digits)), batches)
        self.last = np.repeat([-float(n) for n in (*places, *digits)], trials)
        self.by_digits = slice(trials * len(places), None)
        self.chances = np.random.default_rng(1).uniform(1e5, 1e6, self.count)
        self.within = np.arange(self.count) % 2 == 0

    def rounded(self, x: Array, kind: Kind) -> Array:  # noqa: ARG002
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
        """Numbers within a step; those that all people have in common are left alone."""
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
    """The same people for all steps."""
    return ByChance(batches)


def scatter(truth: Truth, before: Mapping[str, AnsweredStep], answer: AnsweredStep) -> Floats | None:
    """How far each cell of a step may be off by rounding on the way, as finely as it is told itself."""
    chain = chain_to(truth, before, answer.step)
    if not (is_long(chain) and is_by_hand(chain)) or not (precisions := find_precisions(answer)):
        return None
    names = tuple(step.name for step in chain)
    if names not in truth.scatters:
        truth.scatters[names] = measure_scatter(truth, chain)
    off: Floats = truth.scatters[names][precisions].max(axis=0)
    # The result itself may have been rounded twice: with a digit more, then to what is written.
    return np.asarray(np.maximum(off, 2 * answer.unit / POLICY.slack))


def is_long(chain: list[Step]) -> bool:
    """Whether a way leads through a block, or back; of shorter ones all habits are known."""
    return any(step.label.of or step.label.layer is not None for step in chain)


def measure_scatter(truth: Truth, chain: list[Step]) -> Floats:
    """For each precision, how far rounding by chance takes the last step of a chain from what is right."""
    expected = truth.floats[chain[-1].name]
    found = carried(truth, truth.floats, chain, {}, many_by_chance(expected.ndim - 2), {})
    off = np.abs(found - expected)
    furthest = np.where(np.isfinite(off), off, 0).reshape(-1, POLICY.trials, *expected.shape).max(axis=1)
    # Where the numbers of one cell happen to need no rounding, another student's will.
    size = np.where(np.isfinite(expected), np.abs(expected), 0)
    shares = np.divide(furthest, size, out=np.zeros(furthest.shape), where=size > 0)
    usual = np.median(shares.reshape(len(shares), -1), axis=1).reshape(-1, *(1,) * expected.ndim)
    return np.asarray(np.maximum(furthest, usual * size))


def find_precisions(answer: AnsweredStep) -> list[int]:
    """How finely one may have worked who tells a step so: which of all decimals, and which of all digits."""
    # What a program has computed is given as floats, not written.
    is_written = np.array([cell is not None for cell in answer.cells.flat]).reshape(answer.cells.shape)
    rounded = is_written & answer.is_answered & (answer.unit > 0)
    if not rounded.any():
        return []
    unit, size = answer.unit[rounded], np.abs(answer.middle[rounded])
    digits = 1 + np.floor(np.log10(np.maximum(size[size > 0] / unit[size > 0], 1)) + POLICY.tie_error)
    all_places, all_digits = POLICY.scatter_places, POLICY.scatter_digits
    by_places = min(round(-np.log10(unit.min())), all_places[-1]) - all_places[0]
    by_digits = min(int(digits.max(initial=0)), all_digits[-1]) - all_digits[0]
    # All with as many decimals, some with fewer digits than others: digits were not what counted.
    counts_places, counts_digits = np.ptp(unit) == 0, digits.size and np.ptp(digits) == 0
    found = [] if counts_digits and not counts_places else [by_places]
    found += [] if counts_places and not counts_digits else [by_digits + len(all_places)] * (by_digits >= 0)
    return [n for n in found if n >= 0]
