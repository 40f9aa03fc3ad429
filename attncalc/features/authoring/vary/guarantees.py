"""Promises of every variant: it tests as well as the original exercise, and takes as much work."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from random import Random

import numpy as np
from numpy.typing import NDArray

from attncalc.core.fields import Floats
from attncalc.features.authoring.lint.batches import Sets, only_set
from attncalc.features.authoring.lint.hidden import Sight, sight_of
from attncalc.features.authoring.lint.numbers import Work
from attncalc.features.authoring.lint.wrong_answers import Exercise
from attncalc.features.authoring.vary.solve_draws import Draw, Drawing, Draws
from attncalc.features.authoring.vary.template import Template
from attncalc.marking.follow.truth import coarsest_unit
from attncalc.mistakes.softmax_base import exponentials_of

REDRAWS = 5
"""The number of draws with other numbers: odd, so that there is a majority."""


class Redraws:
    """The same exercise with other numbers, computed only on demand."""

    def __init__(self, exercise: Exercise, template: Template) -> None:
        self.exercise, self.template = exercise, template
        self.drawing = Drawing(exercise, template)
        self.work = Work(exercise.graph, [*exercise.graph.steps])

    @cached_property
    def sights(self) -> list[Sight]:
        """What the marker says with other numbers; empty if there are no others."""
        if self.exercise.prepared.letters or not self.template.has_choice:
            return []
        return [
            sight
            for draws in self.drawing.draw_all(Random("redraws"), REDRAWS)
            for sight in draws.sights(self.find_sound(draws)).values()
        ]

    def find_sound(self, draws: Draws) -> list[int]:
        """The draws of which every number can be worked out."""
        found: list[int] = np.flatnonzero(Measures(self.exercise, self.work, draws.sets).is_sound).tolist()
        return found

    def kind_of_hidden(self, code: str) -> str:
        """Whether most other numbers would show a mistake: accidental or structural."""
        return self.kind(lambda sight: code in sight.ways and sight.is_shown(code))

    def kind_of_alike(self, code: str) -> str:
        """Whether most other numbers would name a mistake alone: accidental or structural."""
        return self.kind(lambda sight: code in sight.ways and sight.is_apart(code))

    def kind(self, helps: Callable[[Sight], bool]) -> str:
        """accidental if most other numbers help, else structural"""
        left, helped = len(self.sights), 0
        for sight in self.sights:
            if 2 * helped > len(self.sights) or 2 * (helped + left) <= len(self.sights):
                break
            left, helped = left - 1, helped + helps(sight)
        return "accidental" if 2 * helped > len(self.sights) else "structural"


LARGEST_WEIGHT, SMALLEST_WEIGHT = 0.99, 0.005
LARGER_SCORES = 2
MORE_WORK = 0.15


class Promises:
    """Checks the promises of one exercise's variants."""

    def __init__(self, exercise: Exercise, template: Template) -> None:
        self.exercise, self.redraws = exercise, Redraws(exercise, template)
        self.drawing = self.redraws.drawing
        self.work = self.redraws.work
        self.own = Measures(exercise, self.work, only_set(exercise.right.floats))

    @cached_property
    def structural(self) -> set[str]:
        """The hidden mistakes that most other numbers would not show either."""
        sight = sight_of(self.exercise, self.exercise.hand_in(self.exercise.right.floats))
        hidden = [code for code in sight.ways if not sight.is_shown(code)]
        return {code for code in hidden if self.redraws.kind_of_hidden(code) == "structural"}

    def find_broken(self, draws: Draws) -> list[str]:
        """The first promise that each draw breaks before anything is marked; empty if it breaks none."""
        new = Measures(self.exercise, self.work, draws.sets)
        found = [self.find_broken_measure(new, n) for n in range(draws.sets.count)]
        for n, sight in draws.sights([n for n, why in enumerate(found) if not why]).items():
            found[n] = say_broken(sight.find_unchanged(self.structural))
        return found

    def find_broken_by_marking(self, draw: Draw) -> str:
        """The promise that a draw breaks because the marker lets a mistake pass; empty if there is none."""
        return say_broken(draw.draws.sights([draw.n])[draw.n].find_hidden(self.structural))

    def find_broken_measure(self, new: Measures, n: int) -> str:
        """The first promise about measures that a draw breaks; empty if it breaks none."""
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


def say_broken(hidden: str) -> str:
    """The promise that a hidden mistake breaks."""
    return hidden and f"{hidden} is shown"


class Measures:
    """The measures that promises are about, for each set of numbers."""

    def __init__(self, exercise: Exercise, work: Work, sets: Sets) -> None:
        self.exercise, self.work, self.sets = exercise, work, sets

    def largest(self, found: Iterable[Floats], least: float = 0) -> Floats:
        """The largest of some numbers in each set."""
        top = np.full(self.sets.count, least)
        for one in found:
            top = np.maximum(top, one.reshape(len(one), -1).max(axis=-1, initial=least))
        return top

    @cached_property
    def weights(self) -> list[tuple[Floats, NDArray[np.bool_]]]:
        """All softmax weights, and which of them count: visible keys of queries that see several."""
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
        """The largest weight in each set."""
        return self.largest(np.where(counts, weights, 0) for weights, counts in self.weights)

    @cached_property
    def smallest_weight(self) -> Floats:
        """The smallest weight in each set."""
        return -self.largest((np.where(counts, -weights, -1) for weights, counts in self.weights), -1)

    @cached_property
    def largest_score(self) -> Floats:
        """The largest absolute value of a score in each set."""
        graph = self.exercise.graph
        scores = [self.sets.values[name] for name in graph.shapes if graph.stage(name) == "scores"]
        return self.largest(np.where(np.isfinite(one), np.abs(one), 0) for one in scores)

    @cached_property
    def products(self) -> Floats:
        """The number of products without a factor 0 in each set."""
        counts = self.work.count(self.sets).values()
        each = [one.reshape(len(one), -1).sum(axis=-1) for one in counts]
        return np.asarray(np.sum(each, axis=0))

    def is_fine(self, n: int) -> bool:
        """Whether enough digits are asked for the checker to judge the results of a set."""
        units, values = self.exercise.units, self.sets.one(n)
        return all(units[name] <= coarsest_unit(values[name]) for name in self.exercise.wanted)

    @cached_property
    def is_sound(self) -> NDArray[np.bool_]:
        """Whether no step of a set has a NaN or +∞."""
        steps = (self.sets.values[step.name] for step in self.exercise.graph.steps)
        bad = self.largest((np.isnan(one) | np.isposinf(one)).astype(float) for one in steps)
        return np.asarray(bad == 0)
