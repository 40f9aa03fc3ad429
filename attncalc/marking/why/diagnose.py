"""Diagnosis: which mistakes give exactly the numbers that the student has.

A mistake is tried at the answered step and at every unanswered step between it and the answers before it,
alone and then in pairs. The result is the set of all that match; nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from attncalc.core.fields import Floats
from attncalc.core.fields.interval import Intervals, points
from attncalc.core.graph.graph import Step
from attncalc.marking.answers.answer import AnsweredStep
from attncalc.marking.answers.files import Answer
from attncalc.marking.answers.intervals import Yardstick
from attncalc.marking.follow.judge import Judged, meets
from attncalc.marking.follow.replay import Attempt, replay, replay_attempt
from attncalc.marking.follow.truth import ROUGH, Truth, rounded
from attncalc.marking.follow.walk import Walk
from attncalc.marking.policy import POLICY
from attncalc.marking.rounding.predict import is_by_hand, planned, predict
from attncalc.marking.why.attempts import Diagnosis, Match, Table, diagnoses_of
from attncalc.marking.why.catalogue import ROUNDING, WORKING, WRITING, Catalogue
from attncalc.marking.why.match import (
    Alternatives,
    is_far,
    is_hardly_off,
    is_near,
    near_cells,
    price_of_choice,
    without_excused_slips,
    written_as,
)

MOST_ROUNDED = 4
"""Mistakes that are tried with rounding on the way."""
MOST_NAMED = 3
"""If more mistakes explain an answer, none is named."""


class Diagnostician:
    """Try mistakes on one graph; the attempts are found once for all students."""

    def __init__(self, truth: Truth) -> None:
        self.truth = truth
        self.catalogue = Catalogue(truth)

    def explanations(
        self,
        walk: Walk,
        name: str,
        codes: frozenset[str] = frozenset(),
        pairs: bool = True,
        is_baffling: bool = False,
    ) -> list[Match]:
        """All single mistakes that match a wrong step, else all pairs, else mistakes of earlier steps.

        What was found at earlier steps needs no evidence to be made again: mistakes with one of some codes,
        or, if a step before `is_baffling`, a fault that no mistake explains.
        """
        judged = walk.judged[name]
        if is_hardly_off(judged) or not is_far(self.truth, judged):
            return []
        chain, others = self.chain(walk, name), Alternatives(self.truth, judged, is_baffling)
        table = self.find_table(walk, chain, pairs=False)
        price = price_of_choice(table.choices, len(walk.wrong))
        found = self.find_matching(walk, chain, others, codes, table, price)
        if not found and pairs and 2 * price + POLICY.sure_bits < others.price:
            of_two = self.find_table(walk, chain, pairs=True)
            found = self.find_matching(walk, chain, others, codes, of_two, 2 * price)
        if not found and not any(walk.judged[answer].is_wrong for answer in self.before(walk, chain)):
            found = self.find_carried_in_full(walk, name, others)
        return found

    def find_matching(
        self,
        walk: Walk,
        chain: list[Step],
        others: Alternatives,
        codes: frozenset[str],
        table: Table,
        price: float,
    ) -> list[Match]:
        """The attempts of a table that explain an answer in few bits; none if too many do."""
        likely = others.nearest(table.attempts, table.results)
        written = self.written(walk, chain)
        found = []
        for n, attempt in enumerate(likely):
            own = 0.0 if codes.issuperset(mistake.code for mistake in attempt.mistakes) else price
            match = self.match(walk, chain, attempt, others, own, written)
            if (match is None or match.besides) and len(chain) > 1 and n < MOST_ROUNDED and is_by_hand(chain):
                match = self.match_rounded(chain, attempt, others, own, written) or match
            found += [match] if match and not self.is_refuted(walk, chain, match.attempt) else []
        least = min((match.price for match in found), default=0)
        near = [match for match in found if match.price < least + POLICY.sure_bits]
        best = without_later_names(near)
        if len({match.attempt.mistakes for match in best}) > MOST_NAMED:
            return []
        return [self.drop_excused_slips(walk, chain, match) for match in best]

    def is_refuted(self, walk: Walk, chain: list[Step], attempt: Attempt) -> bool:
        """Whether an answered step that is right would differ if the mistake had been made."""
        for name, judged in walk.judged.items():
            if name == chain[-1].name or not judged.is_right:
                continue
            way = self.chain(walk, name)
            if not attempt.changes.keys().isdisjoint(step.name for step in way):
                result = replay_attempt(self.truth, self.written(walk, way), way, attempt, ROUGH)[name]
                if not near_cells(judged.answer, points(result))[judged.answer.is_answered].all():
                    return True
        return False

    def drop_excused_slips(self, walk: Walk, chain: list[Step], match: Match) -> Match:
        """A match without the slips that the mistake gives if nothing is rounded."""
        name = chain[-1].name
        if not match.slips:
            return match
        finely = replay_attempt(self.truth, walk.values, chain, match.attempt, self.truth.field)[name]
        return without_excused_slips(match, walk.judged[name].answer, finely)

    def match(
        self,
        walk: Walk,
        chain: list[Step],
        attempt: Attempt,
        others: Alternatives,
        price: float,
        written: Mapping[str, Floats],
    ) -> Match | None:
        """How an attempt explains an answer, if it does: from the written numbers, or from finer ones."""
        name = chain[-1].name
        just = points(replay_attempt(self.truth, written, chain, attempt, ROUGH)[name])
        found = others.weigh(attempt, just, price)
        if (found is not None and not found.besides) or not is_near(walk.judged[name], just):
            return found
        finely = replay_attempt(self.truth, walk.values, chain, attempt, self.truth.field)[name]
        return others.weigh(attempt, finely, price) or found

    def match_rounded(
        self,
        chain: list[Step],
        attempt: Attempt,
        others: Alternatives,
        price: float,
        written: Mapping[str, Floats],
    ) -> Match | None:
        """How an attempt best explains an answer if unanswered results were rounded on the way."""
        field = planned(self.truth.kinds, len(chain[-1].shape) - 2, POLICY.way_price)
        rounded = predict(self.truth, chain, written, {}, field, attempt.changes).values
        found = (
            others.weigh(attempt, points(rounded[n]), price + float(field.prices[n]))
            for n in others.hopeful(rounded)
        )
        return min((match for match in found if match), key=lambda match: match.price, default=None)

    def written(self, walk: Walk, chain: list[Step]) -> dict[str, Floats]:
        """The numbers as they are written, and the unanswered steps of a chain computed from these."""
        values = dict(self.truth.floats)
        for name, numbers in walk.values.items():
            answer = walk.judged[name].answer if name in walk.judged else None
            if answer is None or not answer.is_answered.all():
                same = numbers is self.truth.values.get(name)
                values[name] = values[name] if same else self.truth.field.floats(numbers)
            if answer is not None:
                whole = answer.is_answered.all()
                values[name] = (
                    answer.middle if whole else np.where(answer.is_answered, answer.middle, values[name])
                )
        return replay(chain[:-1], values, lambda step, values: self.truth.evaluate(step, values, ROUGH))

    def find_carried_in_full(self, walk: Walk, name: str, others: Alternatives) -> list[Match]:
        """The mistakes that give all answers up to a step if nothing was rounded on the way.

        This finds a mistake that rounding hides at first, and that shows only later.
        """
        steps = list(self.truth.graph.steps)
        steps = steps[: 1 + next(n for n, step in enumerate(steps) if step.name == name)]
        table = self.catalogue.table_from_truth(steps, pairs=False)
        price = price_of_choice(table.choices)
        judged = {step.name: walk.judged[step.name] for step in steps if step.name in walk.judged}
        found = []
        for attempt in table.just(judged[name].answer):
            reached = replay_attempt(self.truth, self.truth.floats, steps, attempt, ROUGH)
            if all(
                written_as(one, points(reached[answer]))
                for answer, one in judged.items()
                if answer in reached
            ):
                found.append(others.weigh(attempt, points(reached[name]), price))
        return [match for match in found if match is not None]

    def is_suspect(self, judged: Judged, before: Mapping[str, Judged]) -> bool:
        """Whether a mistake gives a whole answer to the digit, in some cells far from the expected values."""
        answer = judged.answer
        chain = self.truth.graph.chain(answer.step.name, before)
        if all(one.is_right for one in before.values()):
            table = self.catalogue.table_from_truth(chain, pairs=False)
        else:
            known = self.truth.floats | {name: one.answer.middle for name, one in before.items()}
            known = replay(chain[:-1], known, lambda step, values: self.truth.evaluate(step, values, ROUGH))
            table = self.catalogue.table(chain, False, known)
        return is_far(self.truth, judged) and bool(table.just(answer))

    def before(self, walk: Walk, chain: list[Step]) -> set[str]:
        """The answered steps from which a chain starts."""
        return {operand for step in chain for operand in step.inputs} & walk.judged.keys()

    def find_table(self, walk: Walk, chain: list[Step], pairs: bool) -> Table:
        """The attempts on a chain with their results, from the correct values or from the student's own."""
        if any(not walk.judged[name].is_right for name in self.before(walk, chain)):
            return self.catalogue.table(chain, pairs, self.written(walk, chain))
        return self.catalogue.table_from_truth(chain, pairs)

    def chain(self, walk: Walk, name: str) -> list[Step]:
        """The unanswered steps from the answers before a step up to the step itself."""
        return self.truth.graph.chain(name, walk.judged)

    def misshapen(self, walk: Walk, judged: Judged) -> Iterator[Diagnosis]:
        """The mistakes that give a matrix of the wrong shape, on the student's own values."""
        step = judged.answer.step
        for answer, _ in judged.answer.misshapen:
            for mistakes in (WRITING, WORKING):
                attempts = self.catalogue.find_attempts(step, mistakes, answer.cells.shape)
                found = [attempt for attempt in attempts if self.fits(walk, step, attempt, answer)]
                for attempt in found:
                    yield from diagnoses_of(attempt)
                if found:
                    break

    def fits(self, walk: Walk, step: Step, attempt: Attempt, answer: Answer) -> bool:
        """Whether an attempt gives the answer."""
        result = replay_attempt(self.truth, walk.values, [step], attempt, self.truth.field)[step.name]
        yard = Yardstick(result.low, result.high, np.zeros(result.shape))
        alone = AnsweredStep(attempt.variations[0].step, yard)
        alone.add(answer)
        return bool(alone.is_answered.any() and np.all(meets(alone, result)[alone.is_answered]))

    def rounded_early(self, walk: Walk, name: str) -> Iterator[Diagnosis]:
        """The first earlier step that was rounded to fewer digits than the answer needs."""
        chain = self.chain(walk, name)
        before = [operand for step in chain for operand in step.inputs if operand in walk.judged]
        for source in dict.fromkeys([*(step.name for step in chain[:-1]), *before]):
            step = self.truth.graph.step(source)
            assert step is not None
            for attempt in self.catalogue.find_attempts(step, ROUNDING, step.shape):
                places = attempt.variations[0].places or 0
                if written_as(walk.judged[name], self.go_on_rounded(walk, chain, source, places)):
                    yield from diagnoses_of(attempt)
                    return

    def go_on_rounded(self, walk: Walk, chain: list[Step], source: str, places: int) -> Intervals:
        """The last step of a chain if one step before it was rounded to some places."""
        changed = {source}

        def evaluate(step: Step, values: Mapping[str, Intervals]) -> Intervals | None:
            if step.name == source or changed.isdisjoint(step.inputs):
                return None
            changed.add(step.name)
            return self.truth.evaluate_range(step, values)

        start = {**walk.values, source: rounded(walk.values[source], places, self.truth.field)}
        return replay(chain, start, evaluate)[chain[-1].name]


def without_later_names(matches: list[Match]) -> list[Match]:
    """The matches without those that are another name for a mistake at an earlier step."""
    codes = {mistake.code for match in matches for mistake in match.attempt.mistakes}
    first = [m for m in matches if all(codes.isdisjoint(one.behind) for one in m.attempt.mistakes)]
    return first or matches
