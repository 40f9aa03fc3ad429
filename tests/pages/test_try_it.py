"""Try it: what the checker accepts is never called wrong on the page."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

import attncalc
from attncalc.exercise.solve.solve import solve
from attncalc.marking.checker import Checker
from attncalc.marking.follow.judge import Mark
from attncalc.mistakes import MISTAKES
from attncalc.pages.documents.html.interactive import interactive
from attncalc.worked.view import View
from tests.helpers.browser import NEEDS_BROWSER, Browser, browser, saved
from tests.helpers.bundled import ONE_SEQUENCE, STATED, checker_of, count_numbers
from tests.helpers.quick_and_slow import sizes
from tests.helpers.random_students import Student, marked, variations
from tests.helpers.rates import Rates
from tests.helpers.simulation import MISTAKES as HAND_MADE
from tests.helpers.simulation import Habit, exercises, habits, mistaken, work

__all__ = ["browser"]
pytestmark = NEEDS_BROWSER

Random = np.random.Generator
Told: TypeAlias = Mapping[str, list[list[str]]]
Maker: TypeAlias = Callable[[Checker, Random], Told]
"""From a problem to a student's answers, by step."""

MOST_NUMBERS = 100
JUDGE = "return {}.map(attncalc.judge)"


def problems_by_hand() -> list[str]:
    """Return the bundled problems that are small enough to be solved by hand."""
    found = [name for name in ONE_SEQUENCE if not {"limit", "design"} & STATED[name].keys()]
    return [name for name in found if count_numbers(name) <= MOST_NUMBERS]


def student(checker: Checker, rng: Random, carry: str, places: int) -> Student:
    """A student who answers some steps with the given decimals, and goes on with the written numbers or more digits."""
    found = Student(checker, rng, tell=float(rng.choice([0.3, 0.7, 1])))
    found.carry, found.places = carry, places
    return found


def exactly(checker: Checker, rng: Random) -> Told:
    """All digits."""
    return student(checker, rng, "full", 12).answers()


def rounded(checker: Checker, rng: Random) -> Told:
    """Right, rounded at the end."""
    return student(checker, rng, "full", int(rng.integers(1, 5))).answers()


def carried(checker: Checker, rng: Random) -> Told:
    """From one's own rounded numbers, or finer ones."""
    return student(
        checker, rng, str(rng.choice(["rounded", "finer", "mixed"])), int(rng.integers(1, 5))
    ).answers()


def slipped(checker: Checker, rng: Random) -> Told:
    """A wrong number early on, and the right way from there."""
    one = student(checker, rng, str(rng.choice(["full", "rounded"])), int(rng.integers(2, 5)))
    steps = [step for step in checker.graph.steps if step.role not in ("E", "T")]
    step = steps[int(rng.integers(len(steps)))]
    at = tuple(int(rng.integers(size)) for size in step.shape)
    return one.answers(slip={"step": step.name, "at": at, "by": float(rng.choice([-1, 1, 0.1, -0.05, 2]))})


def wrong(checker: Checker, rng: Random) -> Told:
    """Numbers out of the air in one step, others right."""
    told = dict(student(checker, rng, "full", int(rng.integers(1, 5))).answers())
    name = str(rng.choice(list(told)))
    places = int(rng.integers(0, 4))
    told[name] = [[f"{rng.normal(scale=3):.{places}f}" for _ in row] for row in told[name]]
    return told


def mistaken_by_catalogue(checker: Checker, rng: Random) -> Told:
    """A mistake of the catalogue, and the right way from there."""
    for n in rng.permutation(len(MISTAKES)):
        if found := variations(MISTAKES[n], checker.graph):
            one = student(checker, rng, str(rng.choice(["full", "rounded"])), int(rng.integers(2, 5)))
            return one.answers(found[int(rng.integers(len(found)))])
    return rounded(checker, rng)


KINDS: dict[str, Maker] = {
    "exactly right": exactly,
    "rounded": rounded,
    "from own rounded numbers": carried,
    "own wrong number, then right": slipped,
    "wrong": wrong,
    "a mistake of the catalogue": mistaken_by_catalogue,
}


