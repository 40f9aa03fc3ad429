"""One mistake made in several steps: each of them may hold too little evidence to name it alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping

from attncalc.core.fields.interval import points
from attncalc.marking.follow.judge import Judged
from attncalc.marking.follow.replay import replay_attempt
from attncalc.marking.follow.truth import ROUGH
from attncalc.marking.follow.walk import Walk
from attncalc.marking.policy import POLICY
from attncalc.marking.why.attempts import Match
from attncalc.marking.why.catalogue import WORKING
from attncalc.marking.why.diagnose import Diagnostician
from attncalc.marking.why.match import Alternatives, price_of_choice, written_as
from attncalc.mistakes.base import Mistake

Found = Mapping[str, list[Match]]
"""The mistakes that explain a step, by the name of the step."""


def find_repeated(doctor: Diagnostician, walk: Walk, known: Found) -> Found:
    """The mistakes of all steps, of which one that explains several steps is preferred.

    Unexplained wrong steps have those that are named at another step, or that explain several heads.
    """
    unexplained = [name for name in walk.wrong if not known[name] and walk.judged[name].habit is None]
    named = {mistake for found in known.values() for match in found for mistake in match.attempt.mistakes}
    each: dict[Mistake, dict[str, Match]] = {}
    for name in unexplained:
        for match in find_exact(doctor, walk, walk.judged[name], named):
            each.setdefault(match.attempt.mistakes[0], {}).setdefault(name, match)
    repeated: dict[str, list[Match]] = {name: list(found) for name, found in known.items()}
    for mistake, found in each.items():
        if mistake in named or is_evident(doctor, walk, found):
            for name, match in found.items():
                repeated[name].append(match)
    return prefer_frequent(repeated)


def prefer_frequent(found: Found) -> Found:
    """For each step, only the mistakes that explain the most steps."""
    steps = Counter(
        one for matches in found.values() for one in {match.attempt.mistakes for match in matches}
    )
    most = {
        name: max((steps[one.attempt.mistakes] for one in each), default=0) for name, each in found.items()
    }
    return {
        name: [one for one in each if steps[one.attempt.mistakes] == most[name]]
        for name, each in found.items()
    }


def find_exact(
    doctor: Diagnostician, walk: Walk, judged: Judged, named: Collection[Mistake]
) -> Iterator[Match]:
    """The mistakes at a step that give the whole answer as it is written: named ones, in a head any."""
    step = judged.answer.step
    chain = doctor.chain(walk, step.name)
    attempts = [one for one in doctor.catalogue.attempts(step) if step.head or one.mistakes[0] in named]
    if judged.answer.is_answered.sum() < 2 or not attempts:
        return
    written = doctor.written(walk, chain)
    for attempt in attempts:
        result = replay_attempt(doctor.truth, written, chain, attempt, ROUGH)[step.name]
        if written_as(judged, points(result)):
            yield Match(attempt, int(judged.wrong.sum()), (), (), result, 0.0)


def is_evident(doctor: Diagnostician, walk: Walk, found: Mapping[str, Match]) -> bool:
    """Whether to say all numbers of several steps without the mistake takes many more bits than with it."""
    without = sum(Alternatives(doctor.truth, walk.judged[name]).price for name in found)
    return len(found) > 1 and without >= price_of_choice(len(WORKING)) + POLICY.sure_bits
