"""Answers made from a solution: right ones as a student rounds them, and a wrong one among them."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from tests.fuzzing.writing import quoted

Steps = list[dict[str, Any]]
LARGEST_PLAIN = 1e6


def rounded(value: Any, places: int) -> str:
    """A number, or nested lists of them, to so many decimals."""
    if isinstance(value, list):
        return f"[{', '.join(rounded(item, places) for item in value)}]"
    if value is None:
        return "_"
    if isinstance(value, str):
        return value
    return f"{value:.{places}f}" if abs(value) < LARGEST_PLAIN else f"{value:.{places + 6}e}"


def is_moderate(value: Any) -> bool:
    """Whether all numbers are so large at most that floats know their last digit, as whole ones must be told."""
    if isinstance(value, list):
        return all(map(is_moderate, value))
    return not isinstance(value, float) or abs(value) < LARGEST_PLAIN or not value.is_integer()


def typed(exact: Any) -> str:
    """Exact texts as a student types them."""
    if isinstance(exact, list):
        return f"[{', '.join(map(typed, exact))}]"
    return json.dumps(exact, ensure_ascii=False)


def right_answers(random: Random, steps: Steps) -> str:
    """Answers that are right: decimals of one precision, or exact."""
    known = [step for step in steps if is_moderate(step["value"])]
    chosen = [step for step in known if random.random() < 0.8] or known
    if random.random() < 0.3 and all(step["exact"] for step in chosen):
        return "".join(f"{step['name']}: {typed(step['exact'])}\n" for step in chosen)
    places = random.randint(2, 6)
    return "".join(f"{step['name']}: {rounded(step['value'], places)}\n" for step in chosen)


def one_wrong(random: Random, steps: Steps) -> str:
    """The last step alone, with one entry far off; nothing where that entry has letters or is hidden."""
    step = steps[-1]
    value = json.loads(json.dumps(step["value"]))
    inner = value
    while isinstance(inner[0], list):
        inner = random.choice(inner)
    at = random.randrange(len(inner))
    if not isinstance(inner[at], float):
        return ""
    inner[at] += random.choice([-1, 1]) * (1.37 + 1.7 * abs(inner[at]))
    return f"{quoted(step['name'])}: {rounded(value, 4)}\n"
