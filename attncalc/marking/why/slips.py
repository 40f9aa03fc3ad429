"""Slips: numbers that are off in single cells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from attncalc.core.fields.interval import Interval, Intervals
from attncalc.core.readings.value import evaluate
from attncalc.core.record import replace
from attncalc.core.terms import Constant, Entry, Negative, Product, Quotient, Sum, Term, map_members, parts
from attncalc.core.terms.formulas import Name, Place, Text, sentence
from attncalc.marking.follow.judge import Judged
from attncalc.marking.follow.truth import Truth
from attncalc.marking.follow.walk import Walk
from attncalc.marking.policy import LIMITS
from attncalc.marking.why.attempts import Diagnosis
from attncalc.marking.why.evidence import ROUNDED_OR_CUT, find_near, furthest_off
from attncalc.marking.why.match import hardly_off
from attncalc.mistakes import SLIPS
from attncalc.mistakes.slips import CellSlip

MOST_SLIPPED = 3
"""Wrong cells that can each be a slip."""
FIELD = Interval()
COPY_AGAIN, WORK_AGAIN = "copy that entry again", "work that entry out again"
Range: TypeAlias = tuple[float, float]


def slips(
    truth: Truth, walk: Walk, judged: Judged, is_direct: bool, symbols: Mapping[str, str]
) -> list[Diagnosis]:
    """The slips of single cells, if only a few cells are wrong.

    If a step does not depend directly on answers, a whole wrong row may come from a step before it.
    """
    count, answered = int(judged.wrong.sum()), int(judged.answer.is_answered.sum())
    if count > MOST_SLIPPED or (count > 1 and 2 * count > answered):
        return []
    near = find_near(truth, judged)
    found = list(say_near(judged, near, symbols))
    for at in list_indices(judged.wrong & ~near):
        row = judged.answer.is_answered[at[:-1]] & ~judged.wrong[at[:-1]]
        found += slips_of(truth, walk, judged, at, is_direct or bool(row.any()), symbols)
    return [replace(one, group=n) for n, one in enumerate(found)]


def list_indices(cells: NDArray[np.bool_]) -> list[tuple[int, ...]]:
    """The indices of the true cells of a mask."""
    return [tuple(map(int, at)) for at in np.argwhere(cells)]


def name_cell(judged: Judged, at: tuple[int, ...], symbols: Mapping[str, str]) -> Place | Name:
    """The name of a cell, or of a step that is a single number."""
    symbol = symbols[judged.answer.step.name]
    return Name(symbol) if judged.wrong.size == 1 else Place(symbol, tuple(n + 1 for n in at))


def say_near(judged: Judged, near: NDArray[np.bool_], symbols: Mapping[str, str]) -> Iterator[Diagnosis]:
    """Say of wrong cells that are near the expected values how far off they are."""
    cells = [name_cell(judged, at, symbols) for at in list_indices(near)]
    if cells:
        is_one, off = len(cells) == 1, furthest_off(judged, near)
        listed = ", ".join("{}" for _ in cells)
        about = f"is about {off}" if is_one else f"are at most about {off}"
        words = f"{listed} {about} {ROUNDED_OR_CUT.format('value' if is_one else 'values')}"
        yield Diagnosis(CellSlip.code, judged.answer.step.name, sentence(words, *cells), cells=len(cells))


def slips_of(
    truth: Truth,
    walk: Walk,
    judged: Judged,
    at: tuple[int, ...],
    is_own: bool,
    symbols: Mapping[str, str],
) -> Iterator[Diagnosis]:
    """The slips that explain one number, the simplest of each kind, else a plain cell slip."""
    step, name = judged.answer.step, name_cell(judged, at, symbols)
    rule = truth.graph.cell(step, at, truth.trace.ops[step.name])
    values = {
        operand: of_batch(walk.values[operand], at[:-2]) for operand in (*step.inputs, *truth.graph.sizes)
    }
    low, high = float(judged.answer.box_low[at]), float(judged.answer.box_high[at])
    ranges = Ranges(rule, values)

    def is_answered(term: Term) -> bool:
        """Whether the number is how a term is written; a term that may be 0 says too little."""
        least, most = ranges.of(term)
        error = LIMITS.float_error
        return low <= most + error and high >= least - error and not least <= 0 <= most

    found = []
    for slip in () if low <= 0 <= high or hardly_off(judged, judged.answer.unit)[at] else SLIPS:
        messages = (message for term, message in slip.alternatives(rule, name) if is_answered(term))
        found += [
            Diagnosis(slip.code, step.name, rename_entries(text, symbols), cells=1)
            for text in islice(messages, 1)
        ]
    yield from found
    if is_own and not found:
        again = say_mask(truth, judged, at) or (COPY_AGAIN if isinstance(rule, Entry) else WORK_AGAIN)
        text = sentence(f"{{}} is not {{}}: {again}.", name, judged.answer.number(at))
        yield Diagnosis(CellSlip.code, step.name, text, cells=1)


def say_mask(truth: Truth, judged: Judged, at: tuple[int, ...]) -> str:
    """Whether the mask hides a key, if the answer says the opposite."""
    if not any(map(truth.graph.is_mask, judged.answer.step.inputs)):
        return ""
    hides, expected = (bool(np.isneginf(one[at])) for one in (judged.answer.high, judged.allowed.high))
    return "" if hides == expected else "the mask hides that key" if expected else "no mask hides that key"


class Ranges:
    """The ranges of a rule's alternatives: a slip changes one term, and the others are computed once."""

    def __init__(self, rule: Term, values: Mapping[str, Intervals]) -> None:
        self.rule, self.values = rule, values
        self.known = {id(part): self.evaluated(part) for part in parts(rule, Sum)}

    def evaluated(self, term: Term) -> Range:
        """The range of any term."""
        found = evaluate(term, self.values, FIELD)
        return float(found.low), float(found.high)

    def of(self, term: Term) -> Range:
        """The range of a term that is built from parts of the rule."""
        if id(term) in self.known:
            return self.known[id(term)]
        match term:
            case Sum(terms):
                lows, highs = zip(*map(self.of, terms), strict=True)
                return sum(lows), sum(highs)
            case Negative(x):
                low, high = self.of(x)
                return -high, -low
            case Product((Constant(factor), x)):
                low, high = self.of(x)
                return float(factor) * low, float(factor) * high
            case Quotient(x, Constant(divisor)):
                low, high = self.of(x)
                return low / float(divisor), high / float(divisor)
        return self.evaluated(term)


def of_batch(array: Intervals, lead: tuple[int, ...]) -> Intervals:
    """The matrix of one batch."""
    extra = array.ndim - 2
    return array[lead[len(lead) - extra :]] if 0 < extra <= len(lead) else array


def rename_entries(text: Text, symbols: Mapping[str, str]) -> Text:
    """A sentence with the names of the course in its terms."""

    def put(term: Term) -> Term:
        if isinstance(term, Entry):
            return Entry(symbols.get(term.of, term.of), term.at)
        return map_members(term, put)

    if isinstance(text, str):
        return text
    return tuple(put(part) if isinstance(part, Term) else part for part in text)
