"""What each plan of rounding predicts for the steps of a student, all plans at once.

One walk through the graph serves all plans: every array has a first axis that runs through them. The carry
rule: a plan rounds a result v to w. If the student wrote a number x that w is written as, they went on with
w; else with x.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, reduce
from math import prod

import numpy as np
from numpy.typing import NDArray

from attncalc.core.fields import Array, Floats
from attncalc.core.graph.graph import Step
from attncalc.core.graph.labels import Kind
from attncalc.core.record import record
from attncalc.marking.answers.answer import AnsweredStep
from attncalc.marking.follow.replay import replay
from attncalc.marking.follow.truth import Rough, Truth
from attncalc.marking.follow.walk import NO_CHANGES, Changes
from attncalc.marking.policy import LIMITS
from attncalc.marking.rounding.plans import (
    FORMATS,
    INNER,
    NONE,
    PLANS,
    Place,
    Plan,
    Rounder,
    is_used,
    to_unit,
)

MOST_DECIMALS = 100
"""The most decimals: a power of ten must stay a float."""


INVERSES: tuple[Place, ...] = ("reciprocal", "inverse root")
FUNCTIONS: dict[str, Place] = {"exp": "exponential", "sqrt": "root"}


class Many(Rough):
    """Floats with a first axis that runs through many ways of rounding, followed by axes of batches."""

    def __init__(self, count: int, batches: int) -> None:
        self.count, self.batches = count, batches

    def shared(self, numbers: Array, axes: int = 2) -> Array:
        """Numbers shared by all ways; the last axes are no batches."""
        missing = self.batches + axes - numbers.ndim
        return np.broadcast_to(
            numbers.reshape((1,) * missing + numbers.shape), (self.count, *(1,) * missing, *numbers.shape)
        )

    plans: tuple[Plan, ...] = ()
    halves: tuple[int, ...] = ()
    """The plans that round, and do not cut."""
    in_formats: tuple[int, ...] = ()
    """The plans that compute in a program's format."""

    def round_given(self, x: Array) -> Array:
        """Given numbers as they are used: a format of a program rounds them, a student does not."""
        return x

    @abstractmethod
    def round_step(self, x: Array, kind: Kind, unit: float | None) -> Array:
        """The result of a step as it is carried on; `unit` is that of its answer, or the usual one."""

    def is_own(self, x: Array) -> bool:
        """Whether numbers differ from way to way."""
        return bool(x.ndim) and len(x) == self.count


