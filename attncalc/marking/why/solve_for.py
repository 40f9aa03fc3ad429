"""Two searches beyond the catalogue: one slip in an unanswered entry, and another scale.

Each has one unknown number, which is solved for from one answered entry; the other entries are the evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import islice
from math import log10
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from attncalc.core.fields import Floats
from attncalc.core.graph.graph import Step
from attncalc.core.terms import Constant
from attncalc.core.terms.formulas import Name, Place, sentence
from attncalc.marking.follow.judge import Judged
from attncalc.marking.follow.replay import onward
from attncalc.marking.follow.truth import Truth
from attncalc.marking.follow.walk import Walk
from attncalc.marking.policy import LIMITS, POLICY
from attncalc.marking.why.attempts import Diagnosis
from attncalc.marking.why.diagnose import Diagnostician
from attncalc.marking.why.evidence import is_close
from attncalc.mistakes.slips import CellSlip

MOST_SEARCHED = 200
"""Unanswered cells in which a slip is searched."""
FEWEST_WRONG = 2
"""Wrong cells needed to search for one slip behind them."""
MOST_POSSIBLE = 2
"""If more cells explain an answer, none is named."""
TURNS = 12
"""Steps of the secant method."""
FACTOR_DIGITS = POLICY.slip_price * log10(2)
"""Digits that choosing one scale out of all takes: as many as a mistake."""
SURE_DIGITS = POLICY.sure_bits * log10(2)
"""Digits that must agree beyond those that choose one number out of all."""
FACTORS = np.array((0.1, 0.25, 0.5, 0.7, 1, 1.5, 2, 3))
"""Where the search for another scale starts."""

Reached: TypeAlias = Callable[[Floats], Floats]
"""The values of the answered step for each of some numbers."""


def find_unanswered_slip(
    doctor: Diagnostician, walk: Walk, judged: Judged, symbols: Mapping[str, str]
) -> Iterator[Diagnosis]:
    """The one unanswered entry that, replaced by another number, gives the whole answer."""
    name = judged.answer.step.name
    chain = doctor.chain(walk, name)
    names = {step.name for step in chain}
    steps = [step for step in chain[:-1] if step.kind.is_searched and not is_scaled(step, names)]
    known = doctor.written(walk, chain)
    cells = sum(known[step.name].size for step in steps)
    if judged.wrong.sum() < FEWEST_WRONG or not 0 < cells <= MOST_SEARCHED:
        return
    found = [
        one for step in steps for one in slips_in(doctor.truth, known, chain, step, judged, log10(cells))
    ]
    for n, (step, at, number) in enumerate(found if len(found) <= MOST_POSSIBLE else ()):
        place = Place(symbols[step.name], tuple(index + 1 for index in at))
        text = sentence("{} would be right if {} were {}.", Name(symbols[name]), place, number)
        yield Diagnosis(CellSlip.code, step.name, text, n, cells=int(judged.wrong.sum()))


def is_scaled(step: Step, names: set[str]) -> bool:
    """Whether a slip in a step is one in the scores that it scales."""
    return step.kind.stage == "scaled scores" and not names.isdisjoint(step.inputs)


def slips_in(
    truth: Truth,
    known: Mapping[str, Floats],
    chain: Sequence[Step],
    step: Step,
    judged: Judged,
    choices: float,
) -> Iterator[tuple[Step, tuple[int, ...], Constant]]:
    """The entries of a step that explain an answer, each with its number."""
    before = known[step.name]
    each = [at for at in np.ndindex(before.shape) if np.isfinite(before[at])]

    def reached(numbers: Floats) -> Floats:
        sided = np.repeat(before[None], len(each), axis=0)
        for n, at in enumerate(each):
            sided[(n, *at)] = numbers[n]
        return onward(truth, known, chain, {step.name: sided})

    start = np.array([before[at] for at in each])
    for n, number in solve_cases(truth, reached, start, judged, choices):
        yield step, each[n], number


def find_other_scale(doctor: Diagnostician, walk: Walk, judged: Judged) -> Iterator[str]:
    """The one factor by which all scores must be scaled to give the whole answer."""
    graph, name = doctor.truth.graph, judged.answer.step.name
    chain = doctor.chain(walk, name)
    scaled = [step for step in chain[:-1] if step.kind.stage == "scaled scores"]
    known = doctor.written(walk, chain)
    scores = {step.name: graph.find("scores", step.head) for step in scaled}
    answer = judged.answer.low[judged.answer.is_answered]
    if judged.wrong.sum() <= FEWEST_WRONG or not scaled or None in scores.values():
        return
    if is_close(judged) or len(set(answer.tolist())) <= FEWEST_WRONG:
        return

    def reached(numbers: Floats) -> Floats:
        factor = numbers.reshape(-1, *(1,) * len(scaled[0].shape))
        sided = {one: factor * known[str(scores[one])] for one in scores}
        return onward(doctor.truth, known, chain, sided)

    for _, number in islice(solve_cases(doctor.truth, reached, FACTORS, judged, FACTOR_DIGITS), 1):
        factor = float(number.value)
        if not LIMITS.least_factor <= factor <= 1 / LIMITS.least_factor:
            return
        is_divisor = factor < 1
        shown = find_shortest(1 / factor if is_divisor else factor, is_divisor, reached, judged)
        yield f"Scores {'divided' if is_divisor else 'multiplied'} by {shown} give these numbers."


def find_shortest(number: float, is_divisor: bool, reached: Reached, judged: Judged) -> str:
    """A factor or divisor with as few digits as give the whole answer: 16 for 15.99."""
    known = [float(f"{number:.{digits}g}") for digits in (1, 2, 3, 4)]
    met = gives_answer(reached(np.array([1 / x if is_divisor else x for x in known])), judged)
    return f"{next((x for x, is_met in zip(known, met, strict=True) if is_met), number):.4g}"


def solve_cases(
    truth: Truth, reached: Reached, start: Floats, judged: Judged, choices: float
) -> Iterator[tuple[int, Constant]]:
    """The cases in which some number gives the whole answer, which is unlikely by chance."""
    numbers = solutions(reached, start, judged)
    numbers[np.abs(numbers - start) <= POLICY.alike * (np.abs(start) + 1)] = np.nan
    # If all numbers are integers, so is a slip.
    whole = np.full(len(start), bool(np.all(start == np.round(start))))
    nearest = np.where(np.abs(numbers - np.round(numbers)) <= LIMITS.solved_error, np.round(numbers), np.nan)
    numbers = np.where(whole, nearest, numbers)
    met = gives_answer(reached(numbers), judged, np.where(whole, 0, LIMITS.solved_error)[:, None])
    digits = agreeing_digits(truth, judged)
    enough = digits.sum() - digits.max() + whole >= choices + SURE_DIGITS
    for n in np.nonzero(met & enough & np.isfinite(numbers))[0]:
        value = numbers[n]
        yield int(n), Constant(int(value) if whole[n] else Decimal(f"{value:.4g}"))


def gives_answer(
    results: Floats, judged: Judged, leeway: Floats | float = LIMITS.solved_error
) -> NDArray[np.bool_]:
    """Which results, along the first axis, give the whole answer.

    A number solved for from one rounded entry may miss the others by a part of a unit (`leeway`).
    """
    answer, some = judged.answer, judged.answer.is_answered
    units = leeway * answer.unit[some]
    met = (answer.box_low[some] <= results[:, some] + units) & (
        answer.box_high[some] >= results[:, some] - units
    )
    return np.asarray(met.all(axis=-1))


def solutions(reached: Reached, start: Floats, judged: Judged) -> Floats:
    """For each case, solve for the wrong entry that changes most, by the secant method."""
    answer, wrong = judged.answer, judged.wrong
    targets = answer.middle[wrong]
    before, numbers = start, start + 0.1 * (np.abs(start) + 1)
    was, now = reached(before)[:, wrong], reached(numbers)[:, wrong]
    every = np.arange(len(start))
    chosen = np.argmax(np.nan_to_num(np.abs(now - was)), axis=-1)
    off_was, off = (found[every, chosen] - targets[chosen] for found in (was, now))
    for _ in range(TURNS):
        step = off * (numbers - before) / np.where(off == off_was, np.inf, off - off_was)
        furthest = 5 * (np.abs(numbers) + 1)
        before, numbers = numbers, numbers - np.clip(np.nan_to_num(step), -furthest, furthest)
        off_was, off = off, reached(numbers)[:, wrong][every, chosen] - targets[chosen]
    return numbers


def agreeing_digits(truth: Truth, judged: Judged, is_whole: bool = False) -> NDArray[np.float64]:
    """The digits that each wrong entry says; with `is_whole`, an integer says no more than its own."""
    answer = judged.answer
    spread = max(truth.spread(answer.step.name), float(np.ptp(answer.low[answer.is_answered])))
    least = 1.0 if is_whole and answer.yard.whole else spread * 10.0**-POLICY.judged_digits
    unit = np.maximum(answer.unit[judged.wrong], least)
    return np.asarray(np.clip(np.log10(spread / unit), 0, POLICY.judged_digits))
