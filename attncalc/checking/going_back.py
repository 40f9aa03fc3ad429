"""Gradients of what was done wrong on the way forward: they follow, if they are those of the wrong steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attncalc.checking.attempts import Match
from attncalc.checking.diagnose import Diagnostician
from attncalc.checking.follow import Walk, right_at_sight, walk
from attncalc.checking.told import ToldStep
from attncalc.mistakes.base import Variation
from attncalc.mistakes.gradient_shares import gradients_as_done


def go_back(
    doctor: Diagnostician, way: Walk, told: Mapping[str, ToldStep], known: dict[str, list[Match]]
) -> Iterator[Walk]:
    """The way on which gradients belong to the mistakes made forward, where these explain what is told.

    What explains a step is added to what is known.
    """
    graph = doctor.right.graph
    forward = [name for name in way.wrong if not graph.labels[name].of]
    if len(forward) in (0, len(way.wrong)):
        return
    changes: dict[str, Variation] = {}
    for name in forward:
        known[name] = known[name] if name in known else doctor.explanations(way, name)
        changes |= known[name][0].attempt.changes if known[name] else {}
    back = gradients_as_done(graph, changes)
    if back:
        untold = {name: change for name, change in changes.items() if name not in told}
        other = walk(doctor.right, told, right_at_sight(doctor.right, told), {**untold, **back})
        yield Walk(other.values, {**other.judged, **{name: way.judged[name] for name in forward}})
