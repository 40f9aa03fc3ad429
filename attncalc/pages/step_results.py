"""The results of a step for other programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np

from attncalc.core.notations.unicode import Code, write
from attncalc.exercise.solve.solution import SolvedStep

Thing = TypeVar("Thing")
Texts: TypeAlias = "str | list[Texts]"
"""Nested lists of texts."""
DIGITS_OF_LINE = 6


def both_results(step: SolvedStep) -> dict[str, object]:
    """The entries as exact texts that can be read back, or None; and as floats."""
    return {"exact": exact_texts(step), "value": step.value.tolist()}


def exact_texts(step: SolvedStep) -> Texts | None:
    """The entries as one can type them; None in numeric mode."""
    exact = step.trace.field.name == "exact"
    return map_nested(step.terms.tolist(), lambda term: write(term, Code())) if exact else None


def results_line(step: SolvedStep) -> str:
    """All results on one line: numbers, or terms if they have letters."""
    letters = exact_texts(step) if np.isnan(step.value).any() else None
    return write_list(letters or map_nested(step.value.tolist(), lambda x: f"{x:.{DIGITS_OF_LINE}g}"))


def map_nested(values: object, text: Callable[[Any], str]) -> Texts:
    """Nested lists with every number as text."""
    return [map_nested(value, text) for value in values] if isinstance(values, list) else text(values)


def write_list(values: Texts) -> str:
    """Nested lists of texts on one line."""
    return f"[{', '.join(map(write_list, values))}]" if isinstance(values, list) else values


def one_or_all(found: Sequence[Thing]) -> Thing | list[Thing]:
    """A single thing itself, several as a list."""
    return found[0] if len(found) == 1 else list(found)
