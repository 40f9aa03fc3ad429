"""How much of an answer a result explains, and whether that is unlikely by chance."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from attncalc.core.fields import Floats
from attncalc.core.fields.interval import Intervals
from attncalc.core.record import replace
from attncalc.marking.answers.answer import AnsweredStep
from attncalc.marking.follow.judge import Judged, meets
from attncalc.marking.follow.replay import Attempt
from attncalc.marking.follow.truth import Truth
from attncalc.marking.policy import POLICY
from attncalc.marking.why.attempts import Match


def weigh(truth: Truth, judged: Judged, attempt: Attempt, result: Intervals, sure: float) -> Match | None:
    """The match of a result with an answer, if it is unlikely by chance."""
    answer, wrong = judged.answer, judged.wrong
    met = meets(answer, result)
    hit = met & is_narrow(answer, result)
    middle = result.low / 2 + result.high / 2
    # A result that equals the correct value is no mistake.
    good = (
        wrong & hit & (np.abs(middle - truth.floats[answer.step.name]) > POLICY.changed_units * answer.unit)
    )
    odd = answer.is_answered & ~hit
    count = int(good.sum())
    if odd.any() and (count < POLICY.fewest_besides or count < POLICY.count_most(int((wrong | odd).sum()))):
        return None
    spread = max(truth.spread(answer.step.name), float(np.ptp(answer.low[answer.is_answered])))
    # An integer that equals a result says one digit more than its own.
    exactly = (answer.unit >= 1) & (np.abs(middle - answer.low) <= POLICY.integer_slack)
    whole = POLICY.integer_unit
    unit = np.where(exactly, whole, np.maximum(answer.unit, whole if answer.yard.whole else 0))
    width = unit + np.where(np.isfinite(result.high), result.high - result.low, 0)
    most = POLICY.most_digits
    digits = np.clip(np.log10(spread / np.maximum(width, spread * 10.0**-most)), 0, most)
    if odd.any() or (not answer.step.kind.is_weights and not has_points(answer)):
        digits = np.minimum(digits, -np.log10(guess_rates(answer)))
    if odd.any():
        # Most of a matrix is matched more easily if many correct values are alike.
        digits = np.minimum(digits, -np.log10(frequency(truth, answer)))
    # Many mistakes give integer outputs, hard weights for example; few give integer weights.
    more = not answer.step.kind.is_weights and bool(np.all(answer.unit[good] >= 1))
    if float(digits[good].sum()) < sure + more * POLICY.sure_if_whole:
        return None
    # A cell that a wide result meets is neither explained by it nor a slip.
    slips = list_cells(answer.is_answered & ~met)
    return Match(attempt, count, list_cells(odd), slips, np.where(good, middle, np.nan))


def without_excused_slips(match: Match, answer: AnsweredStep, finely: Intervals) -> Match:
    """A match without the slips that a result from finer numbers meets."""
    off = list_cells(answer.is_answered & ~meets(answer, finely))
    return replace(match, slips=tuple(cell for cell in match.slips if cell in off))


def has_points(answer: AnsweredStep) -> bool:
    """Whether a number is written with decimals: 0.00 was computed, 0 may be a guess."""
    return any(isinstance(cell, str) and "." in cell for cell in answer.cells[answer.is_answered])


def guess_rates(answer: AnsweredStep) -> Floats:
    """How likely each number is a guess: −1, 0 and 1, as often as other entries are the same."""
    values = answer.low[answer.is_answered]
    others = (answer.low[..., None] == values).sum(axis=-1) - 1
    share = np.where(np.isin(answer.low, (-1, 0, 1)), others / max(len(values) - 1, 1), 0)
    return np.asarray(np.maximum(share, 10.0**-POLICY.most_digits))


def frequency(truth: Truth, answer: AnsweredStep) -> Floats:
    """How often the correct values of a step equal the answer in each cell."""
    numbers = truth.range(answer.step.name).low.ravel()
    alike = (answer.box_low[..., None] <= numbers) & (answer.box_high[..., None] >= numbers)
    return np.asarray(np.maximum(alike.mean(axis=-1), POLICY.rarest))


def is_hardly_off(judged: Judged) -> bool:
    """Whether the only wrong number is off by so little that it is a slip."""
    if judged.wrong.sum() != 1:
        return False
    unit = np.maximum(judged.answer.unit, 1 if judged.answer.yard.whole else 0)
    return bool(hardly_off(judged, unit)[judged.wrong].all())


def is_far(judged: Judged) -> bool:
    """Whether a number is more than two units from what is expected: nearer ones are no mistake."""
    return not hardly_off(judged, judged.answer.unit)[judged.answer.is_answered].all()


def hardly_off(judged: Judged, unit: Floats) -> NDArray[np.bool_]:
    """Which numbers are off by no more than a unit or two."""
    answer, allowed = judged.answer, judged.allowed
    gap = np.maximum(answer.low - allowed.high, allowed.low - answer.high)
    return np.asarray(gap <= POLICY.hardly_off * unit)


def written_as(judged: Judged, result: Intervals) -> bool:
    """Whether every answered cell is how a result is written."""
    answer = judged.answer
    return bool(np.all((meets(answer, result) & is_narrow(answer, result))[answer.is_answered]))


def is_near(judged: Judged, result: Intervals) -> bool:
    """Whether a result is so near to most wrong cells that finer numbers may give them."""
    near = near_cells(judged.answer, result)[judged.wrong]
    return bool(near.sum() >= POLICY.count_most(near.size))


def near_cells(answer: AnsweredStep, result: Intervals) -> NDArray[np.bool_]:
    """Which answers are so near to a result that finer numbers may give them."""
    leeway = 2 * POLICY.coarse_units * answer.unit + POLICY.telling_share * np.abs(result.high)
    hidden = np.isneginf(result.high) & np.isneginf(answer.high)
    with np.errstate(invalid="ignore"):
        near = (answer.box_low <= result.high + leeway) & (answer.box_high >= result.low - leeway)
    return np.asarray(near | hidden)


def is_narrow(answer: AnsweredStep, result: Intervals) -> NDArray[np.bool_]:
    """Which results are narrow enough to tell mistakes apart."""
    enough = np.maximum(POLICY.coarse_units * answer.unit, POLICY.telling_share * np.abs(result.high))
    hidden = np.isneginf(result.high) & np.isneginf(answer.high)
    return np.asarray((np.isfinite(result.high) & (result.high - result.low <= enough)) | hidden)


def list_cells(cells: NDArray[np.bool_]) -> tuple[tuple[int, ...], ...]:
    """The indices of the true cells of a mask, counted from 1."""
    return tuple(tuple(int(n) + 1 for n in at) for at in np.argwhere(cells))
