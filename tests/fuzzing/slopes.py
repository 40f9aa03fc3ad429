"""Gradients of the reference: every given number moved a little, and the steps worked again."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from tests.fuzzing.comparing import ROUGHLY
from tests.fuzzing.reading import Floats, NotCovered, Reader
from tests.fuzzing.reference import Reference

MOVED = r"(X|X_Q|X_K|X_V|X_KV|S|O|(past_)?[QKV](_\d)?|[Wb]_[QKVO](_\d)?)"
"""The keys whose numbers are moved."""
STEP = 2e-5
BENT = 1e-2
"""How much the slopes on both sides differ at a bend, as a share."""
LAST_BITS = 2.0**-52
"""What a float loses, as a share: of large values that change little the slope is lost."""


def slopes(text: str, folder: Path) -> dict[str, Floats]:
    """The gradients of what is given, by name; nan where there is none, at a bend, or it cannot be seen."""
    reader = Reader(text, folder)
    told = reader.word("backward")
    if told == "none":
        return {}
    ((step, gradient),) = told.items() if isinstance(told, dict) else [(told, "ones")]
    weights = 1.0 if gradient == "ones" else reader.as_rows(gradient)

    def loss(key: str, at: tuple[int, ...], change: float) -> float:
        moved = Reader(text, folder)
        matrix = moved.matrix(key)
        assert matrix is not None
        moved.moved[key] = np.zeros(matrix.shape)
        moved.moved[key][at] = change
        steps = Reference(moved).steps()
        if step not in steps:
            raise NotCovered(f"no step {step}")
        return float((steps[step] * weights).sum())

    found = {}
    for key in filter(re.compile(MOVED).fullmatch, reader.tree):
        matrix = reader.matrix(key)
        assert matrix is not None
        found[f"d{key}"] = np.array([
            slope([loss(key, at, n * STEP) for n in range(-2, 3)]) if np.isfinite(matrix[at]) else 0.0
            for at in np.ndindex(matrix.shape)
        ]).reshape(matrix.shape)  # fmt: skip
    return found


def slope(values: list[float]) -> float:
    """The slope in the middle of five values at equal distances."""
    first, before, here, after, last = values
    left, right = (here - before) / STEP, (after - here) / STEP
    lost = LAST_BITS * max(map(abs, values)) / STEP
    if not abs(left - right) <= BENT * max(1.0, abs(left)) or lost > ROUGHLY * max(1.0, abs(left)):
        return float("nan")
    return (8 * (after - before) - (last - first)) / (12 * STEP)
