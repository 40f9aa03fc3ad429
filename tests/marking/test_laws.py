"""The laws of marking, over simulated students and students of bundled problems, correct and wrong ones.

Every law counts how often it is broken, and prints that with the shortest cases.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pytest

import attncalc
from attncalc.core.record import replace
from attncalc.features.classes.mark_class import check_many
from attncalc.marking.checker import Checker
from attncalc.marking.follow.judge import Mark
from attncalc.marking.report.report import Report
from attncalc.mistakes import MISTAKES as CATALOGUE
from tests.helpers.bundled import checker_of
from tests.helpers.quick_and_slow import sizes
from tests.helpers.random_students import Student, marked, variations
from tests.helpers.rates import Rates
from tests.helpers.simulation import MISTAKES, ODD, USUAL, Habit, exercises, mistaken, models, work

Random = np.random.Generator
Rows: TypeAlias = list[list[str]]
Answers: TypeAlias = dict[str, Any]
"""The rows of steps, or one row of a step under `A[2]`."""
EDGE = 1e-9


class Case(NamedTuple):
    """A student: the problem, every step as they have it, and whether they work honestly."""

    problem: object
    checker: Checker
    steps: dict[str, Rows]
    is_honest: bool


# Bodies of students.

PLAIN: list[Habit] = [
    habit
    for ways in (*USUAL.values(), *ODD.values())
    for habit in ways
    if not habit.writes and habit.array is None and not habit.rows
]
EVERYTHING = (
    "Q",
    "K",
    "V",
    "S",
    "Z",
    "M",
    "E",
    "T",
    "A",
    "O",
    "H",
    "Y",
    "R1",
    "N1",
    "F1",
    "R2",
    "N2",
    "p",
    "loss",
)
SCHEMES: list[dict[str, Any]] = [{}, {"marks": {"S": 1, "A": 2, "O": 3}}, {"parts": [{"show": ["A", "O"]}]}]
NAMES = (
    "dot-product-3", "encoder-layer", "learned-sink", "problem-set-4-q3", "exact-causal", "two-heads-by-hand",
    "cross-entropy", "gated-network", "alibi", "softcap", "grouped-queries", "backward-by-hand", "mean-of-heads",
    "linear-attention", "rope",
)  # fmt: skip


def simulated(rng: Random, seed: int) -> Iterator[Case]:
    """Students of our own class, each half with and without a mistake."""
    for n, exercise in enumerate(exercises(10**6, seed)):
        if n % 8 == 7:
            (exercise,) = models(1, n)
        is_given = exercise.heads[0].inputs is None
        keys = exercise.keys | ({} if exercise.network else SCHEMES[n % len(SCHEMES)])
        checker = Checker(attncalc.problem(**keys))
        for is_honest in (True, True, False, False):
            rules = None if is_honest else mistaken(exercise, str(rng.choice(list(MISTAKES))))
            told = tuple(role for role in EVERYTHING if role not in "QKV" or not is_given)
            habit = PLAIN[int(rng.integers(len(PLAIN)))]._replace(told=told)
            done, steps = work(exercise, habit, rules)
            if all(np.isfinite(done[name]).all() for name in done if name[0] not in "MZ"):
                yield Case(keys, checker, steps, rules is None)


def of_bundled_problems(rng: Random) -> Iterator[Case]:
    """Students of bundled problems, with and without a mistake of the catalogue."""
    while True:
        for name in NAMES:
            checker = checker_of(name)
            for is_honest in (True, False):
                student = Student(checker, rng, tell=1)
                student.places = min(student.places, 4)
                mistakes = () if is_honest else rng.permutation(len(CATALOGUE))
                found = (variations(CATALOGUE[n], checker.graph) for n in mistakes)
                change = next((ways[int(rng.integers(len(ways)))] for ways in found if ways), None)
                with suppress(ArithmeticError):
                    yield Case(name, checker, student.answers(change), change is None)


@cache
def students(count: int) -> list[Case]:
    """Of each body the given number."""
    rng = np.random.default_rng(count)
    with np.errstate(all="ignore"):
        return [*islice(simulated(rng, seed=24), count), *islice(of_bundled_problems(rng), count)]


# What is correct, without the marker.


def is_correct(case: Case, step: str) -> bool:
    """Whether the correct values round to all entries of a step."""
    expected = np.array(case.checker.solution[step].value, dtype=float)
    written = np.array(case.steps[step], dtype=float)
    units = np.array([[unit_of(cell) for cell in row] for row in case.steps[step]])
    with np.errstate(invalid="ignore"):
        return bool(np.all((written == expected) | (np.abs(written - expected) <= units / 2 + EDGE)))


def unit_of(text: str) -> float:
    """The value of the last decimal; 0 for an integer."""
    _, point, decimals = text.partition(".")
    return float(10.0 ** -len(decimals)) if point else 0.0


def choose(rng: Random, case: Case, without: str = "") -> Answers:
    """Some of a student's steps, at least one; of one of them perhaps only a row."""
    names = [name for name in case.steps if name != without]
    chosen = {name for name in names if rng.random() < 0.4} or {str(rng.choice(names))}
    answers: Answers = {name: case.steps[name] for name in names if name in chosen}
    if without and rng.random() < 0.3:
        name = str(rng.choice(sorted(chosen)))
        row = int(rng.integers(len(case.steps[name])))
        answers[f"{name}[{row + 1}]"] = answers.pop(name)[row]
    return answers


