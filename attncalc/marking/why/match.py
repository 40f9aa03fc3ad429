"""How many bits it costs to explain an answer: the shortest explanation is the likeliest.

    free price    of a number, if any number could stand there: log2 of how many there are
    a mistake     its share among all that can be made, and the free price of every cell that it misses
    slips         of the correct method: a price for every wrong cell, and how far it is off
    a fault       that is not in the catalogue: the free price of all cells, or how far they are off

A mistake explains an answer if it costs a few bits less than slips and than a fault.
"""

from __future__ import annotations

from math import log2

import numpy as np
from numpy.typing import NDArray

from attncalc.core.fields import Floats
from attncalc.core.fields.interval import Intervals, points
from attncalc.core.record import replace
from attncalc.marking.answers.answer import AnsweredStep
from attncalc.marking.follow.judge import Judged, meets
from attncalc.marking.follow.replay import Attempt
from attncalc.marking.follow.truth import Truth, largest_of
from attncalc.marking.policy import LIMITS, POLICY
from attncalc.marking.rounding.excuse import distance
from attncalc.marking.why.attempts import Match


def price_of_choice(choices: int, wrong: int = 1) -> float:
    """The bits of a mistake out of all that can be made: most students make none.

    If several steps are wrong, one of them resembles a mistake sooner.
    """
    return log2(max(choices, 1) * max(wrong, 1)) + 2


def judged_unit(answer: AnsweredStep, largest: float) -> Floats:
    """The unit in which each number is compared: its own, at most six digits, and that of an exact number."""
    size = np.where(np.isfinite(answer.low), np.abs(answer.low), 0)
    exact = np.where(size == np.round(size), 1.0, 10.0**-POLICY.fewest_digits * largest)
    unit = np.where(answer.unit > 0, answer.unit, exact)
    return np.asarray(np.maximum(unit, np.maximum(size, largest) * 10.0**-POLICY.judged_digits))


def free_prices(truth: Truth, answer: AnsweredStep) -> Floats:
    """The bits of each number if any number could stand there.

    0, 1 and −∞ are written more often than others, the more so if other cells have them. A row or column of
    n shares is n − 1 numbers.
    """
    expected = truth.floats[answer.step.name]
    finite = expected[np.isfinite(expected)]
    largest = largest_of(expected)
    room = max(truth.spread(answer.step.name), largest / 4) or 1.0
    middle = np.where(np.isfinite(answer.low), answer.middle, 0)
    away = np.maximum(np.abs(middle - (finite.mean() if finite.size else 0)), room)
    found = np.log2(1 + 2 * away / np.where(answer.is_answered, judged_unit(answer, largest or 1.0), 1))
    common = np.isin(answer.low, (-1, 0, 1)) | ~np.isfinite(answer.low)
    lowered = np.where(common, np.minimum(found, price_of_common(answer)), found)
    if answer.step.op.core.adds_up:
        # A row of zeros is no usual row of weights, unless most rows are.
        filled = middle.any(axis=-1, keepdims=True)
        is_usual = filled | (2 * np.count_nonzero(filled) < filled.size)
        return price_of_shares(np.where(is_usual, lowered, found), middle, common)
    return np.asarray(lowered)


def price_of_common(answer: AnsweredStep) -> Floats:
    """The bits of a usual number: few, and none if all other cells have it too."""
    values = answer.low[answer.is_answered]
    others = (answer.low[..., None] == values).sum(axis=-1) - 1
    with np.errstate(divide="ignore"):
        repeated = -np.log2(np.maximum(others, 0) / max(len(values) - 1, 1))
    return np.asarray(np.minimum(repeated, POLICY.common_price))


def price_of_shares(prices: Floats, shares: Floats, common: NDArray[np.bool_]) -> Floats:
    """The bits of numbers if those in rows, or in columns, that add up to 1 follow from each other.

    A row of 0 and 1 says only which one it is.
    """
    in_rows, in_columns = (
        np.abs(shares.sum(axis=axis, keepdims=True) - 1) <= POLICY.sum_error for axis in (-1, -2)
    )
    height, width = shares.shape[-2:]
    one_hot = common.all(axis=-1, keepdims=True)
    of_rows = np.where(one_hot, np.log2(width) / width, prices * (width - 1) / width)
    of_columns = np.where(in_columns, prices * (height - 1) / height, prices)
    return np.where(in_rows, of_rows, of_columns)


