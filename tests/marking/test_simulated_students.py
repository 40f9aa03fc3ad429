"""How often a marker is right about a class: rates over seeded exercises, students and mistakes, printed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

import attncalc
from attncalc.marking.checker import Checker
from attncalc.marking.report.report import Report
from tests.helpers.quick_and_slow import SLOW, sizes
from tests.helpers.random_students import marked
from tests.helpers.simulation import (
    MISTAKES,
    SAME,
    Answers,
    Exercise,
    Habit,
    Rules,
    exercises,
    habits,
    mistaken,
    work,
)

pytestmark = SLOW

SLIPS = ("slip", "term-missing")
SHOWN = 3
"""How many cells a mistake must change to be named."""


class Rates:
    """How often something held, by what was tried."""

    def __init__(self) -> None:
        self.held: Counter[str] = Counter()
        self.tried: Counter[str] = Counter()

    def count(self, what: str, held: bool) -> None:
        """Counts one trial."""
        self.held[what] += held
        self.tried[what] += 1

    def of(self, what: str) -> float:
        """The share of trials in which it held."""
        return self.held[what] / max(self.tried[what], 1)

    def __str__(self) -> str:
        return "\n".join(f"{what}: {self.held[what]} of {self.tried[what]}" for what in self.tried)


def classes(count: int) -> Iterator[tuple[Exercise, Checker]]:
    """Exercises, each with its checker."""
    for exercise in exercises(count, seed=7):
        yield exercise, Checker(attncalc.problem(**exercise.keys))


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """After a division by 0, later steps are left out."""
    with np.errstate(all="ignore"):
        yield


@sizes(count=(2, 77))
def test_honest_students(count: int) -> None:
    """With every habit: hardly any student is marked wrong, or asked for more digits."""
    rates = Rates()
    for exercise, checker in classes(count):
        for habit in habits():
            done, answers = work(exercise, habit)
            if np.isfinite(done["O"]).all():
                report = marked(checker, answers)
                rates.count("honest, marked wrong", report.is_flawed)
                rates.count("honest, coarse", any(step.verdict == "coarse" for step in report.steps))
    print(f"\n{rates}")
    # An exponential that is rounded to 0.00 leaves hard weights, which are a mistake.
    assert rates.of("honest, marked wrong") <= 0.0005
    assert rates.of("honest, coarse") <= 0.02


@sizes(count=(1, 20))
def test_mistakes(count: int) -> None:
    """Mistakes are named if they change a number: alone, beside a slip, from rounded weights, and after another one."""
    rng, rates = np.random.default_rng(1), Rates()
    for exercise, checker in classes(count):
        for code in MISTAKES:
            rules = mistaken(exercise, code)
            for told, places in (("SAO", 3), ("O", 3), ("AO", 4)) if rules else ():
                alone(rates, checker, exercise, code, Habit(told, places), rng)
            if rules:
                two_places = Habit("O", 3, hidden=2, roles="A")
                named(rates, "only O, from two-place weights", checker, exercise, code, rules, two_places)
                after_another(rates, checker, exercise, rules)
    print(f"\n{rates}")
    assert rates.of("clean") == 1
    assert rates.of("with a slip beside") >= 0.9
    assert rates.of("only O, from two-place weights") >= 0.8
    assert rates.of("after another") >= 0.9


def alone(
    rates: Rates, checker: Checker, exercise: Exercise, code: str, habit: Habit, rng: np.random.Generator
) -> None:
    """A mistake, clean and with one slip beside it."""
    rules = mistaken(exercise, code)
    answers = named(rates, "clean", checker, exercise, code, rules or {}, habit)
    if answers:
        first, changes = first_change(exercise, answers, habit)
        i, j = (int(rng.integers(size)) for size in np.shape(answers[first]))
        if changes > SHOWN and answers[first][i][j] != "-inf":
            off = float(rng.choice([-0.1, -0.05, -0.02, -0.01, 0.01, 0.02, 0.05, 0.1]))
            report = marked(checker, slipped(answers, first, i, j, off, habit.places))
            rates.count("with a slip beside", is_named(report, code))


def named(
    rates: Rates, what: str, checker: Checker, exercise: Exercise, code: str, rules: Rules, habit: Habit
) -> Answers:
    """Count whether a mistake is named, if it changes a number and no honest student has these numbers."""
    done, answers = work(exercise, habit, rules)
    if not np.isfinite(done["O"]).all() or first_change(exercise, answers, habit)[1] < SHOWN:
        return {}
    report = marked(checker, answers)
    if not report.is_flawed:
        return {}
    rates.count(what, is_named(report, code))
    return answers


def after_another(rates: Rates, checker: Checker, exercise: Exercise, rules: Rules) -> None:
    """A mistake in the output after one in the scores or weights, both of which are answered."""
    habit = Habit("SAO", 3)
    for code in ("output-transposed-weights", "output-mean", "values-shifted"):
        done, answers = work(exercise, habit, {**rules, **MISTAKES[code]})
        _, followed = work(exercise, habit, rules)
        is_wrong_before = first_change(exercise, followed, habit)[0] in "SA" and "O" not in rules
        if not np.isfinite(done["O"]).all() or not is_wrong_before:
            continue
        if differing(answers["O"], followed["O"]) > SHOWN:
            steps = {step.step: step for step in marked(checker, answers).steps}
            found = {one.mistake for one in steps["O"].diagnoses}
            rates.count("after another", bool(found & {code, *SAME.get(code, ())}))


@sizes(count=(2, 40))
def test_random_numbers_are_not_called_a_mistake(count: int) -> None:
    """Neither for random numbers, nor for one cell that is off by a unit or two, which is always found."""
    rng, rates = np.random.default_rng(2), Rates()
    for exercise, checker in classes(count):
        low, high = exercise.values.min(), exercise.values.max()
        for places in (0, 2) * 10:
            drawn = rng.uniform(low, high, exercise.values.shape)
            answers = {"O": [[f"{x:.{places}f}" for x in row] for row in drawn]}
            rates.count("random numbers, accused", is_accused(marked(checker, answers)))
        for told, places in (("O", 2), ("A", 2), ("AO", 3), ("SAO", 2)) * 4:
            _, answers = work(exercise, Habit(told, places))
            role = str(rng.choice(list(told)))
            i, j = (int(rng.integers(size)) for size in np.shape(answers[role]))
            units = int(rng.choice([-2, -1, 1, 2]))
            report = marked(checker, slipped(answers, role, i, j, units * 10.0**-places, places))
            rates.count("a unit or two off, accused", is_accused(report))
            if role == "A" and abs(units) > 1:
                step = next(step for step in report.steps if step.step == role)
                rates.count("a weight two units off, accepted", step.verdict.passes)
    print(f"\n{rates}")
    assert rates.of("random numbers, accused") < 0.01
    assert rates.of("a unit or two off, accused") == 0
    # Rounding on the way may do that.
    assert rates.of("a weight two units off, accepted") <= 0.1


def first_change(exercise: Exercise, answers: Answers, habit: Habit) -> tuple[str, int]:
    """The first answered step that differs from an honest student's, and in how many cells."""
    _, honest = work(exercise, habit)
    changes = ((role, differing(answers[role], honest[role])) for role in habit.told)
    return next(((role, count) for role, count in changes if count), ("", 0))


def differing(one: list[list[str]], other: list[list[str]]) -> int:
    """In how many cells two matrices differ."""
    return int((np.array(one) != np.array(other)).sum())


def slipped(answers: Answers, role: str, i: int, j: int, off: float, places: int) -> Answers:
    """Answers with one number that is off."""
    changed = {name: [list(row) for row in rows] for name, rows in answers.items()}
    if changed[role][i][j] != "-inf":
        changed[role][i][j] = f"{float(changed[role][i][j]) + off:.{places}f}"
    return changed


def is_named(report: Report, code: str) -> bool:
    """Whether a mistake is among those found, by one of its names."""
    return bool({code, *SAME.get(code, ())} & set(report.mistakes))


def is_accused(report: Report) -> bool:
    """Whether more than a slip is said."""
    return any(not code.endswith(SLIPS) for code in report.mistakes)
