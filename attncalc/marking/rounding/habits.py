"""A student's habits of rounding: which of them gives the whole answer to a step.

All habits are tried at once: every array has a first axis that runs through them.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from math import prod

import numpy as np
from numpy.typing import NDArray

from attncalc.core.fields import Array, Floats
from attncalc.core.fields.interval import Intervals
from attncalc.core.graph.graph import Step
from attncalc.core.graph.labels import Irrational, Kind
from attncalc.marking.answers.answer import AnsweredStep
from attncalc.marking.follow.replay import chain_to, replay
from attncalc.marking.follow.truth import Rough, Truth
from attncalc.marking.policy import POLICY
from attncalc.marking.rounding.known_habits import HABITS, HIDDEN_ROUNDINGS, Habit, to_digits
from attncalc.mistakes.base import Variation

SHARES: dict[Irrational, float] = {"none": 0.0, "e": POLICY.e_share, "any": POLICY.root_share}
MOST_DECIMALS = 100
"""The most decimals: a power of ten must stay a float."""


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

    @abstractmethod
    def rounded(self, x: Array, kind: Kind) -> Array:
        """The results of an unanswered step, rounded as they are carried on."""


class AtOnce(Many):
    """Floats under each of several habits."""

    def __init__(self, habits: tuple[Habit, ...], batches: int) -> None:
        super().__init__(len(habits), batches)
        self.habits = habits
        self.power_of_e = self.each([np.log(habit.e) for habit in habits])
        self.scale = self.each([10.0 ** (habit.places or 0) for habit in habits], 2)
        self.ties_up = self.each([habit.ties_up for habit in habits], 2)
        self.by_digits = [n for n, habit in enumerate(habits) if habit.digits]
        self.digits = np.array([habits[n].digits for n in self.by_digits])
        self.carried: dict[Kind, Array] = {}

    def each(self, numbers: list[float] | list[bool], axes: int = 0) -> Array:
        """A number for each habit, with axes of length 1 behind those of batches."""
        return np.array(numbers).reshape(len(self.habits), *(1,) * (self.batches + axes))

    def apply(self, function: str, x: Array) -> Array:
        x = x if x.ndim else self.shared(x, 0)
        if function == "exp":
            x = x * self.power_of_e.reshape(-1, *(1,) * (x.ndim - 1))
        found = super().apply(function, x)
        return self.short(found, is_inverse=False) if function == "sqrt" else found

    def divide(self, over: Array, under: Array) -> Array:
        found = super().divide(over, under)
        single = under.ndim and under.size == len(under) == len(self.habits) and over.size > under.size
        if not single or np.all(under == np.round(under)):
            return found
        inverse = self.short(super().divide(np.ones(()), under), is_inverse=True)
        taken = np.array([habit.is_inverse for habit in self.habits]).reshape(-1, *(1,) * (found.ndim - 1))
        return np.where(taken, over * inverse, found)

    def short(self, x: Array, is_inverse: bool) -> Array:
        """Roots, or 1 over roots, as each habit rounds them."""
        found = x.copy()
        for n, habit in enumerate(self.habits):
            if habit.root and habit.is_inverse is is_inverse:
                found[n] = habit.root(x[n])
        return found

    def rounded(self, x: Array, kind: Kind) -> Array:
        if kind not in self.carried:
            self.carried[kind] = self.each([habit.carries(kind) for habit in self.habits], 2)
        up = np.copysign(np.floor(np.abs(x) * self.scale * (1 + POLICY.tie_error) + 0.5), x)
        even = np.rint(x * self.scale)
        found = np.where(self.ties_up, up, even) / self.scale
        if self.by_digits:
            digits = self.digits.reshape(-1, *(1,) * (x.ndim - 1))
            found[self.by_digits] = to_digits(digits, x[self.by_digits])
        return np.where(self.carried[kind] & np.isfinite(x), found, x)


@cache
def all_habits(kinds: frozenset[Kind], batches: int) -> AtOnce:
    """All habits for steps of these kinds, with the number of axes of batches."""
    return without_equal(HABITS, kinds, batches)


@cache
def hidden_roundings(kinds: frozenset[Kind], batches: int) -> AtOnce:
    """The habits of rounding unanswered results, without those of ties, which matter seldom."""
    return without_equal((habit for habit in HIDDEN_ROUNDINGS if not habit.ties_up), kinds, batches)


def without_equal(habits: Iterable[Habit], kinds: frozenset[Kind], batches: int) -> AtOnce:
    """Habits without those that do the same to steps of these kinds."""
    found: dict[object, Habit] = {}
    for habit in habits:
        found.setdefault(habit.effect(kinds), habit)
    return AtOnce(tuple(found.values()), batches)


def find_habit(
    truth: Truth, before: Mapping[str, AnsweredStep], answer: AnsweredStep, tainted: bool
) -> Habit | None:
    """The first habit that explains every answered cell of a step, from the numbers written before it.

    If nothing is wrong, these may only have been written, and finer ones carried on.
    """
    found = find_habit_from(truth, before, answer)
    return found or (find_habit_from(truth, {}, answer, before) if before and not tainted else None)


def find_habit_from(
    truth: Truth, before: Mapping[str, AnsweredStep], answer: AnsweredStep, finer: Collection[str] = ()
) -> Habit | None:
    """The first habit that explains every answered cell of a step, from some numbers written before it.

    The results of `finer` steps are not rounded on the way.
    """
    chain = chain_to(truth, before, answer.step)
    if not is_by_hand(chain) or not is_in_reach(answer, reach(truth, before, chain)):
        return None
    written = {name: one.middle for name, one in before.items()}
    partly = {name: one.is_answered for name, one in before.items() if not one.is_answered.all()}
    field = all_habits(truth.kinds, len(answer.step.shape) - 2)
    result = carry_through(truth, {**truth.floats, **written}, chain, {}, field, partly, finer)
    # The result may have been rounded twice: first as all others, then to the written digits.
    twice = field.rounded(result, answer.step.kind)
    fits = is_written(answer, result) | is_written(answer, twice)
    found = (
        habit for n, habit in enumerate(field.habits) if explains(habit, answer, result[n], bool(fits[n]))
    )
    return next(found, None)


def is_by_hand(chain: list[Step]) -> bool:
    """Whether some steps are small enough to be computed by hand."""
    return sum(prod(step.shape) for step in chain) <= POLICY.most_by_hand


def reach(truth: Truth, before: Mapping[str, AnsweredStep], chain: list[Step]) -> Intervals:
    """The range of the last step of a chain under all ways of rounding; kept if no answer is before it."""
    name = chain[-1].name
    if not before and name in truth.reaches:
        return truth.reaches[name]

    def evaluate(step: Step, values: Mapping[str, Intervals]) -> Intervals:
        found = loosen(truth, step.kind, truth.evaluate(step, values, truth.field))
        if step.name not in before:
            return found
        one = before[step.name]
        low, high = np.where(one.is_answered, (one.low, one.high), (found.low, found.high))
        return Intervals(low, high)

    written = {name: Intervals(one.low, one.high) for name, one in before.items()}
    found = replay(chain, {**truth.values, **written}, evaluate)[name]
    if not before:
        truth.reaches[name] = found
    return found


def loosen(truth: Truth, kind: Kind, found: Intervals) -> Intervals:
    """The range of a step widened by the most that rounding can change."""
    share = share_of(kind, truth.graph.sizes.get("d_k", 1))
    off = POLICY.coarsest + share * np.maximum(np.abs(found.low), np.abs(found.high))
    off = np.where(np.isfinite(off), off, 0)
    return Intervals(found.low - off, found.high + off)


def share_of(kind: Kind, width: int) -> float:
    """The most that a rounded root or e changes a step, as a share."""
    return root_share(width) if kind.irrational == "root" else SHARES[kind.irrational]


@cache
def root_share(width: int) -> float:
    """The largest error of a rounded root of a width, or of 1 over it, as a share."""
    roots = np.array([np.sqrt(width), 1 / np.sqrt(width)])
    taken = (habit.root(roots) / roots for habit in HABITS if habit.root)
    return max(POLICY.root_share, *(float(np.abs(share - 1).max()) for share in taken))


def is_in_reach(answer: AnsweredStep, reached: Intervals) -> bool:
    """Whether the whole answer is near enough to the range of all ways of rounding."""
    off = POLICY.most_units * answer.unit
    for times in (1, 100) if answer.step.kind.is_weights else (1,):
        low, high = times * (reached.low - off), times * (reached.high + off)
        if np.all(((answer.low <= high) & (answer.high >= low))[answer.is_answered]):
            return True
    return False


def explains(habit: Habit, answer: AnsweredStep, result: Floats, fits: bool) -> bool:
    """Whether a habit gives the whole answer to a step."""
    if habit.only_weights and not answer.step.kind.is_weights:
        return False
    if habit.writing is None:
        return fits
    places = decimals(answer)
    if habit.code == "truncated" and places < POLICY.truncated_from:
        return False
    writing = habit.writing(result, places)[None]
    return bool(is_written(answer, writing, exactly=habit.code != "percent")[0])


def carry_through(
    truth: Truth,
    written: Mapping[str, Floats],
    chain: list[Step],
    changes: Mapping[str, Variation],
    field: Many,
    partly: Mapping[str, NDArray[np.bool_]],
    finer: Collection[str] = (),
) -> Floats:
    """The last step of a chain from the numbers written before it, rounded on the way by each habit.

    The missing cells of a `partly` answered step are computed.
    """
    known = dict(written)
    for change in changes.values():
        known |= change.given
    done = [changes[step.name].step if step.name in changes else step for step in chain]
    used = {name for step in done for name in step.inputs}
    start = {name: field.shared(known[name], 0) for name in truth.graph.sizes}
    start |= {name: field.shared(known[name]) for name in used if name in known}

    def evaluate(step: Step, values: Mapping[str, Floats]) -> Floats:
        found = truth.evaluate(step, values, field, changes.get(step.name))
        if found.ndim < 1 + field.batches + 2:  # it takes nothing that depends on the way of rounding
            found = field.shared(found)
        if step.name in partly:
            return np.where(partly[step.name], written[step.name], found)
        is_rounded = step is not chain[-1] and step.name not in finer
        return field.rounded(found, step.kind) if is_rounded else found

    return replay(chain, start, evaluate)[chain[-1].name]


def is_written(answer: AnsweredStep, results: Floats, exactly: bool = False) -> NDArray[np.bool_]:
    """For each result, whether the whole answer is how it is written."""
    off = POLICY.tie_error * np.where(np.isfinite(results), np.abs(results), 0)
    low, high = (answer.low, answer.high) if exactly else (answer.box_low, answer.box_high)
    met = (low <= results + off) & (high >= results - off)
    return np.asarray(np.all(met[:, answer.is_answered], axis=-1))


def decimals(answer: AnsweredStep) -> int:
    """The most decimals of an entry of an answer."""
    units = answer.unit[answer.is_answered & (answer.unit > 0)]
    return min(MOST_DECIMALS, round(-float(np.log10(units.min())))) if units.size else 0
