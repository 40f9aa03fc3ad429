"""The mistakes that an exercise cannot show, and those that it cannot distinguish."""

from __future__ import annotations

from collections.abc import Mapping, Set
from functools import cached_property

from attncalc.core.record import record
from attncalc.features.authoring.lint.wrong_answers import Exercise, HandIns, by_code
from attncalc.mistakes import MISTAKES

BEHIND = {(mistake.code, other) for mistake in MISTAKES for other in mistake.behind}
ONE_NAME = BEHIND | {(b, a) for a, b in BEHIND}
"""Pairs of mistakes that the checker reports as one if they give the same values."""


@record
class Sight:
    """What a marker can see with one set of numbers: by mistake, all answers that it can lead to."""

    right: bytes
    outcomes: Mapping[str, set[bytes]]
    one_name: Set[tuple[str, str]]

    @cached_property
    def hidden(self) -> frozenset[str]:
        """The mistakes that never change an asked cell, wherever they are made."""
        return frozenset(code for code, found in self.outcomes.items() if found == {self.right})

    @cached_property
    def shown(self) -> dict[str, set[bytes]]:
        """The other mistakes, each with the wrong answers that it leads to."""
        return {
            code: found - {self.right} for code, found in self.outcomes.items() if code not in self.hidden
        }

    @cached_property
    def partners(self) -> dict[str, tuple[str, ...]]:
        """The mistakes that always look like others, and which; pairs in `one_name` do not count."""
        found = {
            code: tuple(
                other
                for other, theirs in self.shown.items()
                if other != code and own <= theirs and (code, other) not in self.one_name
            )
            for code, own in self.shown.items()
        }
        return {code: others for code, others in found.items() if others}

    def are_equal(self, a: str, b: str) -> bool:
        """Whether two mistakes cannot be distinguished."""
        return self.shown[a] == self.shown[b]


def sight_of(exercise: Exercise, handed: HandIns) -> Sight:
    """What a marker can see of an exercise, from the answers that its trials lead to."""
    return Sight(handed.right, by_code(exercise.trials, handed.each), ONE_NAME | exercise.one_step)
