"""Answers made from a solution: right ones in every form that students write, and a wrong one among them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from tests.fuzzing.writing import quoted

Steps = list[dict[str, Any]]
Writer = Callable[[float], str]
LARGEST_PLAIN = 1e6
HIDDEN = ("-inf", "-oo", "−∞")
WRAPPED = ("≈{}", "~{}", "= {}", "${}$")
"""What stands around a number and is not part of it."""


def decimal(value: float, places: int) -> str:
    """A number with the given decimals, a large one in powers of ten."""
    return f"{value:.{places}f}" if abs(value) < LARGEST_PLAIN else f"{value:.{places + 6}e}"


def find_writer(random: Random, places: int) -> Writer:
    """One way to write numbers: most often decimals, else percent, a comma, powers of ten, a sign around them."""
    around, thousandless = random.choice(WRAPPED), places + (places == 3)
    plain: Writer = lambda value: decimal(value, places)  # noqa: E731
    other: list[Writer] = [
        lambda value: f"{decimal(100 * value, places)}%",
        lambda value: json.dumps(decimal(value, thousandless).replace(".", ",")),
        lambda value: f"{value:.{places}e}",
        lambda value: json.dumps(around.format(decimal(value, places))),
    ]
    return plain if random.random() < 0.6 else random.choice(other)


def rounded(value: Any, write: Writer) -> str:
    """A number, or nested lists of numbers, as a student writes them."""
    if isinstance(value, list):
        return f"[{', '.join(rounded(item, write) for item in value)}]"
    if value is None:
        return "_"
    return value if isinstance(value, str) else write(value)


def is_moderate(value: Any) -> bool:
    """Whether all numbers are small enough for floats to hold their last digit."""
    if isinstance(value, list):
        return all(map(is_moderate, value))
    return not isinstance(value, float) or abs(value) < LARGEST_PLAIN or not value.is_integer()


def typed(exact: Any) -> str:
    """Exact texts as a student types them."""
    if isinstance(exact, list):
        return f"[{', '.join(map(typed, exact))}]"
    return json.dumps(exact, ensure_ascii=False)


def right_answers(random: Random, steps: Steps) -> str:
    """Answers that are right, of one precision or exact: steps, rows or cells, under any of their names."""
    known = [step for step in steps if is_moderate(step["value"])]
    chosen = [step for step in known if random.random() < 0.8] or known
    if random.random() < 0.3 and all(step["exact"] for step in chosen):
        lines = [line for step in chosen for line in tell(random, step, "exact", typed)]
    else:
        write, hidden = find_writer(random, random.randint(2, 6)), random.choice(HIDDEN)
        lines = [
            line.replace("-inf", hidden)
            for step in chosen
            for line in tell(random, step, "value", lambda value: rounded(value, write))
        ]
    return within_a_file(random, lines) if lines else ""


def tell(random: Random, step: dict[str, Any], kind: str, write: Callable[[Any], str]) -> Iterator[str]:
    """A step whole, or by its rows or cells, some of them left out."""
    depth = random.choice([0, 0, 0, 1, 2])
    name = step["symbol"] if random.random() < 0.2 else step["name"]
    for at, value in within(step[kind], depth):
        if not depth or random.random() < 0.8:
            yield f"{quoted(f'{name}{list(at)}' if at else name)}: {write(value)}"


def within(value: Any, depth: int) -> Iterator[tuple[tuple[int, ...], Any]]:
    """The parts of nested lists at a given depth, with their indices from 1."""
    if not depth or not isinstance(value, list):
        yield (), value
        return
    for number, item in enumerate(value, 1):
        yield from (((number, *at), part) for at, part in within(item, depth - 1))


def within_a_file(random: Random, lines: list[str]) -> str:
    """Answers in any order, perhaps with a student's name, perhaps all of them under one key."""
    if random.random() < 0.2:
        random.shuffle(lines)
    student = "student: ada\n" if random.random() < 0.2 else ""
    if random.random() < 0.1:
        return student + "answers:\n" + "".join(f"  {line}\n" for line in lines)
    return student + "".join(f"{line}\n" for line in lines)


def is_negligible(number: float, beside: Any) -> bool:
    """Whether a number is as good as zero beside the largest of others."""
    largest = max(abs(value) for value in numbers_in(beside))
    return abs(number) < 1e-8 * largest and largest > 1


def numbers_in(value: Any) -> Iterator[float]:
    """The numbers in nested lists, without what has letters or is hidden."""
    if isinstance(value, list):
        for item in value:
            yield from numbers_in(item)
    elif isinstance(value, float):
        yield value


def one_wrong(random: Random, steps: Steps) -> str:
    """The last step alone, with one wrong entry; None if that has letters, is hidden or negligible."""
    step = steps[-1]
    value = json.loads(json.dumps(step["value"]))
    inner = value
    while isinstance(inner[0], list):
        inner = random.choice(inner)
    at = random.randrange(len(inner))
    if not isinstance(inner[at], float) or is_negligible(inner[at], value):
        return ""
    inner[at] += random.choice([-1, 1]) * (1.37 + 1.7 * abs(inner[at]))
    return f"{quoted(step['name'])}: {rounded(value, lambda number: decimal(number, 4))}\n"