class Planned(Many):
    """Floats under each of several plans."""

    def __init__(self, plans: tuple[Plan, ...], batches: int) -> None:
        super().__init__(len(plans), batches)
        self.plans = plans
        self.power_of_e = np.array([np.log(plan.e) for plan in plans])
        self.given = Rounder([plan.base if plan.base in FORMATS else NONE for plan in plans], None)
        self.inner: dict[Place, Rounder] = {
            place: self.rounder(place) for place in INNER if place not in INVERSES
        }
        self.inverse = {place: self.rounder(place) for place in INVERSES}
        self.running = [n for n, plan in enumerate(plans) if plan.way_at("sum").rounds_sums]
        self.round_running = Rounder([plans[n].way_at("sum") for n in self.running], None)
        self.in_matrices = [
            n for n, plan in enumerate(plans) if plan.way_at("product") != NONE or n in self.running
        ]
        self.steps: dict[tuple[Kind, float | None], Rounder] = {}
        self.prices = np.array([plan.price for plan in plans])
        self.fewest_places = np.array([plan.fewest_places for plan in plans])
        self.in_formats = tuple(n for n, plan in enumerate(plans) if plan.base in FORMATS)
        self.halves = tuple(n for n, plan in enumerate(plans) if not (plan.base.is_cut or plan.way.is_cut))

    def rounder(self, place: Place | None, unit: float | None = None) -> Rounder:
        """The rounder of a place."""
        return Rounder([plan.way_at(place) for plan in self.plans], unit)

    def round_given(self, x: Array) -> Array:
        return self.given(x)

    def round_step(self, x: Array, kind: Kind, unit: float | None) -> Array:
        key = kind, unit
        if key not in self.steps:
            self.steps[key] = self.rounder(kind.stage, unit)
        return self.steps[key](x)

    def multiply(self, x: Array, y: Array) -> Array:
        found = super().multiply(x, y)
        return self.inner["product"](found) if self.is_own(found) else found

    def matmul(self, left: Array, right: Array) -> Array:
        found = super().matmul(left, right)
        if self.in_matrices and self.is_own(found) and self.is_own(left) and self.is_own(right):
            some = self.in_matrices
            each = left[some][..., :, None, :] * np.swapaxes(right[some], -1, -2)[..., None, :, :]
            whole = np.zeros((self.count, *each.shape[1:]))
            whole[some] = each
            found[some] = self.total(self.inner["product"](whole))[some]
        return self.inner["sum"](found) if self.is_own(found) else found

    def add(self, x: Array, y: Array) -> Array:
        found = super().add(x, y)
        return self.inner["sum"](found) if self.is_own(found) else found

    def total(self, x: Array) -> Array:
        found = super().total(x)
        if not self.is_own(found):
            return found
        if self.running:
            found[self.running] = reduce(self.add_rounded, np.moveaxis(x[self.running], -1, 0))
        return self.inner["sum"](found)

    def add_rounded(self, total: Array, number: Array) -> Array:
        """One more number added to a total, for the plans that round each sum."""
        return self.round_running(total + number)

    def apply(self, function: str, x: Array) -> Array:
        x = x if x.ndim else self.shared(x, 0)
        if function == "exp" and self.is_own(x):
            x = x * self.power_of_e.reshape(-1, *(1,) * (x.ndim - 1))
        found = super().apply(function, x)
        place = FUNCTIONS.get(function)
        return self.inner[place](found) if place and self.is_own(found) else found

    def divide(self, over: Array, under: Array) -> Array:
        found = super().divide(over, under)
        if not self.is_own(under):
            return self.inner["quotient"](found) if self.is_own(found) else found
        found = self.inner["quotient"](found)
        is_number = under.size == len(under)
        place: Place = "inverse root" if is_number else "reciprocal"
        rounder = self.inverse[place]
        if rounder.does_nothing or np.all(under == np.round(under)) or under.size >= found.size:
            return found
        turned = rounder(np.ones(()) / under)
        taken = np.array([plan.place == place for plan in self.plans])
        return np.where(taken.reshape(-1, *(1,) * (found.ndim - 1)), over * turned, found)


@cache
def planned(kinds: frozenset[Kind], batches: int, most: int, by_hand: bool = True) -> Planned:
    """The plans up to a price that round steps of these kinds, with the number of axes of batches.

    If nothing is rounded by hand, only those of a program's formats.
    """
    usable = (plan for plan in PLANS if plan.price <= most and is_used(plan, kinds))
    return Planned(tuple(plan for plan in usable if by_hand or plan.base in FORMATS), batches)


@record
class Predicted:
    """For each plan, the unrounded and the rounded values of a step, and which answered cells these are."""

    values: Floats
    rounded: Floats
    fits: NDArray[np.bool_]


def predict(
    truth: Truth,
    chain: Sequence[Step],
    known: Mapping[str, Floats],
    answered: Mapping[str, AnsweredStep],
    field: Many,
    changes: Changes = NO_CHANGES,
) -> Predicted:
    """What each plan predicts for the last step of a chain, from known values and the answers on the way."""
    usual = usual_unit(answered.values())
    start = dict(known)
    for change in changes.values():
        start |= change.given
    done = [changes[step.name].step if step.name in changes else step for step in chain]
    used = {name for step in done for name in step.inputs}
    values = {name: field.shared(start[name], 0) for name in truth.graph.sizes}
    values |= {name: field.shared(start[name]) for name in used if name in start}
    values |= {name: field.round_given(values[name]) for name in truth.graph.given if name in values}
    last: list[Predicted] = []

    def evaluate(step: Step, values: Mapping[str, Floats]) -> Floats:
        found = truth.evaluate(step, values, field, changes.get(step.name))
        if found.ndim < 1 + field.batches + 2:  # it takes nothing that depends on the way of rounding
            found = field.shared(found)
        own = answered.get(step.name)
        unit = usual if own is None else finest_unit(own) or usual
        predicted = compare(own, found, field.round_step(found, step.kind, unit), field)
        if step is chain[-1]:
            last.append(predicted)
            return found
        return predicted.rounded if own is None else carry(own, predicted, field, unit)

    replay(chain, values, evaluate)
    return last[0]


