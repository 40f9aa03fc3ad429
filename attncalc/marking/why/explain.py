"""Why steps are wrong: mistakes, early rounding, slips, or what the numbers show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from attncalc.core.errors import count_of
from attncalc.core.fields import Floats
from attncalc.core.record import record
from attncalc.marking.follow.judge import Judged
from attncalc.marking.follow.walk import Walk
from attncalc.marking.policy import POLICY
from attncalc.marking.why.attempts import Diagnosis, Match
from attncalc.marking.why.evidence import TO_WHOLE, evidence, find_near, is_on_the_way, is_rounded_to_whole
from attncalc.marking.why.repeats import find_repeated
from attncalc.marking.why.slips import slips
from attncalc.marking.why.solve_for import find_other_scale, find_unanswered_slip
from attncalc.mistakes.slips import CellSlip, RoundedEarly

if TYPE_CHECKING:
    from attncalc.marking.prepared import Prepared

NO_TIME = "There was no time to find out why."


@record
class Reasons:
    """Why a step is wrong, and what the first mistake gives in the cells that it explains."""

    diagnoses: tuple[Diagnosis, ...] = ()
    remarks: tuple[str, ...] = ()
    result: Floats | None = None


@record
class Explained:
    """The reasons of every answered step, and the steps for which mistakes were found first."""

    reasons: Mapping[str, Reasons]
    sources: tuple[str, ...] = ()


def explain(prepared: Prepared, walk: Walk, known: Mapping[str, list[Match]]) -> Explained:
    """Find the reasons of all answered steps; the mistakes of some are known."""
    found: dict[str, list[Match]] = {}
    is_baffling = False
    for name, judged in walk.judged.items():
        mistakes = (one for matches in found.values() for match in matches for one in match.attempt.mistakes)
        codes = frozenset(one.code for one in mistakes)
        found[name] = find_matches(prepared, walk, judged, known, codes, is_baffling)
        is_baffling = is_baffling or (is_mostly_wrong(judged) and not found[name])
    matches = find_repeated(prepared.doctor, walk, found)
    reasons = {
        name: explain_step(prepared, walk, judged, matches[name]) for name, judged in walk.judged.items()
    }
    return Explained(reasons, tuple(known))


def without_time(walk: Walk) -> Explained:
    """Say of every wrong step that there was no time to explain it."""
    return Explained(
        {name: Reasons(remarks=(NO_TIME,) if judged.is_wrong else ()) for name, judged in walk.judged.items()}
    )


def explain_step(prepared: Prepared, walk: Walk, judged: Judged, matches: list[Match]) -> Reasons:
    """Why one step is wrong, in its numbers or its shape."""
    if judged.answer.is_nan.any():
        return Reasons(remarks=(say_nan(walk, judged, prepared.symbols),))
    diagnoses, remarks = say_reasons(prepared, walk, judged, matches)
    shapes = tuple(prepared.doctor.misshapen(walk, judged))
    # The numbers that stand for free letters are not shown.
    result = matches[0].result if matches and not prepared.letters else None
    return Reasons((*diagnoses, *shapes), remarks, result)


def say_nan(walk: Walk, judged: Judged, symbols: Mapping[str, str]) -> str:
    """Say which step is the first with NaN: the later ones may follow from it."""
    first = next(name for name, one in walk.judged.items() if one.answer.is_nan.any())
    if first == judged.answer.step.name:
        return f"{symbols[first]} is your first step with NaN: 0/0, ∞/∞ or ∞ − ∞ gives it."
    return f"NaN again: {symbols[first]} is your first step with it."


def find_matches(
    prepared: Prepared,
    walk: Walk,
    judged: Judged,
    known: Mapping[str, list[Match]],
    codes: frozenset[str],
    is_baffling: bool,
) -> list[Match]:
    """The mistakes that explain a wrong step."""
    name = judged.answer.step.name
    if not judged.is_wrong or judged.habit:
        return []
    # Hardly a student makes three mistakes.
    is_first = name == walk.wrong[0]
    if name in known:
        return known[name]
    return prepared.doctor.explanations(walk, name, codes, is_first, is_baffling)


def is_mostly_wrong(judged: Judged) -> bool:
    """Whether more cells of a step are wrong than slips make wrong."""
    return bool(judged.wrong.sum() > POLICY.most_slips * judged.answer.is_answered.sum())


def say_reasons(
    prepared: Prepared, walk: Walk, judged: Judged, matches: list[Match]
) -> tuple[tuple[Diagnosis, ...], tuple[str, ...]]:
    """Diagnoses and remarks: a habit, mistakes, numbers rounded early, slips; of a right step, the habit."""
    name, habit, places = judged.answer.step.name, judged.habit, prepared.problem.places
    if habit and judged.is_wrong:
        # The problem asks for places that rounded results cannot give.
        asked = f": the exercise asks for {count_of(places, 'decimal')}." if places else "."
        said = habit.sentence.removesuffix(".") + asked
        code = habit.code if habit.writing else RoundedEarly.code
        return (Diagnosis(code, name, said, cells=int(judged.wrong.sum())),), ()
    if not judged.is_wrong:
        return (), (f"{habit.code}: {habit.sentence}",) if habit else ()
    found = without_repeats(matches)
    if not found and places is not None:
        found = list(prepared.doctor.rounded_early(walk, name))
    return (tuple(found), ()) if found else describe_unexplained(prepared, walk, judged)


def describe_unexplained(
    prepared: Prepared, walk: Walk, judged: Judged
) -> tuple[tuple[Diagnosis, ...], tuple[str, ...]]:
    """What is said if no mistake explains a step: slips, another scale, or what the numbers show."""
    if is_rounded_to_whole(judged):
        return (), (TO_WHOLE,)
    doctor, symbols = prepared.doctor, prepared.symbols
    chain = doctor.chain(walk, judged.answer.step.name)
    is_far = not np.array_equal(find_near(prepared.truth, judged), judged.wrong)
    found = list(find_unanswered_slip(doctor, walk, judged, symbols)) if is_far else []
    remarks = list(find_other_scale(doctor, walk, judged)) if is_far and not found else []
    if not found and not remarks:
        is_direct = all(map(is_on_the_way, chain[:-1]))
        found = slips(prepared.truth, walk, judged, is_direct, symbols)
    if not found and not remarks:
        remarks = list(evidence(prepared.truth, walk, judged, chain, symbols))
    if prepared.letters:
        # The numbers that stand for free letters are not shown.
        found = [one for one in found if one.mistake != CellSlip.code]
    return tuple(found), tuple(remarks)


def without_repeats(matches: list[Match]) -> list[Diagnosis]:
    """The diagnoses of all matches; a mistake that explains it at several steps of a head is at the last."""
    last = {
        (match.attempt.mistakes, tuple(one.step.head for one in match.attempt.variations)): match
        for match in matches
    }
    return [diagnosis for group, match in enumerate(last.values()) for diagnosis in match.diagnoses(group)]
