"""Whether other numbers would help an exercise: the same one drawn anew, some times."""

from __future__ import annotations

from functools import cached_property
from random import Random

from attncalc.features.authoring.lint.hand_ins import Exercise
from attncalc.features.authoring.lint.hidden import Sight
from attncalc.features.authoring.vary.drawing import Drawing
from attncalc.features.authoring.vary.template import Template

REDRAWS = 15
"""How often other numbers are tried: an odd number, so that there is a majority."""


class Redraws:
    """The same exercise with other numbers, tried only on demand."""

    def __init__(self, exercise: Exercise, template: Template) -> None:
        self.exercise, self.template = exercise, template
        self.drawing = Drawing(exercise, template)

    @cached_property
    def sights(self) -> list[Sight]:
        """What other numbers let a marker see; none where there are no others."""
        if self.exercise.prepared.letters or not self.template.has_choice:
            return []
        return [
            sight for draws in self.drawing.draw_all(Random("redraws"), REDRAWS) for sight in draws.all_sights
        ]

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
