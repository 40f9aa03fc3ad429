"""What every variant of an exercise promises: it tests as well as the original, and is as much work."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from attncalc.authoring.blindness import sight_of
from attncalc.authoring.drawing import Draw
from attncalc.authoring.exercise import Exercise
from attncalc.authoring.redraws import Redraws
from attncalc.authoring.template import Template
from attncalc.authoring.work import Work
from attncalc.checking.right import coarsest_unit
from attncalc.fields import Floats
from attncalc.mistakes.in_softmax import exponentials_of

LARGEST_WEIGHT, SMALLEST_WEIGHT = 0.99, 0.005
LARGER_SCORES = 2
MORE_WORK = 0.15


class Promises:
    """The promises of one exercise's variants."""

    def __init__(self, exercise: Exercise, template: Template) -> None:
        self.exercise, self.redraws = exercise, Redraws(exercise, template)
        self.work = Work(exercise.graph, [*exercise.graph.steps])
        self.own = Measures(exercise, self.work, exercise.right.floats)

    @cached_property
    def structural(self) -> set[str]:
        """The mistakes that no other numbers would show."""
        values = self.exercise.right.floats
        hidden = sight_of(self.exercise, self.exercise.hand_in(values)).hidden
        return {code for code in hidden if self.redraws.kind_of_hidden(code) == "structural"}

    def broken_by(self, draw: Draw) -> str:
        """What a draw does not keep; nothing where it keeps all."""
        new = Measures(self.exercise, self.work, draw.values)
        if not new.is_sound:
            return "every number can be worked out"
        if new.largest_weight > LARGEST_WEIGHT >= self.own.largest_weight:
            return f"no weight is above {LARGEST_WEIGHT}"
        if new.smallest_weight < SMALLEST_WEIGHT <= self.own.smallest_weight:
            return f"no weight is below {SMALLEST_WEIGHT}"
        if new.largest_score > LARGER_SCORES * self.own.largest_score:
            return "no score is larger than twice the largest of the original"
        if abs(new.products - self.own.products) > MORE_WORK * self.own.products:
            return f"it takes as many products by hand as the original, within {MORE_WORK:.0%}"
        if self.own.is_fine and not new.is_fine:
            return "the digits that are asked tell the results apart"
        hidden = sorted(draw.sight.hidden - self.structural)
        return f"{hidden[0]} is shown" if hidden else ""


class Measures:
    """What the promises are about, for one set of numbers."""

    def __init__(self, exercise: Exercise, work: Work, values: Mapping[str, Floats]) -> None:
        self.exercise, self.work, self.values = exercise, work, values

    @cached_property
    def weights(self) -> Floats:
        """All softmax weights of keys that are seen, where a query sees several."""
        found = [np.zeros(0)]
        for step in self.exercise.graph.steps:
            exponentials = exponentials_of(step, self.exercise.graph)
            if exponentials and not step.label.limit:
                visible = ~np.isneginf(self.values[exponentials.inputs[0]])
                several = visible.sum(axis=-1, keepdims=True) > 1
                found.append(self.values[step.name][visible & several])
        return np.concatenate(found)

    @property
    def largest_weight(self) -> float:
        """The largest weight."""
        return float(self.weights.max(initial=0))

    @property
    def smallest_weight(self) -> float:
        """The smallest weight."""
        return float(self.weights.min(initial=1))

    @property
    def largest_score(self) -> float:
        """The size of the largest score."""
        roles = self.exercise.graph.labels
        scores = [self.values[name] for name, label in roles.items() if label.role == "S" and not label.limit]
        return max((float(np.abs(one[np.isfinite(one)]).max(initial=0)) for one in scores), default=0.0)

    @cached_property
    def products(self) -> float:
        """The products of numbers that are not 0."""
        return sum(float(counts.sum()) for counts in self.work.count(self.values).values())

    @property
    def is_fine(self) -> bool:
        """Whether so many digits are asked that the checker can judge the results."""
        units = self.exercise.units
        return all(units[name] <= coarsest_unit(self.values[name]) for name in self.exercise.wanted)

    @property
    def is_sound(self) -> bool:
        """Whether all steps are numbers."""
        steps = (self.values[step.name] for step in self.exercise.graph.steps)
        return not any(np.isnan(one).any() or np.isposinf(one).any() for one in steps)
