"""Practice with made-up students: every mistake of the catalogue, hints to the last rung, and nothing given away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncalc.core.fields import Array
from attncalc.core.notations.unicode import Ascii
from attncalc.core.notations.unicode import write as ascii_text
from attncalc.exercise.load import load_source
from attncalc.exercise.yaml.reader import read_yaml
from attncalc.features.practice.ladder import find_twin
from attncalc.features.practice.practice import NO_MORE_HINTS, Practice
from attncalc.features.practice.terminal import write_progress
from attncalc.marking.checker import Checker
from attncalc.marking.follow.truth import ROUGH
from attncalc.mistakes import MISTAKES
from attncalc.mistakes.base import Mistake, Variation
from attncalc.pages import Page
from attncalc.pages.documents import text
from tests.helpers.bundled import STATED, WORKED, checker_of
from tests.helpers.quick_and_slow import SLOW, each, sizes
from tests.helpers.random_students import random_problem, right_values, variations, written

pytestmark = SLOW

PLACES = 4
SEARCHED = range(2, 11)
"""The places at which right values are searched for in what is said."""
SHOWN = 3
"""How many cells a mistake must change: fewer may be slips."""
MOST_LINES = 1000


class Dialogue:
    """A student who makes one mistake, asks for every hint, and has the step shown then."""

    def __init__(self, practice: Practice, wrong: dict[str, list[list[str]]]) -> None:
        self.practice, self.wrong = practice, wrong
        self.right = {name: write(x, x) for name, x in right_values(practice.checker).items() if x.ndim}
        self.said: list[str] = []
        self.hints: dict[str, list[str]] = {}
        """What was said to requests for a hint, step by step."""
        self.explanations: dict[str, list[tuple[str, str]]] = {}

    def say(self, line: str, is_guarded: bool = True) -> str:
        """What is answered to a line, in which no right value stands that is still to be found."""
        assert len(self.said) < MOST_LINES, "it does not end"
        told = text.render(self.practice.answer(line), Page())
        self.said.append(told)
        assert not is_guarded or not list(given_away(self.practice, told)), (line, told)
        return told

    def hold(self) -> None:
        """The whole dialogue."""
        while not self.practice.is_over:
            step = self.practice.asked.reference.step
            wrong = self.wrong.pop(step, None)
            self.say(f"{wrong or self.right[step]}".replace("'", ""))
            if wrong and not self.practice.is_over and self.practice.asked.reference.step == step:
                self.ask_for_help(step)

    def ask_for_help(self, step: str) -> None:
        """Every hint, then the value, then the lines one by one."""
        self.explanations[step] = self.practice.state.explanations
        hints = self.hints[step] = []
        while NO_MORE_HINTS not in (told := self.say("hint")):
            hints.append(told)
        self.say("show", is_guarded=False)
        number = 0
        while self.practice.pick:
            number += 1
            self.say(str(number), is_guarded=False)


def given_away(practice: Practice, told: str) -> Iterator[str]:
    """The right values of cells that are asked and not found, as they stand in a text to any precision."""
    for name, cells in practice.secret_cells.items():
        values = practice.solution[name].value
        for at in cells:
            if np.isfinite(values[at]):
                texts = (f"{abs(values[at]):.{places}f}" for places in SEARCHED)
                yield from (text for text in texts if text in told)


def write(matrix: Array, right: Array) -> list[list[str]]:
    """A matrix as a student writes it: integers unchanged if the expected values are integers."""
    places = (
        0 if np.array_equal(right, np.round(right)) and np.array_equal(matrix, np.round(matrix)) else PLACES
    )
    return [[written(float(x), places, half_up=False) for x in row] for row in matrix]


def mistaken(variation: Variation, checker: Checker) -> dict[str, list[list[str]]]:
    """The changed steps after correct ones, if they differ in what is written."""
    right = checker.truth
    values = {**right.floats, **{name: ROUGH.from_floats(matrix) for name, matrix in variation.given.items()}}
    found = {}
    for name, change in variation.changes.items():
        step = right.graph.step(name)
        assert step is not None
        with np.errstate(all="ignore"):
            result = right.evaluate(step, values, ROUGH, change)
        is_sound = result.shape == step.shape and not np.isnan(result).any() and not np.isposinf(result).any()
        if not is_sound:
            continue
        told, honest = write(result, right.floats[name]), write(right.floats[name], right.floats[name])
        if told != honest:
            found[name] = told
    return found


def explaining(step: str, told: list[list[str]], checker: Checker) -> set[str]:
    """The mistakes of the catalogue that give exactly the written numbers, made at this step."""
    chosen = checker.graph.step(step)
    assert chosen is not None
    table = checker.prepared[0].doctor.catalogue.table_from_truth([chosen], pairs=False)
    numbers = np.array(told, dtype=float)
    with np.errstate(invalid="ignore"):
        off = np.abs(table.results - numbers)
    is_near = (off <= 0.51 * 10.0**-PLACES) | (np.isneginf(table.results) & np.isneginf(numbers))
    return {table.attempts[n].mistakes[0].code for n in np.nonzero(is_near.all(axis=(-1, -2)))[0]}


@sizes(problems=(1, 30), share=(6, 1))
def test_every_mistake(problems: int, share: int) -> None:
    """The third hint asks about the mistake if nothing else explains it; no value is given away."""
    rates: Counter[str] = Counter()
    for number in range(problems):
        checker = Checker(random_problem(np.random.default_rng(number)))
        for mistake, wrong in all_mistaken(checker, share):
            count(rates, mistake, Dialogue(Practice(checker, everything=True), dict(wrong)), wrong)
    print(f"\n{rates}")
    assert rates["agree"] >= 0.98 * rates["only one"] > 0
    assert rates["agree, said to be the only one"] >= 0.99 * rates["said to be the only one"]


@each(
    "name",
    ["dot-product-3", "problem-set-4-q3", "two-heads-by-hand"],
    quick=["dot-product-3"],
)
@sizes(share=(6, 1))
def test_with_a_twin(name: str, share: int) -> None:
    """Cells worked with other numbers give no value away either."""
    checker, twin = checker_of(name), find_twin(load_source(name), seed=0)
    said = ""
    for _, wrong in all_mistaken(checker, share):
        dialogue = Dialogue(Practice(checker, everything=True, twin=twin), dict(wrong))
        dialogue.hold()
        said += "".join(dialogue.said)
    assert "With other numbers" in said


def all_mistaken(checker: Checker, share: int) -> Iterator[tuple[Mistake, dict[str, list[list[str]]]]]:
    """Every n-th mistake that can be made, each in one way, and what the student writes."""
    for mistake in MISTAKES[::share]:
        for variation in variations(mistake, checker.graph)[:1]:
            if wrong := mistaken(variation, checker):
                yield mistake, wrong


def count(
    rates: Counter[str], mistake: Mistake, dialogue: Dialogue, wrong: dict[str, list[list[str]]]
) -> None:
    """Holds a dialogue, and counts whether its third rung is about the mistake."""
    dialogue.hold()
    rates["dialogues"] += 1
    for step, hints in dialogue.hints.items():
        agrees = any(mistake.question in told for told in hints)
        found = {code for code, _ in dialogue.explanations[step]}
        is_slip = np.sum(np.array(wrong[step]) != np.array(dialogue.right[step])) < SHOWN
        if not is_slip and explaining(step, wrong[step], dialogue.practice.checker) == {mistake.code}:
            rates["only one"] += 1
            rates["agree"] += agrees
        if not is_slip and len(found) == 1:
            rates["said to be the only one"] += 1
            rates["agree, said to be the only one"] += agrees


PIECES = [
    "hint",
    "show",
    "skip",
    "back",
    "given",
    "quit",
    "?",
    "s",
    "1",
    "2",
    "3",
    "4",
    "0.5",
    "_",
    "x",
    "[",
    "]",
    "(",
    ")",
    ";",
    ",",
    "=",
    ":",
    "{",
    "}",
    "[[",
    "]]",
    "1/0",
    "-inf",
    "sqrt(",
    "e^",
    "1e9",
    "z[1,2]",
    "A[9,9]",
    "alpha",
    "S",
    "O[2]",
    "\\begin{bmatrix}",
    "\\end{bmatrix}",
    "&",
    "array([",
    "%",
    "0,5",
    "≈",
    "9**9**9",
    "nan",
    "#",
    "-",
    "'",
    '"',
    "|",
    ">",
    "!",
    "*",
    "é",
    "\x1b",
    "1e-400",
    "A_1",
    "u_b",
]
LINES = st.lists(st.lists(st.sampled_from(PIECES), max_size=6).map(" ".join), max_size=12)


@pytest.mark.parametrize("name", ["dot-product-1", "split-and-join", "attention-exploration-e1"])
@given(lines=LINES)
def test_whatever_is_typed(name: str, lines: list[str]) -> None:
    """Something is said to it or waited for, all of it is kept, and what is kept is read again as the same."""
    practice = Practice(checker_of(name))
    for line in lines:
        if not practice.is_over:
            said = practice.answer(line)
            assert said.blocks or practice.listener.lines
            text.render(said, Page())
    practice.answer("\nquit")
    assert practice.is_over
    again = Practice(checker_of(name))
    root = read_yaml(write_progress(practice).encode(), "kept")
    for told in again.listener.reader.read(root, "kept").entries:
        again.sheet.put(told, again.problem)
    again.mark()
    kept, read = (dict(one.sheet.texts()) for one in (practice, again))
    assert {key: cells.tolist() for key, cells in kept.items()} == {
        key: cells.tolist() for key, cells in read.items()
    }
    assert repr(again.report) == repr(practice.report)


PRACTISED = [name for name in WORKED if "design" not in STATED[name]]


@each("name", PRACTISED, quick=["discussion-10-q1", "attention-exploration-e1", "split-and-join"])
def test_right_answers_are_found(name: str) -> None:
    """Every exercise can be practised: rounded numbers, and exact ones with letters, are right at once."""
    practice = Practice(checker_of(name))
    for _ in practice.questions:
        practice.answer(right_text(practice))
    assert practice.is_over and practice.is_found


def right_text(practice: Practice) -> str:
    """What is asked now, as a student may type it."""
    field, asked = practice.solution.trace.field, practice.asked.reference
    numbers = practice.solution[asked.step].numbers[tuple(n - 1 for n in asked.at)]
    places = max(PLACES, practice.problem.places or 0)

    def put_down(number: Any) -> str:
        if field.is_open(number):
            return ascii_text(field.term(number), Ascii())
        return written(float(field.floats(np.array(number, dtype=object))), places, half_up=False)

    return str(np.asarray(np.frompyfunc(put_down, 1, 1)(numbers), dtype=object).tolist()).replace("'", "")