def smallest(answers: Answers, is_broken: Callable[[Answers], bool]) -> Answers:
    """The answers without all steps that do not matter for a law to be broken."""
    for name in tuple(answers):
        rest = {other: rows for other, rows in answers.items() if other != name}
        if rest and is_broken(rest):
            answers = rest
    return answers


def cells_of(report: Report) -> dict[tuple[str, tuple[int, ...]], int]:
    """The mark of every answered cell; correct and rounded are both right."""
    return {
        (step.step, tuple(n + 1 for n in at)): max(int(mark), Mark.ROUNDED)
        for step in report.steps
        if step.judged is not None
        for at, mark in np.ndenumerate(step.judged.marks)
        if mark > Mark.BLANK
    }


def worse_cells(case: Case, before: Answers, after: Answers) -> set[tuple[str, tuple[int, ...]]]:
    """The cells with a graver mark in the second answers than in the first."""
    old, new = (cells_of(marked(case.checker, answers)) for answers in (before, after))
    return {at for at, mark in old.items() if new.get(at, 0) > mark}


def has_all_points(report: Report) -> bool:
    """Whether a report has all points."""
    return report.score >= report.max_score - EDGE


def score(case: Case, answers: Answers) -> float:
    """The points of some answers."""
    return marked(case.checker, answers).score


# The laws.

Law: TypeAlias = Callable[[Rates, Random, Case], None]


def telling_more(rates: Rates, rng: Random, case: Case) -> None:
    """One more correct step, or a row of it, makes no other answer worse and takes no points."""
    correct = [name for name in case.steps if is_correct(case, name)]
    if not correct or len(case.steps) == 1:
        return
    name = str(rng.choice(correct))
    row = int(rng.integers(len(case.steps[name])))
    step, part = {name: case.steps[name]}, {f"{name}[{row + 1}]": case.steps[name][row]}
    answers = choose(rng, case, without=name)
    for kind, more in (("step", step), ("row", part)):

        def is_worse(some: Answers, more: Answers = more) -> bool:
            return bool(worse_cells(case, some, {**some, **more}))

        def costs(some: Answers, more: Answers = more) -> bool:
            return score(case, {**some, **more}) < score(case, some) - EDGE

        for what, is_broken in (("makes another answer worse", is_worse), ("lowers the points", costs)):
            broken = is_broken(answers)
            found = smallest(answers, is_broken) if broken else {}
            worse = worse_cells(case, found, {**found, **more}) if broken else ()
            rates.count(f"a correct {kind} more {what}", broken, (case.problem, found, "+", more, worse))


def leaving_out(rates: Rates, rng: Random, case: Case) -> None:
    """Without a wrong step there are no more points."""
    answers = choose(rng, case)
    for step in marked(case.checker, answers).steps:
        if step.verdict == "wrong" and len(answers) > 1:
            wrong = {step.step: answers[step.step]}
            rest = {name: rows for name, rows in answers.items() if name != step.step}

            def gains(some: Answers, wrong: Answers = wrong) -> bool:
                return score(case, some) > score(case, {**some, **wrong}) + EDGE

            broken = gains(rest)
            known = (case.problem, smallest(rest, gains), "-", wrong) if broken else ""
            rates.count("leaving a wrong step out raises the points", broken, known)


def points_and_verdicts(rates: Rates, rng: Random, case: Case) -> None:
    """`correct` has all points and nothing else has; without an asked step it is `incomplete` with 0."""
    answers = choose(rng, case)
    report = marked(case.checker, answers)
    known = (case.problem, answers, str(report.verdict), f"{report.score:g} of {report.max_score:g}")
    if any(step.max_score for step in report.steps if step.verdict != "blank"):
        rates.count(
            "`correct` without all points", report.verdict == "correct" and not has_all_points(report), known
        )
        rates.count(
            "all points, but not `correct`", has_all_points(report) and report.verdict != "correct", known
        )
    elif case.is_honest and report.verdict != "incorrect":
        is_kept = (report.verdict, report.score) == ("incomplete", 0)
        rates.count("nothing asked is answered, but not `incomplete` with 0", not is_kept, known)
    else:
        rates.count("nothing asked is answered, but points", report.score > 0, known)