def compare(answer: AnsweredStep | None, values: Floats, rounded: Floats, field: Many) -> Predicted:
    """Which answered cells each plan predicts: the rounded value, or the unrounded one, is written so."""
    if answer is None:
        return Predicted(values, rounded, np.ones(values.shape, dtype=bool))
    unrounded = is_written(answer, values)
    # A student writes no more places than they round to; a program does.
    with np.errstate(invalid="ignore"):
        is_coarser = np.abs(rounded - values) > answer.unit * (1 + LIMITS.tie_error)
    is_coarser[list(field.in_formats)] = False
    fits = np.where(is_coarser & (answer.unit > 0), unrounded, is_written(answer, rounded))
    # A half may be rounded either way; a cut number is never rounded.
    count = [found.reshape(len(found), -1).sum(axis=-1) for found in (fits, unrounded)]
    better = [n for n in field.halves if count[1][n] > count[0][n]]
    fits[better] = unrounded[better]
    places = decimals(answer)
    for n, plan in enumerate(field.plans):
        if plan.writing is not None:
            fits[n] = is_written_as(plan, answer, values[n], places)
    return Predicted(values, rounded, fits)


def carry(answer: AnsweredStep, predicted: Predicted, field: Many, unit: float | None) -> Floats:
    """The values that each plan goes on with: the rounded ones if the answer agrees, else the answer.

    A student may write more digits than they go on with.
    """
    rounded = predicted.rounded
    again = field.round_step(field.shared(answer.middle), answer.step.kind, unit)
    with np.errstate(invalid="ignore"):
        finer = np.abs(again - rounded) <= LIMITS.tie_error * np.abs(rounded)
    good = is_written(answer, rounded) | finer
    for n, plan in enumerate(field.plans):
        if plan.writing is not None:
            good[n] = predicted.fits[n]
            # The written number differs, not the one that is carried on.
            rounded = rounded.copy() if rounded is predicted.rounded else rounded
            rounded[n] = predicted.values[n] if plan.base == NONE else rounded[n]
    if answer.step.kind.is_weights:
        good = good.all(axis=-1, keepdims=True) | np.zeros_like(good)
    return np.where(good | ~answer.is_answered, rounded, answer.middle)


def is_written(answer: AnsweredStep, results: Floats) -> NDArray[np.bool_]:
    """Which cells of an answer are how results are written; unanswered cells are."""
    off = LIMITS.tie_error * np.where(np.isfinite(results), np.abs(results), 0)
    met = (answer.box_low <= results + off) & (answer.box_high >= results - off)
    return np.asarray(met | ~answer.is_answered)


def is_written_as(plan: Plan, answer: AnsweredStep, values: Floats, places: int) -> NDArray[np.bool_]:
    """Which cells are as a plan writes its values: cut off, in percent, or the last weight as the rest."""
    weights = answer.step.kind.is_weights
    if plan.writing == "cut":
        shown = to_unit(values, np.where(answer.unit > 0, answer.unit, 1), cut=True)
    elif not weights:
        return is_written(answer, values)
    elif plan.writing == "percent":
        shown = 100 * values
        return is_written(answer, shown)
    else:
        unit = 10.0**-places
        others = to_unit(values[..., :-1], unit)
        shown = np.concatenate([others, 1 - others.sum(axis=-1, keepdims=True)], axis=-1)
    off = LIMITS.tie_error * np.abs(shown) + answer.unit / 100
    met = (answer.low <= shown + off) & (answer.high >= shown - off)
    return np.asarray(met | ~answer.is_answered)


def finest_unit(answer: AnsweredStep) -> float | None:
    """The finest unit of the written numbers of an answer."""
    units = answer.unit[answer.is_answered & (answer.unit > 0)]
    return float(units.min()) if units.size else None


def usual_unit(answers: Iterable[AnsweredStep]) -> float | None:
    """The commonest of the units in which answers are written."""
    units = [unit for answer in answers if (unit := finest_unit(answer))]
    return max(sorted(set(units)), key=units.count) if units else None


def decimals(answer: AnsweredStep) -> int:
    """The most decimals of an entry of an answer."""
    unit = finest_unit(answer)
    return min(MOST_DECIMALS, round(-float(np.log10(unit)))) if unit else 0


def is_by_hand(chain: Sequence[Step]) -> bool:
    """Whether some steps are small enough to be computed by hand."""
    return sum(prod(step.shape) for step in chain) <= LIMITS.most_by_hand
