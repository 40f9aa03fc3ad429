"""Diagnosis: which mistakes give exactly the numbers that the student has.

A mistake is tried at the told step and at every untold step between it and what was told before, alone
and then in pairs.  The answer is the set of all that match; nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, islice

import numpy as np
from numpy.typing import NDArray

from attncalc.checking.follow import COARSE_UNITS, Judged, Right, Walk, meets, own_op
from attncalc.fields import Array
from attncalc.fields.interval import Intervals, points, unwrapped, wrapped
from attncalc.graph import Step
from attncalc.mistakes import MISTAKES
from attncalc.mistakes.base import Mistake, Variation
from attncalc.record import record

MOST_PAIRS = 2000
FEW_PAIRS = 300
NEAR_UNITS = 20
NEAR_SHARE = 0.1


Floats = NDArray[np.float64]


@record
class Diagnosis:
    """A mistake that explains what is told, and the step at which it was made."""

    mistake: str
    step: str
    message: str


@record
class Attempt:
    """Mistakes to be tried together, each with how it is made."""

    mistakes: tuple[Mistake, ...]
    variations: tuple[Variation, ...]

    @property
    def diagnoses(self) -> tuple[Diagnosis, ...]:
        """What is said if the attempt matches."""
        return tuple(
            Diagnosis(mistake.code, variation.step.name, " ".join((mistake.__doc__ or "").split()))
            for mistake, variation in zip(self.mistakes, self.variations, strict=True)
        )


@record
class Table:
    """Attempts with what each comes to where everything told before is right, stacked for one look."""

    attempts: list[Attempt]
    low: Floats
    high: Floats

    def likely(self, judged: Judged) -> list[Attempt]:
        """The attempts that come near what is told; the others cannot match, however it was rounded."""
        told = judged.told
        where = told.is_told
        low, high = self.low[:, where], self.high[:, where]
        with np.errstate(invalid="ignore"):
            leeway = NEAR_UNITS * told.unit[where] + NEAR_SHARE * np.abs(high)
            near = (told.box_low[where] <= high + leeway) & (told.box_high[where] >= low - leeway)
            near |= np.isneginf(high) & np.isneginf(told.high[where])
        return [self.attempts[n] for n in np.nonzero(near.all(axis=-1))[0]]


class Diagnostician:
    """Tries mistakes on one graph; what can be tried is found once for all students."""

    def __init__(self, right: Right) -> None:
        self.right = right
        self.singles: dict[str, list[Attempt]] = {}
        self.tables: dict[tuple[tuple[str, ...], bool], Table] = {}
        self.rightly = Walk(
            {**right.start, **{s.name: wrapped(right.range(s.name)) for s in right.graph.steps}}, {}
        )

    def diagnose(self, walk: Walk, name: str) -> list[Diagnosis]:
        """All single mistakes that match at a wrong step, or else all pairs."""
        judged = walk.judged[name]
        chain = self.chain(walk, name)
        for pairs in (False, True):
            found = self.matching(walk, judged, chain, self.candidates(walk, chain, pairs))
            if found:
                return found
        return []

    def candidates(self, walk: Walk, chain: list[Step], pairs: bool) -> list[Attempt]:
        """The attempts worth a close look: all, or where what was told before is right, the likely ones."""
        before = {operand for step in chain for operand in step.inputs} & walk.judged.keys()
        if any(walk.judged[name].wrong.any() for name in before):
            singles = [attempt for step in chain for attempt in self.attempts(step)]
            return list(islice(self.pairs(singles), FEW_PAIRS)) if pairs else singles
        key = tuple(step.name for step in chain), pairs
        if key not in self.tables:
            self.tables[key] = self.table(chain, pairs)
        return self.tables[key].likely(walk.judged[chain[-1].name])

    def table(self, chain: list[Step], pairs: bool) -> Table:
        """What every attempt on a chain comes to where everything before it is right."""
        attempts = [attempt for step in chain for attempt in self.attempts(step)]
        if pairs:
            attempts = list(islice(self.pairs(attempts), MOST_PAIRS))
        results = [self.result(self.rightly, chain, attempt) for attempt in attempts]
        shape = (len(attempts), *chain[-1].shape)
        low, high = np.empty(shape), np.empty(shape)
        for n, result in enumerate(results):
            low[n], high[n] = result.low, result.high
        return Table(attempts, low, high)

    def chain(self, walk: Walk, name: str) -> list[Step]:
        """The untold steps between a step and what was told before it, and the step itself."""
        wanted = {name}
        chain: list[Step] = []
        for step in reversed(self.right.graph.steps):
            if step.name in wanted and (step.name == name or step.name not in walk.judged):
                chain.insert(0, step)
                wanted.update(step.inputs)
        return chain

    def attempts(self, step: Step) -> list[Attempt]:
        """All single mistakes at a step."""
        if step.name not in self.singles:
            self.singles[step.name] = [
                Attempt((mistake,), (variation,))
                for mistake in MISTAKES
                for variation in mistake.variations(step, self.right.graph)
            ]
        return self.singles[step.name]

    def pairs(self, singles: list[Attempt]) -> Iterator[Attempt]:
        """Two mistakes at different steps."""
        for a, b in combinations(singles, 2):
            if a.variations[0].step.name != b.variations[0].step.name:
                yield Attempt(a.mistakes + b.mistakes, a.variations + b.variations)

    def matching(
        self, walk: Walk, judged: Judged, chain: list[Step], attempts: list[Attempt]
    ) -> list[Diagnosis]:
        """The diagnoses of all attempts that give what is told."""
        found: dict[Diagnosis, None] = {}
        for attempt in attempts:
            if explains(judged, self.result(walk, chain, attempt)):
                found |= dict.fromkeys(attempt.diagnoses)
        return list(found)

    def result(self, walk: Walk, chain: list[Step], attempt: Attempt) -> Intervals:
        """The last step of a chain, with some of its steps done otherwise."""
        changed = {variation.step.name: variation.step for variation in attempt.variations}
        values: dict[str, Array] = dict(walk.values)
        for variation in attempt.variations:
            for name, matrix in variation.given.items():
                values[name] = wrapped(points(matrix))
        shapes = {name: matrix.shape for v in attempt.variations for name, matrix in v.given.items()}
        started = False
        for step in chain:
            started = started or step.name in changed
            if started:
                values[step.name] = wrapped(self.redone(changed.get(step.name), step, values, shapes))
        return unwrapped(values[chain[-1].name])

    def redone(
        self, changed: Step | None, step: Step, values: dict[str, Array], shapes: dict[str, tuple[int, ...]]
    ) -> Intervals:
        """A step as it was changed, or as it should be on the values that it is given now."""
        if changed is None:
            return self.right.step_range(step, values, own_op(self.right, step, values, False))
        graph = self.right.graph.with_shapes(shapes)
        return unwrapped(graph.evaluate(changed, values, self.right.field))


def explains(judged: Judged, result: Intervals) -> bool:
    """Whether every told cell is what a result is written as, and the result says enough to tell."""
    told = judged.told
    is_told = told.is_told
    narrow = result.high - result.low <= COARSE_UNITS * np.maximum(told.unit, 1e-9 * np.abs(result.high))
    hidden = np.isneginf(result.high) & np.isneginf(told.high)
    with np.errstate(invalid="ignore"):
        return bool(np.all((meets(told, result) & (narrow | hidden))[is_told]))
