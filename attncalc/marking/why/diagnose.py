"""Diagnosis: which mistakes give exactly the numbers that the student has.

A mistake is tried at the told step and at every untold step between it and what was told before, alone
and then in pairs.  The answer is the set of all that match; nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import log10

import numpy as np

from attncalc.core.fields import Floats
from attncalc.core.fields.interval import Intervals, points
from attncalc.core.graph.graph import Step
from attncalc.marking.answers.answer import ToldStep
from attncalc.marking.answers.boxes import Yardstick
from attncalc.marking.answers.files import Told
from attncalc.marking.follow.judge import Judged, meets
from attncalc.marking.follow.replay import Attempt, replay, results
from attncalc.marking.follow.truth import ROUGH, Right, rounded
from attncalc.marking.follow.walk import Walk
from attncalc.marking.policy import POLICY
from attncalc.marking.rounding.habits import carried, hidden_roundings, is_by_hand
from attncalc.marking.why.attempts import Diagnosis, Match, diagnoses_of
from attncalc.marking.why.catalogue import ROUNDING, WORKING, WRITING, Catalogue
from attncalc.marking.why.match import fair, is_hardly_off, is_near, near_cells, weighed, written_as


class Diagnostician:
    """Tries mistakes on one graph; what can be tried is found once for all students."""

    def __init__(self, right: Right) -> None:
        self.right = right
        self.catalogue = Catalogue(right)

    def explanations(self, walk: Walk, name: str) -> list[Match]:
        """All single mistakes that match at a wrong step, or else all pairs, or else older mistakes."""
        judged = walk.judged[name]
        if is_hardly_off(judged):
            return []
        chain = self.chain(walk, name)
        found = self.matching(walk, judged, chain, pairs=False)
        if not found and judged.wrong.sum() >= POLICY.fewest_besides:
            found = self.matching(walk, judged, chain, pairs=True)
        if not found and not any(walk.judged[told].is_wrong for told in self.before(walk, chain)):
            found = self.carried_in_full(walk, name)
        return found

    def matching(self, walk: Walk, judged: Judged, chain: list[Step], pairs: bool) -> list[Match]:
        """The attempts that match in every cell, or else those that match in most."""
        choices, likely = self.candidates(walk, chain, pairs)
        sure = log10(max(choices, 1)) + (POLICY.sure_of_two if pairs else POLICY.sure)
        written = self.written(walk, chain)
        found = [match for attempt in likely if (match := self.match(walk, chain, attempt, sure, written))]
        if all(match.besides for match in found) and len(chain) > 1 and is_by_hand(chain):
            for attempt in likely[: POLICY.most_rounded]:
                found += self.rounded_matches(judged, chain, attempt, sure, written)
        found = [match for match in found if not self.is_refuted(walk, chain, match.attempt)]
        whole = [match for match in found if not match.besides]
        fewest = min((len(match.besides) for match in found), default=0)
        most = [match for match in found if len(match.besides) == fewest]
        best = without_later_names(whole or ([] if pairs else most))
        return [self.fairly(walk, chain, match) for match in best]

    def is_refuted(self, walk: Walk, chain: list[Step], attempt: Attempt) -> bool:
        """Whether a step that is told and right would be another, had the mistake been made."""
        for name, judged in walk.judged.items():
            if name == chain[-1].name or not judged.is_right:
                continue
            way = self.chain(walk, name)
            if not attempt.changes.keys().isdisjoint(step.name for step in way):
                result = results(self.right, self.written(walk, way), way, attempt, ROUGH)[name]
                if not near_cells(judged.told, points(result))[judged.told.is_told].all():
                    return True
        return False

    def fairly(self, walk: Walk, chain: list[Step], match: Match) -> Match:
        """A match that calls nothing a slip which the mistake comes to without rounding."""
        name = chain[-1].name
        if not match.slips:
            return match
        finely = results(self.right, walk.values, chain, match.attempt, self.right.field)[name]
        return fair(match, walk.judged[name].told, finely)

    def match(
        self, walk: Walk, chain: list[Step], attempt: Attempt, sure: float, written: Mapping[str, Floats]
    ) -> Match | None:
        """How an attempt explains what is told, if it does: carried on as written, or finely."""
        name = chain[-1].name
        judged = walk.judged[name]
        just = points(results(self.right, written, chain, attempt, ROUGH)[name])
        found = weighed(self.right, judged, attempt, just, sure)
        if (found is not None and not found.besides) or not is_near(judged, just):
            return found
        finely = results(self.right, walk.values, chain, attempt, self.right.field)[name]
        return weighed(self.right, judged, attempt, finely, sure) or found

    def rounded_matches(
        self, judged: Judged, chain: list[Step], attempt: Attempt, sure: float, written: Mapping[str, Floats]
    ) -> list[Match]:
        """How an attempt best explains what is told, if untold results were rounded on the way."""
        field = hidden_roundings(self.right.kinds, len(chain[-1].shape) - 2)
        rounded = carried(self.right, written, chain, attempt.changes, field, {})
        sure += POLICY.sure_if_rounded
        found = (weighed(self.right, judged, attempt, points(result), sure) for result in rounded)
        return sorted((match for match in found if match), key=lambda match: len(match.besides))[:1]

    def written(self, walk: Walk, chain: list[Step]) -> dict[str, Floats]:
        """The numbers as they are written, and the untold steps of a chain as they come from these."""
        values = dict(self.right.floats)
        for name, numbers in walk.values.items():
            told = walk.judged[name].told if name in walk.judged else None
            if told is None or not told.is_told.all():
                same = numbers is self.right.values.get(name)
                values[name] = values[name] if same else self.right.field.floats(numbers)
            if told is not None:
                whole = told.is_told.all()
                values[name] = told.middle if whole else np.where(told.is_told, told.middle, values[name])
        return replay(chain[:-1], values, lambda step, values: self.right.redone(step, values, ROUGH))

    def carried_in_full(self, walk: Walk, name: str) -> list[Match]:
        """The mistakes that give all that is told up to a step, if nothing was rounded on the way.

        So a mistake is found that is first hidden by rounding, and shows only later.
        """
        steps = list(self.right.graph.steps)
        steps = steps[: 1 + next(n for n, step in enumerate(steps) if step.name == name)]
        table = self.catalogue.table_from_right(steps, pairs=False)
        sure = log10(max(len(table.attempts), 1)) + POLICY.sure
        judged = {step.name: walk.judged[step.name] for step in steps if step.name in walk.judged}
        found = []
        for attempt in table.just(judged[name].told):
            reached = results(self.right, self.right.floats, steps, attempt, ROUGH)
            if all(written_as(one, points(reached[told])) for told, one in judged.items() if told in reached):
                found.append(weighed(self.right, judged[name], attempt, points(reached[name]), sure))
        return [match for match in found if match is not None]

    def before(self, walk: Walk, chain: list[Step]) -> set[str]:
        """The told steps that a chain starts from."""
        return {operand for step in chain for operand in step.inputs} & walk.judged.keys()

    def candidates(self, walk: Walk, chain: list[Step], pairs: bool) -> tuple[int, list[Attempt]]:
        """How many attempts there are, and those worth a close look."""
        judged = walk.judged
        if any(not judged[name].is_right for name in self.before(walk, chain)):
            table = self.catalogue.table(chain, pairs, self.written(walk, chain))
        else:
            table = self.catalogue.table_from_right(chain, pairs)
        return len(table.attempts), table.likely(judged[chain[-1].name])

    def chain(self, walk: Walk, name: str) -> list[Step]:
        """The untold steps between a step and what was told before it, and the step itself."""
        return self.right.graph.chain(name, walk.judged)

    def misshapen(self, walk: Walk, judged: Judged) -> Iterator[Diagnosis]:
        """The mistakes that give a matrix told in the wrong shape, on the student's own values."""
        step = judged.told.step
        for told, _ in judged.told.misshapen:
            for mistakes in (WRITING, WORKING):
                attempts = self.catalogue.tried(step, mistakes, told.cells.shape)
                found = [attempt for attempt in attempts if self.fits(walk, step, attempt, told)]
                for attempt in found:
                    yield from diagnoses_of(attempt)
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
            for attempt in self.catalogue.tried(step, ROUNDING, step.shape):
                places = attempt.variations[0].places or 0
                if written_as(walk.judged[name], self.go_on_rounded(walk, chain, source, places)):
                    yield from diagnoses_of(attempt)
                    return

    def go_on_rounded(self, walk: Walk, chain: list[Step], source: str, places: int) -> Intervals:
        """The last step of a chain if one step before it was rounded to so many places."""
        changed = {source}

        def evaluate(step: Step, values: Mapping[str, Intervals]) -> Intervals | None:
            if step.name == source or changed.isdisjoint(step.inputs):
                return None
            changed.add(step.name)
            return self.right.step_range(step, values)

        start = {**walk.values, source: rounded(walk.values[source], places, self.right.field)}
        return replay(chain, start, evaluate)[chain[-1].name]


def without_later_names(matches: list[Match]) -> list[Match]:
    """The matches without those that are another name for one made at an earlier step."""
    codes = {mistake.code for match in matches for mistake in match.attempt.mistakes}
    first = [m for m in matches if all(codes.isdisjoint(one.behind) for one in m.attempt.mistakes)]
    return first or matches
