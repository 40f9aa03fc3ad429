"""Many variants of one exercise looked at together: a variant is a row of every array.

What the files say is read with YAML alone; every mistake is made one by one, in all variants at once.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import yaml
from numpy.typing import NDArray

from attncalc.core.fields import Floats
from attncalc.core.graph.graph import Step, numbers_of
from attncalc.marking.checker import Checker
from attncalc.marking.follow.truth import ROUGH
from attncalc.mistakes.base import Variation
from tests.helpers.single_mistakes import Mistaken

LOADER: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
"""Reads every value as text."""
DIGITS = 6
"""No more than these are judged."""


class Many:
    """All variants of an exercise, and their right values on the graph of the original."""

    def __init__(self, original: str, texts: list[str], changing: set[str]) -> None:
        self.original, *self.files = (yaml.load(text, LOADER) for text in (original, *texts))
        self.count, self.changing = len(self.files), changing

    def matrix(self, name: str) -> Floats:
        """A given matrix, variant by variant."""
        return to_floats([file[name] for file in self.files])

    def check_words(self) -> None:
        """Fail if anything but the numbers and the key has changed."""
        kept = [key for key in self.original if key not in self.changing and key != "answers"]
        for file in self.files:
            assert [key for key in file if key != "answers"] == [*filter("answers".__ne__, self.original)]
            assert all(file[key] == self.original[key] for key in kept)

    def check_kinds(self) -> None:
        """Fail if numbers are of another kind: range, step, zeros in each row."""
        for name in self.changing:
            old, new = to_floats(self.original[name]), self.matrix(name)
            assert old.min() <= new.min() and new.max() <= old.max()
            assert ((new == 0).sum(axis=-1) == (old == 0).sum(axis=-1)).all()
            for parts in (1, 2, 10, 100):
                assert not is_in(old, parts) or is_in(new, parts), name

    def values(self, checker: Checker) -> dict[str, Floats]:
        """The right values of all steps."""
        graph, right = checker.graph, checker.truth
        found = {name: ROUGH.constant(size) for name, size in graph.sizes.items()}
        for name, matrix in graph.given.items():
            is_drawn = name in self.changing
            shape = (self.count, *matrix.shape)
            found[name] = self.matrix(name).reshape(shape) if is_drawn else numbers_of(matrix, ROUGH)
        for step in graph.steps:
            op = right.own_op(step, found, ROUGH)
            assert op is right.trace.ops[step.name], "some need another operation than the original"
            found[step.name] = graph.evaluate(step, found, ROUGH, op)
        return found

    def check_keys(self, checker: Checker, values: dict[str, Floats]) -> None:
        """Fail if a cell of a key is further from the expected value than its last place allows."""
        course = checker.graph.course(checker.problem.names)
        assert all([*file["answers"]] == [*self.files[0]["answers"]] for file in self.files)
        for key in self.files[0]["answers"]:
            symbol, _, inside = key.rstrip("]").partition("[")
            at = tuple(int(n) - 1 for n in re.findall(r"\d+", inside))
            texts = np.array([file["answers"][key] for file in self.files])
            right = part_of(values[course[symbol]], (self.count, *checker.graph.shapes[course[symbol]]), at)
            half = 0.5 * 10.0 ** -np.vectorize(lambda text: len(text.partition(".")[2]))(texts)
            is_hidden = np.isneginf(right)
            assert ((texts == "-inf") == is_hidden).all()
            off = np.abs(np.where(is_hidden, 0, texts.astype(float)) - np.where(is_hidden, 0, right))
            assert (off <= half * (1 + 1e-6)).all(), key


def to_floats(texts: Any) -> Floats:
    """Numbers given as text, as floats."""
    each = np.array(texts)
    has_fractions = "/" in "".join(each.ravel())
    return np.vectorize(Fraction)(each).astype(float) if has_fractions else each.astype(float)


def part_of(numbers: Floats, shape: tuple[int, ...], at: tuple[int, ...]) -> Floats:
    """A row or a cell of a matrix, variant by variant."""
    where: tuple[Any, ...] = (slice(None), *at)
    return np.asarray(np.broadcast_to(numbers, shape)[where])


def is_in(numbers: Floats, parts: int) -> bool:
    """Whether all numbers are whole parts, such as halves."""
    return bool((np.abs(numbers * parts - np.rint(numbers * parts)) < 1e-9).all())


Sight: TypeAlias = tuple[NDArray[np.bool_], NDArray[np.bool_]]
"""In which variants a mistake can be made, and in which it changes something."""


class Crowd(Mistaken[Sight]):
    """Makes one mistake at a time, in all variants at once."""

    def __init__(self, checker: Checker, values: dict[str, Floats], count: int) -> None:
        super().__init__(checker)
        self.values, self.count = values, count

    def rows(self, values: dict[str, Floats]) -> Floats:
        """All asked cells as a student answers them, a row for each variant."""
        found = []
        for name, at in self.asked:
            part = part_of(values[name], (self.count, *self.graph.shapes[name]), at)
            found.append(handed_in(part.reshape(self.count, -1), self.places(name)))
        return np.concatenate(found, axis=1)

    @cached_property
    def right_rows(self) -> Floats:
        """The answers without a mistake."""
        return self.rows(self.values)

    def make(self, variation: Variation) -> Sight:
        reached = self.carry_on(self.values, variation, [*self.graph.steps])
        return self.compare(self.rows({**self.values, **reached}))

    def put(self, step: Step, variation: Variation) -> Sight:
        found = self.carry_on(self.values, variation, [step])[step.name]
        if found.shape[-2:] != step.shape:
            is_made = np.broadcast_to(is_number(found.reshape(*found.shape[:-2], -1)), self.count)
            return is_made, is_made
        return self.compare(self.rows({**self.values, step.name: found}))

    def compare(self, rows: Floats) -> Sight:
        """Whether the answers are numbers, and whether they differ from the expected ones."""
        return is_number(rows), (rows != self.right_rows).any(axis=1)

    def find_hidden(self) -> dict[str, NDArray[np.bool_]]:
        """By mistake, in which variants it can be made and changes nothing, wherever it is made."""
        made: dict[str, NDArray[np.bool_]] = {}
        shown: dict[str, NDArray[np.bool_]] = {}
        none = np.zeros(self.count, bool)
        for mistake, (is_made, differs) in self.hand_ins():
            made[mistake.code] = made.get(mistake.code, none) | is_made
            shown[mistake.code] = shown.get(mistake.code, none) | (is_made & differs)
        return {code: made[code] & ~shown[code] for code in made}


def is_number(rows: Floats) -> NDArray[np.bool_]:
    """In which rows all cells are numbers."""
    return np.asarray(~(np.isnan(rows) | np.isposinf(rows)).any(axis=-1))


def handed_in(numbers: Floats, places: int) -> Floats:
    """Numbers as a student answers them: to their places, and to no more than six digits."""
    with np.errstate(all="ignore"):
        first = np.floor(np.log10(np.abs(numbers)))
        last = np.where(np.isfinite(first), np.maximum(-places, first - DIGITS + 1), -places)
        # Halves that floats are a little off from are rounded to even, as those that they are not.
        cells = np.rint(np.round(numbers * 10.0**-last, DIGITS))
        return np.asarray(np.round(cells * 10.0**last, places) + 0.0)
