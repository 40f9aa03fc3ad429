"""An exercise as a test: the answers with each single mistake, rounded as the exercise asks.

trial       one mistake, made at one place in one way
hand-in     the asked cells that result from it, in units of their last decimal
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import permutations
from math import prod
from random import Random

import numpy as np
from numpy.typing import NDArray

from attncalc.core.errors import fault
from attncalc.core.fields import Array, Floats
from attncalc.core.graph.graph import Graph, Step, numbers_of
from attncalc.core.record import record
from attncalc.exercise.problem import Problem
from attncalc.exercise.solve.points_per_step import masks
from attncalc.features.authoring.lint.batches import Sets, only_set, to_bytes, to_units, work_out
from attncalc.marking.answers.answer import AnsweredStep, gather
from attncalc.marking.answers.questions import find_questions
from attncalc.marking.follow.replay import Attempt, Sided, all_at_once, axes_of, for_all
from attncalc.marking.follow.truth import ROUGH
from attncalc.marking.prepared import Prepared
from attncalc.marking.why.catalogue import WORKING, WRITING, Catalogue

PLACES_OF_ANSWERS = 2
SMALLEST_SPREAD = 1e-6
BYTES_OF_FLOAT = 8
MOST_RESULTS = 20_000


@record
class Trial:
    """A single mistake, made in one way; `at` is the asked step if only writing down that step goes wrong."""

    code: str
    attempt: Attempt
    at: Step | None = None

    @property
    def is_misshapen(self) -> bool:
        """Whether the result has another shape than it should have."""
        return self.at is not None and self.attempt.variations[0].step.shape != self.at.shape


@record
class HandIns:
    """The result of every trial for one set of numbers; None if it cannot be computed."""

    right: bytes
    each: list[bytes | None]


class Exercise:
    """The asked cells of a problem, and all trials that lead to wrong answers."""

    def __init__(self, prepared: Prepared) -> None:
        self.prepared, self.right, self.graph = prepared, prepared.truth, prepared.graph
        self.solution, self.problem = prepared.solution, prepared.problem
        refuse_large(self.problem, self.graph)
        self.questions = [] if self.problem.design else find_questions(self.solution)
        self.wanted = masks(self.solution, [question.reference for question in self.questions])
        """The asked cells of each step."""
        self.chain = self.steps_before({*self.wanted})
        """The asked steps, and all steps that they are computed from."""
        self.trials = [*self.working, *self.writing]

    def steps_before(self, names: set[str]) -> list[Step]:
        """Some steps, and all steps that they are computed from, in order."""
        found = set(names)
        for step in reversed(self.graph.steps):
            found |= set(step.inputs) if step.name in found else set()
        return [step for step in self.graph.steps if step.name in found]

    @cached_property
    def asked(self) -> list[Step]:
        """The steps with asked cells."""
        return [step for step in self.chain if step.name in self.wanted]

    @cached_property
    def working(self) -> list[Trial]:
        """The trials with a mistake in computing a step, on which later steps depend."""
        catalogue = Catalogue(self.right)
        return [
            Trial(attempt.mistakes[0].code, attempt)
            for step in self.chain
            for attempt in catalogue.attempts(step)
        ]

    @cached_property
    def writing(self) -> list[Trial]:
        """The trials with a mistake in writing down an asked step."""
        return [
            Trial(mistake.code, Attempt((mistake,), (variation,)), step)
            for step in self.asked
            for mistakes, is_writing in ((WRITING, True), (WORKING, False))
            for mistake in mistakes
            for variation in mistake.variations(step, self.graph)
            if is_writing or variation.step.shape != step.shape
        ]

    @cached_property
    def key(self) -> dict[str, AnsweredStep]:
        """The numbers of the published key, by step."""
        if self.problem.answers is None:
            return {}
        entries = self.prepared.reader.read(self.problem.answers, self.problem.name).entries
        return gather(entries, self.graph.steps, self.prepared.yardstick)

    @cached_property
    def units(self) -> dict[str, float]:
        """The unit of the last asked decimal of each step."""
        return {step.name: 10.0 ** -self.places(step.name) for step in self.graph.steps}

    @cached_property
    def is_plain(self) -> bool:
        """Whether the given numbers are exact, and no answer can be read as a limit."""
        return self.problem.inputs == "exact" and not any(step.label.limit for step in self.graph.steps)

    @cached_property
    def readings(self) -> list[NDArray[np.intp]]:
        """The orders in which the asked cells can be read: tokens may be the columns of square matrices."""
        natural, turned = np.arange(sum(int(mask.sum()) for mask in self.wanted.values())), []
        start = 0
        for step in self.asked:
            part = natural[start : start + int(self.wanted[step.name].sum())]
            is_square = self.wanted[step.name].all() and step.shape[-1] == step.shape[-2]
            turned.append(part.reshape(step.shape).swapaxes(-1, -2).ravel() if is_square else part)
            start += part.size
        return [natural, np.concatenate(turned)] if self.prepared.reader.columns else [natural]

    def places(self, name: str) -> int:
        """The asked decimals of a step: as stated, else those that all numbers of the key have, else two.

        With stated digits, those of its largest number.
        """
        if self.problem.places is None and isinstance(self.problem.digits, int):
            numbers = np.abs(self.right.floats[name])
            largest = np.where(np.isfinite(numbers), numbers, 0).max(initial=0)
            return self.problem.digits - 1 - int(np.floor(np.log10(largest))) if largest else 0
        if self.problem.places is not None or name not in self.key:
            return PLACES_OF_ANSWERS if self.problem.places is None else self.problem.places
        answer = self.key[name]
        units = answer.unit[answer.is_answered & (answer.unit > 0) & np.isfinite(answer.unit)]
        return round(-float(np.log10(units.max()))) if units.size else PLACES_OF_ANSWERS

    def values_of(self, given: Sets) -> Sets:
        """The correct values of all steps for other given numbers."""
        return work_out(self.right, given, self.graph.steps)

    def hand_in(self, values: Mapping[str, Floats]) -> HandIns:
        """The answers with the correct values, and with every trial."""
        (found,) = self.hand_in_all(only_set(values))
        return found

    def hand_in_all(self, sets: Sets) -> list[HandIns]:
        """The same as `hand_in`, for several sets of numbers."""
        with np.errstate(all="ignore"):
            sheet = Sheet(self, sets)
            each = [*sheet.work_out(), *map(sheet.write_down, self.writing)]
        return [HandIns(row.tobytes(), [trial[n] for trial in each]) for n, row in enumerate(sheet.right)]

    def carry(self, sets: Sets) -> Sided:
        """The values of all steps, by trial and set, with the mistake of each trial of computing."""
        known = sets.align(axes_of(self.chain))
        attempts = [trial.attempt for trial in self.working]
        return all_at_once(self.right, known, self.chain, attempts, (sets.count,))

    @cached_property
    def one_step(self) -> set[tuple[str, str]]:
        """Pairs of mistakes that are the same in this exercise: √n and √d_model, if n = d_model."""
        random = Random("any numbers")
        given = {
            name: numbers_of(matrix, ROUGH) if self.graph.is_mask(name) else any_numbers(matrix, random)
            for name, matrix in self.graph.given.items()
        }
        values = self.values_of(only_set(given))
        with np.errstate(all="ignore"):
            sided = self.carry(values) if self.working else {}
        every = [np.broadcast_to(rows, (len(self.working), rows.shape[1])) for rows in self.flat(sided)]
        rows = np.concatenate(every, axis=1) if every else np.zeros((0, 0))
        found = by_code(self.working, [row.tobytes() for row in rows])
        return {(a, b) for a, b in permutations(found, 2) if found[a].keys() <= found[b].keys()}

    def flat(self, sided: Sided) -> Iterator[Floats]:
        """All cells of each step to the digits that are judged, a row for each trial."""
        for step in self.chain:
            numbers = sided[step.name] if sided else np.zeros((0, 0))
            yield to_units(numbers.reshape(len(numbers), -1), SMALLEST_SPREAD)

    def read(self, handed: bytes, right: bytes, trial: Trial) -> dict[str, Floats]:
        """The values of the asked steps in the answers of a trial; NaN where nothing is asked."""
        if not trial.is_misshapen:
            return self.read_row(handed)
        assert trial.at is not None
        shape = (*trial.at.shape[:-2], *trial.attempt.variations[0].step.shape[-2:])
        numbers = np.frombuffer(handed[-BYTES_OF_FLOAT * prod(shape) :]).reshape(shape)
        return {**self.read_row(right), trial.at.name: numbers * self.units[trial.at.name]}

    def read_row(self, row: bytes) -> dict[str, Floats]:
        """The values of the asked steps in answers of the correct shape."""
        found, left = {}, np.frombuffer(row)
        for step in self.asked:
            wanted = self.wanted[step.name]
            found[step.name] = np.full(step.shape, np.nan)
            found[step.name][wanted] = left[: wanted.sum()] * self.units[step.name]
            left = left[wanted.sum() :]
        return found

    def to_units(self, name: str, numbers: Floats) -> Floats:
        """Numbers of a step in units of the last asked decimal."""
        return to_units(numbers, self.units[name])


def refuse_large(problem: Problem, graph: Graph) -> None:
    """Raise an error for an exercise too large for work by hand: trying all mistakes takes too long."""
    count = sum(prod(step.shape) for step in graph.steps)
    if count > MOST_RESULTS:
        message = f"is too large to work by hand: {count:,} results, at most {MOST_RESULTS:,}"
        raise fault(message, problem.place("X", "Q", "S"))


class Sheet:
    """All asked cells in one row, for each set of numbers."""

    def __init__(self, exercise: Exercise, sets: Sets) -> None:
        self.exercise, self.sets = exercise, sets
        self.places: dict[str, slice] = {}
        start = 0
        for step in exercise.asked:
            end = start + int(exercise.wanted[step.name].sum())
            self.places[step.name] = slice(start, end)
            start = end
        self.right = self.rows({step.name: sets.values[step.name] for step in exercise.asked}, sets.count)

    def rows(self, found: Mapping[str, Floats], *lead: int) -> Floats:
        """The asked cells in units, as rows along the leading axes."""
        cells = [self.cells(step, found[step.name], lead) for step in self.exercise.asked]
        return np.concatenate(cells, axis=-1)

    def cells(self, step: Step, numbers: Floats, lead: tuple[int, ...]) -> Floats:
        """The asked cells of one step, in units."""
        whole = numbers.reshape(*numbers.shape[: len(lead)], *step.shape)
        units = self.exercise.to_units(step.name, whole)[..., self.exercise.wanted[step.name]]
        return np.broadcast_to(units, (*lead, units.shape[-1]))

    def work_out(self) -> list[list[bytes | None]]:
        """The answers for each trial of computing, by trial and set."""
        count = len(self.exercise.working)
        if not count:
            return []
        rows = self.rows(self.exercise.carry(self.sets), count, self.sets.count)
        return [*map(to_bytes, rows)]

    @cached_property
    def known(self) -> dict[str, Floats]:
        """The correct values, all with the same number of axes."""
        return self.sets.align(axes_of(self.exercise.chain))

    def write_down(self, trial: Trial) -> list[bytes | None]:
        """The answers for a trial of writing down, by set."""
        step, right, axes = trial.at, self.exercise.right, axes_of(self.exercise.chain)
        assert step is not None
        (variation,) = trial.attempt.variations
        given = {name: for_all(ROUGH.from_floats(one), axes) for name, one in variation.given.items()}
        redone = right.evaluate(step, {**self.known, **given}, ROUGH, variation)
        plain = redone.reshape(-1, *redone.shape[-len(step.shape) :])
        found = np.broadcast_to(plain, (self.sets.count, *step.shape[:-2], *plain.shape[-2:]))
        if trial.is_misshapen:
            start = f"{step.name} {found.shape[1:]} ".encode()
            units = self.exercise.to_units(step.name, found).reshape(self.sets.count, -1)
            return [None if one is None else start + one for one in to_bytes(units)]
        rows = self.right.copy()
        rows[:, self.places[step.name]] = self.cells(step, found, (self.sets.count,))
        return to_bytes(rows)


def any_numbers(matrix: Array, random: Random) -> Array:
    """Random numbers in the shape of a matrix; −∞ stays."""
    numbers = numbers_of(matrix, ROUGH)
    drawn = np.array([(random.random() + 0.5) * random.choice((-1, 1)) for _ in range(numbers.size)]).reshape(
        numbers.shape
    )
    return np.where(np.isneginf(numbers), numbers, drawn)


def by_code(trials: Iterable[Trial], things: Iterable[bytes | None]) -> dict[str, dict[bytes, Trial]]:
    """The possible results of each mistake, with a trial for each; one without any result is left out."""
    found: dict[str, dict[bytes, Trial]] = {}
    for trial, thing in zip(trials, things, strict=True):
        if thing is not None:
            found.setdefault(trial.code, {}).setdefault(thing, trial)
    return found