class Alternatives:
    """What else may explain a wrong step, and how many bits that costs."""

    def __init__(self, truth: Truth, judged: Judged, is_baffling: bool = False) -> None:
        """If an earlier step `is_baffling`, another fault that nothing explains costs only its numbers."""
        answer, wrong = judged.answer, judged.wrong
        some = answer.is_answered
        self.judged, self.free = judged, free_prices(truth, answer)
        self.expected = truth.floats[answer.step.name]
        self.unit = judged_unit(answer, largest_of(self.expected) or 1.0)
        self.far = np.log2(1 + 2 * distance(judged.answer, judged.allowed) / self.unit)
        each = POLICY.slip_price + np.minimum(self.free, self.far + 2)
        fault = min(self.free[some].sum(), some.sum() * self.far[some].max(initial=0) + 3)
        self.price = float(min(each[wrong].sum(), (0 if is_baffling else POLICY.unlisted_price) + fault))

    def weigh(self, attempt: Attempt, result: Intervals, price: float) -> Match | None:
        """The match of a mistake's result with the answer, if it costs less than all else."""
        answer, wrong = self.judged.answer, self.judged.wrong
        met = meets(answer, result)
        middle = result.low / 2 + result.high / 2
        # Most mistakes give numbers that round to 0 or 1; few give whole numbers.
        exactly = (answer.unit < 1) | answer.yard.whole | (np.abs(middle - answer.low) <= POLICY.fine)
        hit = met & is_narrow(answer, result) & exactly
        # A result that equals the correct value is no mistake.
        changed = np.abs(middle - self.expected) > answer.unit / 4
        good = wrong & hit & (changed | ~np.isfinite(middle))
        odd = answer.is_answered & ~hit
        if not good.any() or odd.sum() > POLICY.most_slips * (wrong | odd).sum():
            return None
        # By chance one right number may differ; two mistakes beside a slip are no explanation.
        if (odd & ~wrong).sum() > 1 or (len(attempt.mistakes) > 1 and odd.any()):
            return None
        width = np.where(np.isfinite(result.high), result.high - result.low, 0)
        loose = np.log2(1 + width / self.unit)[good].sum()
        # A half may be rounded to two numbers.
        half = np.abs(np.abs(middle - answer.middle) - answer.unit / 2) <= LIMITS.tie_error * answer.unit
        loose += (good & half & (answer.unit > 0)).sum()
        price += float((POLICY.slip_price + self.free[odd]).sum() + loose)
        if price + POLICY.sure_bits > self.price or (answer.low.size == 1 and self.free.sum() < SINGLE):
            return None
        # A cell that a wide result meets is neither explained by it nor a slip.
        slips = list_cells(answer.is_answered & ~met & wrong)
        result_of_good = np.where(good, middle, np.nan)
        return Match(attempt, int(good.sum()), list_cells(odd), slips, result_of_good, price)

    def hopeful(self, results: Floats) -> NDArray[np.intp]:
        """Which of many results agree with enough cells for `weigh` to find a match."""
        answer, wrong = self.judged.answer, self.judged.wrong
        odd = answer.is_answered & ~meets(answer, points(results))
        axes = tuple(range(1, results.ndim))
        few = odd.sum(axis=axes) <= POLICY.most_slips * (wrong | odd).sum(axis=axes)
        return np.nonzero(few & (wrong & ~odd).any(axis=axes))[0]

    def nearest(self, attempts: list[Attempt], results: Floats) -> list[Attempt]:
        """The attempts whose first, rough results rounding may bring to most of the answer, nearest first."""
        answer = self.judged.answer
        some = answer.is_answered
        rough = results[:, some]
        beyond = np.maximum(answer.box_low[some] - rough, rough - answer.box_high[some])
        hidden = np.isneginf(rough) & np.isneginf(answer.high[some])
        beyond = np.where(hidden, 0, np.maximum(np.nan_to_num(beyond, nan=np.inf), 0))
        largest = np.where(np.isfinite(rough), np.abs(rough), 0).max(axis=-1, keepdims=True, initial=0)
        far = beyond > POLICY.most_units * answer.unit[some] + POLICY.most_share * largest
        near = np.nonzero(far.sum(axis=-1) <= POLICY.most_slips * some.sum())[0]
        prices = np.log2(1 + beyond[near] / self.unit[some])
        prices = np.minimum(prices, POLICY.slip_price + self.free[some]).sum(axis=-1)
        return [attempts[near[n]] for n in np.argsort(prices, kind="stable")[:MOST_LOOKED_INTO]]


