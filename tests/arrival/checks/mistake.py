"""The missing heat is named, what comes after it follows, and the honest are right."""

from __future__ import annotations

import numpy as np

import attncalc
from attncalc.marking.checker import Checker
from attncalc.mistakes import MISTAKES
from tests.arrival.warm import FILE, HEADS, WARM, wrong_answers
from tests.helpers.commands import run
from tests.helpers.random_students import Random, Student, marked, variations


def check_the_honest(checker: Checker, rng: Random) -> None:
    """Nobody who rounds is wrong."""
    for _ in range(5):
        assert marked(checker, Student(checker, rng).answers()).verdict in ("correct", "incomplete")


def check_the_mistaken(checker: Checker, rng: Random) -> None:
    """With few answered steps or all, the first wrong step shows the mistake."""
    missing = next(mistake for mistake in MISTAKES if mistake.code == "heat-missing")
    made = variations(missing, checker.graph)
    assert made
    for change in made:
        for told in (1, 0.3):
            student = Student(checker, rng, told)
            student.places, student.carry = 4, "rounded"
            report = marked(checker, student.answers(change))
            first, *others = (step for step in report.steps if not step.verdict.is_right)
            assert missing.code in {diagnosis.mistake for diagnosis in first.diagnoses}
            assert {step.verdict for step in others} <= {"follows"}


if __name__ == "__main__":
    chance = np.random.default_rng(1)
    for keys in (WARM, HEADS):
        marking = Checker(attncalc.problem(**keys))
        check_the_honest(marking, chance)
        check_the_mistaken(marking, chance)
    assert "The scores were not divided by the heat." in run("check", FILE, wrong_answers(), code=1)
