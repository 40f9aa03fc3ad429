"""A solution as JSON, for other programs."""

from __future__ import annotations

from attncalc.formats import Page
from attncalc.formats.data import json
from attncalc.formats.shared.excerpt import Excerpt
from attncalc.formats.shared.numbers import both_results
from attncalc.solution.solution import SolvedStep

SCHEMA = "attncalc/solution/1"


def render(excerpt: Excerpt, page: Page) -> str:
    """The steps of a solution."""
    solution = excerpt.solution
    content = {
        "schema": SCHEMA,
        "title": solution.problem.title,
        "mode": solution.mode,
        "output": solution.output,
        "steps": [step_object(step) for step in excerpt.steps],
    }
    return json.render(content, page)


def step_object(step: SolvedStep) -> dict[str, object]:
    """One step."""
    found = {
        "name": step.name,
        "symbol": step.symbol,
        "title": step.title,
        "formula": step.formula,
        "inputs": list(step.inputs),
        "shape": list(step.shape),
        **both_results(step),
        "cost": step.cost.counts(),
    }
    return {**found, "shifted": True} if step.shifted else found
