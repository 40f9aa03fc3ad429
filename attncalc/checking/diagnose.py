"""Diagnosis: which mistakes give exactly the numbers that the student has.

A mistake is tried at the told step and at every untold step between it and what was told before, alone
and then in pairs.  The answer is the set of all that match; nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations, islice

import numpy as np
from numpy.typing import NDArray

from attncalc.checking.answers import Told
from attncalc.checking.boxes import Yardstick
from attncalc.checking.follow import COARSE_UNITS, Judged, Right, Walk, meets, own_op
from attncalc.checking.told import ToldStep
from attncalc.fields.interval import Intervals, points
from attncalc.graph.graph import Step
from attncalc.mistakes import MISTAKES
from attncalc.mistakes.base import Mistake, Rounding, Slip, Variation
from attncalc.ops.base import Shape
from attncalc.record import changed, record

MOST_PAIRS = 2000
FEW_PAIRS = 300
NEAR_UNITS = 20
NEAR_SHARE = 0.1
TELLING = 0.02
"""How wide a result may be, as a share of itself, and still tell one mistake from another."""


Floats = NDArray[np.float64]
ROUNDING = [mistake for mistake in MISTAKES if isinstance(mistake, Rounding)]
WRITING = [mistake for mistake in MISTAKES if mistake.in_writing]
WORKING = [
    mistake for mistake in MISTAKES if not mistake.in_writing and not isinstance(mistake, Rounding | Slip)
]


@record
class Diagnosis:
    """A mistake that explains what is told, and the step at which it was made.

    Mistakes of one group explain it only together; different groups are alternatives.
    """

    mistake: str
    step: str
    message: str
    group: int = 0


@record
class Attempt:
    """Mistakes to be tried together, each with how it is made."""

    mistakes: tuple[Mistake, ...]
    variations: tuple[Variation, ...]

    @property
    def changes(self) -> dict[str, Variation]:
        """The steps done otherwise, by name."""
        return {name: change for variation in self.variations for name, change in variation.changes.items()}

    def diagnoses(self, group: int) -> tuple[Diagnosis, ...]:
        """What is said if the attempt matches."""
        return tuple(
            Diagnosis(mistake.code, variation.step.name, variation.message or mistake.sentence, group)
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
            size = np.where(np.isfinite(high), np.abs(high), 0).max(axis=-1, keepdims=True)
            leeway = NEAR_UNITS * told.unit[where] + NEAR_SHARE * size
            near = (told.box_low[where] <= high + leeway) & (told.box_high[where] >= low - leeway)
            near |= np.isneginf(high) & np.isneginf(told.high[where])
        return [self.attempts[n] for n in np.nonzero(near.all(axis=-1))[0]]


class Diagnostician:
    """Tries mistakes on one graph; what can be tried is found once for all students."""

    def __init__(self, right: Right) -> None:
        self.right = right
        self.singles: dict[str, list[Attempt]] = {}
        self.tables: dict[tuple[tuple[str, ...], bool], Table] = {}
        self.rightly = Walk({**right.start, **{s.name: right.range(s.name) for s in right.graph.steps}}, {})

    def explanations(self, walk: Walk, name: str) -> list[Attempt]:
        """All single mistakes that match at a wrong step, or else all pairs, or else older mistakes."""
        judged = walk.judged[name]
        chain = self.chain(walk, name)
        for pairs in (False, True):
            found = [
                attempt
                for attempt in self.candidates(walk, chain, pairs)
                if self.matches(walk, judged, chain, attempt)
            ]
            if found:
                return found
        if any(walk.judged[told].is_wrong for told in self.before(walk, chain)):
            return []
        return self.carried_in_full(walk, name)

    def matches(self, walk: Walk, judged: Judged, chain: list[Step], attempt: Attempt) -> bool:
        """Whether an attempt gives what is told; if that leaves too much open, from the numbers written."""
        result = self.results(walk.values, chain, attempt)[chain[-1].name]
        if not written_as(judged, result):
            return False
        if tells(judged, result):
            return True
        written = dict(walk.values)
        for name, before in walk.judged.items():
            told = before.told
            exact = np.where(told.is_told, (told.low + told.high) / 2, self.right.field.floats(written[name]))
            written[name] = points(exact)
        again = self.results(written, chain, attempt, whole=True)[chain[-1].name]
        return written_as(judged, again) and tells(judged, again)

    def carried_in_full(self, walk: Walk, name: str) -> list[Attempt]:
        """The mistakes that give all that is told up to a step, if nothing was rounded on the way.

        So a mistake is found that is first hidden by rounding, and shows only later.
        """
        steps = list(self.right.graph.steps)
        steps = steps[: 1 + next(n for n, step in enumerate(steps) if step.name == name)]
        found = []
        for attempt in (attempt for step in steps for attempt in self.attempts(step)):
            results = self.results(self.rightly.values, steps, attempt)
            if all(written_as(walk.judged[step], results[step]) for step in results if step in walk.judged):
                found.append(attempt)
        return found

    def before(self, walk: Walk, chain: list[Step]) -> set[str]:
        """The told steps that a chain starts from."""
        return {operand for step in chain for operand in step.inputs} & walk.judged.keys()

    def candidates(self, walk: Walk, chain: list[Step], pairs: bool) -> list[Attempt]:
        """The attempts worth a close look: all, or where what was told before is right, the likely ones."""
        if any(walk.judged[name].is_wrong for name in self.before(walk, chain)):
            singles = [attempt for step in chain for attempt in self.attempts(step)]
            if pairs:
                return list(islice(self.pairs(singles), FEW_PAIRS))
            return [*singles, *self.put_down(chain[-1])]
        key = tuple(step.name for step in chain), pairs
        if key not in self.tables:
            self.tables[key] = self.table(chain, pairs)
        return self.tables[key].likely(walk.judged[chain[-1].name])

    def table(self, chain: list[Step], pairs: bool) -> Table:
        """What every attempt on a chain comes to where everything before it is right."""
        attempts = [attempt for step in chain for attempt in self.attempts(step)]
        attempts = (
            list(islice(self.pairs(attempts), MOST_PAIRS))
            if pairs
            else [*attempts, *self.put_down(chain[-1])]
        )
        last = chain[-1].name
        results = [self.results(self.rightly.values, chain, attempt)[last] for attempt in attempts]
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
        """All single mistakes in working out a step, and at the first head's those made in all heads."""
        if step.name not in self.singles:
            self.singles[step.name] = list(self.tried(step, WORKING, step.shape))
        return self.singles[step.name]

    def tried(self, step: Step, mistakes: Iterable[Mistake], shape: Shape) -> Iterator[Attempt]:
        """The attempts at a step that give a result of some shape."""
        for mistake in mistakes:
            for variation in (*mistake.variations(step, self.right.graph), *self.alike(mistake, step)):
                if variation.step.shape == shape:
                    yield Attempt((mistake,), (variation,))

    def put_down(self, step: Step) -> list[Attempt]:
        """All mistakes in putting a step down."""
        return list(self.tried(step, WRITING, step.shape))

    def misshapen(self, walk: Walk, judged: Judged) -> Iterator[Diagnosis]:
        """The mistakes that give a matrix told in the wrong shape, on the student's own values."""
        step = judged.told.step
        for told, _ in judged.told.misshapen:
            for mistakes in (WRITING, WORKING):
                attempts = self.tried(step, mistakes, told.cells.shape)
                found = [attempt for attempt in attempts if self.fits(walk, step, attempt, told)]
                for attempt in found:
                    yield from attempt.diagnoses(0)
                if found:
                    break

    def fits(self, walk: Walk, step: Step, attempt: Attempt, told: Told) -> bool:
        """Whether what is told is what an attempt comes to."""
        result = self.results(walk.values, [step], attempt)[step.name]
        yard = Yardstick(result.low, result.high, np.zeros(result.shape))
        alone = ToldStep(attempt.variations[0].step, yard)
        alone.add(told)
        return bool(alone.is_told.any() and np.all(meets(alone, result)[alone.is_told]))

    def rounded_early(self, walk: Walk, name: str) -> Iterator[Diagnosis]:
        """An earlier step that was rounded to fewer digits than the answer needs."""
        chain = self.chain(walk, name)
        before = [operand for step in chain for operand in step.inputs if operand in walk.judged]
        for source in dict.fromkeys([*(step.name for step in chain[:-1]), *before]):
            step = self.right.graph.step(source)
            assert step is not None
            for attempt in self.tried(step, ROUNDING, step.shape):
                values = dict(walk.values)
                places = attempt.variations[0].places or 0
                values[source] = self.right.rounded(values[source], places)
                for later in chain:
                    if later.name != source:
                        values[later.name] = self.right.step_range(later, values)
                if explains(walk.judged[name], values[name]):
                    yield from attempt.diagnoses(0)
                    return

    def alike(self, mistake: Mistake, step: Step) -> Iterator[Variation]:
        """The same mistake in every head."""
        if step.head != 1:
            return
        graph = self.right.graph
        heads = [s for s in graph.steps if s.head and changed(s.label, head=1) == step.label]
        for made in zip(*(mistake.variations(head, graph) for head in heads), strict=False):
            if len(made) > 1 and not any(variation.others for variation in made):
                yield Variation(made[0].step, made[0].given, tuple(v.step for v in made[1:]))

    def pairs(self, singles: list[Attempt]) -> Iterator[Attempt]:
        """Two mistakes at different steps."""
        for a, b in combinations(singles, 2):
            if a.variations[0].step.name != b.variations[0].step.name:
                yield Attempt(a.mistakes + b.mistakes, a.variations + b.variations)

    def results(
        self, known: Mapping[str, Intervals], chain: list[Step], attempt: Attempt, whole: bool = False
    ) -> dict[str, Intervals]:
        """The steps of a chain from the first that is done otherwise, or all of them."""
        changed = attempt.changes
        values = dict(known)
        for variation in attempt.variations:
            values |= {name: points(matrix) for name, matrix in variation.given.items()}
        found: dict[str, Intervals] = {}
        for step in chain:
            if found or whole or step.name in changed:
                found[step.name] = self.redone(changed.get(step.name), step, values)
                values[step.name] = found[step.name]
        return found

    def redone(self, change: Variation | None, step: Step, values: dict[str, Intervals]) -> Intervals:
        """A step as it was changed, or as it should be on the values that it is given now."""
        if change is not None:
            return self.right.changed_range(change, values)
        return self.right.step_range(step, values, own_op(self.right, step, values, False))


def written_as(judged: Judged, result: Intervals) -> bool:
    """Whether every told cell is what a result is written as."""
    told = judged.told
    return bool(np.all(meets(told, result)[told.is_told]))


def tells(judged: Judged, result: Intervals) -> bool:
    """Whether a result is narrow enough to tell one mistake from another."""
    told = judged.told
    with np.errstate(invalid="ignore"):
        enough = np.maximum(COARSE_UNITS * told.unit, TELLING * np.abs(result.high))
        narrow = (result.high - result.low <= enough) | (np.isneginf(result.high) & np.isneginf(told.high))
    return bool(np.all(narrow[told.is_told]))


def explains(judged: Judged, result: Intervals) -> bool:
    """Whether a result gives what is told, and says enough to tell."""
    return written_as(judged, result) and tells(judged, result)