MOST_LOOKED_INTO = 16
"""Mistakes that are looked into closely."""
SINGLE = (POLICY.judged_digits - 1) * log2(10)
"""Bits of a single number, a loss for instance, that names a mistake: five digits."""


def without_excused_slips(match: Match, answer: AnsweredStep, finely: Intervals) -> Match:
    """A match without the slips that a result from finer numbers meets."""
    off = list_cells(answer.is_answered & ~meets(answer, finely))
    return replace(match, slips=tuple(cell for cell in match.slips if cell in off))


def is_far(truth: Truth, judged: Judged) -> bool:
    """Whether some number is more than two units off what is expected, and some off the correct values.

    Nearer ones are no mistake.
    """
    answer = judged.answer
    # An integer weight is a large unit from any other.
    most = POLICY.near_units * np.minimum(answer.unit, POLICY.fine * answer.yard.largest)
    ranges = (judged.allowed, truth.range(answer.step.name))
    return all(bool((distance(answer, one) > most)[answer.is_answered].any()) for one in ranges)


def is_hardly_off(judged: Judged) -> bool:
    """Whether the only wrong number is off by so little that it is a slip."""
    if judged.wrong.sum() != 1:
        return False
    unit = np.maximum(judged.answer.unit, 1 if judged.answer.yard.whole else 0)
    return bool(hardly_off(judged, unit)[judged.wrong].all())


def hardly_off(judged: Judged, unit: Floats) -> NDArray[np.bool_]:
    """Which numbers are off by no more than two units, and their own rounding."""
    return np.asarray(distance(judged.answer, judged.allowed) <= POLICY.near_units * unit)


def written_as(judged: Judged, result: Intervals) -> bool:
    """Whether every answered cell is how a result is written."""
    answer = judged.answer
    return bool(np.all((meets(answer, result) & is_narrow(answer, result))[answer.is_answered]))


def is_near(judged: Judged, result: Intervals) -> bool:
    """Whether a result is so near to most wrong cells that finer numbers may give them."""
    near = near_cells(judged.answer, result)[judged.wrong]
    return bool(np.sum(~near) <= POLICY.most_slips * near.size)


def near_cells(answer: AnsweredStep, result: Intervals) -> NDArray[np.bool_]:
    """Which answers are so near to a result that finer numbers may give them."""
    leeway = 2 * POLICY.coarse_units * answer.unit + POLICY.fine * np.abs(result.high)
    hidden = np.isneginf(result.high) & np.isneginf(answer.high)
    with np.errstate(invalid="ignore"):
        near = (answer.box_low <= result.high + leeway) & (answer.box_high >= result.low - leeway)
    return np.asarray(near | hidden)


def is_narrow(answer: AnsweredStep, result: Intervals) -> NDArray[np.bool_]:
    """Which results are narrow enough to tell mistakes apart."""
    enough = np.maximum(POLICY.coarse_units * answer.unit, POLICY.fine * np.abs(result.high))
    hidden = np.isneginf(result.high) & np.isneginf(answer.high)
    return np.asarray((np.isfinite(result.high) & (result.high - result.low <= enough)) | hidden)


def list_cells(cells: NDArray[np.bool_]) -> tuple[tuple[int, ...], ...]:
    """The indices of the true cells of a mask, counted from 1."""
    return tuple(tuple(int(n) + 1 for n in at) for at in np.argwhere(cells))
