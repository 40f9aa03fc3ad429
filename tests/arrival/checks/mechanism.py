"""The heat is solved, written, named, differentiated, and lawful."""

from __future__ import annotations

import json
from inspect import signature
from typing import Any

import numpy as np
from hypothesis import is_hypothesis_test

import attncalc
from attncalc.core.errors import ProblemError
from attncalc.exercise.solve.solution import Solution
from attncalc.features.topics.topic_gradient import backward
from attncalc.pages import formats_of
from tests.arrival.warm import FILE, HEADS, WARM
from tests.core import test_laws
from tests.core.test_gradients import agree
from tests.helpers.commands import run
from tests.helpers.solutions import same_steps
from tests.pages.test_scripts import executed, rendered


def solutions(keys: dict[str, Any]) -> tuple[Solution, Solution]:
    """Solved exactly and numerically."""
    problem = attncalc.problem(**keys)
    return attncalc.solve(problem, "exact"), attncalc.solve(problem, "numeric")


def refused(**keys: Any) -> str:
    """Why a problem is refused; None leaves a key out."""
    try:
        given = {key: value for key, value in {**WARM, **keys}.items() if value is not None}
        attncalc.solve(attncalc.problem(**given))
    except ProblemError as error:
        return str(error)
    raise AssertionError(keys)


def check_steps() -> None:
    """The key is read; its step is solved in both modes, for every head."""
    for keys, name, heat in ((WARM, "W", 1.5), (HEADS, "W_2", 2)):
        exact, numeric = solutions(keys)
        same_steps(exact, numeric)
        (scores,) = exact[name].inputs
        np.testing.assert_allclose(exact[name].value, exact[scores].value / heat)
    assert "positive" in refused(heat=0)
    assert "did you mean 'heat'" in refused(hheat=2, heat=None)


def check_formats() -> None:
    """Every format writes the step, but for a picture, which shows the weights; the script computes it."""
    solution = attncalc.solve(attncalc.load(FILE))
    for name in formats_of("documents", "solutions"):
        shown = (
            f"{solution['A'].value[-1, -1]:.2f}" if name in ("svg", "arcs", "strip") else "Tempered scores"
        )
        assert shown in run("solve", FILE, "-f", name), name
    assert executed(rendered(solution)) == [step.name for step in solution.steps]
    steps = {step["name"]: step for step in json.loads(run("solve", FILE, "-f", "json"))["steps"]}
    assert steps["W"]["formula"] == "M / (3/2)" and steps["E"]["inputs"] == ["W"]


def check_names() -> None:
    """The step's name is accepted in names, parts and marks, and refused in let and as another's name."""
    shown = [{"part": "a", "show": ["W[2]", "u'[2,1]"]}]
    problem = attncalc.problem(**WARM, names={"W": "u'"}, marks={"W": 4}, parts=shown)
    solution = attncalc.solve(problem)
    assert solution["u'"].name == "W" and "u'₂₁ = M₂₁/(3/2)" in str(solution)
    report = attncalc.check(problem, {"u'": np.round(solution["W"].value, 3).tolist()})
    assert [(step.step, step.max_score, step.verdict) for step in report.steps] == [("W", 4, "correct")]
    assert "'W' already has a meaning" in refused(let={"W": 2})
    assert "'heat' already has a meaning" in refused(let={"heat": 2})
    assert "'W' is already the name of a step" in refused(names={"S": "W"})


def check_gradients() -> None:
    """They equal finite differences, are the same in both modes, and are shown."""
    for keys in (WARM, HEADS):
        exact, numeric = solutions(keys)
        agree(numeric)
        same_steps(backward(exact), backward(numeric), 1e-9)
    assert "Gradient of the tempered scores dW" in run("explain", "gradient", FILE)


def check_laws() -> None:
    """All laws of problems hold: exact is numeric, a worked line is its value, what is counted is the cost."""
    found = {name: law for name, law in vars(test_laws).items() if is_hypothesis_test(law)}
    bare = {name: law.hypothesis.inner_test for name, law in found.items()}
    laws = {name: law for name, law in bare.items() if list(signature(law).parameters) == ["keys"]}
    assert laws.keys() >= {
        "test_exact_is_numeric",
        "test_the_worked_line_of_a_cell_is_its_value",
        "test_cost_is_what_a_counting_number_counts",
    }
    for law in laws.values():
        law(WARM)
        law(HEADS)


if __name__ == "__main__":
    check_steps()
    check_formats()
    check_names()
    check_gradients()
    check_laws()
