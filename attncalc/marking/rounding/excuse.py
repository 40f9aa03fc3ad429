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
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from attncalc.core.fields import Floats
from attncalc.core.fields.interval import points
from attncalc.core.record import replace
from attncalc.marking.answers.answer import AnsweredStep
from attncalc.marking.follow.judge import Judged, Mark, is_vague, meets
from attncalc.marking.follow.truth import Truth, largest_of
from attncalc.marking.follow.walk import Changes, carry_written
from attncalc.marking.policy import POLICY
from attncalc.marking.rounding.noise import price_of_noise
from attncalc.marking.rounding.plans import ROUNDED_ON_THE_WAY, Plan
from attncalc.marking.rounding.predict import Planned, finest_unit, is_by_hand, planned, predict

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
    doubtful = found.wrong if tainted else found.wrong | ((found.marks == Mark.COARSE) & ~vague)
    if not doubtful.any() or not is_rounded_by_hand(truth, found):
        return found
    before = {name: one for name, one in judged.items() if one.answer is not answer}
    off = distance(found)
    plan = find_plan(truth, before, found, off, changes, suspect)
    if answer.yard.places is not None:
        unit = 10.0**-answer.yard.places * (1 + POLICY.tie_error)
        close = bool(np.all((off <= unit) | ~answer.is_answered))
        marks = np.where(doubtful, passed, found.marks) if close else found.marks
        return replace(found, marks=marks, habit=plan if found.is_wrong and not close else None)
    return replace(found, marks=np.where(doubtful, passed, found.marks), habit=plan) if plan else found


def is_rounded_by_hand(truth: Truth, found: Judged) -> bool:
    """Whether a person wrote the numbers, and some result on the way has more digits than are written.

    Weights above 1 are in percent.
    """
    answer, allowed = found.answer, found.allowed
    some = answer.is_answered & (answer.unit > 0) & np.isfinite(allowed.low)
    if not some.any() or any(cell is None for cell in answer.cells[some]):
        return False
    if answer.step.op.core.adds_up and np.any(answer.low[some] > 1):
        return True
    unit = answer.unit[some].min()
    results = [truth.floats[step.name].ravel() for step in truth.graph.chain(answer.step.name, ())]
    numbers = np.concatenate([allowed.low[some], allowed.high[some], *results]) / unit
    numbers = numbers[np.isfinite(numbers)]
    return bool(np.any(np.abs(numbers - np.rint(numbers)) > POLICY.tie_error * (np.abs(numbers) + 1)))


def distance(found: Judged) -> Floats:
    """How far every number is from the range of what follows from the student's own values."""
    answer, allowed = found.answer, found.allowed
    off = np.maximum(np.maximum(answer.low - allowed.high, allowed.low - answer.high), 0)
    # −∞ is no distance from −∞.
    return np.where(np.isneginf(answer.high) & np.isneginf(allowed.high), 0, np.nan_to_num(off, nan=np.inf))


def is_close(truth: Truth, found: Judged, off: Floats) -> bool:
    """Whether a human marker would let a step pass: one unit off, or half a percent of the largest value.

    A single number, and one among right ones, may be off by one unit: further off, it is a slip.
    """
    answer = found.answer
    expected = truth.floats[answer.step.name]
    largest = largest_of(expected)
    one_unit = (off <= answer.unit * (1 + POLICY.tie_error)) & (answer.unit <= POLICY.fine * largest)
    size = np.where(np.isfinite(expected), np.abs(expected), 0)
    hardly = (off <= POLICY.doubt_of_largest * largest) & (off <= POLICY.doubt_of_own * size)
    is_alone = found.wrong.sum() == 1 and answer.is_answered.sum() != 2
    return bool(np.all(one_unit | (hardly & (not is_alone)) | ~answer.is_answered))


