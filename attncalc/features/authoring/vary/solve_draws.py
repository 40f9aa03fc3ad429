"""Other numbers for an exercise, computed on its graph: only the numbers change, not the operations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from math import prod
from random import Random

import numpy as np

from attncalc.core.errors import AttncalcError
from attncalc.core.fields import Floats
from attncalc.core.graph.graph import numbers_of
from attncalc.core.record import record
from attncalc.exercise.load import Source
from attncalc.exercise.mechanisms import build_graph
from attncalc.features.authoring.lint.batches import Sets
from attncalc.features.authoring.lint.hidden import Sight
from attncalc.features.authoring.lint.wrong_answers import Exercise, Sheet
from attncalc.features.authoring.vary.template import Drawn, Template
from attncalc.marking.follow.replay import MOST_REPLAYED
from attncalc.marking.follow.truth import ROUGH
from attncalc.marking.prepared import Prepared

MOST_DRAWN_AT_ONCE = 32


@record
class Draws:
    """Several draws, and their results."""

    drawing: Drawing
    drawn: list[Drawn]
    sets: Sets

    def sights(self, which: Sequence[int]) -> dict[int, Sight]:
        """What the marker says with the numbers of some draws."""
        exercise = self.drawing.exercise
        missing = [n for n in which if n not in self.known]
        handed = exercise.hand_in_all(self.sets.some(missing)) if missing else []
        for n, one in zip(missing, handed, strict=True):
            self.known[n] = Sight(exercise, one, Draw(self, n).prepare)
        return {n: self.known[n] for n in which}

    @cached_property
    def known(self) -> dict[int, Sight]:
        """What was asked for before."""
        return {}


@record
class Draw:
    """One of several draws."""

    draws: Draws
    n: int

    @property
    def source(self) -> Source:
        """The problem file with the drawn numbers."""
        return self.draws.drawing.template.write(self.draws.drawn[self.n])

    def prepare(self) -> Prepared:
        """The problem with the drawn numbers, ready for marking."""
        return Prepared(self.source.problem)

    @property
    def values(self) -> dict[str, Floats]:
        """The values of all matrices and steps."""
        return self.draws.sets.one(self.n)

    @property
    def asked(self) -> bytes:
        """The asked numbers as bytes, for comparison."""
        return Sheet(self.draws.drawing.exercise, self.draws.sets.some([self.n])).right.tobytes()


class Drawing:
    """Draws other numbers for an exercise, and computes its steps."""

    def __init__(self, exercise: Exercise, template: Template) -> None:
        self.exercise, self.template = exercise, template
        self.given = {name: numbers_of(one, ROUGH) for name, one in exercise.graph.given.items()}

    @cached_property
    def at_once(self) -> int:
        """The number of draws to compute together."""
        results = sum(prod(step.shape) for step in self.exercise.chain)
        each = max(1, len(self.exercise.working)) * max(1, results)
        return max(1, min(MOST_DRAWN_AT_ONCE, MOST_REPLAYED // each))

    def draw(self, randoms: Iterable[Random]) -> Draws:
        """One draw from each random generator."""
        drawn = [self.template.draw(random) for random in randoms]
        each = [self.place(one) if self.is_plain else self.read(one) for one in drawn]
        changed = [name for name in self.given if any(name in one for one in each)]
        given = {name: numbers[None] for name, numbers in self.given.items()}
        given |= {name: np.stack([one.get(name, self.given[name]) for one in each]) for name in changed}
        return Draws(self, drawn, self.exercise.values_of(Sets(len(drawn), given)))

    def draw_all(self, random: Random, tries: int) -> Iterator[Draws]:
        """`tries` draws from one random generator, in groups that are computed together."""
        for start in range(0, tries, self.at_once):
            yield self.draw([random] * min(self.at_once, tries - start))

    @cached_property
    def is_plain(self) -> bool:
        """Whether drawn matrices can replace the given ones of the graph without reading the file again."""
        sizes = {name: numbers.size for name, numbers in self.given.items()}
        if any(sizes.get(one.name) != len(one.slots) or not one.is_whole for one in self.template.matrices):
            return False
        drawn = self.template.draw(Random("plain"))
        placed, read = {**self.given, **self.place(drawn)}, self.read(drawn)
        return all(np.array_equal(placed[name], read[name]) for name in placed)

    def place(self, drawn: Drawn) -> dict[str, Floats]:
        """The matrices that a draw changes, without reading the file."""
        floats = self.template.to_floats(drawn).items()
        return {name: numbers.reshape(self.given[name].shape) for name, numbers in floats}

    def read(self, drawn: Drawn) -> dict[str, Floats]:
        """The given matrices in the file of a draw; NaN if the file has an error."""
        try:
            given = build_graph(self.template.write(drawn).problem).given
        except AttncalcError:
            return {name: np.full(numbers.shape, np.nan) for name, numbers in self.given.items()}
        return {name: numbers_of(matrix, ROUGH) for name, matrix in given.items()}
