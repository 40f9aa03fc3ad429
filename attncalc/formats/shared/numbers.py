"""The results of a step for other programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from attncalc.notations.unicode import Code, write
from attncalc.solution.solution import SolvedStep

Thing = TypeVar("Thing")
DIGITS = 6


def results(step: SolvedStep) -> dict[str, Any]:
    """Exact texts, which read back as they are, or none; and floats."""
    return {"exact": exact_texts(step), "value": step.value.tolist()}


def exact_texts(step: SolvedStep) -> Any:
    """The entries as they can be typed, or None in numeric mode."""
    if step.trace.field.name != "exact":
        return None
    return np.frompyfunc(lambda term: write(term, Code()), 1, 1)(step.terms).tolist()


def results_line(step: SolvedStep) -> str:
    """All results on a line: numbers, or what they are where they have letters."""
    if np.isnan(step.value).any():
        return listed(exact_texts(step))
    return listed(nested(step.value.tolist(), lambda x: f"{x:.{DIGITS}g}"))


def nested(values: Any, text: Callable[[Any], str]) -> Any:
    """Nested lists with every number as text."""
    return [nested(value, text) for value in values] if isinstance(values, list) else text(values)


def listed(values: Any) -> str:
    """Nested lists of texts on one line."""
    return f"[{', '.join(map(listed, values))}]" if isinstance(values, list) else values


def one_or_all(found: Sequence[Thing]) -> Thing | list[Thing]:
    """One thing as it is, several as a list."""
    return found[0] if len(found) == 1 else list(found)
