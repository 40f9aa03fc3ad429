"""Slips: numbers that are right but misplaced, rounded too early, or off in single cells."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import add

import numpy as np

from attncalc.checking.answers import Told
from attncalc.checking.diagnose import Diagnosis, Diagnostician, explains
from attncalc.checking.follow import Judged, Right, Walk, meets
from attncalc.checking.told import ToldStep
from attncalc.checking.words import cell_text
from attncalc.fields.interval import Interval, Intervals, points
from attncalc.graph.graph import Graph, Step
from attncalc.notations.unicode import Ascii, write
from attncalc.ops.base import At, Op, Operand, Operation, Shape
from attncalc.ops.heads import Concatenation, HeadSum
from attncalc.ops.output import Output
from attncalc.readings.value import evaluate
from attncalc.record import record
from attncalc.terms import Apply, Negative, Sum, Term

POWERS_OF_TEN = (1, -1, 2, -2, 3, -3)
EARLY_PLACES = (3, 2, 1, 0)
MOST_ROWS = 64
CLOSE = 0.01
TRANSPOSED = "The numbers are right, but the matrix is transposed."


def misplaced(judged: Judged) -> Iterator[Diagnosis]:
    """The right numbers, transposed or in another order of rows."""
    name, allowed = judged.told.step.name, judged.allowed
    if judged.marks.ndim != 2:
        return
    rows, columns = judged.marks.shape
    if rows == columns > 1 and judged.told.is_told.all():
        turned = Intervals(allowed.low.T, allowed.high.T)
        if explains(judged, turned):
            yield Diagnosis("result-transposed", name, TRANSPOSED)
    if 1 < rows <= MOST_ROWS and judged.told.is_told.all() and is_permuted(judged):
        yield Diagnosis("rows-permuted", name, "The numbers are right, but the rows are in another order.")


def misshapen(right: Right, walk: Walk, judged: Judged) -> Iterator[Diagnosis]:
    """A matrix of the wrong shape whose numbers are right all the same: transposed, or a mean of heads."""
    step = judged.told.step
    for told, _ in judged.told.misshapen:
        if told.cells.ndim == 2 and told.cells.shape == step.shape[::-1] and not told.reference.at:
            turned = Told(told.reference, told.cells.T, told.place)
            if fits(right, walk, step, turned):
                yield Diagnosis("result-transposed", step.name, TRANSPOSED)
        first = right.graph.shapes[step.inputs[0]] if step.inputs else ()
        if isinstance(step.op, Concatenation) and told.cells.shape == first:
            mean = Step(step.name, step.title, HeadSum(True), step.inputs, first, step.letters)
            if fits(right, walk, mean, told):
                message = "The mean of the heads was taken in place of putting them side by side."
                yield Diagnosis("heads-averaged", step.name, message)
        if isinstance(step.op, Output) and step.shape[-2] == 1:
            values = right.graph.shapes[step.inputs[1]]
            rows = Step(step.name, step.title, WeightedRows(), step.inputs, values, "jd")
            if told.cells.shape == values and fits(right, walk, rows, told):
                yield Diagnosis("output-elementwise", step.name, "The weighted values were not added up.")


@record
class WeightedRows(Op):
    """The values of one query, each times its weight, not added up."""

    def shape(self, *operands: Operand) -> Shape:
        return operands[1].shape[-2:]

    def cell(self, at: At, *operands: Operand) -> Term:
        a, v = operands
        return a[0, at[0]] * v[at]


def fits(right: Right, walk: Walk, step: Step, told: Told) -> bool:
    """Whether what is told is a step, on the student's own values."""
    alone = ToldStep(step, False, None)
    alone.add(told)
    result = right.step_range(step, walk.values)
    return bool(alone.is_told.any()) and bool(np.all(meets(alone, result)[alone.is_told]))


def is_permuted(judged: Judged) -> bool:
    """Whether the told rows are the right rows in another order."""
    told, allowed = judged.told, judged.allowed
    fits = (told.box_low[:, None, :] <= allowed.high[None]) & (told.box_high[:, None, :] >= allowed.low[None])
    choices = np.asarray(fits.all(axis=-1))
    taken: dict[int, int] = {}

    def place(row: int, seen: set[int]) -> bool:
        """Finds a right row for a told row, moving others where that helps."""
        for right in map(int, np.nonzero(choices[row])[0]):
            if right not in seen:
                seen.add(right)
                if right not in taken or place(taken[right], seen):
                    taken[right] = row
                    return True
        return False

    return all(place(row, set()) for row in range(len(choices)))