def one_slip(rates: Rates, rng: Random, case: Case) -> None:
    """One number that is off spoils no other number of an honest student."""
    answers = choose(rng, case)
    if not case.is_honest or marked(case.checker, answers).exit_code:
        return
    name = str(rng.choice(list(answers)))
    i, j = (int(rng.integers(size)) for size in np.shape(answers[name]))
    old = answers[name][i][j]
    if old == "-inf":
        return
    off = int(rng.integers(5, 40)) * (unit_of(old) or 1) * float(rng.choice([-1, 1]))
    rows = [list(row) for row in answers[name]]
    rows[i][j] = f"{float(old) + off:.{len(old.partition('.')[2])}f}"
    own = {name: answers[name]}

    def spoiled(some: Answers, beside: bool) -> set[tuple[str, tuple[int, ...]]]:
        found = worse_cells(case, {**some, **own}, {**some, name: rows})
        return {at for at in found if (at[0] == name) is beside and at != (name, (i + 1, j + 1))}

    for beside, where in ((True, "beside it"), (False, "of another step")):

        def is_spoiled(some: Answers, beside: bool = beside) -> bool:
            return bool(spoiled(some, beside))

        broken = is_spoiled(answers)
        found = smallest(answers, is_spoiled) if broken else {}
        changed = f"{name}[{i + 1},{j + 1}] = {rows[i][j]}"
        known = (case.problem, {**found, **own}, changed, spoiled(found, beside)) if broken else ""
        rates.count(f"a slip spoils a number {where}", broken, known)


def written_zeros(rates: Rates, rng: Random, case: Case) -> None:
    """`0.0` for `0` makes nothing wrong."""
    answers = choose(rng, case)

    def is_turned(some: Answers) -> bool:
        whole, decimal = (marked(case.checker, with_zeros(some, zero)).is_flawed for zero in ("0", "0.0"))
        return decimal and not whole

    if with_zeros(answers, "0") != answers:
        broken = is_turned(answers)
        known = (case.problem, with_zeros(smallest(answers, is_turned), "0.0")) if broken else ""
        rates.count("0.0 for 0 makes an answer wrong", broken, known)


def with_zeros(answers: Answers, text: str) -> Answers:
    """Answers with every 0 written in one way."""
    return {
        name: [[text if cell != "-inf" and float(cell) == 0 else cell for cell in row] for row in rows]
        for name, rows in answers.items()
    }


LAWS: list[Law] = [telling_more, leaving_out, points_and_verdicts, one_slip, written_zeros]


BROKEN = {"telling_more": 0.005, "leaving_out": 0.02, "one_slip": 0.05}
"""The share of students with whom a law is broken, as measured and a little more; the others hold for all."""


@sizes(count=(3, 150))
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_laws(law: Law, count: int) -> None:
    """None is broken by any student."""
    rates, rng = Rates(), np.random.default_rng(3)
    for case in students(count):
        law(rates, rng, case)
    print(f"\n{rates}")
    assert rates.of() <= BROKEN.get(law.__name__, 0)


def plain(report: Report) -> Report:
    """A report without the numbers behind it and without the name of the file."""
    return replace(report.light(), answers="")


@sizes(count=(3, 150), every=(3, 8))
def test_the_way_in_does_not_matter(count: int, every: int, tmp_path: Path) -> None:
    """The same report on values from Python, on a YAML or JSON file, and in a class."""
    rates = Rates()
    by_problem: dict[str, list[Case]] = {}
    for case in students(count)[::every]:
        by_problem.setdefault(str(case.problem), []).append(case)
    for number, cases in enumerate(by_problem.values()):
        folder = tmp_path / str(number)
        folder.mkdir()
        with ThreadPoolExecutor(1) as executor:
            files = [file for n, case in enumerate(cases) for file in write_files(folder, n, case.steps)]
            in_class = list(check_many(cases[0].checker.problem, files, executor))
        for n, case in enumerate(cases):
            wanted = plain(marked(case.checker, case.steps))
            for file, one in zip(files[2 * n : 2 * n + 2], in_class[2 * n : 2 * n + 2], strict=True):
                alone = plain(case.checker.check_file(str(file)))
                rates.count(f"{file.suffix} differs from Python", alone != wanted, (case.problem, case.steps))
                rates.count(
                    f"{file.suffix} differs in a class", plain(one) != wanted, (case.problem, case.steps)
                )
    print(f"\n{rates}")
    assert rates.of() == 0


def write_files(folder: Path, number: int, answers: Mapping[str, Rows]) -> list[Path]:
    """Answers as files of two kinds."""
    yaml = folder / f"{number}.yaml"
    yaml.write_text(
        "".join(f"{name}: [{', '.join(map(row_text, rows))}]\n" for name, rows in answers.items())
    )
    as_json = folder / f"{number}.json"
    as_json.write_text(json.dumps(answers))
    return [yaml, as_json]


def row_text(row: list[str]) -> str:
    """A row as YAML has it."""
    return f"[{', '.join(row)}]"
