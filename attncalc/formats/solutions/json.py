"""A solution as JSON, for other programs."""

from __future__ import annotations

from attncalc.fields import Array
from attncalc.formats import Page
from attncalc.formats.data import json
from attncalc.formats.shared.excerpt import Excerpt
from attncalc.formats.shared.numbers import Texts, both_results, nested
from attncalc.notations.unicode import Code, write
from attncalc.solution.designs import Reached, find_reached
from attncalc.solution.solution import Solution, SolvedStep

SCHEMA = "attncalc/solution/1"


def render(excerpt: Excerpt, page: Page) -> str:
    """The steps of a solution."""
    solution = excerpt.solution
    content: dict[str, object] = {
        "schema": SCHEMA,
        "title": solution.problem.title,
        "mode": solution.mode,
        "output": solution.output,
        "steps": [step_object(step) for step in excerpt.steps],
    }
    if solution.problem.design:
        content["design"] = {
            name: texts(solution.trace.values[name], solution) for name in solution.problem.design
        }
        content["goal"] = [goal_object(reached, solution) for reached in find_reached(solution)]
    return json.render(content, page)


def goal_object(reached: Reached, solution: Solution) -> dict[str, object]:
    """One goal of a design: what is wanted, what is reached, and whether that is near enough."""
    return {
        "step": reached.reference.step,
        "at": list(reached.reference.at),
        "wanted": texts(reached.wanted, solution),
        "value": texts(reached.numbers, solution),
        "reached": reached.is_reached,
    }


def texts(numbers: Array, solution: Solution) -> Texts:
    """Numbers of a solution as they can be typed."""
    return nested(numbers.tolist(), lambda x: write(solution.trace.field.term(x), Code()))


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
