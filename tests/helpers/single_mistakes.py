"""Every single mistake in a problem, and the answers that a student who makes it gives."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from decimal import ROUND_HALF_EVEN, Context, Decimal
from itertools import product
from typing import Generic, TypeVar

import numpy as np

from attncalc.core.fields import Floats
from attncalc.core.graph.graph import Step
from attncalc.features.authoring.lint.wrong_answers import Exercise
from attncalc.marking.checker import Checker
from attncalc.marking.follow.replay import Attempt, replay_attempt
from attncalc.marking.follow.truth import ROUGH
from attncalc.marking.why.catalogue import WORKING, WRITING, Catalogue
from attncalc.mistakes.base import Mistake, Variation

Sheet = TypeVar("Sheet")


class Mistaken(ABC, Generic[Sheet]):
    """Makes one mistake at a time in a problem, with the checker's functions, and answers."""

    def __init__(self, checker: Checker) -> None:
        self.checker = checker
        self.right, self.problem = self.checker.truth, checker.problem
        self.graph, solution = checker.graph, checker.solution
        references = [solution.resolve(one) for part in self.problem.parts for one in part.steps]
        self.asked = [(one.step, tuple(n - 1 for n in one.at)) for one in references]
        self.asked += [(step, ()) for step in self.problem.marks.points]
        self.asked = self.asked or [(solution.output, ())]
        self.places = Exercise(self.checker.prepared[0]).places

    @abstractmethod
    def make(self, variation: Variation) -> Sheet:
        """The answer after a mistake that later steps go on with."""

    @abstractmethod
    def put(self, step: Step, variation: Variation) -> Sheet:
        """The answer after a mistake in writing one step."""

    def hand_ins(self) -> Iterator[tuple[Mistake, Sheet]]:
        """Every mistake with the answers it leads to."""
        needed = {step for step, _ in self.asked}
        for step in reversed(self.graph.steps):
            needed |= {*step.inputs} if step.name in needed else set()
        asked = {step for step, _ in self.asked}
        for step in self.graph.steps:
            if step.name in needed:
                yield from ((mistake, self.make(one)) for mistake, one in self.ways(step, WORKING))
            if step.name in asked:
                yield from ((mistake, self.put(step, one)) for mistake, one in self.ways(step, WRITING))
                for mistake in WORKING:
                    others = [v for v in mistake.variations(step, self.graph) if v.step.shape != step.shape]
                    yield from ((mistake, self.put(step, one)) for one in others)

    def ways(self, step: Step, mistakes: tuple[Mistake, ...]) -> list[tuple[Mistake, Variation]]:
        """The ways to make mistakes at a step; in working, those that keep the shape."""
        found = [(mistake, one) for mistake in mistakes for one in mistake.variations(step, self.graph)]
        if mistakes is WRITING:
            return found
        catalogue = Catalogue(self.right)
        everywhere = [(mistake, one) for mistake in mistakes for one in catalogue.alike(mistake, step)]
        return [(mistake, one) for mistake, one in found + everywhere if one.step.shape == step.shape]

    def carry_on(
        self, values: dict[str, Floats], variation: Variation, chain: list[Step]
    ) -> dict[str, Floats]:
        """The values of the steps of a chain if one of them is changed."""
        with np.errstate(all="ignore"):
            return replay_attempt(self.right, values, chain, Attempt((WORKING[0],), (variation,)), ROUGH)


class Student(Mistaken[str]):
    """Hands in texts."""

    def write(self, values: dict[str, Floats]) -> str:
        """All asked cells as text; empty if one is no number."""
        found = []
        for step, at in self.asked:
            for cell in product(*map(range, self.graph.shapes[step])):
                if cell[: len(at)] == at:
                    found.append(rounded(float(values[step][cell]), self.places(step)))
        return "" if "no number" in found else " ".join(found)

    def all_hand_ins(self) -> tuple[str, dict[str, set[str]]]:
        """The expected answer, and by mistake the answers that it leads to at any step."""
        found: dict[str, set[str]] = {}
        for mistake, text in self.hand_ins():
            if text:
                found.setdefault(mistake.code, set()).add(text)
        return self.write(self.right.floats), found

    def make(self, variation: Variation) -> str:
        reached = self.carry_on(self.right.floats, variation, [*self.graph.steps])
        return self.write({**self.right.floats, **reached})

    def put(self, step: Step, variation: Variation) -> str:
        found = self.carry_on(self.right.floats, variation, [step])[step.name]
        if found.shape != step.shape:
            cells = [rounded(float(x), self.places(step.name)) for x in found.ravel()]
            return "" if "no number" in cells else f"{step.name} {found.shape} {cells}"
        return self.write({**self.right.floats, step.name: found})


def rounded(number: float, places: int) -> str:
    """A number as a student answers it: to its places, and to no more than six digits."""
    if np.isnan(number) or np.isposinf(number):
        return "no number"
    if np.isneginf(number):
        return "-inf"
    exact = Context(prec=15).create_decimal_from_float(number)
    last = max(-places, exact.adjusted() - 5 if exact else -99)
    found = exact.quantize(Decimal(1).scaleb(last), rounding=ROUND_HALF_EVEN, context=Context(prec=400))
    return f"{found or abs(found):e}"
