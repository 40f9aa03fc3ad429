"""The same numbers by several ways: modes, the reference, and exact texts."""

from __future__ import annotations

import re
from typing import Any

import mpmath
import numpy as np

from tests.fuzzing.answers import Steps
from tests.fuzzing.commands import Found
from tests.fuzzing.reading import LETTERS, NotCovered, evaluate

CLOSE = 1e-9
ROUGHLY = 1e-5
"""How close finite differences are to slopes; at a bend, which is nan, they say nothing."""
LARGEST = 1e9
"""Beyond this size floats that cancel are not compared: they lose more digits than they are compared to."""
EXACTLY = {
    name: getattr(mpmath, name) for name in ("sqrt", "exp", "ln", "tanh", "sin", "cos", "erf", "e", "pi")
}
"""Functions of many digits and any size."""
DIGITS = 80


def agree(kind: str, steps: Steps, wanted: dict[str, Any], close: float = CLOSE) -> None:
    """The same numbers wherever both have them, up to where they get too large for floats to tell."""
    for step in steps:
        if step["name"] not in wanted:
            continue
        ours, theirs = (
            np.array(value, dtype=float) for value in (floats(step["value"]), floats(wanted[step["name"]]))
        )
        if ours.shape != np.broadcast_shapes(ours.shape, theirs.shape):
            raise Found(f"{kind} in shape", f"{step['name']}: {ours.shape} and {theirs.shape}")
        size = max(1.0, float(np.abs(ours[np.isfinite(ours)]).max(initial=0)))
        if size > LARGEST:
            return
        theirs = np.where(np.isnan(theirs) & (close > CLOSE), ours, theirs)
        if not np.allclose(ours, theirs, rtol=close, atol=close * size, equal_nan=True):
            raise Found(kind, f"{step['name']}:\n{ours}\n{theirs}")


def with_letters(step: dict[str, Any]) -> dict[str, Any]:
    """A step, its exact texts evaluated if they have letters."""

    def worked(value: Any, exact: Any) -> Any:
        if isinstance(value, list):
            return [worked(*pair) for pair in zip(value, exact, strict=True)]
        return float(evaluate(exact, {**EXACTLY, **LETTERS})) if value is None else value

    return {**step, "value": worked(step["value"], step["exact"])} if step["exact"] else step


def floats(value: Any) -> Any:
    """Nested lists with −∞ as a float; None if there are letters."""
    if isinstance(value, list):
        return [floats(item) for item in value]
    return (
        float("nan") if value is None else np.array(value, dtype=float) if isinstance(value, str) else value
    )


def read_exact(steps: Steps) -> None:
    """Exact texts evaluate to their floats, by Python's own arithmetic."""
    for step in steps:
        if step["exact"] is not None and None not in np.array(step["value"], dtype=object).ravel():
            for text, value in zip(
                np.array(step["exact"]).ravel(), np.array(step["value"], dtype=object).ravel(), strict=True
            ):
                check_text(step["name"], str(text), float(value))


def check_text(name: str, text: str, value: float) -> None:
    """One exact text and its float, however much of it cancels."""
    integer = r"(?<![\w.])[0-9]+(?![\w.])"
    try:
        with mpmath.workdps(DIGITS):
            found = float(evaluate(re.sub(integer, r"mpf(\g<0>)", text), {**EXACTLY, "mpf": mpmath.mpf}))
    except NotCovered:
        return
    if not np.isclose(found, value, rtol=1e-6, atol=1e-6):
        raise Found("an exact text is not its value", f"{name}: {text} is {found}, not {value}")
