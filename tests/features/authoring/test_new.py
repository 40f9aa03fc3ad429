"""`attncalc new`: exercises that lint finds nothing against and that can be solved, whatever is asked for."""

from __future__ import annotations

from itertools import product

import pytest

from attncalc.exercise.load import Source
from attncalc.exercise.solve.solve import solve
from attncalc.features.authoring.command_new import Plan, write_new
from attncalc.features.authoring.lint.lint import lint
from attncalc.marking.prepared import Prepared
from tests.helpers.commands import run, run_fault
from tests.helpers.quick_and_slow import SLOW, each

pytestmark = SLOW

ALL = [*product((2, 3, 4), (1, 2, 3), (2, 3, 4), (1, 2), ("none", "causal"))]
"""Tokens, width, d_model, heads, mask."""


@each(
    ("tokens", "width", "d_model", "heads", "mask"), ALL, quick=[(3, 2, 3, 1, "causal"), (2, 1, 2, 2, "none")]
)
def test_every_combination_of_options(tokens: int, width: int, d_model: int, heads: int, mask: str) -> None:
    """It can be solved and checked, has the sizes asked for, and lint finds that every mistake is seen."""
    source = Source(write_new(Plan(tokens, width, d_model, heads, mask, 4)), "new.yaml", ".")
    sizes = solve(source.problem).graph.sizes
    assert (sizes["n_q"], sizes["d_k"], sizes["d_model"], sizes["heads"]) == (tokens, width, d_model, heads)
    found = lint(source)
    assert found.seen == found.applicable and {one.code for one in found.findings} <= {"alike", "unnamed"}
    assert not found.findings or min(tokens, width) < 3
    assert Prepared(source.problem).marks.worth


@pytest.mark.parametrize("seed", [0, 1])
def test_the_same_seed_gives_the_same_file(seed: int) -> None:
    """And another gives other numbers."""
    made = run("new", "--seed", str(seed))
    assert made == run("new", "--seed", str(seed)) != run("new", "--seed", str(seed + 1))


def test_it_is_commented() -> None:
    """What may be changed is said beside it."""
    made = run("new", "--tokens", "3", "--width", "2", "--mask", "causal")
    assert made.count("#") >= 5 and "mask: causal" in made


def test_sizes_have_bounds() -> None:
    """Sizes that cannot be worked by hand are refused."""
    assert "is not in the range 2<=x<=4" in run_fault("new", "--tokens", "9")
