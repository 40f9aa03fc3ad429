"""Slips: numbers that are off in single cells, told ones or one that is not told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from attncalc.checking.attempts import Diagnosis
from attncalc.checking.follow import Walk
from attncalc.checking.judging import Judged
from attncalc.checking.right import Right
from attncalc.fields.interval import Interval, Intervals
from attncalc.mistakes import MISTAKES
from attncalc.mistakes.base import Slip
from attncalc.mistakes.slips import CellSlip
from attncalc.readings.value import evaluate
from attncalc.record import changed
from attncalc.terms import Entry, Negative, Product, Quotient, Sum, Term, mapped, parts
from attncalc.terms.formulas import Place, Text, sentence

MOST_SLIPS = 3
SLIPS = [mistake for mistake in MISTAKES if isinstance(mistake, Slip)]
FIELD = Interval()


def slips(
    right: Right, walk: Walk, judged: Judged, is_direct: bool, symbols: Mapping[str, str]
) -> list[Diagnosis]:
    """The slips of single cells, where only a few cells are wrong.

    Where a step does not come directly from what is told, a row that is wrong as a whole may be so because of
    what lies before it.
    """
    cells = np.argwhere(judged.wrong)
    told = int(judged.told.is_told.sum())
    if len(cells) > MOST_SLIPS or (len(cells) > 1 and 2 * len(cells) > told):
        return []
    found: list[Diagnosis] = []
    for at in (tuple(map(int, cell)) for cell in cells):
        row = judged.told.is_told[at[:-1]] & ~judged.wrong[at[:-1]]
        found += slips_of(right, walk, judged, at, is_direct or bool(row.any()), symbols)
    return [changed(one, group=n) for n, one in enumerate(found)]


def slips_of(
    right: Right,
    walk: Walk,
    judged: Judged,
    at: tuple[int, ...],
    is_own: bool,
    symbols: Mapping[str, str],
) -> Iterator[Diagnosis]:
    """The slips that explain one number, the simplest of each kind, or that it is one of its own."""
    step = judged.told.step
    name = Place(symbols[step.name], tuple(n + 1 for n in at))
    rule = right.graph.cell(step, at, right.trace.ops[step.name])
    values = {
        operand: of_batch(walk.values[operand], at[:-2]) for operand in (*step.inputs, *right.graph.sizes)
    }
    low, high = float(judged.told.box_low[at]), float(judged.told.box_high[at])
    ranges = Ranges(rule, values)

    def is_told(term: Term) -> bool:
        """Whether the number is what a term is written as; what may be 0 says too little to tell."""
        found = ranges.of(term)
        around_zero = found.low <= 0 <= found.high
        return bool(low <= found.high and high >= found.low and not around_zero)

    said = False
    for slip in SLIPS if not low <= 0 <= high else ():
        messages = (message for term, message in slip.alternatives(rule, name) if is_told(term))
        for message in messages:
            said = True
            yield Diagnosis(slip.code, step.name, renamed(message, symbols))
            break
    if is_own and not said:
        text = sentence("{} does not come to {}: work that entry out again.", name, judged.told.number(at))
        yield Diagnosis(CellSlip.code, step.name, text)


class Ranges:
    """The ranges of a rule's alternatives: a slip changes one term, and the others are computed once."""

    def __init__(self, rule: Term, values: Mapping[str, Intervals]) -> None:
        self.values = values
        self.rule = rule
        self.known = {id(part): evaluate(part, values, FIELD) for part in parts(rule, Sum)}

    def of(self, term: Term) -> Intervals:
        """The range of a term that is put together from parts of the rule."""
        if id(term) in self.known:
            return self.known[id(term)]
        match term:
            case Sum(terms):
                return added([self.of(part) for part in terms])
            case Negative(x):
                return FIELD.negative(self.of(x))
            case Product((x, y)):
                return FIELD.multiply(self.of(x), self.of(y))
            case Quotient(x, y):
                return FIELD.divide(self.of(x), self.of(y))
        return evaluate(term, self.values, FIELD)


def added(spans: list[Intervals]) -> Intervals:
    """The sum of single intervals."""
    return FIELD.total(Intervals(np.array([x.low for x in spans]), np.array([x.high for x in spans])))


def of_batch(array: Intervals, lead: tuple[int, ...]) -> Intervals:
    """The matrix of one batch."""
    extra = array.ndim - 2
    return array[lead[len(lead) - extra :]] if 0 < extra <= len(lead) else array


def renamed(text: Text, symbols: Mapping[str, str]) -> Text:
    """A sentence with the course's own names in its terms."""

    def put(term: Term) -> Term:
        if isinstance(term, Entry):
            return Entry(symbols.get(term.of, term.of), term.at)
        return mapped(term, put)

    if isinstance(text, str):
        return text
    return tuple(put(part) if isinstance(part, Term) else part for part in text)