def rounded_early(doctor: Diagnostician, walk: Walk, name: str) -> Iterator[Diagnosis]:
    """An earlier step that was rounded to fewer digits than the answer needs."""
    chain = doctor.chain(walk, name)
    inside = [step.name for step in chain[:-1]]
    before = [operand for step in chain for operand in step.inputs if operand in walk.judged]
    for source in dict.fromkeys([*inside, *before]):
        for places in EARLY_PLACES:
            values: dict[str, Intervals] = dict(walk.values)
            exact = doctor.right.field.floats(values[source])
            values[source] = points(np.round(exact, places))
            for step in chain:
                if step.name != source:
                    values[step.name] = doctor.right.step_range(step, values)
            if explains(walk.judged[name], values[name]):
                decimals = f"{places} decimal{'' if places == 1 else 's'}" if places else "whole numbers"
                yield Diagnosis(
                    "rounded-early",
                    source,
                    f"{source} was rounded to {decimals}, fewer than the answer needs.",
                )
                return


@record
class Span:
    """A number known to lie between two bounds."""

    low: float
    high: float

    def __add__(self, other: Span) -> Span:
        return Span(self.low + other.low, self.high + other.high)

    def times(self, factor: float) -> Span:
        """The number times a factor."""
        ends = self.low * factor, self.high * factor
        return Span(min(ends), max(ends))


class Cell:
    """One wrong cell, its rule, and the student's own values to try it on."""

    def __init__(
        self, walk: Walk, graph: Graph, judged: Judged, at: tuple[int, ...], op: Operation, symbol: str
    ) -> None:
        self.at, self.step = at, judged.told.step
        self.rule = graph.cell(self.step, at, op)
        self.box = Span(float(judged.told.box_low[at]), float(judged.told.box_high[at]))
        self.values = {name: of_batch(array, at[:-2]) for name, array in walk.values.items()}
        self.name = cell_text(symbol, tuple(n + 1 for n in at))

    def span(self, term: Term) -> Span:
        """Where a term lies over the student's own values."""
        found = evaluate(term, self.values, Interval())
        return Span(float(found.low), float(found.high))

    def is_told(self, span: Span) -> bool:
        """Whether the student's number is what a span is written as."""
        return self.box.low <= span.high and self.box.high >= span.low

    def diagnoses(self) -> Iterator[Diagnosis]:
        """The slips that explain the number, the simplest of each kind, or that it is a slip."""
        found: set[str] = set()
        # Almost everything small is written as 0, which says too little to tell.
        for code, span, message in self.alternatives() if not self.is_told(Span(0, 0)) else ():
            if code not in found and self.is_told(span):
                found.add(code)
                yield Diagnosis(code, self.step.name, message)
        if not found:
            yield Diagnosis("cell-slip", self.step.name, f"{self.name} is off by a slip of arithmetic.")

    def alternatives(self) -> Iterator[tuple[str, Span, str]]:
        """What else the rule may have been taken for."""
        terms = self.rule.terms if isinstance(self.rule, Sum) else (self.rule,)
        spans = [self.span(term) for term in terms]
        whole = reduce(add, spans)
        yield "sign-slip", whole.times(-1), f"{self.name} has the wrong sign."
        if isinstance(self.rule, Apply):
            inverse = self.span(Apply(self.rule.function, Negative(self.rule.term)))
            yield "sign-slip", inverse, f"The exponent of {self.name} has the wrong sign."
        for term, span in zip(terms, spans, strict=True) if len(terms) > 1 else ():
            text = write(term, Ascii())
            rest = reduce(add, (other for other in spans if other is not span))
            yield "sign-slip", rest + span.times(-1), f"In {self.name} the term {text} has the wrong sign."
            yield "term-missing", rest, f"In {self.name} the term {text} is left out."
            yield "term-missing", whole + span, f"In {self.name} the term {text} is taken twice."
        # What may be 0 stays it, however often it is multiplied.
        for power in POWERS_OF_TEN if whole.low > 0 or whole.high < 0 else ():
            times = "10" if abs(power) == 1 else f"10^{abs(power)}"
            way = "large" if power > 0 else "small"
            yield (
                "decimal-slip",
                whole.times(10.0**power),
                f"{self.name} is too {way} by a factor of {times}.",
            )


def of_batch(array: Intervals, lead: tuple[int, ...]) -> Intervals:
    """The matrix of one batch."""
    extra = array.ndim - 2
    return array[lead[len(lead) - extra :]] if 0 < extra <= len(lead) else array


def evidence(judged: Judged) -> Iterator[str]:
    """What can be said of numbers that no mistake explains."""
    told, allowed = judged.told, judged.allowed
    if told.step.name.startswith("A") and told.is_told.all():
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
