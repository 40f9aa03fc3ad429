"""Which mistakes an exercise cannot show or tell apart, and whether other numbers would help."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from random import Random

from attncalc.authoring.exercise import Exercise, HandIns, by_code
from attncalc.authoring.template import Template
from attncalc.errors import AttncalcError
from attncalc.mechanisms import build_graph
from attncalc.mistakes import MISTAKES
from attncalc.record import record

REDRAWS = 15
"""How often other numbers are tried: an odd number, so that there is a majority."""
BEHIND = {(mistake.code, other) for mistake in MISTAKES for other in mistake.behind}
ONE_NAME = BEHIND | {(b, a) for a, b in BEHIND}
"""Mistakes that the checker takes for one where they come to the same."""


@record
class Sight:
    """What one set of numbers lets a marker see: by mistake, all that can be handed in."""

    right: bytes
    outcomes: Mapping[str, set[bytes]]

    @cached_property
    def hidden(self) -> frozenset[str]:
        """The mistakes that change nothing, wherever they are made."""
        return frozenset(code for code, found in self.outcomes.items() if found == {self.right})

    @cached_property
    def shown(self) -> dict[str, set[bytes]]:
        """The others, and what they change it to."""
        return {
            code: found - {self.right} for code, found in self.outcomes.items() if code not in self.hidden
        }

    @cached_property
    def partners(self) -> dict[str, tuple[str, ...]]:
        """The mistakes that always look like another, and which those are."""
        found = {
            code: tuple(
                other
                for other, theirs in self.shown.items()
                if other != code and own <= theirs and (code, other) not in ONE_NAME
            )
            for code, own in self.shown.items()
        }
        return {code: others for code, others in found.items() if others}

    def are_equal(self, a: str, b: str) -> bool:
        """Whether two mistakes cannot be told from each other either way."""
        return self.shown[a] == self.shown[b]


def sight_of(exercise: Exercise, handed: HandIns) -> Sight:
    """What one set of numbers lets a marker see of an exercise."""
    return Sight(handed.right, by_code(exercise.trials, handed.each))


class Redraws:
    """The same exercise with other numbers, tried only where somebody asks."""

    def __init__(self, exercise: Exercise, template: Template) -> None:
        self.exercise, self.template = exercise, template

    @cached_property
    def sights(self) -> list[Sight]:
        """What other numbers let a marker see; none where there are no others."""
        if self.exercise.marker.letters or not self.template.has_choice:
            return []
        random = Random("redraws")
        found = (self.sight(random) for _ in range(REDRAWS))
        return [sight for sight in found if sight is not None]

    def sight(self, random: Random) -> Sight | None:
        """What one draw lets a marker see, if it can be solved."""
        try:
            given = build_graph(self.template.draw(random).problem).given
        except AttncalcError:
            return None
        values = self.exercise.values_of(given)
        return sight_of(self.exercise, self.exercise.hand_in(values))

    def kind_of_hidden(self, code: str) -> str:
        """Whether other numbers would mostly show a mistake."""
        return kind(sum(code in sight.shown for sight in self.sights), len(self.sights))

    def kind_of_alike(self, code: str, others: tuple[str, ...]) -> str:
        """Whether other numbers would mostly tell a mistake from some others."""
        apart = sum(
            code in sight.shown and {*others}.isdisjoint(sight.partners.get(code, ()))
            for sight in self.sights
        )
        return kind(apart, len(self.sights))


def kind(helped: int, tried: int) -> str:
    """accidental where other numbers mostly help, else structural"""
    return "accidental" if 2 * helped > tried else "structural"
