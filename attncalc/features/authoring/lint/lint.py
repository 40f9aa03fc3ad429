"""`lint`: rate an exercise as a test by making every mistake of the catalogue in it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from attncalc.core.errors import Place
from attncalc.core.graph.graph import Step
from attncalc.exercise.load import Source
from attncalc.features.authoring.lint.answer_key import look_at_key
from attncalc.features.authoring.lint.batches import only_set
from attncalc.features.authoring.lint.conventions import find_unstated
from attncalc.features.authoring.lint.findings import Finding, Lint
from attncalc.features.authoring.lint.hidden import Sight, sight_of
from attncalc.features.authoring.lint.numbers import Looker
from attncalc.features.authoring.lint.wrong_answers import Exercise
from attncalc.features.authoring.vary.guarantees import Redraws
from attncalc.features.authoring.vary.template import Template
from attncalc.marking.checker import Checker
from attncalc.marking.follow.replay import Sided
from attncalc.mistakes import MISTAKES

SENTENCES = {mistake.code: mistake.sentence for mistake in reversed(MISTAKES)}
HELP = {"accidental": "other numbers would {}", "structural": "other numbers of the same kind would not {}"}


def lint(source: Source) -> Lint:
    """All findings on a problem file, with the counts of its mistakes."""
    checker = Checker(source.problem)
    exercises = [Exercise(prepared) for prepared in checker.prepared] if checker.graph.steps else []
    if not exercises or not exercises[0].questions:
        found = tuple(look_at_key(checker, exercises[0])) if exercises else ()
        return Lint(source.problem.name, 0, 0, 0, found)
    blind = Blindness(exercises, Template(source), place_of_questions(source))
    findings = (*blind.findings(), *look_besides(checker, exercises[0], source))
    return Lint(source.problem.name, *blind.counts, findings)


def look_besides(checker: Checker, exercise: Exercise, source: Source) -> Iterator[Finding]:
    """The findings on anything but the mistakes of the catalogue."""
    yield from Looker(exercise, source.root).findings()
    yield from find_unstated(exercise, source.root)
    yield from look_at_key(checker, exercise)


def place_of_questions(source: Source) -> Place:
    """The place in the file that names the asked steps."""
    parts = next((part.place for part in source.problem.parts if part.steps), None)
    return parts or source.root.place


class Blindness:
    """The mistakes that an exercise does not show; with free letters, at two values of each letter."""

    def __init__(self, exercises: list[Exercise], template: Template, place: Place) -> None:
        self.exercises, self.place = exercises, place
        self.exercise = exercises[0]
        self.redraws = Redraws(self.exercise, template)
        handed = [one.hand_in(one.right.floats) for one in exercises]
        self.handed = handed[0]
        self.sights = [sight_of(one, own) for one, own in zip(exercises, handed, strict=True)]
        self.symbols = {
            step.name: self.exercise.graph.symbol(step.name, self.exercise.problem.names)
            for step in self.exercise.graph.steps
        }
        solution = self.exercise.solution
        self.asked = ", ".join(question.key(solution) for question in self.exercise.questions)

    @property
    def sight(self) -> Sight:
        """What the marker says with the exercise's numbers."""
        return self.sights[0]

    @cached_property
    def hidden(self) -> list[str]:
        """The mistakes that the marker does not see."""
        return [code for code in self.sight.ways if not any(one.is_seen(code) for one in self.sights)]

    @cached_property
    def mixed_up(self) -> list[str]:
        """The mistakes that the marker sees, and does not name alone."""
        seen = (code for code in self.sight.ways if code not in self.hidden)
        return [code for code in seen if not any(one.is_apart(code) for one in self.sights)]

    @property
    def counts(self) -> tuple[int, int, int]:
        """How many mistakes can be made, are seen, and are distinguished."""
        applicable, hidden = len(self.sight.ways), len(self.hidden)
        return applicable, applicable - hidden, applicable - hidden - len(self.mixed_up)

    def findings(self) -> Iterator[Finding]:
        """The findings on hidden mistakes, then those on mistakes that are not named, or not alone."""
        yield from map(self.report_hidden, self.hidden)
        reported: set[frozenset[str]] = set()
        for code in self.mixed_up:
            # Of mistakes that are always named together, one is enough.
            together = frozenset((code, *self.sight.find_names(code)))
            if code not in self.sight.find_names(code) or together not in reported:
                yield self.report_mixed_up(code)
            reported.add(together)

    def step_to_ask(self, code: str) -> str:
        """The last step with which a mistake is seen; one inside a softmax or a norm only if need be."""
        inner = [step for step in self.exercise.chain if step.kind.inner]
        outer = [step for step in self.exercise.chain if not step.kind.inner]
        return next((step.name for step in (*outer[::-1], *inner[::-1]) if self.shows(code, step)), "")

    def shows(self, code: str, step: Step) -> bool:
        """Whether the marker sees a mistake if all of this step is answered as well."""
        sides, right = self.carried[step.name], self.exercise.right.floats[step.name]
        for n, (trial, handed) in enumerate(zip(self.exercise.working, self.handed.each, strict=False)):
            numbers = sides[min(n, len(sides) - 1)].reshape(step.shape)
            is_made = trial.code == code and handed is not None and not np.array_equal(numbers, right)
            if is_made and not np.isnan(numbers).any() and not np.isposinf(numbers).any():
                assert handed is not None
                marker = self.sight.marker
                if marker.say(marker.read(handed, trial), {step.name: numbers}).is_wrong:
                    return True
        return False

    @cached_property
    def carried(self) -> Sided:
        """The values of all steps with each mistake in working."""
        with np.errstate(all="ignore"):
            return self.exercise.carry(only_set(self.exercise.right.floats))

    def report_hidden(self, code: str) -> Finding:
        """The finding on a mistake that the marker does not see in the asked steps."""
        kind, ask = self.redraws.kind_of_hidden(code), self.step_to_ask(code)
        advice = [HELP[kind].format("show it")]
        if ask:
            whole = "all of " if ask in self.exercise.wanted else ""
            advice.append(f"ask for {whole}{self.symbols[ask]} as well")
        message = f"{code} ({phrase_of(code)}) is not seen in {self.asked}: {'; '.join(advice)}"
        return Finding("hidden", message, self.place, code, kind, ask)

    def report_mixed_up(self, code: str) -> Finding:
        """The finding on a mistake that is marked wrong, and not named, or not alone."""
        kind, names = self.redraws.kind_of_alike(code), self.sight.find_names(code)
        others = tuple(name for name in names if name != code)
        what, help_, finding = "is marked wrong, but not named,", "name it", "unnamed"
        if others:
            verb = "looks like" if code in names else "is taken for"
            what, help_, finding = f"{verb} {', '.join(others)}", "tell them apart", "alike"
        message = f"{code} ({phrase_of(code)}) {what} in {self.asked}: {HELP[kind].format(help_)}"
        return Finding(finding, message, self.place, code, kind, "", others)


def phrase_of(code: str) -> str:
    """The sentence of a mistake, to be used inside another sentence."""
    sentence = SENTENCES[code].rstrip(".")
    is_word = sentence[1].islower() or sentence.startswith("A ")
    return sentence[0].lower() + sentence[1:] if is_word else sentence
