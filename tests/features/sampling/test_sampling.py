"""Random inputs: what is drawn, what is said of it, and what cannot be drawn."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest

import attncalc
from attncalc.core.fields import Floats
from attncalc.exercise.problem import Problem
from attncalc.features.sampling.draw import draw_samples
from tests.helpers.commands import run, run_fault

GIVEN = {"Q": [[1, 2], [3, 4]], "K": [[1, 0], [0, 1]], "V": [[1, 2], [3, 4]]}


def last_draws(problem: Problem) -> Floats:
    """The draws of the last step."""
    return list(draw_samples(problem).values())[-1]


SAMPLES: list[tuple[Any, str]] = [
    (None, "has nothing to draw: give sample"),
    (3, "is written {K: {cov: [..]}, draws: 10000, seed: 0}"),
    ({"draws": 3}, "names no matrix to draw, such as K"),
    ({"K": 3}, "is written {cov: ..}"),
    ({"Z": {"cov": 1}}, "'Z' is not given, so it cannot be drawn"),
    ({"K": {"cov": ["1", "1", "1"]}}, "K needs one covariance, or one for each of its 2 rows"),
    ({"K": {"cov": [[1, 2], [3, 4]]}}, "a covariance must be a number or symmetric and 2×2"),
    ({"K": {"cov": [[1, 2], [2, 1]]}}, "a covariance may not have a negative direction"),
    ({"K": {"cov": 1}, "draws": 0}, "must be a whole number from 1 to 200000"),
    ({"K": {"cov": 1}, "positive": "S"}, 'must name an entry such as "S[1,1]", in quotes'),
    ({"K": {"cov": 1}, "positive": "S[1,9]"}, "S[1,9] is outside S, which is 2×2"),
    ({"K": {"cov": 1}, "positive": ["S[1,1]", "U[1,1]"]}, "there is no step 'U'"),
]


@pytest.mark.parametrize(("sample", "message"), SAMPLES)
def test_samples(sample: Any, message: str) -> None:
    """What cannot be drawn is refused."""
    with pytest.raises(attncalc.ProblemError, match=re.escape(message)):
        draw_samples(attncalc.problem(**GIVEN, **({} if sample is None else {"sample": sample})))


def test_letters_are_not_drawn() -> None:
    """What has free letters has no numbers to draw around."""
    problem = attncalc.problem(**{**GIVEN, "Q": [["x", 1]]}, symbols={"x": "real"}, sample={"K": {"cov": 1}})
    with pytest.raises(attncalc.ProblemError, match="nothing can be drawn: give them numbers, sample: "):
        draw_samples(problem)


def test_letters_are_drawn_with_numbers_for_them() -> None:
    """The same draws as of the problem with these numbers."""
    sample: dict[str, Any] = {"K": {"cov": 1}, "draws": 20}
    letters = attncalc.problem(
        **{**GIVEN, "Q": [["x", 1], [0, "2x"]]}, symbols={"x": "real"}, sample={**sample, "x": "1/2"}
    )
    numbers = attncalc.problem(**{**GIVEN, "Q": [["1/2", 1], [0, 1]]}, sample=sample)
    np.testing.assert_allclose(last_draws(letters), last_draws(numbers))


def test_draws_may_be_left_out() -> None:
    """Only those count in which an entry is positive; some must."""
    all_, some = (
        last_draws(attncalc.problem(**GIVEN, sample={"K": {"cov": 9}, "draws": 200, **only}))
        for only in ({}, {"positive": "S[1,1]"})
    )
    assert 0 < len(some) < len(all_) and all(row in all_ for row in some)
    never = attncalc.problem(Q=[[0, 0]], K=[[1, 0]], sample={"K": {"cov": 1}, "positive": "S[1,1]"})
    with pytest.raises(attncalc.ProblemError, match="leaves out every draw"):
        draw_samples(never)


@pytest.mark.parametrize("cov", [2, "2", [[2, 0], [0, 2]], ["2", "[2 0; 0 2]"]])
def test_covariances_may_be_written_in_every_way(cov: Any) -> None:
    """A number, a matrix, or one of them for each row."""
    drawn = last_draws(attncalc.problem(**GIVEN, sample={"K": {"cov": cov}, "draws": 50}))
    usual = last_draws(attncalc.problem(**GIVEN, sample={"K": {"cov": "2"}, "draws": 50}))
    np.testing.assert_allclose(drawn, usual)


def test_sampling_one_head_against_two() -> None:
    """Random keys: one head picks either value draw by draw, two heads keep to their average."""
    one, two = (json.loads(run("sample", f"attention-exploration-{part}", "-f", "json")) for part in "cd")
    assert one == json.loads(run("sample", "attention-exploration-c", "-f", "json"))
    assert one["A"]["mean"][0][0] == pytest.approx(0.5, abs=0.02)
    assert one["A"]["std"][0][0] > 0.45
    assert two["A_2"]["std"][0][1] < 1e-3
    assert two["H"]["std"][0][0] < one["O"]["std"][0][0] / 2
    assert "draw by draw" in run("sample", "attention-exploration-c")


def test_one_head_beside_two() -> None:
    """Draw by draw one head picks a value; two heads stay at the average."""
    printed = run("sample", "attention-exploration-c", "attention-exploration-d").splitlines()
    row = next(line for line in printed if line.startswith("  [1,1]")).replace("−", "-").split()
    assert [float(row[n]) for n in (3, 4, 7, 8)] == pytest.approx([-1, 1, 0, 0], abs=1e-3)


def test_a_problem_without_random_inputs_is_refused() -> None:
    """The sentence names the problem, and an example."""
    assert "'dot-product-3' has nothing to draw: give sample, such as sample: {K: {cov: 0.01}" in run_fault(
        "sample", "dot-product-3"
    )
