"""What can be said of numbers that no mistake explains: facts, and what to answer next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from attncalc.core.fields import Floats
from attncalc.core.graph.graph import Step
from attncalc.core.graph.references import Reference
from attncalc.core.ops.heads import HeadColumns
from attncalc.core.ops.output import Output, OutputWithPast
from attncalc.marking.follow.judge import Judged
from attncalc.marking.follow.truth import Truth, largest_of
from attncalc.marking.follow.walk import Walk
from attncalc.marking.policy import LIMITS, POLICY
from attncalc.marking.rounding.excuse import distance, is_rounded_by_hand
from attncalc.mistakes.softmax_base import exponentials_of

FEWEST_ALIKE = 3
"""Wrong cells that must be off by the same factor to name it."""
MOST_LISTED = 6
WRONG_SIGN = "has the wrong sign"
FIND_FIRST, FIND_LATER = "find the first wrong step", "see where this goes wrong"
TO_WHOLE = "Rounded to whole numbers, or cut off: show the decimals."
ROUNDED_OR_CUT = "from the expected {}: rounded or cut on the way?"


def evidence(
    truth: Truth, walk: Walk, judged: Judged, chain: Sequence[Step], symbols: Mapping[str, str]
) -> Iterator[str]:
    """Facts about the numbers of a wrong step, else what to answer next."""
    seen = [*say_all_near(truth, judged), *say_sums(judged), *say_outside(truth, walk, judged, symbols)]
    seen = seen or list(say_ratios(judged))
    yield from seen
    asked = (step for step in chain[:-1] if not is_on_the_way(step) and not is_known(truth, step))
    unanswered = [symbols[step.name] for step in asked]
    if unanswered and not seen:
        added, name = " and ".join(unanswered[-2:]), judged.answer.step.name
        is_first = find_first_bad(walk) == name
        yield f"Add {added} to your answers to {FIND_FIRST if is_first else FIND_LATER}."


def find_first_bad(walk: Walk) -> str | None:
    """The first step with a wrong number or a wrong shape."""
    return next((name for name, one in walk.judged.items() if one.is_wrong or one.answer.misshapen), None)


def find_near(truth: Truth, judged: Judged) -> NDArray[np.bool_]:
    """The wrong numbers that honest work may give: within three units, or one unit if that says little."""
    if not judged.is_wrong or not is_rounded_by_hand(truth, judged):
        return np.zeros_like(judged.wrong)
    unit = judged.answer.unit
    is_fine = unit <= POLICY.fine * largest_of(truth.floats[judged.answer.step.name])
    # Two units, its own rounding, and that of the expected value; without decimals, its own rounding only.
    units = np.where(is_fine, POLICY.near_units + 0.5, unit < 1) * (1 + LIMITS.tie_error)
    return np.asarray(judged.wrong & (distance(judged.answer, judged.allowed) <= units * unit))


def furthest_off(judged: Judged, cells: NDArray[np.bool_]) -> str:
    """How far some numbers are from the expected ones at most, to one digit: 0.02."""
    off = np.abs(judged.answer.middle - (judged.allowed.low + judged.allowed.high) / 2)[cells]
    return np.format_float_positional(float(f"{off.max():.1g}"), trim="-")


def say_all_near(truth: Truth, judged: Judged) -> Iterator[str]:
    """Say that all wrong numbers are near the expected ones."""
    if np.array_equal(find_near(truth, judged), judged.wrong):
        words = ROUNDED_OR_CUT.format("values")
        yield f"The wrong numbers are at most about {furthest_off(judged, judged.wrong)} {words}"


def is_on_the_way(step: Step) -> bool:
    """Whether no student is asked to answer a step."""
    return step.kind.is_quick or step.kind.part_of in ("softmax", "norm", "positions")


def is_known(truth: Truth, step: Step) -> bool:
    """Whether a step repeats the matrix before it, or is a part of a given one."""
    if len(step.inputs) != 1:
        return False
    (before,) = step.inputs
    is_part = isinstance(step.op, HeadColumns) and before in truth.graph.given
    return is_part or np.array_equal(truth.floats[step.name], truth.floats[before])


def is_rounded_to_whole(judged: Judged) -> bool:
    """Whether all numbers are whole, and what is expected was rounded to them, or cut off."""
    answer, allowed = judged.answer, judged.allowed
    numbers, some = answer.middle, answer.is_answered
    if not some.any() or not np.all(np.isfinite(numbers[some]) & (numbers[some] == np.rint(numbers[some]))):
        return False
    off = distance(answer, allowed)[some]
    is_nearer_0 = (np.abs(numbers) <= np.abs(np.where(numbers > 0, allowed.high, allowed.low)))[some]
    return bool(np.all(off <= 1 / 2) or np.all((off < 1) & is_nearer_0 & (numbers[some] != 0)))


def say_sums(judged: Judged) -> Iterator[str]:
    """Say that rows of weights do not add up to 1, however they were rounded."""
    answer = judged.answer
    if not answer.is_answered.all() or not answer.step.op.core.adds_up:
        return
    off = find_unequal_sums(judged, axis=-1)
    if not off.any():
        return
    sums = [f"{total:.4g}" for total in answer.middle.sum(axis=-1)[off]]
    listed = ", ".join(sums[:MOST_LISTED]) + (", …" if len(sums) > MOST_LISTED else "")
    rows = np.nonzero(off)[0] + 1
    if off.size == 1:
        yield f"The row adds up to {listed}, not to 1."
    elif off.all() or off.ndim > 1:
        yield f"The rows add up to {listed}, not to 1."
    elif len(rows) == 1:
        yield f"Row {rows[0]} adds up to {listed}, not to 1."
    else:
        yield f"Rows {', '.join(map(str, rows[:MOST_LISTED]))} add up to {listed}, not to 1."
    if off.all() and off.size > 1 and not find_unequal_sums(judged, axis=-2).any():
        yield "The columns add up to 1, where the rows should."


def find_unequal_sums(judged: Judged, axis: int) -> NDArray[np.bool_]:
    """The rows or columns whose sum is not 1, whatever the numbers were before they were rounded."""
    answer = judged.answer
    low, high = answer.box_low.sum(axis=axis), answer.box_high.sum(axis=axis)
    return np.asarray((low > 1 + POLICY.sum_error) | (high < 1 - POLICY.sum_error))


def say_outside(truth: Truth, walk: Walk, judged: Judged, symbols: Mapping[str, str]) -> Iterator[str]:
    """Say that an output lies outside the values of which it is a mean, if these are given or answered."""
    answer, step = judged.answer, judged.answer.step
    names = step.inputs[1:]
    known = all(name in truth.start or name in walk.judged for name in names)
    if not known or not is_weighted_mean(truth, step):
        return
    low = np.min([walk.values[name].low.min(axis=-2, keepdims=True) for name in names], axis=0)
    high = np.max([walk.values[name].high.max(axis=-2, keepdims=True) for name in names], axis=0)
    beyond = judged.wrong & ((answer.high < low - answer.unit) | (answer.low > high + answer.unit))
    for at in np.argwhere(beyond)[:1]:
        values = " and ".join(symbols.get(name, name) for name in names)
        yield (
            f"{Reference.to_cell(symbols[step.name], at)} is outside the range of column {int(at[-1]) + 1} "
            f"of {values}, of which every output is a weighted mean: no weights give it."
        )


def is_weighted_mean(truth: Truth, step: Step) -> bool:
    """Whether a step is a mean of values, old or new, with the weights of a softmax, which are positive."""
    weights = truth.graph.step(step.inputs[0]) if step.inputs else None
    if weights is None or not isinstance(step.op, Output | OutputWithPast):
        return False
    return weights.op.core.adds_up and exponentials_of(weights, truth.graph) is not None


def shares_of_expected(judged: Judged) -> Floats:
    """The answers as shares of the expected values that are not 0."""
    answer, allowed = judged.answer, judged.allowed
    middle = (allowed.low + allowed.high) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.asarray(answer.middle / middle)
    return np.asarray(shares[answer.is_answered & (np.abs(middle) > LIMITS.nothing)])


def is_close(judged: Judged) -> bool:
    """Whether all numbers are so close to the expected ones that rounding is the only reason."""
    found = shares_of_expected(judged)
    return bool(len(found) and np.all(np.abs(found - 1) < POLICY.alike))


def say_ratios(judged: Judged) -> Iterator[str]:
    """Say that all numbers are close to the expected ones, or off by one factor."""
    found = shares_of_expected(judged)
    if not len(found) or not np.all(np.isfinite(found)):
        return
    furthest = np.abs(found - 1).max()
    if furthest < POLICY.alike:
        ending = ": rounded on the way?" if furthest < POLICY.doubt_of_largest else "."
        yield f"The numbers are within about {100 * furthest:.1g} % of the expected values{ending}"
    elif (factor := one_factor(judged)) is not None:
        every = "Every entry" if judged.wrong.sum() == len(found) else "Every wrong entry"
        is_sign = abs(factor + 1) <= POLICY.alike
        off = WRONG_SIGN if is_sign else f"is about {factor:.4g} times what it should be"
        yield f"{every} {off}."


def one_factor(judged: Judged) -> float | None:
    """The factor by which all wrong entries, three or more, are off, if two of them show it precisely."""
    answer, wrong = judged.answer, judged.wrong
    middle = ((judged.allowed.low + judged.allowed.high) / 2)[wrong]
    if len(middle) < FEWEST_ALIKE or not np.all(np.abs(middle) > LIMITS.nothing):
        return None
    low, high = np.sort([answer.box_low[wrong] / middle, answer.box_high[wrong] / middle], axis=0)
    closest = np.argsort(high - low)[:2]
    factor = float((low + high)[closest].mean() / 2)
    slack = POLICY.alike / 2 * abs(factor)
    is_close = np.all((high - low)[closest] < POLICY.alike * abs(factor))
    return factor if is_close and np.all((low - slack <= factor) & (factor <= high + slack)) else None


def disagrees(judged: Judged) -> bool:
    """Whether a right step is further from what the answers before it give than rounding explains."""
    answer = judged.answer
    off = distance(judged.answer, judged.allowed) > POLICY.near_units * answer.unit * (1 + LIMITS.tie_error)
    return bool(np.any(off & answer.is_answered))
