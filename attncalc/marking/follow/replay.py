"""What comes of steps that are done otherwise: one attempt in any field, or many at once in floats."""

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

MOST_NUMBERS = 2_000_000
"""How many numbers are worked out at once."""

Sided: TypeAlias = dict[str, Floats]
"""Matrices with a first axis that runs through attempts, or is 1 long where they are the same for all."""


@record
class Attempt:
    """Mistakes to be tried together, each with how it is made."""

    mistakes: tuple[Mistake, ...]
    variations: tuple[Variation, ...]

    @cached_property
    def changes(self) -> dict[str, Variation]:
        """The steps done otherwise, by name."""
        return {name: change for variation in self.variations for name, change in variation.changes.items()}


def chain_to(truth: Truth, before: Mapping[str, AnsweredStep], last: Step) -> list[Step]:
    """The steps that are not told in full between a step and what was told before it, and the step itself."""
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
    """The steps of a chain that depend on those done otherwise."""
    changes, start = attempt.changes, dict(known)
    for variation in attempt.variations:
        start |= {name: field.given(matrix) for name, matrix in variation.given.items()}
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
    """Every attempt with what the steps of a chain come to, worked out for many of them at once."""
    at_once = max(1, MOST_NUMBERS // sum(prod(step.shape) for step in chain))
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
    """What all matrices come to, attempt by attempt along a first axis; `sets` are axes that follow it.

    What is known then has these axes, too: as many sets of numbers are worked out at once.
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
    """The last step of a chain for each of some values of earlier steps, along a first axis."""
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
    """By step, the ways in which it is done otherwise, and the attempts that do so."""
    found: dict[str, dict[int, tuple[Variation, list[int]]]] = {}
    for n, attempt in enumerate(attempts):
        for name, change in attempt.changes.items():
            found.setdefault(name, {}).setdefault(id(change), (change, []))[1].append(n)
    return found


def settled(truth: Truth, step: Step, values: Mapping[str, Floats], is_last: bool, lead: int = 1) -> Floats:
    """A step as it should be; where some attempts need another operation than others, as each needs it.

    The first axes, `lead` of them, run through attempts and sets of numbers.
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
    """How many axes the matrices of a chain have with that of the attempts."""
    return 1 + max(len(step.shape) for step in chain)


def shared_by_all(truth: Truth, known: Mapping[str, Floats], axes: int) -> Sided:
    """What is known, the same for all attempts; a size is a single number."""
    sizes = truth.graph.sizes
    return {name: for_all(numbers, 1 if name in sizes else axes) for name, numbers in known.items()}


def is_shared(step: Step, values: Mapping[str, Floats]) -> bool:
    """Whether all attempts have the same before a step."""
    return all(len(values[name]) == 1 for name in step.inputs)


def for_all(numbers: Floats, axes: int) -> Floats:
    """A matrix that is the same for all attempts, with so many axes."""
    return numbers.reshape((1,) * (axes - numbers.ndim) + numbers.shape)


def used_by(step: Step, values: Mapping[str, Floats], truth: Truth) -> Sided:
    """What a step uses."""
    return {name: values[name] for name in (*step.inputs, *truth.graph.sizes)}


def of_some(values: Mapping[str, Floats], step: Step, truth: Truth, which: list[int]) -> Sided:
    """What a step uses, for some of the attempts."""
    used = used_by(step, values, truth)
    return {name: numbers[which] if len(numbers) > 1 else numbers for name, numbers in used.items()}


def only(numbers: Floats, at: tuple[int, ...]) -> Floats:
    """One of many along each of the first axes, which stay; where there is one for all, that."""
    where = (slice(n, n + 1) if size > 1 else slice(None) for n, size in zip(at, numbers.shape, strict=False))
    return numbers[tuple(where)]
