"""The paths that a student may have taken: on from unanswered mistakes, and back through wrong steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from attncalc.core.fields.interval import points
from attncalc.core.record import replace
from attncalc.marking.answers.answer import AnsweredStep
from attncalc.marking.follow.judge import Mark, meets
from attncalc.marking.follow.replay import replay_attempt
from attncalc.marking.follow.truth import ROUGH
from attncalc.marking.follow.walk import Excuse, Walk, find_sure, walk
from attncalc.marking.why.attempts import Match
from attncalc.marking.why.diagnose import Diagnostician
from attncalc.mistakes.base import Variation
from attncalc.mistakes.gradient_shares import find_matching_gradients


def find_path(
    doctor: Diagnostician, answered: Mapping[str, AnsweredStep], plain: Walk, excuse: Excuse
) -> tuple[Walk, dict[str, list[Match]]]:
    """The walk with the fewest wrong steps, and the mistakes of the wrong steps that were looked into."""
    if not plain.wrong:
        return plain, {}
    first = plain.wrong[0]
    known = {first: doctor.explanations(plain, first)}
    ways = [
        plain,
        *with_hidden_mistakes(doctor, answered, plain, known, excuse),
        *walk_back(doctor, answered, plain, known, excuse),
    ]
    best = min(ways, key=lambda way: len(way.wrong))
    return with_full_carry(doctor, best, first, known[first]), known


def with_hidden_mistakes(
    doctor: Diagnostician,
    answered: Mapping[str, AnsweredStep],
    plain: Walk,
    known: Mapping[str, list[Match]],
    excuse: Excuse,
) -> Iterator[Walk]:
    """The walks that continue with the result of a mistake at an unanswered step."""
    first = plain.wrong[0]
    if len(plain.wrong) == 1:
        return
    chain = {step.name for step in doctor.chain(plain, first)}
    for match in known[first]:
        changes = {name: one for name, one in match.attempt.changes.items() if name in chain}
        if not changes.keys() & answered.keys():
            other = walk(doctor.truth, answered, find_sure(doctor.truth, answered), excuse, changes)
            yield Walk(other.values, {**other.judged, first: plain.judged[first]})


def walk_back(
    doctor: Diagnostician,
    answered: Mapping[str, AnsweredStep],
    plain: Walk,
    known: dict[str, list[Match]],
    excuse: Excuse,
) -> Iterator[Walk]:
    """The walk on which gradients belong to the mistakes made forward, if these explain the answers.

    The mistakes found on the way are added to `known`.
    """
    graph = doctor.truth.graph
    forward = [name for name in plain.wrong if not graph.labels[name].of]
    if len(forward) in (0, len(plain.wrong)):
        return
    changes: dict[str, Variation] = {}
    for name in forward:
        known[name] = known[name] if name in known else doctor.explanations(plain, name)
        changes |= known[name][0].attempt.changes if known[name] else {}
    gradients = find_matching_gradients(graph, changes)
    if gradients:
        unanswered = {name: change for name, change in changes.items() if name not in answered}
        other = walk(
            doctor.truth, answered, find_sure(doctor.truth, answered), excuse, {**unanswered, **gradients}
        )
        yield Walk(other.values, {**other.judged, **{name: plain.judged[name] for name in forward}})


def with_full_carry(doctor: Diagnostician, way: Walk, first: str, explanations: list[Match]) -> Walk:
    """Let coarse steps pass that a known mistake gives without rounding."""
    judged, truth = dict(way.judged), doctor.truth
    if not any(Mark.COARSE in one.present for one in judged.values()):
        return way
    for match in explanations:
        reached = replay_attempt(truth, truth.floats, list(truth.graph.steps), match.attempt, ROUGH)
        for name, one in judged.items():
            if name != first and name in reached and Mark.COARSE in one.present:
                explained = meets(one.answer, points(reached[name])) & (one.marks == Mark.COARSE)
                judged[name] = replace(one, marks=np.where(explained, Mark.FOLLOWS, one.marks))
    return Walk(way.values, judged)
