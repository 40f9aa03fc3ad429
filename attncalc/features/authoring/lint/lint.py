"""`lint`: rate an exercise as a test by making every mistake of the catalogue in it."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.core.errors import Place
from attncalc.exercise.load import Source
from attncalc.features.authoring.lint.answer_key import look_at_key
from attncalc.features.authoring.lint.conventions import find_unstated
from attncalc.features.authoring.lint.findings import Finding, Lint
from attncalc.features.authoring.lint.hidden import Sight, sight_of
from attncalc.features.authoring.lint.numbers import Looker
from attncalc.features.authoring.lint.wrong_answers import Exercise, Shows
from attncalc.features.authoring.vary.guarantees import Redraws
from attncalc.features.authoring.vary.template import Template
from attncalc.marking.checker import Checker
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
    looker = Looker(exercises[0], source.root)
    findings = (
        *blind.findings(),
        *looker.findings(),
        *find_unstated(exercises[0], source.root),
        *look_at_key(checker, exercises[0]),
    )
    return Lint(source.problem.name, *blind.counts, findings)


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
        self.sights = [sight_of(one, one.hand_in(one.right.floats)) for one in exercises]
        self.symbols = {
            step.name: self.exercise.graph.symbol(step.name, self.exercise.problem.names)
            for step in self.exercise.graph.steps
        }
        solution = self.exercise.solution
        self.asked = ", ".join(question.key(solution) for question in self.exercise.questions)

    @property
    def sight(self) -> Sight:
        """What a marker can see with the exercise's numbers."""
        return self.sights[0]

    @property
    def hidden(self) -> list[str]:
        """The mistakes that change no asked cell."""
        return [code for code in self.sight.outcomes if all(code in one.hidden for one in self.sights)]

    @property
    def partners(self) -> dict[str, tuple[str, ...]]:
        """The mistakes that look like others, and which those are."""
        return {
            code: others
            for code, others in self.sight.partners.items()
            if all(code in one.partners for one in self.sights)
        }

    @property
    def counts(self) -> tuple[int, int, int]:
        """How many mistakes can be made, are seen, and are distinguished."""
        applicable, hidden = len(self.sight.outcomes), len(self.hidden)
        return applicable, applicable - hidden, applicable - hidden - len(self.partners)

    def findings(self) -> Iterator[Finding]:
        """The findings on hidden mistakes, then those on mistakes that look alike."""
        shows = self.exercise.find_shows(self.exercise.right.floats) if self.hidden else {}
        for code in self.hidden:
            yield self.report_hidden(code, self.step_to_ask(code, shows))
        reported: set[str] = set()
        for code, others in self.partners.items():
            if code not in reported:
                yield self.alike_finding(code, others)
                reported |= {other for other in others if self.sight.are_equal(code, other)}

    def step_to_ask(self, code: str, shows: Shows) -> str:
        """The last step that would show a mistake; one inside a softmax or a norm only if no other does."""
        found = [
            step
            for step in self.exercise.chain
            if any(
                trial.code == code and bool(shows[step.name][n])
                for n, trial in enumerate(self.exercise.working)
            )
        ]
        outer = [step for step in found if not step.kind.inner] or found
        return outer[-1].name if outer else ""

    def report_hidden(self, code: str, ask: str) -> Finding:
        """The finding on a mistake that changes none of the asked steps."""
        kind = self.redraws.kind_of_hidden(code)
        advice = [HELP[kind].format("show it")]
        if ask:
            whole = "all of " if ask in self.exercise.wanted else ""
            advice.append(f"ask for {whole}{self.symbols[ask]} as well")
        message = f"{code} ({phrase_of(code)}) is not seen in {self.asked}: {'; '.join(advice)}"
        return Finding("hidden", message, self.place, code, kind, ask)

    def alike_finding(self, code: str, others: tuple[str, ...]) -> Finding:
        """The finding on a mistake that gives the same numbers as others."""
        kind = self.redraws.kind_of_alike(code, others)
        message = (
            f"{code} ({phrase_of(code)}) looks like {', '.join(others)} in {self.asked}: "
            f"{HELP[kind].format('tell them apart')}"
        )
        return Finding("alike", message, self.place, code, kind, "", others)


def phrase_of(code: str) -> str:
    """The sentence of a mistake, to be used inside another sentence."""
    sentence = SENTENCES[code].rstrip(".")
    is_word = sentence[1].islower() or sentence.startswith("A ")
    return sentence[0].lower() + sentence[1:] if is_word else sentence
