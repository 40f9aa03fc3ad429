"""A solution as JSON, for other programs."""

from __future__ import annotations

from attncalc.core.fields import Array
from attncalc.core.notations.unicode import Code, write
from attncalc.exercise.questions import question_of
from attncalc.exercise.solve.solution import Solution, SolvedStep
from attncalc.pages import Page
from attncalc.pages.data import json
from attncalc.pages.step_results import Texts, both_results, map_nested
from attncalc.worked.view import Excerpt

SCHEMA = "attncalc/solution/1"


def render(excerpt: Excerpt, page: Page) -> str:
    """The steps of a solution."""
    solution = excerpt.solution
    content: dict[str, object] = {
        "schema": SCHEMA,
        "title": solution.problem.title,
        "mode": solution.mode,
        **({"layout": "columns"} if solution.problem.in_columns else {}),
        "output": solution.output,
        "steps": [step_object(step) for step in excerpt.steps],
    }
    if question := question_of(solution.problem):
        content |= question.to_data(solution)
    return json.render(content, page)


def texts(numbers: Array, solution: Solution) -> Texts:
    """Numbers of a solution as one can type them."""
    return map_nested(numbers.tolist(), lambda x: write(solution.trace.field.term(x), Code()))


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
