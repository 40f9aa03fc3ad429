"""Weights that a mechanism brings are marked, excused for rounding, drawn and written like the usual ones."""

from __future__ import annotations

from typing import Any

import numpy as np

import attncalc
from attncalc.marking.checker import Checker
from attncalc.pages import formats_of
from attncalc.worked.blocks import Map
from attncalc.worked.overview import attention_map
from tests.arrival.warm import PLAIN
from tests.core.test_gradients import agree
from tests.helpers.commands import run
from tests.helpers.random_students import Student, marked
from tests.helpers.solutions import same_steps

FILE = "problems/sharp.yaml"
HEADS: dict[str, Any] = {**PLAIN, "heads": 2, "sharpness": 2}
PICTURES = ("svg", "arcs", "strip")


def check_steps() -> None:
    """Both modes agree, and gradients are finite differences; the output is made of the new weights."""
    for problem in (attncalc.load(FILE), attncalc.problem(**HEADS)):
        exact, numeric = attncalc.solve(problem, "exact"), attncalc.solve(problem, "numeric")
        same_steps(exact, numeric)
        agree(numeric)
        assert all("A_P" in step.inputs[0] for step in exact.steps if step.step.kind.stage == "output")


def check_pictures() -> None:
    """Pictures show the new weights beside the old ones, and which keys are hidden; other formats name them."""
    solution = attncalc.solve(attncalc.load(FILE))
    number = f"{solution['A_P'].value[-1, 1]:.2f}"
    assert number != f"{solution['A'].value[-1, 1]:.2f}"
    for name in formats_of("documents", "solutions"):
        assert (number if name in PICTURES else "Sharpened weights") in run("solve", FILE, "-f", name), name
    assert run("solve", FILE, "-f", "html").count('"stage":"weights"') == 2
    maps = {block.symbol: block.hidden for block in attention_map(solution) if isinstance(block, Map)}
    assert maps["A_P"] == maps["A"] == {(0, 1), (0, 2), (1, 2)}


def check_the_honest() -> None:
    """Honest rounding is never wrong; percentages and a last weight as the rest are excused by name."""
    chance = np.random.default_rng(1)
    for problem in (attncalc.load(FILE), attncalc.problem(**HEADS)):
        checker = Checker(problem)
        for _ in range(5):
            assert marked(checker, Student(checker, chance).answers()).verdict in ("correct", "incomplete")
    weights = attncalc.solve(attncalc.load(FILE))["A_P"].value
    rest = np.round(weights, 1)
    rest[:, -1] = 1 - rest[:, :-1].sum(axis=-1)
    for told, words in ((np.round(100 * weights, 1), "in percent"), (rest, "1 minus the others")):
        step, *_ = attncalc.check(attncalc.load(FILE), {"A_P": told.tolist()}).steps
        assert step.verdict.is_right and words in step.rounding


def check_the_wrong() -> None:
    """Weights that were not sharpened are wrong, what is made of them follows; rows must add up to 1."""
    solution = attncalc.solve(attncalc.load(FILE))
    blunt = np.round(solution["A"].value, 4)
    output = np.round(blunt @ np.array([[1, 2], [3, 5], [0, 4]]), 3)
    told = {"A": blunt.tolist(), "A_P": blunt.tolist(), "O": output.tolist()}
    report = attncalc.check(attncalc.load(FILE), told)
    verdicts = {"A": "correct", "A_P": "wrong", "O": "follows"}
    assert {step.step: step.verdict for step in report.steps} == verdicts
    uneven = {"A_P": [[0.8, 0.3, 0.3], [0.9, 0.31, 0.2], [0.52, 0.4, 0.44]]}
    step, *_ = attncalc.check(attncalc.load(FILE), uneven).steps
    assert "The rows add up to 1.4, 1.41, 1.36, not to 1." in step.remarks


if __name__ == "__main__":
    check_steps()
    check_pictures()
    check_the_honest()
    check_the_wrong()
