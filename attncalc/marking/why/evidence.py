"""What can be said of numbers that no mistake explains: facts, and what to answer next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from attncalc.core.fields import Floats
from attncalc.core.graph.graph import Step
from attncalc.core.graph.references import Reference
from attncalc.marking.follow.judge import Judged, meets
from attncalc.marking.follow.truth import Truth
from attncalc.marking.follow.walk import Walk
from attncalc.marking.policy import POLICY

MOST_LISTED = 6
WRONG_SIGN = "has the wrong sign"


def evidence(
    truth: Truth, walk: Walk, judged: Judged, chain: Sequence[Step], symbols: Mapping[str, str]
) -> Iterator[str]:
    """Facts about the numbers of a wrong step, else what to answer next."""
    seen = [
        *say_sums(judged),
        *say_outside(truth, walk, judged, symbols),
        *say_ratios(judged),
        *say_rows(judged),
    ]
    yield from seen
    unanswered = [symbols[step.name] for step in chain[:-1] if not is_on_the_way(step)]
    if unanswered and not seen:
        yield f"Add {' and '.join(unanswered[-2:])} to your answers to find the first wrong step."


def is_on_the_way(step: Step) -> bool:
    """Whether no student is asked to answer a step."""
    return step.kind.is_quick or step.kind.part_of in ("softmax", "norm", "positions")


def say_sums(judged: Judged) -> Iterator[str]:
    """Say that rows of weights do not add up to 1."""
    answer = judged.answer
    if not answer.is_answered.all() or not answer.step.op.core.adds_up:
        return
    rows, columns = ((answer.low + answer.high).sum(axis=axis) / 2 for axis in (-1, -2))
    if not np.allclose(rows, 1, atol=POLICY.sum_error):
        listed = ", ".join(f"{total:.4g}" for total in rows.ravel()[:MOST_LISTED])
        yield f"The rows add up to {listed}, not to 1."
        if np.allclose(columns, 1, atol=POLICY.sum_error):
            yield "The columns add up to 1, where the rows should."


def say_outside(truth: Truth, walk: Walk, judged: Judged, symbols: Mapping[str, str]) -> Iterator[str]:
    """Say that an output lies outside the values of which it is a mean, if these are given or answered."""
    answer, step = judged.answer, judged.answer.step
    weights, values = truth.graph.find("weights", step.head), truth.graph.find("values", step.head)
    if step.kind.stage != "output" or values not in step.inputs or weights not in step.inputs:
        return
    made = truth.graph.step(weights)
    if made is None or not made.op.core.adds_up or not (values in truth.start or values in walk.judged):
        return
    own = walk.values[values]
    low, high = (
        bound(edge, axis=-2, keepdims=True) for bound, edge in ((np.min, own.low), (np.max, own.high))
    )
    beyond = judged.wrong & ((answer.high < low - answer.unit) | (answer.low > high + answer.unit))
    for at in np.argwhere(beyond)[:1]:
        column = int(at[-1]) + 1
        name = symbols.get(values, values)
        yield (
            f"{Reference.to_cell(symbols[step.name], at)} lies outside column {column} of {name}, "
            "of which every output is a weighted mean: no weights give it."
        )


def shares_of_expected(judged: Judged) -> Floats:
    """The answers as shares of the expected values that are not 0."""
    answer, allowed = judged.answer, judged.allowed
    middle = (allowed.low + allowed.high) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.asarray(answer.middle / middle)
    return np.asarray(shares[answer.is_answered & (np.abs(middle) > POLICY.zero)])


def is_close(judged: Judged) -> bool:
    """Whether all numbers are so close to the expected ones that rounding is the only reason."""
    found = shares_of_expected(judged)
    return bool(len(found) and np.all(np.abs(found - 1) < POLICY.close_share))


def say_ratios(judged: Judged) -> Iterator[str]:
    """Say that all numbers are close to the expected ones, or off by one factor."""
    found = shares_of_expected(judged)
    if not len(found) or not np.all(np.isfinite(found)):
        return
    furthest = np.abs(found - 1).max()
    if furthest < POLICY.close_share:
        yield f"The numbers are within {100 * furthest:.1g} % of what they should be: rounded on the way?"
    elif (factor := one_factor(judged)) is not None:
        every = "Every entry" if judged.wrong.sum() == len(found) else "Every wrong entry"
        is_sign = abs(factor + 1) <= POLICY.close_share
        off = WRONG_SIGN if is_sign else f"is about {factor:.4g} times what it should be"
        yield f"{every} {off}."


def one_factor(judged: Judged) -> float | None:
    """The factor by which all wrong entries, three or more, are off, if two of them show it precisely."""
    answer, wrong = judged.answer, judged.wrong
    middle = ((judged.allowed.low + judged.allowed.high) / 2)[wrong]
    if len(middle) < POLICY.fewest_alike or not np.all(np.abs(middle) > POLICY.zero):
        return None
    low, high = np.sort([answer.box_low[wrong] / middle, answer.box_high[wrong] / middle], axis=0)
    closest = np.argsort(high - low)[:2]
    factor = float((low + high)[closest].mean() / 2)
    slack = POLICY.close_share / 2 * abs(factor)
    is_close = np.all((high - low)[closest] < POLICY.close_share * abs(factor))
    return factor if is_close and np.all((low - slack <= factor) & (factor <= high + slack)) else None


def say_rows(judged: Judged) -> Iterator[str]:
    """Say that only one row is right, if it is not all 0."""
    wrong = np.asarray(judged.wrong.any(axis=-1))
    if wrong.ndim == 1 and len(wrong) > 2 and wrong.sum() == len(wrong) - 1:
        truth = int(np.nonzero(~wrong)[0][0])
        if np.any(judged.answer.middle[truth]):
            yield f"Only row {truth + 1} is right."


def disagrees(judged: Judged) -> bool:
    """Whether a right step does not follow from the answers before it."""
    answer = judged.answer
    return not np.all(meets(answer, judged.allowed)[answer.is_answered])
