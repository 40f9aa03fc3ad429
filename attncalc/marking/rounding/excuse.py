"""Excuses for cells that are off by rounding on the way: a ladder, tried in this order.

1. A coarse cell passes if it is what the numbers written before it give (`pass_as_written`).
2. Doubtful cells pass if one plan of rounding gives all that is answered, or if the noise of all operations
   does (`find_plan`): either must cost fewer bits than a fault or slips that give the same numbers.
3. Benefit of the doubt: a step passes whose cells are all within one unit of what follows from the student's
   own values, or nearly so (`is_close`).

A plan that costs as much as a mistake, and a number off by more than two units, excuse nothing that a mistake
of the catalogue gives to the digit. If the problem asks for places, only one unit of these is excused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from attncalc.core.fields import Floats
from attncalc.core.fields.interval import Intervals, points
from attncalc.core.record import record, replace
from attncalc.marking.answers.answer import AnsweredStep
from attncalc.marking.follow.judge import Judged, Mark, is_vague, meets
from attncalc.marking.follow.truth import Truth, largest_of
from attncalc.marking.follow.walk import NO_CHANGES, Changes, carry_written
from attncalc.marking.policy import LIMITS, POLICY
from attncalc.marking.rounding.noise import digits_of, prices_of_noise
from attncalc.marking.rounding.plans import ROUNDED_ON_THE_WAY, Plan, Way
from attncalc.marking.rounding.predict import Planned, decimals, finest_unit, is_by_hand, planned, predict

Suspect: TypeAlias = Callable[[Judged, Mapping[str, Judged]], bool]
"""Whether a mistake of the catalogue gives a whole answer to the digit."""
UNKNOWN = Plan(0, sentence=ROUNDED_ON_THE_WAY)
"""What is said if no plan is known, but rounding explains the answer."""


def excuse(
    found: Judged,
    truth: Truth,
    judged: Mapping[str, Judged],
    changes: Changes,
    tainted: bool,
    suspect: Suspect = lambda _, __: False,
) -> Judged:
    """Let cells of a step pass that are off by rounding only; `tainted` says that a step before is wrong."""
    answer, passed = found.answer, Mark.FOLLOWS if tainted else Mark.ROUNDED
    vague = is_vague(answer, truth) | answer.short
    if Mark.COARSE in found.present and not vague.all():
        found = pass_as_written(found, carry_written(truth, judged, changes, answer.step), vague, passed)
    before = {name: one for name, one in judged.items() if one.answer is not answer}
    found = excuse_cells(found, found.allowed, truth, before, changes, vague, passed, suspect)
    if tainted and found.is_wrong:
        # They may follow from correct values where the student's own are wrong: a slip in copying.
        right = {name: one for name, one in before.items() if not one.is_wrong}
        expected = truth.range(answer.step.name)
        found = excuse_cells(found, expected, truth, right, NO_CHANGES, vague, Mark.ROUNDED, suspect)
    return credit_close(found, truth)


def credit_close(found: Judged, truth: Truth) -> Judged:
    """Call cells right that follow from wrong ones, and are as near to the correct values as rounding is."""
    if Mark.FOLLOWS not in found.present:
        return found
    off = distance(found.answer, truth.range(found.answer.step.name))
    close = is_close(truth, found.answer, off)
    return replace(found, marks=np.where((found.marks == Mark.FOLLOWS) & close, Mark.ROUNDED, found.marks))


def excuse_cells(
    found: Judged,
    allowed: Intervals,
    truth: Truth,
    before: Mapping[str, Judged],
    changes: Changes,
    vague: NDArray[np.bool_],
    passed: int,
    suspect: Suspect,
) -> Judged:
    """Let cells pass that rounding of what is answered before explains; vague ones are left coarse."""
    answer = found.answer
    # A whole number for a decimal was not rounded on the way.
    doubtful = (found.wrong & ~answer.short) | ((found.marks == Mark.COARSE) & ~vague)
    if not doubtful.any() or not is_typed(answer):
        return found
    off = distance(answer, allowed)
    cells, plan = find_reason(truth, before, replace(found, allowed=allowed), off, changes, suspect)
    if answer.yard.places is not None:
        close = doubtful & (off <= 10.0**-answer.yard.places * (1 + LIMITS.tie_error))
        early = (
            plan if plan and bool(np.all(cells | ~doubtful)) and bool(np.any(found.wrong & ~close)) else None
        )
        return replace(found, marks=np.where(close, passed, found.marks), habit=early)
    excused = doubtful & cells
    if not excused.any():
        return found
    marks = np.where(excused, passed, found.marks)
    return replace(found, marks=marks, habit=None if (marks == Mark.WRONG).any() else plan)


def is_typed(answer: AnsweredStep) -> bool:
    """Whether a person wrote the numbers, some of them as decimals."""
    some = answer.is_answered & (answer.unit > 0)
    return bool(some.any()) and not any(cell is None for cell in answer.cells[some])


def is_rounded_by_hand(truth: Truth, found: Judged) -> bool:
    """Whether a person wrote the numbers, and rounding on the way to their digits changes some result.

    Weights above 1 are in percent.
    """
    answer, allowed = found.answer, found.allowed
    some = answer.is_answered & (answer.unit > 0) & np.isfinite(allowed.low)
    if not is_typed(answer) or not some.any():
        return False
    if answer.step.op.core.adds_up and np.any(answer.low[some] > 1):
        return True
    unit, chain = answer.unit[some].min(), truth.graph.chain(answer.step.name, ())
    results = (truth.floats[step.name].ravel() for step in chain)
    numbers = np.concatenate([allowed.low[some], allowed.high[some], *results]) / unit
    numbers = numbers[np.isfinite(numbers)]
    if np.any(np.abs(numbers - np.rint(numbers)) > LIMITS.tie_error * (np.abs(numbers) + 1)):
        return True
    # Results may be short, and the products in them long.
    field = rounding_all(decimals(answer), digits_of(answer), len(answer.step.shape) - 2)
    expected = truth.floats[answer.step.name]
    off = np.abs(predict(truth, chain, truth.floats, {}, field).rounded - expected)
    return bool(np.any(off > LIMITS.tie_error * (np.abs(expected) + unit)))


@cache
def rounding_all(places: int, digits: int, batches: int) -> Planned:
    """The plans that round the result of every operation, to decimals or to digits."""
    ways = (Way("places", places), Way("digits", digits))
    return Planned(tuple(Plan(0, way, inside=True) for way in ways), batches)


def distance(answer: AnsweredStep, allowed: Intervals) -> Floats:
    """How far every number is from a range; −∞ is no distance from −∞."""
    with np.errstate(invalid="ignore"):
        off = np.maximum(np.maximum(answer.low - allowed.high, allowed.low - answer.high), 0)
    return np.where(np.isneginf(answer.high) & np.isneginf(allowed.high), 0, np.nan_to_num(off, nan=np.inf))


def find_reason(
    truth: Truth,
    before: Mapping[str, Judged],
    found: Judged,
    off: Floats,
    changes: Changes,
    suspect: Suspect,
) -> tuple[NDArray[np.bool_], Plan | None]:
    """The cells that rounding explains better than slips or a fault do, and how the student rounded."""
    answer, fault, by_hand = found.answer, price_of_fault(found.answer, off), is_rounded_by_hand(truth, found)
    answers = {name: one.answer for name, one in before.items()}
    best = Reason(np.zeros(off.shape, dtype=bool), None, np.inf)
    if few_but(is_in_reach(truth, answer, off), answer):
        best = find_cheapest(truth, answers, answer, off, changes, by_hand)
        if by_hand and not (best.plan is UNKNOWN and best.price <= fault and best.explains(answer)):
            best = best.or_noise(find_noise(truth, answers, answer, off), answer, fault)
    cells = np.where(best.price <= fault, best.cells, False)
    close = is_close(truth, answer, off)
    if by_hand and few_but(close, answer):
        cells = cells | close
    plan = best.plan if best.price <= fault else UNKNOWN
    if not (cells & found.wrong).any() or (best.price <= min(POLICY.slip_price, fault)):
        return cells, plan
    return (np.zeros_like(cells), None) if suspect(found, before) else (cells, plan)


@record
class Reason:
    """A plan of rounding, the cells that it explains, and its bits with those of slips in all others."""

    cells: NDArray[np.bool_]
    plan: Plan | None
    price: float

    def explains(self, answer: AnsweredStep) -> bool:
        """Whether it explains all answered cells."""
        return bool(self.cells[answer.is_answered].all())

    def or_noise(self, noise: Reason, answer: AnsweredStep, fault: float) -> Reason:
        """The cheaper of a plan and noise; a plan of all cells is named only if noise costs more."""
        if self.price > fault or not self.explains(answer):
            return min(self, noise, key=lambda reason: reason.price)
        return replace(self, plan=UNKNOWN) if noise.price < self.price + POLICY.sure_bits else self


def few_but(cells: NDArray[np.bool_], answer: AnsweredStep) -> NDArray[np.bool_]:
    """Whether all but a few of the answered cells are among some: one, or a third; also for many sets."""
    axes = tuple(range(-answer.is_answered.ndim, 0))
    others = np.count_nonzero(answer.is_answered & ~cells, axis=axes)
    return np.asarray(others <= max(1, POLICY.most_slips * np.count_nonzero(answer.is_answered)))


def is_close(truth: Truth, answer: AnsweredStep, off: Floats) -> NDArray[np.bool_]:
    """The cells that a human marker would let pass: one unit off, or half a percent of the largest value."""
    expected = truth.floats[answer.step.name]
    largest = largest_of(expected)
    one_unit = (off <= answer.unit * (1 + LIMITS.tie_error)) & (answer.unit <= POLICY.fine * largest)
    size = np.where(np.isfinite(expected), np.abs(expected), 0)
    hardly = (off <= POLICY.doubt_of_largest * largest) & (off <= POLICY.fine * size)
    return np.asarray((answer.unit > 0) & (one_unit | hardly))


def find_cheapest(
    truth: Truth,
    before: Mapping[str, AnsweredStep],
    answer: AnsweredStep,
    off: Floats,
    changes: Changes,
    by_hand: bool,
) -> Reason:
    """The cheapest plan of rounding for a step, of all or of a program's formats; other cells are slips.

    Its words are kept only if no other plan that costs about as little says something else.
    """
    chain = truth.graph.chain(answer.step.name, ())
    if not is_by_hand(chain):
        return Reason(np.zeros(off.shape, dtype=bool), None, np.inf)
    # Some odd plan gives any single number that is near.
    is_near = by_hand and bool(np.all(off <= POLICY.doubt_of_largest * np.abs(answer.middle)))
    is_single = answer.is_answered.sum() == 1
    most = (POLICY.slip_price if is_near else POLICY.way_price) if is_single else POLICY.most_price
    field = planned(truth.kinds, len(answer.step.shape) - 2, most, by_hand)
    if not field.plans:
        return Reason(np.zeros(off.shape, dtype=bool), None, np.inf)
    fits = predict(truth, chain, truth.floats, {**before, answer.step.name: answer}, field, changes).fits
    slips = np.where(fits, 0, price_of_slips(answer, off)).reshape(field.count, -1).sum(axis=-1)
    prices = field.prices + price_of_coarseness(field, answer) + slips
    # A number that is right as it stands was not rounded in another way.
    is_right = off <= answer.unit / 2
    contradicted = (answer.is_answered & is_right & ~fits).reshape(field.count, -1).any(axis=-1)
    prices = np.where(few_but(fits, answer) & ~contradicted, prices, np.inf)
    best = int(np.argmin(prices))
    likely = [field.plans[n] for n in np.nonzero(prices < prices[best] + POLICY.sure_bits)[0]]
    alike = {plan.sentence if plan.code == UNKNOWN.code else plan.code for plan in likely}
    plan = field.plans[best]
    named = plan if plan.sentence and len(alike) == 1 else UNKNOWN
    return Reason(fits[best], named, float(prices[best]))


def find_noise(truth: Truth, before: Mapping[str, AnsweredStep], answer: AnsweredStep, off: Floats) -> Reason:
    """Rounding that no plan describes: the noise of all operations; cells further off are slips."""
    slips, some = price_of_slips(answer, off), answer.is_answered
    best = Reason(np.zeros(off.shape, dtype=bool), None, np.inf)
    for prices in prices_of_noise(truth, before, answer, off):
        price = POLICY.way_price + float(np.minimum(prices, slips)[some].sum())
        if few_but(prices <= slips, answer):
            best = min(best, Reason(prices <= slips, UNKNOWN, price), key=lambda reason: reason.price)
    return best


def price_of_slips(answer: AnsweredStep, off: Floats) -> Floats:
    """The bits of a slip in each cell: the further off, the more."""
    unit = np.where(answer.unit > 0, answer.unit, 1)
    return np.asarray(POLICY.slip_price + np.log2(1 + 2 * np.minimum(off / unit, MOST_OFF)))


def price_of_fault(answer: AnsweredStep, off: Floats) -> float:
    """The bits of an unlisted fault that gives numbers as far off as these."""
    some = answer.is_answered & (answer.unit > 0)
    units = min(float((off[some] / answer.unit[some]).max(initial=0)), MOST_OFF)
    return float(POLICY.unlisted_price + answer.is_answered.sum() * np.log2(1 + 2 * units))


MOST_OFF = 1e6
"""Units that a number is counted off at most."""


def price_of_coarseness(field: Planned, answer: AnsweredStep) -> NDArray[np.int_]:
    """What each plan costs more, because it rounds to fewer places than the answer is written with."""
    unit = finest_unit(answer)
    written = round(-np.log10(unit)) if unit else 0
    return np.asarray(POLICY.way_price * (written - np.minimum(field.fewest_places, written)).astype(int))


def is_in_reach(truth: Truth, answer: AnsweredStep, off: Floats) -> NDArray[np.bool_]:
    """The cells that some plan may explain: random numbers are further off."""
    expected = truth.floats[answer.step.name]
    largest = largest_of(expected)
    unit = np.minimum(answer.unit, POLICY.fine * largest)
    most = POLICY.most_units * unit + POLICY.most_share * largest
    near = off <= most
    if answer.step.kind.is_weights:
        near |= np.abs(answer.middle / 100 - expected) <= most
    return np.asarray(near)


def pass_as_written(found: Judged, written: Floats, vague: NDArray[np.bool_], passed: int) -> Judged:
    """Let coarse cells pass that are what the numbers written before them give."""
    just = meets(found.answer, points(written))
    return replace(found, marks=np.where((found.marks == Mark.COARSE) & just & ~vague, passed, found.marks))
