"""The key of a variant: the steps of the original key and the asked steps, rounded as in that key."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, partial
from typing import Any

import numpy as np

from attncalc.core.fields import Array, Floats, Numbers
from attncalc.core.record import replace
from attncalc.exercise.load import Source
from attncalc.exercise.solve.solution import Solution
from attncalc.exercise.solve.solve import solve
from attncalc.exercise.yaml.writing import to_lists, write_entry
from attncalc.features.authoring.lint.wrong_answers import Exercise
from attncalc.features.authoring.vary.solve_draws import Draw
from attncalc.marking.answers.questions import Question, without_covered
from attncalc.worked.rounding import round_to_places

PRECISION = 20
DOUBT = 1e-9
"""The largest error of floats, as a share of the largest number."""


class KeyWriter:
    """Writes the keys of an exercise's variants."""

    def __init__(self, source: Source, exercise: Exercise) -> None:
        self.source, self.exercise = source, exercise

    def write(self, draw: Draw) -> Source:
        """The file of a draw, with the key for its numbers."""
        variant = draw.source
        lines = ["answers:", *self.lines(Results(variant, draw.values))]
        return replace(variant, text=f"{self.without_key(variant).rstrip()}\n" + "\n".join(lines) + "\n")

    def lines(self, results: Results) -> Iterator[str]:
        """The lines of the key."""
        for question in self.questions:
            name, at = question.reference.step, tuple(n - 1 for n in question.reference.at)
            texts = results.write(name, self.exercise.places(name))
            cells = to_lists(np.asarray(texts[at], dtype=object))
            yield from write_entry(question.key(self.exercise.solution), cells, indent=2)

    @cached_property
    def questions(self) -> list[Question]:
        """The steps or cells that the keys list."""
        answers, reader = self.exercise.problem.answers, self.exercise.prepared.reader
        entries = reader.read(answers, "").entries if answers else ()
        asked = (*(one.reference for one in entries), *(one.reference for one in self.exercise.questions))
        return [*map(Question, without_covered(asked))]

    def without_key(self, variant: Source) -> str:
        """The text of a variant without the original key; variants have the same lines as the original."""
        keys = [key for key, _ in self.source.root.items]
        lines = variant.text.splitlines(keepends=True)
        for number, key in enumerate(keys):
            if key.text == "answers":
                after = keys[number + 1].place.line - 1 if number + 1 < len(keys) else len(lines)
                del lines[key.place.line - 1 : after]
        return "".join(lines)


class Results:
    """The results of a variant: floats are enough if their rounding is certain."""

    def __init__(self, source: Source, values: Mapping[str, Floats]) -> None:
        self.source, self.values = source, values

    @cached_property
    def solution(self) -> Solution:
        """The solution of the variant."""
        return solve(self.source.problem)

    def write(self, name: str, asked: int) -> Array:
        """The texts of a step with the asked decimals; without decimals if all numbers are whole."""
        value: Floats = self.values[name]
        if is_sure(value, asked):
            return each(value, partial(write_float, places=places_of(value, asked)))
        step = self.solution[name]
        field = self.solution.trace.field
        return each(step.numbers, partial(write_number, field=field, places=places_of(step.value, asked)))


def each(numbers: Array, write: Callable[[Any], str]) -> Array:
    """All numbers as texts."""
    return np.asarray(np.frompyfunc(write, 1, 1)(numbers), dtype=object)


def places_of(value: Floats, asked: int) -> int:
    """The number of decimals of a step: 0 if all its numbers are whole."""
    is_whole = bool(np.all(np.isneginf(value) | (value == np.round(value))))
    return 0 if is_whole else max(0, asked)


def is_sure(value: Floats, asked: int) -> bool:
    """Whether the rounding of all results is certain from floats, which have small errors."""
    seen = np.where(np.isneginf(value), 0, value)
    doubt = DOUBT * np.abs(seen).max(initial=0)
    off = np.abs(seen - np.round(seen))
    unit = 10.0 ** -places_of(value, asked)
    from_tie = np.abs(np.abs(np.modf(seen / unit)[0]) - 0.5) * unit
    return bool((not off.any() or (off > doubt).any()) and (from_tie > doubt).all())


def write_float(number: float, places: int) -> str:
    """A float with this number of decimals, and 0 instead of −0."""
    text = f"{number:.{places}f}"
    return text if text.strip("-0.") else text.lstrip("-")


def write_number(number: Any, field: Numbers, places: int) -> str:
    """A number of any field with this number of decimals."""
    if number == float("-inf"):
        return "-inf"
    found = round_to_places(field.decimal(number, PRECISION + places), places)
    return f"{found or abs(found):f}"
