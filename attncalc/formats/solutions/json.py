"""A solution as JSON, for other programs."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from attncalc.notations.unicode import Code, write
from attncalc.solution.solution import Solution, SolvedStep

SCHEMA = "attncalc/solution/1"


def render(solution: Solution, steps: tuple[SolvedStep, ...]) -> str:
    """The steps of a solution."""
    content = {
        "schema": SCHEMA,
        "title": solution.problem.title,
        "mode": solution.mode,
        "output": solution.output,
        "steps": [step_object(step) for step in steps],
    }
    return json.dumps(content, ensure_ascii=False, allow_nan=False, indent=1)


def step_object(step: SolvedStep) -> dict[str, Any]:
    """One step."""
    code = Code()
    exact = None
    if step.trace.field.name == "exact":
        exact = np.frompyfunc(lambda term: write(term, code), 1, 1)(step.terms).tolist()
    found = {
        "name": step.name,
        "symbol": step.symbol,
        "title": step.title,
        "formula": step.formula,
        "inputs": list(step.inputs),
        "shape": list(step.shape),
        "exact": exact,
        "value": finite(step.value.tolist()),
        "cost": step.cost.counts(),
    }
    return {**found, "shifted": True} if step.shifted else found


def finite(value: Any) -> Any:
    """Nested lists of floats, −∞ as the text that JSON can hold, null for what has free letters."""
    if isinstance(value, list):
        return [finite(item) for item in value]
    if value != value:
        return None
    return "-inf" if value == float("-inf") else value
