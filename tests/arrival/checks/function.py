"""The function asinh is typed, solved in both modes, written in every format, marked and differentiated."""

from __future__ import annotations

import math
from pathlib import Path
from unittest.mock import patch

import numpy as np

import attncalc
from attncalc.core.ops.base import At, Operand
from attncalc.core.terms import Apply, Term
from attncalc.exercise.mechanisms.softcap import Softcap
from attncalc.pages import formats_of
from tests.core.test_gradients import agree
from tests.helpers.commands import run
from tests.helpers.solutions import same_steps
from tests.pages.test_scripts import executed, rendered

FILE = "bent.yaml"
TYPED = "Q: [[2, 1]]\nK: [[1, 0], [1, 1]]\nV: [[asinh(1)], [2*arcsinh(-1/2)]]\nsoftcap: 2\n"
VALUES = [[math.asinh(1)], [2 * math.asinh(-0.5)]]


PICTURES = ("svg", "arcs", "strip")
"""Formats without terms."""


def bent(_: Softcap, at: At, *operands: Operand) -> Term:
    """Every score with the function that has arrived, in place of the softcap."""
    return Apply("asinh", operands[0][at])


@patch.object(Softcap, "cell", bent)
def main() -> None:
    """In what is given, and in the rule of a step."""
    Path(FILE).write_text(TYPED)
    problem = attncalc.load(FILE)
    exact, numeric = attncalc.solve(problem, "exact"), attncalc.solve(problem, "numeric")
    same_steps(exact, numeric)
    np.testing.assert_allclose(exact["C"].value, np.arcsinh(exact["Z"].value))
    np.testing.assert_allclose(exact["O"].value, exact["A"].value @ VALUES)
    agree(numeric)
    for name in formats_of("documents", "solutions"):
        assert name in PICTURES or "sinh" in run("solve", FILE, "-f", name), name
    assert executed(rendered(exact)) == [step.name for step in exact.steps]
    told = {step.name: [[f"{x:.4f}" for x in row] for row in step.value] for step in exact.steps}
    assert attncalc.check(problem, told).verdict == "correct"


if __name__ == "__main__":
    main()