def several(maker: Maker, checker: Checker, rng: Random, count: int) -> Iterator[Told]:
    """`count` answers, without those that divide by a 0 or give no number."""
    for _ in range(count):
        with suppress(ArithmeticError), np.errstate(all="ignore"):
            yield maker(checker, rng)


@sizes(problems=(2, 100), students=(6, 1000))
def test_the_page_is_never_stricter(problems: int, students: int, browser: Browser, tmp_path: Path) -> None:
    """Students of every kind over bundled problems; how often the page is kinder than the checker is printed."""
    rates, rng = Rates(), np.random.default_rng(5)
    names = problems_by_hand()
    chosen = names if problems >= len(names) else [names[n] for n in rng.permutation(len(names))[:problems]]
    for name in chosen:
        checker = checker_of(name)
        each = -(-students // len(chosen))
        kinds = [(kind, told) for kind, maker in KINDS.items() for told in several(maker, checker, rng, each)]
        compare(checker, kinds, rates, browser, tmp_path)
    print(f"\n{rates}")


@sizes(count=(1, 30), students=(10, 34))
def test_habits_and_hand_made_mistakes(count: int, students: int, browser: Browser, tmp_path: Path) -> None:
    """Exercises and students that know nothing of the program."""
    rates, rng, ways = Rates(), np.random.default_rng(6), list(habits())
    for exercise in exercises(count, seed=11):
        kinds: list[tuple[str, Told]] = []
        with np.errstate(all="ignore"):
            for n in rng.permutation(len(ways))[:students]:
                kinds.append(("habits", work(exercise, ways[n])[1]))
            for rules in filter(None, (mistaken(exercise, code) for code in HAND_MADE)):
                kinds += [("mistakes", work(exercise, Habit(told, 3), rules)[1]) for told in ("AO", "SZAO")]
        finite = [(kind, told) for kind, told in kinds if "nan" not in str(told) and "'inf" not in str(told)]
        compare(Checker(attncalc.problem(**exercise.keys)), finite, rates, browser, tmp_path)
    print(f"\n{rates}")


def compare(
    checker: Checker, kinds: list[tuple[str, Told]], rates: Rates, browser: Browser, folder: Path
) -> None:
    """Has all answers to a problem marked by the page and by the checker, cell by cell."""
    problem, graph = checker.problem, checker.graph
    symbols = {step.name: graph.symbol(step.name, problem.names) for step in graph.steps}
    browser.view(saved(folder, interactive(solve(problem), View(pointed=True))))
    told = [by_key(answers, symbols) for _, answers in kinds]
    for (kind, answers), seen in zip(kinds, browser.run(JUDGE.format(json.dumps(told))), strict=True):
        for key, mark in marks_of(checker, answers, symbols):
            if mark == Mark.WRONG:
                rates.count(f"{kind}: wrong, right on the page", seen[key] in ("right", "own"))
                rates.count(f"{kind}: wrong, left open on the page", seen[key] in ("near", "open"))
            elif mark in (Mark.CORRECT, Mark.ROUNDED, Mark.FOLLOWS, Mark.COARSE):
                assert seen[key] != "wrong", (problem.name, kind, key, mark, answers)
                rates.count(f"{kind}: accepted, left open on the page", seen[key] in ("near", "open"))


def by_key(answers: Told, symbols: Mapping[str, str]) -> dict[str, str]:
    """The answers, by the keys of cells."""
    return {
        f"{symbols[name]}:{i},{j}": text
        for name, rows in answers.items()
        for i, row in enumerate(rows)
        for j, text in enumerate(row)
    }


def marks_of(checker: Checker, answers: Any, symbols: Mapping[str, str]) -> Iterator[tuple[str, int]]:
    """The checker's marks, by the keys of cells."""
    for step in marked(checker, answers).steps:
        if step.judged is not None:
            for at in np.ndindex(step.judged.marks.shape):
                yield f"{symbols[step.step]}:{','.join(map(str, at))}", int(step.judged.marks[at])
