"""Students made by chance: honest ones who round as they like, and ones who make a mistake and go on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal
from functools import cache
from typing import Any

import numpy as np

import attncalc
from attncalc.api.check import as_mapping
from attncalc.core.fields import Array, Numeric
from attncalc.core.graph.graph import Graph
from attncalc.exercise.mechanisms import build_graph
from attncalc.exercise.problem import Problem
from attncalc.marking.checker import Checker
from attncalc.marking.report.report import Report
from attncalc.mistakes.base import Mistake, Variation
from tests.helpers.bundled import GRAPHS, ONE_SEQUENCE, checker_of

Random = np.random.Generator


def random_problem(rng: Random) -> Problem:
    """A small exercise such as courses set: one head or two, or with positions."""
    kind = rng.random()
    if kind < 0.15:
        return several_heads(rng)
    if kind < 0.2:
        x = numbers(rng, int(rng.integers(2, 4)), 4)
        return attncalc.problem(X=x, position=str(rng.choice(["rope", "sinusoidal"])), mode="numeric")
    return single_head(rng)


def several_heads(rng: Random) -> Problem:
    """Two heads, put side by side or added or averaged, with an output matrix."""
    keys: dict[str, Any] = {"X": numbers(rng, int(rng.integers(2, 4)), 4), "heads": 2}
    for name in ("W_Q", "W_K", "W_V"):
        keys[name] = numbers(rng, 4, 4)
    combine = str(rng.choice(["concat", "concat", "mean", "sum"]))
    width = 4 if combine == "concat" else 2
    return attncalc.problem(**keys, combine=combine, W_O=numbers(rng, width, width))


def single_head(rng: Random) -> Problem:
    """Integers or halves, scaled or masked or neither."""
    tokens, width, d_k, d_v = (int(rng.integers(2, 5)) for _ in range(4))
    square = bool(rng.random() < 0.4)
    if square:
        width = d_k = d_v = tokens
    keys: dict[str, Any] = {"X": numbers(rng, tokens, width)}
    for name, columns in (("W_Q", d_k), ("W_K", d_k), ("W_V", d_v)):
        keys[name] = numbers(rng, width, columns)
    if rng.random() < 0.3:
        keys["b_Q"] = numbers(rng, 1, d_k)
    if rng.random() < 0.4:
        keys["mask"] = "causal"
    if rng.random() < 0.3:
        keys["scale"] = "none"
    return attncalc.problem(**keys)


def numbers(rng: Random, rows: int, columns: int) -> list[list[str]]:
    """Small numbers, some of them halves."""
    halves = rng.random() < 0.3
    drawn = rng.integers(-2, 3, (rows, columns))
    return [[f"{n}/2" if halves else str(n) for n in row] for row in drawn]


def written(value: float, places: int, half_up: bool) -> str:
    """A number as the student writes it."""
    if np.isneginf(value):
        return "-inf"
    rounding = ROUND_HALF_UP if half_up else ROUND_HALF_EVEN
    digits = Decimal(value).quantize(Decimal(1).scaleb(-places), rounding, Context(prec=400))
    return f"{abs(digits) if digits == 0 else digits:f}"


@cache
def random_checker(number: int, one_head: bool = False) -> Checker:
    """The checker of a random problem, the same for all tests."""
    rng = np.random.default_rng(number)
    return Checker(single_head(rng) if one_head else random_problem(rng))


@cache
def random_graph(number: int) -> Graph:
    """The graph of a random problem, which is quicker to have than its checker."""
    return build_graph(random_problem(np.random.default_rng(number)))


def marked(checker: Checker, answers: dict[str, Any]) -> Report:
    """The report on answers from Python."""
    return checker.check(as_mapping(answers), "answers")


def classes(
    count: int, students: int, rng: Random, one_head: bool = False
) -> Iterator[tuple[Checker, Student]]:
    """`count` classes, each with another random problem and the given number of students."""
    for number in range(count):
        checker = random_checker(number, one_head)
        yield from ((checker, Student(checker, rng)) for _ in range(students))


def variations(mistake: Mistake, graph: Graph, misshapen: bool = False) -> list[Variation]:
    """All ways to make a mistake in a graph and to go on, or those with a wrong shape, after which no student can."""
    return [
        variation
        for step in graph.steps
        for variation in mistake.variations(step, graph)
        if (variation.step.shape != step.shape) is misshapen
    ]


def given_values(checker: Checker) -> dict[str, Array]:
    """What is given, as floats."""
    return {name: checker.truth.field.floats(value) for name, value in checker.truth.start.items()}


def right_values(checker: Checker) -> dict[str, Array]:
    """What is given and every step, as floats."""
    return {**given_values(checker), **{step.name: step.value for step in checker.solution.steps}}


def chances(mistake: Mistake, count: int) -> Iterator[Checker]:
    """Problems in which a mistake can be made: those among `count` random ones, then the bundled ones."""
    for number in range(count):
        if variations(mistake, random_graph(number)):
            yield random_checker(number)
    yield from (checker_of(name) for name in ONE_SEQUENCE if variations(mistake, GRAPHS[name]))


class Student:
    """Goes through a graph with floats, putting some steps down and going on with what they like."""

    def __init__(self, checker: Checker, rng: Random, tell: float = 0.6) -> None:
        self.graph: Graph = checker.graph
        self.right = checker.truth
        self.rng = rng
        self.values = given_values(checker)
        self.told = {step.name for step in self.graph.steps if rng.random() < tell}
        self.told.add(self.graph.steps[-1].name)
        # Rounded away to 0, a total cannot be divided by: no one puts such exponentials down.
        for step in self.graph.steps:
            if step.role == "T" and np.min(self.right.range(step.name).high) < 1:
                self.told -= {step.name, *step.inputs}
        self.half_up = bool(rng.random() < 0.5)
        self.carry = str(rng.choice(["full", "rounded", "finer", "mixed"]))
        self.places = int(rng.integers(2, 6))

    def answers(
        self, change: Variation | None = None, slip: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """The student's answers, with a changed step or a wrong cell if wanted."""
        found: dict[str, Any] = {}
        values = dict(self.values)
        graph = self.graph
        if change:
            values |= change.given
            graph = graph.with_shapes({name: matrix.shape for name, matrix in change.given.items()})
        changes = change.changes if change else {}
        for step in self.graph.steps:
            op = None if step.name in changes else self.right.trace.ops[step.name]
            done = changes[step.name].step if step.name in changes else step
            exact = np.array(graph.evaluate(done, values, Numeric(), op))
            if slip and step.name == slip["step"]:
                exact[slip["at"]] += slip["by"]
            if step.name not in self.told:
                values[step.name] = exact
                continue
            places = self.places + int(self.rng.integers(0, 2)) if self.carry == "mixed" else self.places
            texts = [[written(float(x), places, self.half_up) for x in row] for row in exact]
            found[step.name] = texts
            values[step.name] = self.carried(exact, texts, places)
        return found

    def carried(self, exact: Array, texts: list[list[str]], places: int) -> Array:
        """What the student goes on with: the written number, one with more digits, or the full one."""
        rounded = np.array([[float(text) for text in row] for row in texts])
        with np.errstate(invalid="ignore"):
            finer = np.where(np.isfinite(exact), np.round(exact, places + 1), exact)
        options = {"full": exact, "rounded": rounded, "finer": finer}
        if self.carry == "mixed":
            choice = self.rng.integers(0, 3, exact.shape)
            return np.choose(choice, [exact, rounded, finer])
        return options[self.carry]
