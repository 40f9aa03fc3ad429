"""All attempts on a graph: every mistake at every step, alone, in all heads, in pairs; found once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import combinations, islice

import numpy as np

from attncalc.core.fields import Floats
from attncalc.core.graph.graph import Step
from attncalc.core.graph.labels import Kind, Label
from attncalc.core.ops.base import Shape
from attncalc.core.record import replace
from attncalc.marking.follow.replay import Attempt, side_by_side
from attncalc.marking.follow.truth import Truth
from attncalc.marking.policy import LIMITS
from attncalc.marking.why.attempts import Table
from attncalc.mistakes import MISTAKES
from attncalc.mistakes.base import Mistake, Rounding, Slip, Variation

ROUNDING = tuple(mistake for mistake in MISTAKES if isinstance(mistake, Rounding))
WRITING = tuple(mistake for mistake in MISTAKES if mistake.in_writing)
WORKING = tuple(
    mistake for mistake in MISTAKES if not mistake.in_writing and not isinstance(mistake, Rounding | Slip)
)


class Catalogue:
    """The attempts at the steps of one graph, and their results from the correct values."""

    def __init__(self, truth: Truth) -> None:
        self.truth = truth
        self.found: dict[tuple[str, tuple[Mistake, ...]], list[Attempt]] = {}
        self.tables: dict[tuple[tuple[str, ...], bool], Table] = {}

    def attempts(self, step: Step) -> list[Attempt]:
        """All single mistakes in computing a step, for the first head also those made in all heads."""
        return self.find_attempts(step, WORKING, step.shape)

    def find_attempts(self, step: Step, mistakes: tuple[Mistake, ...], shape: Shape) -> list[Attempt]:
        """The attempts at a step whose results have some shape.

        They are made once for all answers, because the graph keeps a plan for every step that it evaluates.
        """
        key = step.name, mistakes
        if key not in self.found:
            self.found[key] = [
                Attempt((mistake,), (variation,))
                for mistake in mistakes
                for variation in (*mistake.variations(step, self.truth.graph), *self.alike(mistake, step))
            ]
        return [attempt for attempt in self.found[key] if attempt.variations[0].step.shape == shape]

    def writing(self, step: Step) -> list[Attempt]:
        """All mistakes in writing a step."""
        return self.find_attempts(step, WRITING, step.shape)

    def table_from_truth(self, chain: list[Step], pairs: bool) -> Table:
        """The results of all attempts on a chain from the correct values, computed once."""
        key = tuple(step.name for step in chain), pairs
        if key not in self.tables:
            self.tables[key] = self.table(chain, pairs, self.truth.floats)
        return self.tables[key]

    def table(self, chain: list[Step], pairs: bool, values: Mapping[str, Floats]) -> Table:
        """The results of all attempts on a chain from some values."""
        attempts = [attempt for step in chain for attempt in self.attempts(step)]
        last = chain[-1]
        if pairs:
            attempts = list(islice(self.pairs(attempts), LIMITS.most_pairs))
        else:
            attempts += self.writing(last)
        found = [reached[last.name] for _, reached in side_by_side(self.truth, values, chain, attempts)]
        return Table(attempts, np.array(found).reshape(len(attempts), *last.shape))

    def alike(self, mistake: Mistake, step: Step) -> Iterator[Variation]:
        """The same mistake in every head, or in every layer."""
        graph, steps = self.truth.graph, self.repeated.get(step.name, [])
        for made in zip(*(mistake.variations(one, graph) for one in steps), strict=False):
            if len(made) > 1 and not any(variation.others for variation in made):
                yield Variation(made[0].step, made[0].given, tuple(v.step for v in made[1:]))

    @cached_property
    def repeated(self) -> dict[str, list[Step]]:
        """The steps that are computed alike, in all heads or layers, by the first one's name."""
        found: dict[Label | Kind, list[Step]] = {}
        for step in self.truth.graph.steps:
            if step.head or not step.label.of:
                found.setdefault(replace(step.label, head=1) if step.head else step.kind, []).append(step)
        return {steps[0].name: steps for steps in found.values() if len(steps) > 1}

    def pairs(self, singles: list[Attempt]) -> Iterator[Attempt]:
        """Two mistakes at different steps."""
        for a, b in combinations(singles, 2):
            if a.variations[0].step.name != b.variations[0].step.name:
                yield Attempt(a.mistakes + b.mistakes, a.variations + b.variations)
