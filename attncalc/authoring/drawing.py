"""Other numbers for an exercise, tried on its own graph: only they change, not what is done with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from random import Random

from attncalc.authoring.blindness import Sight, sight_of
from attncalc.authoring.exercise import Exercise
from attncalc.authoring.template import Template
from attncalc.errors import AttncalcError
from attncalc.fields import Floats
from attncalc.loading.load import Source
from attncalc.mechanisms import build_graph
from attncalc.record import record


@record
class Draw:
    """A problem file with other numbers, and what they come to."""

    source: Source
    exercise: Exercise
    values: Mapping[str, Floats]

    @cached_property
    def sight(self) -> Sight:
        """What these numbers let a marker see."""
        return sight_of(self.exercise, self.exercise.hand_in(self.values))


def draw_all(exercise: Exercise, template: Template, random: Random, tries: int) -> Iterator[Draw | None]:
    """One draw after the other; nothing for one that cannot be solved."""
    for _ in range(tries):
        source = template.draw(random)
        try:
            given = build_graph(source.problem).given
        except AttncalcError:
            yield None
        else:
            yield Draw(source, exercise, exercise.values_of(given))