def find_plan(
    truth: Truth,
    before: Mapping[str, Judged],
    found: Judged,
    off: Floats,
    changes: Changes,
    suspect: Suspect,
) -> Plan | None:
    """How the student rounded, if rounding explains a step better than a fault does."""
    answer, fault = found.answer, price_of_fault(found, off)
    answers = {name: one.answer for name, one in before.items()}
    plan, price = None, np.inf
    if is_in_reach(truth, answer, off):
        plan, price = find_cheapest(truth, answers, found, off, changes)
        if price > fault:
            plan, price = UNKNOWN, price_of_noise(truth, answers, answer, off)
    if price > fault:
        plan, price = (UNKNOWN if is_close(truth, found, off) else None), np.inf
    return None if plan and price > POLICY.mistake_price and suspect(found, before) else plan


def find_cheapest(
    truth: Truth, before: Mapping[str, AnsweredStep], found: Judged, off: Floats, changes: Changes
) -> tuple[Plan, float]:
    """The cheapest plan that gives every answered cell of a step, and its price.

    Its words are kept only if no other plan that costs about as little says something else.
    """
    answer = found.answer
    chain = truth.graph.chain(answer.step.name, ())
    if not is_by_hand(chain):
        return UNKNOWN, np.inf
    # Some odd plan gives any single number that is near.
    is_near = bool(np.all(off <= POLICY.close_share * np.abs(answer.middle)))
    is_single = answer.is_answered.sum() == 1
    most = (POLICY.mistake_price if is_near else POLICY.plain_price) if is_single else POLICY.most_price
    field = planned(truth.kinds, len(answer.step.shape) - 2, most)
    predicted = predict(truth, chain, truth.floats, {**before, answer.step.name: answer}, field, changes)
    fits = predicted.fits.reshape(field.count, -1).all(axis=-1)
    prices = np.where(fits, field.prices + price_of_coarseness(field, answer), np.inf)
    best = int(np.argmin(prices))
    likely = [field.plans[n] for n in np.nonzero(prices < prices[best] + POLICY.sure_bits)[0]]
    alike = {plan.sentence if plan.code == UNKNOWN.code else plan.code for plan in likely}
    plan = field.plans[best]
    return plan if plan.sentence and len(alike) == 1 else UNKNOWN, float(prices[best])


def price_of_fault(found: Judged, off: Floats) -> float:
    """The bits of an unlisted fault that gives numbers as far off as these, or of a slip in each."""
    answer = found.answer
    units = units_off(answer, off)
    each = np.log2(1 + 2 * units)
    fault = POLICY.unlisted_price + answer.is_answered.sum() * each
    slips = found.wrong.sum() * (POLICY.slip_price + each)
    return float(min(fault, slips) if units > POLICY.slip_units else fault)


def units_off(answer: AnsweredStep, off: Floats) -> float:
    """The most units by which a number of an answer is off."""
    some = answer.is_answered & (answer.unit > 0)
    return float((off[some] / answer.unit[some]).max(initial=0))


def price_of_coarseness(field: Planned, answer: AnsweredStep) -> NDArray[np.int_]:
    """What each plan costs more, because it rounds to fewer places than the answer is written with."""
    unit = finest_unit(answer)
    written = round(-np.log10(unit)) if unit else 0
    return np.asarray(POLICY.coarser_price * (written - np.minimum(field.fewest_places, written)).astype(int))


def is_in_reach(truth: Truth, answer: AnsweredStep, off: Floats) -> bool:
    """Whether any plan can explain a step: random numbers are further off."""
    expected = truth.floats[answer.step.name]
    largest = largest_of(expected)
    unit = np.minimum(answer.unit, POLICY.fine * largest)
    most = POLICY.most_units * unit + POLICY.most_share * largest
    near = off <= most
    if answer.step.kind.is_weights:
        near |= np.abs(answer.middle / 100 - expected) <= most
    return bool(np.all(near | ~answer.is_answered))


def pass_as_written(found: Judged, written: Floats, vague: NDArray[np.bool_], passed: int) -> Judged:
    """Let coarse cells pass that are what the numbers written before them give."""
    just = meets(found.answer, points(written))
    return replace(found, marks=np.where((found.marks == Mark.COARSE) & just & ~vague, passed, found.marks))
