"""Diagnosis: which mistakes give exactly the numbers that the student has.

A mistake is tried at the told step and at every untold step between it and what was told before, alone
and then in pairs.  The answer is the set of all that match; nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations, islice
from math import log10

import numpy as np
from numpy.typing import NDArray

from attncalc.checking.answers import Told
from attncalc.checking.attempts import Attempt, Diagnosis, Floats, Match, Table
from attncalc.checking.boxes import Yardstick
from attncalc.checking.follow import Walk
from attncalc.checking.habits import carried, hidden_roundings, is_by_hand
from attncalc.checking.judging import COARSE_UNITS, Judged, meets
from attncalc.checking.redoing import results, side_by_side
from attncalc.checking.right import ROUGH, Right, rounded
from attncalc.checking.told import ToldStep
from attncalc.fields.interval import Intervals, points
from attncalc.graph.graph import Step
from attncalc.mistakes import MISTAKES
from attncalc.mistakes.base import Mistake, Rounding, Slip, Variation
from attncalc.ops.base import Shape
from attncalc.record import changed

MOST_PAIRS = 2000
TELLING = 0.02
"""How wide a result may be, as a share of itself, and still tell one mistake from another."""
SURE, SURE_OF_TWO = 1.5, 2.5
"""How many digits must agree beyond those that say which of all mistakes it is."""
MOST_DIGITS = 6
MOST_ROUNDED = 4
"""How many attempts are looked into with results rounded on the way."""
FEWEST_BESIDES = 3
INTEGER_SLACK = 0.005
WHOLE = 0.1
"""What an integer says where only integers are right: a digit more than its own."""
HARDLY_OFF = 2.5
"""The units up to which a single number is off by a slip, and not by a mistake."""

ROUNDING = [mistake for mistake in MISTAKES if isinstance(mistake, Rounding)]
WRITING = [mistake for mistake in MISTAKES if mistake.in_writing]
WORKING = [
    mistake for mistake in MISTAKES if not mistake.in_writing and not isinstance(mistake, Rounding | Slip)
]


class Diagnostician:
    """Tries mistakes on one graph; what can be tried is found once for all students."""

    def __init__(self, right: Right) -> None:
        self.right = right
        self.singles: dict[str, list[Attempt]] = {}
        self.tables: dict[tuple[tuple[str, ...], bool], Table] = {}

    def explanations(self, walk: Walk, name: str) -> list[Match]:
        """All single mistakes that match at a wrong step, or else all pairs, or else older mistakes."""
        judged = walk.judged[name]
        if is_hardly_off(judged):
            return []
        chain = self.chain(walk, name)
        found = self.matching(walk, judged, chain, pairs=False)
        if not found and judged.wrong.sum() >= FEWEST_BESIDES:
            found = self.matching(walk, judged, chain, pairs=True)
        if not found and not any(walk.judged[told].is_wrong for told in self.before(walk, chain)):
            found = self.carried_in_full(walk, name)
        return found

    def matching(self, walk: Walk, judged: Judged, chain: list[Step], pairs: bool) -> list[Match]:
        """The attempts that match in every cell, or else those that match in most."""
        choices, likely = self.candidates(walk, chain, pairs)
        sure = log10(max(choices, 1)) + (SURE_OF_TWO if pairs else SURE)
        written = self.written(walk, chain)
        found = [match for attempt in likely if (match := self.match(walk, chain, attempt, sure, written))]
        whole = [match for match in found if not match.besides]
        if not whole and len(chain) > 1 and is_by_hand(chain):
            rounded = (self.rounded_match(judged, chain, one, sure, written) for one in likely[:MOST_ROUNDED])
            whole = [match for match in rounded if match is not None]
        return without_later_names(whole or ([] if pairs else found))

    def match(
        self, walk: Walk, chain: list[Step], attempt: Attempt, sure: float, written: Mapping[str, Floats]
    ) -> Match | None:
        """How an attempt explains what is told, if it does: carried on as written, or finely."""
        name = chain[-1].name
        judged = walk.judged[name]
        just = points(results(self.right, written, chain, attempt, ROUGH)[name])
        found = self.weighed(judged, attempt, just, sure)
        if found is not None and not found.besides:
            return found
        finely = results(self.right, walk.values, chain, attempt, self.right.field)[name]
        return self.weighed(judged, attempt, finely, sure) or found

    def rounded_match(
        self, judged: Judged, chain: list[Step], attempt: Attempt, sure: float, written: Mapping[str, Floats]
    ) -> Match | None:
        """How an attempt explains all that is told, if untold results were rounded on the way."""
        field = hidden_roundings(len(chain[-1].shape) - 2)
        for result in carried(self.right, written, chain, attempt.changes, field, {}):
            found = self.weighed(judged, attempt, points(result), sure + 1)
            if found is not None and not found.besides:
                return found
        return None

    def weighed(self, judged: Judged, attempt: Attempt, result: Intervals, sure: float) -> Match | None:
        """What a result explains, if that is unlikely to be so by chance."""
        told, wrong = judged.told, judged.wrong
        hit = meets(told, result) & is_narrow(told, result)
        good, odd = wrong & hit, told.is_told & ~hit
        count = int(good.sum())
        if odd.any() and (count < FEWEST_BESIDES or 3 * count < 2 * int((wrong | odd).sum())):
            return None
        spread = max(self.right.spread(told.step.name), float(np.ptp(told.low[told.is_told])))
        middle = result.low / 2 + result.high / 2
        # An integer that a result comes to says as much as two decimals.
        exactly = (told.unit >= 1) & (np.abs(middle - told.low) <= INTEGER_SLACK)
        unit = np.where(exactly, 2 * INTEGER_SLACK, np.maximum(told.unit, WHOLE if told.yard.whole else 0))
        width = unit + np.where(np.isfinite(result.high), result.high - result.low, 0)
        digits = np.clip(np.log10(spread / np.maximum(width, spread * 10.0**-MOST_DIGITS)), 0, MOST_DIGITS)
        if odd.any():
            # Most of a matrix is matched more easily where many right values are alike.
            digits = np.minimum(digits, -np.log10(self.frequency(told)))
        if float(digits[good].sum()) < sure:
            return None
        return Match(attempt, count, counted(odd))

    def frequency(self, told: ToldStep) -> Floats:
        """How often the right values of a step are what is told in each cell, at least one in a thousand."""
        right = self.right.range(told.step.name).low.ravel()
        alike = (told.box_low[..., None] <= right) & (told.box_high[..., None] >= right)
        return np.asarray(np.maximum(alike.mean(axis=-1), 1e-3))

    def written(self, walk: Walk, chain: list[Step]) -> dict[str, Floats]:
        """The numbers as they are written, and the untold steps of a chain as they come from these."""
        values = dict(self.right.floats)
        for name, numbers in walk.values.items():
            told = walk.judged[name].told if name in walk.judged else None
            if told is None or not told.is_told.all():
                same = numbers is self.right.values.get(name)
                values[name] = values[name] if same else self.right.field.floats(numbers)
            if told is not None:
                middle = told.low / 2 + told.high / 2
                values[name] = middle if told.is_told.all() else np.where(told.is_told, middle, values[name])
        for step in chain[:-1]:
            values[step.name] = self.right.redone(step, values, ROUGH)
        return values

    def carried_in_full(self, walk: Walk, name: str) -> list[Match]:
        """The mistakes that give all that is told up to a step, if nothing was rounded on the way.

        So a mistake is found that is first hidden by rounding, and shows only later.
        """
        steps = list(self.right.graph.steps)
        steps = steps[: 1 + next(n for n, step in enumerate(steps) if step.name == name)]
        table = self.table_from_right(steps, pairs=False)
        sure = log10(max(len(table.attempts), 1)) + SURE
        judged = {step.name: walk.judged[step.name] for step in steps if step.name in walk.judged}
        found = []
        for attempt in table.just(judged[name].told):
            reached = results(self.right, self.right.floats, steps, attempt, ROUGH)
            if all(written_as(one, points(reached[told])) for told, one in judged.items() if told in reached):
                found.append(self.weighed(judged[name], attempt, points(reached[name]), sure))
        return [match for match in found if match is not None]

    def before(self, walk: Walk, chain: list[Step]) -> set[str]:
        """The told steps that a chain starts from."""
        return {operand for step in chain for operand in step.inputs} & walk.judged.keys()

    def candidates(self, walk: Walk, chain: list[Step], pairs: bool) -> tuple[int, list[Attempt]]:
        """How many attempts there are, and those worth a close look."""
        judged = walk.judged
        if any(judged[name].is_wrong for name in self.before(walk, chain)):
            table = self.table(chain, pairs, self.written(walk, chain))
        else:
            table = self.table_from_right(chain, pairs)
        return len(table.attempts), table.likely(judged[chain[-1].name])

    def table_from_right(self, chain: list[Step], pairs: bool) -> Table:
        """What every attempt on a chain comes to where all before it is right, found once."""
        key = tuple(step.name for step in chain), pairs
        if key not in self.tables:
            self.tables[key] = self.table(chain, pairs, self.right.floats)
        return self.tables[key]

    def table(self, chain: list[Step], pairs: bool, values: Mapping[str, Floats]) -> Table:
        """What every attempt on a chain comes to from some values."""
        attempts = [attempt for step in chain for attempt in self.attempts(step)]
        last = chain[-1]
        if pairs:
            attempts = list(islice(self.pairs(attempts), MOST_PAIRS))
        else:
            attempts += self.put_down(last)
        found = [reached[last.name] for _, reached in side_by_side(self.right, values, chain, attempts)]
        return Table(attempts, np.array(found).reshape(len(attempts), *last.shape))

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
        result = results(self.right, walk.values, [step], attempt, self.right.field)[step.name]
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
                values[source] = rounded(values[source], places, self.right.field)
                for later in chain:
                    if later.name != source:
                        values[later.name] = self.right.step_range(later, values)
                if written_as(walk.judged[name], values[name]):
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


def without_later_names(matches: list[Match]) -> list[Match]:
    """The matches without those that are another name for one made at an earlier step."""
    codes = {mistake.code for match in matches for mistake in match.attempt.mistakes}
    later = [m for m in matches if any(not codes.isdisjoint(one.behind) for one in m.attempt.mistakes)]
    return [match for match in matches if match not in later] or matches


def is_hardly_off(judged: Judged) -> bool:
    """Whether a single number is off by so little that it is a slip."""
    if judged.wrong.sum() != 1:
        return False
    told, allowed, at = judged.told, judged.allowed, judged.wrong
    gap = np.maximum(told.low[at] - allowed.high[at], allowed.low[at] - told.high[at])
    unit = np.maximum(told.unit[at], 1 if told.yard.whole else 0)
    return bool(np.all(gap <= HARDLY_OFF * unit))


def written_as(judged: Judged, result: Intervals) -> bool:
    """Whether every told cell is what a result is written as."""
    told = judged.told
    return bool(np.all((meets(told, result) & is_narrow(told, result))[told.is_told]))


def is_narrow(told: ToldStep, result: Intervals) -> NDArray[np.bool_]:
    """Where a result is narrow enough to tell one mistake from another."""
    enough = np.maximum(COARSE_UNITS * told.unit, TELLING * np.abs(result.high))
    hidden = np.isneginf(result.high) & np.isneginf(told.high)
    return np.asarray((np.isfinite(result.high) & (result.high - result.low <= enough)) | hidden)


def counted(cells: NDArray[np.bool_]) -> tuple[tuple[int, ...], ...]:
    """The indices where a mask holds, counted from 1."""
    return tuple(tuple(int(n) + 1 for n in at) for at in np.argwhere(cells))
