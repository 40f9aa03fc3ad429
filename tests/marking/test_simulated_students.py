"""How often a marker is right about a class: rates over seeded exercises, students and mistakes, printed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import attncalc
from attncalc.marking.checker import Checker
from attncalc.marking.report.report import Report
from tests.helpers.bundled import checker_of
from tests.helpers.quick_and_slow import SLOW, sizes
from tests.helpers.random_students import Student, marked
from tests.helpers.rates import Rates
from tests.helpers.simulation import (
    FURTHER,
    MISTAKES,
    ODD,
    SAME,
    USUAL,
    Answers,
    Exercise,
    Habit,
    Rules,
    Work,
    exercises,
    mistaken,
    models,
    to_places,
    work,
)

SLIPS = ("slip", "term-missing")
SHOWN = 3
"""How many cells a mistake must change to be named."""


def classes(count: int) -> Iterator[tuple[Exercise, Checker]]:
    """Exercises, each with its checker."""
    for exercise in exercises(count, seed=7):
        yield exercise, Checker(attncalc.problem(**exercise.keys))


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """After a division by 0, later steps are left out."""
    with np.errstate(all="ignore"):
        yield


def is_finite(done: Work) -> bool:
    """Whether a student could go on to the end: the total of no row is 0."""
    return all(np.isfinite(values).all() for name, values in done.items() if not name.startswith(("M", "Z")))


def count_honest(rates: Rates, what: str, exercise: Exercise, checker: Checker, answers: Answers) -> None:
    """Count whether an honest student is marked wrong or cannot be read, or is asked for more digits."""
    report = marked(checker, answers)
    rates.count(f"{what}, wrong", report.exit_code > 0, (exercise.keys, answers))
    rates.count(f"{what}, coarse", any(step.verdict == "coarse" for step in report.steps))


HABITS = {"usual": USUAL, "odd": ODD}
GOALS = {"usual": 0.01, "odd": 0.05}
"""The share of honest students who may be marked wrong; every habit counts the same."""
COARSE = 0.03


@pytest.mark.parametrize(
    ("group", "count", "models_", "every"),
    [
        ("usual", 1, 0, 9),
        pytest.param("usual", 24, 4, 1, marks=SLOW),
        pytest.param("odd", 24, 4, 1, marks=SLOW),
    ],
)
def test_honest_students(group: str, count: int, models_: int, every: int) -> None:
    """With every habit: hardly any student is marked wrong, or asked for more digits."""
    rates = Rates()
    for exercise in (*exercises(count, seed=7), *models(models_, seed=7)):
        checker = Checker(attncalc.problem(**exercise.keys))
        for name, ways in HABITS[group].items():
            for n, habit in enumerate(ways[::every]):
                if exercise.network:
                    habit = habit._replace(told=(*habit.told, *FURTHER[n % len(FURTHER)]))
                done, answers = work(exercise, habit)
                if is_finite(done):
                    kind = "model" if exercise.network else "head"
                    count_honest(rates, f"{name}, {kind}", exercise, checker, answers)
    print(f"\n{rates}")
    assert rates.of("wrong") <= GOALS[group]
    assert rates.of("coarse") <= COARSE


@sizes(count=(2, 40))
def test_students_who_write_the_asked_places(count: int) -> None:
    """If the exercise asks for two decimals, those are enough."""
    rates = Rates()
    for exercise in exercises(count, seed=7):
        checker = Checker(attncalc.problem(**exercise.keys, places=2))
        for told in ("SAO", "AO", "O", "A"):
            for writes in ("", "comma", "repr"):
                _, answers = work(exercise, Habit(told, 2, writes=writes))
                count_honest(rates, f"two places {writes}".strip(), exercise, checker, answers)
    print(f"\n{rates}")
    assert rates.of("wrong") == rates.of("coarse") == 0


@SLOW
@pytest.mark.parametrize("count", [20])
def test_mistakes(count: int) -> None:
    """Mistakes are named if they change a number: alone, beside a slip, from rounded weights, and after another one."""
    rng, rates = np.random.default_rng(1), Rates()
    for exercise, checker in classes(count):
        for code in MISTAKES:
            rules = mistaken(exercise, code)
            for told, places in (("SAO", 3), ("O", 3), ("AO", 4)) if rules else ():
                alone(rates, checker, exercise, code, Habit(told, places), rng)
            if rules:
                two_places = Habit("O", 3, on_the_way={"A": to_places(2)})
                named(rates, "only O, from two-place weights", checker, exercise, code, rules, two_places)
                after_another(rates, checker, exercise, rules)
    print(f"\n{rates}")
    assert rates.of("clean") >= 0.97
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


@sizes(count=(5, 500))
def test_wrong_numbers_without_a_reason_are_not_called_a_mistake(count: int) -> None:
    """Neither random numbers, nor those that are up to two units off: in one cell or in every cell."""
    rng, rates = np.random.default_rng(2), Rates()
    body = [*classes(min(count, 20))]
    for n in range(count):
        exercise, checker = body[n % len(body)]
        told, places = (("O", 0), ("O", 2), ("AO", 2), ("SAO", 1), ("A", 3))[n % 5]
        _, right = work(exercise, Habit(told, places))
        drawn = {role: draw_like(rng, rows, places) for role, rows in right.items()}
        rates.count("random numbers, accused", is_accused(marked(checker, drawn)), (exercise.keys, drawn))
        told, places = (("O", 2), ("A", 2), ("AO", 3), ("SAO", 2))[n % 4]
        _, right = work(exercise, Habit(told, places))
        near = {role: shift(rng, rows, 2, places) for role, rows in right.items()}
        rates.count("two units off, accused", is_accused(marked(checker, near)), (exercise.keys, near))
        role = str(rng.choice(list(told)))
        i, j = (int(rng.integers(size)) for size in np.shape(right[role]))
        units = int(rng.choice([-2, -1, 1, 2]))
        report = marked(checker, slipped(right, role, i, j, units * 10.0**-places, places))
        rates.count(
            "one cell two units off, accused", is_accused(report), (exercise.keys, right, role, i, j, units)
        )
    print(f"\n{rates}")
    assert rates.of("accused") == 0


def draw_like(rng: np.random.Generator, rows: list[list[str]], places: int) -> list[list[str]]:
    """Random numbers in the range of others."""
    numbers = np.array(rows, dtype=float)
    finite = numbers[np.isfinite(numbers)]
    drawn = rng.uniform(finite.min(), finite.max(), numbers.shape)
    return [[f"{x:.{places}f}" for x in row] for row in drawn]


def shift(rng: np.random.Generator, rows: list[list[str]], units: int, places: int) -> list[list[str]]:
    """Numbers each of which is off by up to some units."""
    off = rng.integers(-units, units + 1, np.shape(rows)) * 10.0**-places
    return [
        [x if x == "-inf" else f"{float(x) + d:.{places}f}" for x, d in zip(row, by, strict=True)]
        for row, by in zip(rows, off, strict=True)
    ]


FAR_UNITS, FAR_SHARE = 10, 0.02
FAR = 0.02
"""How many answers that are off by more may be accepted."""
GRADED = ("backward-by-hand", "encoder-layer", "gated-network", "cross-entropy", "softcap", "rope-degrees")
"""Bundled problems with norms, gradients, losses and positions."""


@sizes(count=(2, 400))
def test_numbers_far_off_are_not_accepted(count: int) -> None:
    """Those off by more than ten units and two percent, in one cell or in all cells of a step."""
    rng, rates = np.random.default_rng(3), Rates()
    bodies = [*models(min(count, 4) - 1, seed=9), *exercises(min(count, 12) - 1, seed=9)]
    made = [(body, Checker(attncalc.problem(**body.keys))) for body in bodies]
    for n in range(count):
        body, checker = made[n % len(made)]
        network = FURTHER[n // len(made) % len(FURTHER)] if body.network else ()
        done, answers = work(body, Habit((*("AO", "O", "SAO")[n % 3], *network), 2 + n % 2))
        if is_finite(done):
            count_far(rates, rng, "model" if network else "head", checker, answers, 2 + n % 2)
        name = GRADED[n % len(GRADED)]
        student = Student(checker_of(name), rng, tell=float(rng.choice([0.1, 0.6])))
        student.places, student.carry = 2 + n % 2, str(rng.choice(["full", "rounded"]))
        count_far(rates, rng, name, checker_of(name), student.answers(), student.places)
    print(f"\n{rates}")
    assert rates.of("accepted") <= FAR


def count_far(
    rates: Rates, rng: np.random.Generator, what: str, checker: Checker, answers: Answers, places: int
) -> None:
    """Count whether one or all cells of an answered step may be far off."""
    role = str(rng.choice(sorted(answers)))
    rows = np.array(answers[role], dtype=float)
    if not np.isfinite(rows).all():
        return
    least = np.maximum(FAR_UNITS * 10.0**-places, FAR_SHARE * np.abs(rows).max())
    off = rng.choice([-1, 1], rows.shape) * least * rng.uniform(1.1, 3, rows.shape)
    only = np.zeros(rows.shape)
    only.flat[rng.integers(rows.size)] = 1
    for cells, share in (("one cell", only), ("all cells", np.ones(rows.shape))):
        changed = {role: [[f"{x:.{places}f}" for x in row] for row in rows + off * share]}
        for kind, others in (("alone", {}), ("beside others", answers)):
            report = marked(checker, {**others, **changed})
            is_accepted = not report.is_flawed
            rates.count(f"{what}, {cells} {kind}, accepted", is_accepted, (changed, others))


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
