"""Steps evaluated again, with changes: one attempt in any field, or many at once in floats."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from math import prod
from typing import TypeAlias

import numpy as np

from attncalc.core.fields import Field, Floats, Values
from attncalc.core.graph.graph import Step
from attncalc.core.record import record
from attncalc.marking.answers.answer import AnsweredStep
from attncalc.marking.follow.truth import ROUGH, Truth
from attncalc.mistakes.base import Mistake, Variation

MOST_REPLAYED = 2_000_000
"""The most numbers that are computed at once."""

Sided: TypeAlias = dict[str, Floats]
"""Matrices whose first axis runs through attempts, or has length 1 if all attempts share the matrix."""


@record
class Attempt:
    """Mistakes to be tried together, each with the variation that makes it."""

    mistakes: tuple[Mistake, ...]
    variations: tuple[Variation, ...]

    @cached_property
    def changes(self) -> dict[str, Variation]:
        """The changed steps, by name."""
        return {name: change for variation in self.variations for name, change in variation.changes.items()}


def chain_to(truth: Truth, before: Mapping[str, AnsweredStep], last: Step) -> list[Step]:
    """The steps, not fully answered, from the answers before a step up to the step itself."""
    return truth.graph.chain(last.name, {name for name, answer in before.items() if answer.is_answered.all()})


def replay(
    steps: Iterable[Step],
    known: Mapping[str, Values],
    evaluate: Callable[[Step, Mapping[str, Values]], Values | None],
) -> dict[str, Values]:
    """Evaluate steps in order, each from the values before it; return all values.

    `evaluate` gives the value that is carried on from a step, or None to leave it as it is known.
    """
    values = dict(known)
    for step in steps:
        found = evaluate(step, values)
        if found is not None:
            values[step.name] = found
    return values


def replay_attempt(
    truth: Truth, known: Mapping[str, Values], chain: Sequence[Step], attempt: Attempt, field: Field[Values]
) -> dict[str, Values]:
    """The values of the last step of a chain and of all steps that depend on changed ones."""
    changes, start = attempt.changes, dict(known)
    for variation in attempt.variations:
        start |= {name: field.from_floats(matrix) for name, matrix in variation.given.items()}
    found: set[str] = set()

    def evaluate(step: Step, values: Mapping[str, Values]) -> Values | None:
        if step.name not in changes and found.isdisjoint(step.inputs) and step is not chain[-1]:
            return None
        found.add(step.name)
        return truth.evaluate(step, values, field, changes.get(step.name))

    values = replay(chain, start, evaluate)
    return {step.name: values[step.name] for step in chain if step.name in found}


def side_by_side(
    truth: Truth, known: Mapping[str, Floats], chain: Sequence[Step], attempts: Sequence[Attempt]
) -> Iterator[tuple[Attempt, Sided]]:
    """Every attempt with the values of a chain, computed for many attempts at once."""
    at_once = max(1, MOST_REPLAYED // sum(prod(step.shape) for step in chain))
    for start in range(0, len(attempts), at_once):
        some = attempts[start : start + at_once]
        sided = all_at_once(truth, known, chain, some)
        for n, attempt in enumerate(some):
            yield attempt, {step.name: sided[step.name][min(n, len(sided[step.name]) - 1)] for step in chain}


def all_at_once(
    truth: Truth,
    known: Mapping[str, Floats],
    chain: Sequence[Step],
    attempts: Sequence[Attempt],
    sets: tuple[int, ...] = (),
) -> Sided:
    """The values of all matrices, with the attempts along a first axis; `sets` are axes that follow it.

    With `sets`, the known values have these axes too: several sets of numbers are computed at once.
    """
    axes = axes_of(chain) + len(sets)
    made = group_by_step(attempts)

    def evaluate(step: Step, values: Mapping[str, Floats]) -> Floats | None:
        if step.name in known and step.name not in made and is_shared(step, values):
            return None
        found = for_all(settled(truth, step, values, step is chain[-1], 1 + len(sets)), axes)
        if step.name in made:
            found = np.broadcast_to(found, (len(attempts), *sets, *found.shape[1 + len(sets) :])).copy()
            for change, which in made[step.name].values():
                given = {name: for_all(matrix, axes) for name, matrix in change.given.items()}
                own = of_some({**values, **given}, change.step, truth, which)
                found[which] = truth.evaluate(step, own, ROUGH, change)
        return found

    return replay(chain, shared_by_all(truth, known, axes), evaluate)


def onward(truth: Truth, known: Mapping[str, Floats], chain: Sequence[Step], sided: Sided) -> Floats:
    """The last step of a chain for several values of earlier steps, along a first axis."""
    axes, last = axes_of(chain), chain[-1]
    start = shared_by_all(truth, known, axes)
    for name, numbers in sided.items():
        start[name] = numbers.reshape(len(numbers), *(1,) * (axes - numbers.ndim), *numbers.shape[1:])

    def evaluate(step: Step, values: Mapping[str, Floats]) -> Floats | None:
        if step.name in sided or (step is not last and is_shared(step, values)):
            return None
        return for_all(settled(truth, step, values, step is last), axes)

    values = replay(chain, start, evaluate)
    count = max(map(len, sided.values()))
    return np.broadcast_to(values[last.name], (count, *last.shape))


def group_by_step(attempts: Sequence[Attempt]) -> dict[str, dict[int, tuple[Variation, list[int]]]]:
    """The changes of every step, each with the numbers of the attempts that make it."""
    found: dict[str, dict[int, tuple[Variation, list[int]]]] = {}
    for n, attempt in enumerate(attempts):
        for name, change in attempt.changes.items():
            found.setdefault(name, {}).setdefault(id(change), (change, []))[1].append(n)
    return found


def settled(truth: Truth, step: Step, values: Mapping[str, Floats], is_last: bool, lead: int = 1) -> Floats:
    """Evaluate a step; if some attempts need another operation than others, each with its own.

    The first `lead` axes run through attempts and sets of numbers.
    """
    op = truth.trace.ops[step.name]
    found = truth.graph.evaluate(step, values, ROUGH, op)
    if is_last or op is not step.op or truth.own_op(step, values, ROUGH) is op:
        return found
    found = found.copy()
    for at in np.ndindex(found.shape[:lead]):
        alone = {name: only(numbers, at) for name, numbers in used_by(step, values, truth).items()}
        own = truth.own_op(step, alone, ROUGH)
        if own is not op:
            found[at] = truth.graph.evaluate(step, alone, ROUGH, own)[(0,) * lead]
    return found


def axes_of(chain: Sequence[Step]) -> int:
    """The number of axes of the matrices of a chain, with the axis of attempts."""
    return 1 + max(len(step.shape) for step in chain)


def shared_by_all(truth: Truth, known: Mapping[str, Floats], axes: int) -> Sided:
    """Known values with an axis of attempts of length 1; a size is a single number."""
    sizes = truth.graph.sizes
    return {name: for_all(numbers, 1 if name in sizes else axes) for name, numbers in known.items()}


def is_shared(step: Step, values: Mapping[str, Floats]) -> bool:
    """Whether all attempts share the inputs of a step."""
    return all(len(values[name]) == 1 for name in step.inputs)


def for_all(numbers: Floats, axes: int) -> Floats:
    """A matrix with axes of length 1 in front, so that all attempts share it."""
    return numbers.reshape((1,) * (axes - numbers.ndim) + numbers.shape)


def used_by(step: Step, values: Mapping[str, Floats], truth: Truth) -> Sided:
    """The values that a step uses."""
    return {name: values[name] for name in (*step.inputs, *truth.graph.sizes)}


def of_some(values: Mapping[str, Floats], step: Step, truth: Truth, which: list[int]) -> Sided:
    """The values that a step uses, for some of the attempts."""
    used = used_by(step, values, truth)
    return {name: numbers[which] if len(numbers) > 1 else numbers for name, numbers in used.items()}


def only(numbers: Floats, at: tuple[int, ...]) -> Floats:
    """The values at one index of the first axes, which are kept; shared values are unchanged."""
    where = (slice(n, n + 1) if size > 1 else slice(None) for n, size in zip(at, numbers.shape, strict=False))
    return numbers[tuple(where)]
