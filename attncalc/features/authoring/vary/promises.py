"""What every variant of an exercise promises: it tests as well as the original, and is as much work."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from random import Random

import numpy as np
from numpy.typing import NDArray

from attncalc.core.fields import Floats
from attncalc.features.authoring.lint.batches import Sets, only_set
from attncalc.features.authoring.lint.hidden import Sight, sight_of
from attncalc.features.authoring.lint.work import Work
from attncalc.features.authoring.lint.wrong_answers import Exercise
from attncalc.features.authoring.vary.drawing import Drawing, Draws
from attncalc.features.authoring.vary.template import Template
from attncalc.marking.follow.truth import coarsest_unit
from attncalc.mistakes.softmax_base import exponentials_of

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


LARGEST_WEIGHT, SMALLEST_WEIGHT = 0.99, 0.005
LARGER_SCORES = 2
MORE_WORK = 0.15


class Promises:
    """The promises of one exercise's variants."""

    def __init__(self, exercise: Exercise, template: Template) -> None:
        self.exercise, self.redraws = exercise, Redraws(exercise, template)
        self.drawing = self.redraws.drawing
        self.work = Work(exercise.graph, [*exercise.graph.steps])
        self.own = Measures(exercise, self.work, only_set(exercise.right.floats))

    @cached_property
    def structural(self) -> set[str]:
        """The mistakes that no other numbers would show."""
        values = self.exercise.right.floats
        hidden = sight_of(self.exercise, self.exercise.hand_in(values)).hidden
        return {code for code in hidden if self.redraws.kind_of_hidden(code) == "structural"}

    def broken_by(self, draws: Draws) -> list[str]:
        """What each draw does not keep; nothing where it keeps all."""
        new = Measures(self.exercise, self.work, draws.sets)
        found = [self.broken_measure(new, n) for n in range(draws.sets.count)]
        kept = [n for n, why in enumerate(found) if not why]
        for n, sight in zip(kept, draws.sights(kept), strict=True):
            hidden = sorted(sight.hidden - self.structural)
            found[n] = f"{hidden[0]} is shown" if hidden else ""
        return found

    def broken_measure(self, new: Measures, n: int) -> str:
        """What one of some draws does not keep of what can be measured."""
        if not new.is_sound[n]:
            return "every number can be worked out"
        if new.largest_weight[n] > LARGEST_WEIGHT >= self.own.largest_weight[0]:
            return f"no weight is above {LARGEST_WEIGHT}"
        if new.smallest_weight[n] < SMALLEST_WEIGHT <= self.own.smallest_weight[0]:
            return f"no weight is below {SMALLEST_WEIGHT}"
        if new.largest_score[n] > LARGER_SCORES * self.own.largest_score[0]:
            return "no score is larger than twice the largest of the original"
        if abs(new.products[n] - self.own.products[0]) > MORE_WORK * self.own.products[0]:
            return f"it takes as many products by hand as the original, within {MORE_WORK:.0%}"
        if self.own.is_fine(0) and not new.is_fine(n):
            return "the digits that are asked tell the results apart"
        return ""


class Measures:
    """What the promises are about, for each of some sets of numbers."""

    def __init__(self, exercise: Exercise, work: Work, sets: Sets) -> None:
        self.exercise, self.work, self.sets = exercise, work, sets

    def largest(self, found: Iterable[Floats], least: float = 0) -> Floats:
        """The largest of some numbers, set by set."""
        top = np.full(self.sets.count, least)
        for one in found:
            top = np.maximum(top, one.reshape(len(one), -1).max(axis=-1, initial=least))
        return top

    @cached_property
    def weights(self) -> list[tuple[Floats, NDArray[np.bool_]]]:
        """All softmax weights, and which are of keys that are seen, where a query sees several."""
        found, values = [], self.sets.values
        for step in self.exercise.graph.steps:
            exponentials = exponentials_of(step, self.exercise.graph)
            if exponentials and not step.label.limit:
                visible = ~np.isneginf(values[exponentials.inputs[0]])
                several = visible.sum(axis=-1, keepdims=True) > 1
                found.append((values[step.name], visible & several))
        return found

    @cached_property
    def largest_weight(self) -> Floats:
        """The largest weight."""
        return self.largest(np.where(counts, weights, 0) for weights, counts in self.weights)

    @cached_property
    def smallest_weight(self) -> Floats:
        """The smallest weight."""
        return -self.largest((np.where(counts, -weights, -1) for weights, counts in self.weights), -1)

    @cached_property
    def largest_score(self) -> Floats:
        """The size of the largest score."""
        graph = self.exercise.graph
        scores = [self.sets.values[name] for name in graph.shapes if graph.stage(name) == "scores"]
        return self.largest(np.where(np.isfinite(one), np.abs(one), 0) for one in scores)

    @cached_property
    def products(self) -> Floats:
        """The products of numbers that are not 0."""
        counts = self.work.count(self.sets).values()
        each = [one.reshape(len(one), -1).sum(axis=-1) for one in counts]
        return np.asarray(np.sum(each, axis=0))

    def is_fine(self, n: int) -> bool:
        """Whether so many digits are asked that the checker can judge the results of a set."""
        units, values = self.exercise.units, self.sets.one(n)
        return all(units[name] <= coarsest_unit(values[name]) for name in self.exercise.wanted)

    @cached_property
    def is_sound(self) -> NDArray[np.bool_]:
        """Whether all steps are numbers."""
        steps = (self.sets.values[step.name] for step in self.exercise.graph.steps)
        bad = self.largest((np.isnan(one) | np.isposinf(one)).astype(float) for one in steps)
        return np.asarray(bad == 0)
