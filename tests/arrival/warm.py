"""The problem that the checks of what arrives share, from Python and as a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import attncalc
from attncalc.core.errors import ProblemError

PLAIN: dict[str, Any] = {"Q": [[2, 1], [1, 3]], "K": [[1, 0], [2, 1]], "V": [[1, 2], [3, 5]]}
WARM: dict[str, Any] = {**PLAIN, "mask": "causal", "heat": "3/2"}
HEADS: dict[str, Any] = {**PLAIN, "heads": 2, "heat": 2}
FILE = "problems/warm.yaml"
"""The same as `WARM`."""


def wrong_answers() -> str:
    """The answers of a student who forgets the heat."""
    without = attncalc.solve(attncalc.problem(**{**WARM, "heat": 1}))
    file = Path("answers.yaml")
    file.write_text(f"A: {np.round(without['A'].value, 4).tolist()}")
    return str(file)


def refusal(**keys: Any) -> str:
    """Why the problem with other keys is refused."""
    try:
        attncalc.problem(**{**WARM, **keys})
    except ProblemError as error:
        return str(error)
    raise AssertionError(keys)
