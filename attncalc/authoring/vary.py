"""`vary`: the same exercise with other numbers, one for each student."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from random import Random

import numpy as np

from attncalc.authoring.asking import Question, without_covered
from attncalc.authoring.drawing import Draw, draw_all
from attncalc.authoring.exercise import Exercise
from attncalc.authoring.promises import Promises
from attncalc.authoring.template import Template
from attncalc.authoring.yaml_text import listed, write_entry
from attncalc.checking.marker import Marker
from attncalc.document.rounding import quantized
from attncalc.errors import fault
from attncalc.fields import Array
from attncalc.loading.load import Source
from attncalc.record import changed, record
from attncalc.solution.solution import Solution
from attncalc.solution.solve import solve

TRIES = 500
PRECISION = 20


@record
class Variant:
    """A problem file for one student."""

    id: str
    source: Source


class Variation:
    """Makes the variants of one exercise."""

    def __init__(self, source: Source, seed: int) -> None:
        problem = source.problem
        if problem.symbols or problem.design:
            what = "letters" if problem.symbols else "a design"
            raise fault(
                f"has {what}: only exercises in numbers are varied", problem.place("symbols", "design")
            )
        self.source, self.template = source, Template(source)
        self.digest = f"{sha256(source.text.encode()).hexdigest()} {seed}"
        if not self.template.has_choice:
            raise fault("has no numbers that may be others", source.root.place)
        self.exercise = Exercise(Marker(problem))
        if not self.exercise.questions:
            raise fault("asks for no numbers", source.root.place)
        self.promises = Promises(self.exercise, self.template)

    def make_all(self, ids: Iterable[str]) -> Iterator[Variant]:
        """A variant for each; no two of them ask for the same numbers."""
        known: dict[bytes, str] = {}
        for id_ in ids:
            draw = self.draw(id_)
            other = known.setdefault(draw.sight.right, id_)
            if other != id_:
                pair = f"{other} and {id_}"
                message = (
                    f"{pair} have the same asked numbers: there are too few others, or take another --seed"
                )
                raise fault(message, self.source.root.place)
            yield Variant(id_, with_answers(draw.source, self.exercise))

    def draw(self, id_: str) -> Draw:
        """The first draw that keeps every promise, the same whoever else has a variant."""
        random = Random(f"{self.digest} {id_}")
        broken: list[str] = []
        for draw in draw_all(self.exercise, self.template, random, TRIES):
            why = self.promises.broken_by(draw) if draw else "it can be solved"
            if draw and not why:
                return draw
            broken.append(why)
        worst = max({*broken}, key=lambda why: (broken.count(why), why))
        kept = f"{broken.count(worst)} of {TRIES} draws break the promise that {worst}"
        raise fault(f"cannot be varied: {kept}", self.source.root.place)


def with_answers(source: Source, exercise: Exercise) -> Source:
    """A file with the key of its own numbers."""
    text = without_key(source)
    lines = ["answers:", *key_lines(solve(source.problem), exercise)]
    found = changed(source, text=f"{text.rstrip()}\n" + "\n".join(lines) + "\n")
    if found.problem.answers is None or found.root.faults:
        raise fault("must have each key on a line of its own to be varied", source.root.place)
    return found


def without_key(source: Source) -> str:
    """The text of a file without its own key."""
    keys = [key for key, _ in source.root.items]
    lines = source.text.splitlines(keepends=True)
    for number, key in enumerate(keys):
        if key.text == "answers":
            after = keys[number + 1].place.line - 1 if number + 1 < len(keys) else len(lines)
            del lines[key.place.line - 1 : after]
    return "".join(lines)


def key_lines(solution: Solution, exercise: Exercise) -> Iterator[str]:
    """The steps that the original's key tells, and those that are asked, rounded as there."""
    answers, reader = exercise.problem.answers, exercise.marker.reader
    told = reader.read(answers, "").told if answers else ()
    references = [*(one.reference for one in told), *(one.reference for one in exercise.questions)]
    for question in map(Question, without_covered(references)):
        name, at = question.reference.step, tuple(n - 1 for n in question.reference.at)
        texts = write_numbers(solution, name, exercise.places(name))
        yield from write_entry(question.key(solution), listed(np.asarray(texts[at], dtype=object)), indent=2)


def write_numbers(solution: Solution, name: str, asked: int) -> Array:
    """The results of a step with the places that are asked; whole ones without, where all are whole."""
    step = solution[name]
    is_whole = bool(np.all(np.isneginf(step.value) | (step.value == np.round(step.value))))
    places = 0 if is_whole else max(0, asked)

    def write(number: object) -> str:
        if number == float("-inf"):
            return "-inf"
        found = quantized(solution.trace.field.decimal(number, PRECISION + places), places)
        return f"{found or abs(found):f}"

    return np.asarray(np.frompyfunc(write, 1, 1)(step.numbers), dtype=object)
