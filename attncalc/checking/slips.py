"""Slips: numbers that are off in single cells, and what can be said of numbers that nothing explains."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from attncalc.checking.attempts import Diagnosis
from attncalc.checking.follow import Walk
from attncalc.checking.judging import Judged
from attncalc.checking.right import Right
from attncalc.checking.words import cell_text
from attncalc.fields.interval import Interval, Intervals
from attncalc.mistakes import MISTAKES
from attncalc.mistakes.base import Slip
from attncalc.mistakes.slips import CellSlip
from attncalc.ops.weights import LimitShares, Shares
from attncalc.readings.value import evaluate
from attncalc.terms import Sum, Term, parts

MOST_SLIPS = 3
CLOSE = 0.01
SLIPS = [mistake for mistake in MISTAKES if isinstance(mistake, Slip)]


def slips(right: Right, walk: Walk, judged: Judged, symbol: str) -> list[Diagnosis]:
    """The slips of single cells, where only a few cells are wrong."""
    cells = np.argwhere(judged.wrong)
    told = int(judged.told.is_told.sum())
    if len(cells) > MOST_SLIPS or (len(cells) > 1 and 2 * len(cells) > told):
        return []
    found = [one for at in cells for one in slips_of(right, walk, judged, tuple(map(int, at)), symbol)]
    return [Diagnosis(one.mistake, one.step, one.message, n) for n, one in enumerate(found)]


def slips_of(
    right: Right, walk: Walk, judged: Judged, at: tuple[int, ...], symbol: str
) -> Iterator[Diagnosis]:
    """The slips that explain one number, the simplest of each kind, or that it is a slip."""
    step, name = judged.told.step, cell_text(symbol, tuple(n + 1 for n in at))
    rule = right.graph.cell(step, at, right.trace.ops[step.name])
    values = {
        operand: of_batch(walk.values[operand], at[:-2]) for operand in (*step.inputs, *right.graph.sizes)
    }
    low, high = float(judged.told.box_low[at]), float(judged.told.box_high[at])

    # A slip changes one term of a sum: of a long one, the others are not computed again for each slip.
    field = Interval()
    known = {id(part): evaluate(part, values, field) for part in parts(rule, Sum)}

    def is_told(term: Term) -> bool:
        """Whether the number is what a term is written as; what may be 0 says too little to tell."""
        found = added([known.get(id(part)) or evaluate(part, values, field) for part in parts(term, Sum)])
        around_zero = found.low <= 0 <= found.high
        return bool(low <= found.high and high >= found.low and not around_zero)

    said = False
    for slip in SLIPS if not low <= 0 <= high else ():
        messages = (message for term, message in slip.alternatives(rule, name) if is_told(term))
        for message in messages:
            said = True
            yield Diagnosis(slip.code, step.name, message)
            break
    if not said:
        yield Diagnosis(CellSlip.code, step.name, f"{name} is off by a slip of arithmetic.")


def added(spans: list[Intervals]) -> Intervals:
    """The sum of single intervals."""
    return Interval().total(Intervals(np.array([x.low for x in spans]), np.array([x.high for x in spans])))


def of_batch(array: Intervals, lead: tuple[int, ...]) -> Intervals:
    """The matrix of one batch."""
    extra = array.ndim - 2
    return array[lead[len(lead) - extra :]] if 0 < extra <= len(lead) else array


def evidence(judged: Judged) -> Iterator[str]:
    """What can be said of numbers that no mistake explains."""
    told, allowed = judged.told, judged.allowed
    if told.is_told.all() and isinstance(told.step.op.core, Shares | LimitShares):
        rows, columns = ((told.low + told.high).sum(axis=axis) / 2 for axis in (-1, -2))
        if not np.allclose(rows, 1, atol=0.02):
            listed = ", ".join(f"{total:.4g}" for total in rows.ravel()[:6])
            yield f"The rows add up to {listed}, not to 1."
            if np.allclose(columns, 1, atol=0.02):
                yield "The columns add up to 1, where the rows should."
    middle = (allowed.low + allowed.high) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = (((told.low + told.high) / 2) / middle)[told.is_told & (np.abs(middle) > 1e-9)]
    if len(ratios) and np.all(np.isfinite(ratios)):
        furthest = np.abs(ratios - 1).max()
        if furthest < CLOSE:
            yield f"The numbers are within {100 * furthest:.1g} % of what they should be: rounded on the way?"
        elif len(ratios) > 2 and np.ptp(ratios) < CLOSE * abs(ratios[0]):
            yield f"Every entry is about {ratios.mean():.4g} times what it should be."
    rows = np.asarray(judged.wrong.any(axis=-1))
    if rows.ndim == 1 and len(rows) > 2 and rows.sum() == len(rows) - 1:
        yield f"Only row {int(np.nonzero(~rows)[0][0]) + 1} is right."
