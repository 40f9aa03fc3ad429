"""Free letters and limits: what is true with letters is true with every number in their place."""

from __future__ import annotations

import json
from time import process_time
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import attncalc
from attncalc.core.notations.unicode import Ascii, write
from attncalc.worked.writer.naming import name_rows
from tests.helpers.bundled import checker_of, solved
from tests.helpers.commands import run
from tests.helpers.quick_and_slow import examples
from tests.helpers.random_students import marked

LINEAR = st.tuples(st.integers(-2, 2), st.integers(-2, 2))
"""a·x + b, as a pair."""
SHAPE: dict[str, Any] = {"min_size": 2, "max_size": 2}


def with_letter(matrix: list[list[tuple[int, int]]]) -> list[list[str]]:
    """Entries a·x + b."""
    return [[f"{a}*x + {b}" for a, b in row] for row in matrix]


def at(matrix: list[list[tuple[int, int]]], x: float) -> Any:
    """The entries for a number x."""
    return np.array([[a * x + b for a, b in row] for row in matrix], float)


@examples(1 / 3)
@given(*(st.lists(st.lists(LINEAR, **SHAPE), **SHAPE) for _ in range(3)))
def test_numbers_in_place_of_letters(q: Any, k: Any, v: Any) -> None:
    """Solving with a letter and then putting in a number is solving with the number."""
    letters = attncalc.problem(Q=with_letter(q), K=with_letter(k), V=with_letter(v), symbols={"x": "real"})
    numbers = attncalc.problem(Q=at(q, 0.75), K=at(k, 0.75), V=at(v, 0.75))
    for step, expected in zip(attncalc.solve(letters), attncalc.solve(numbers, "numeric"), strict=True):
        assert step.exact is not None
        put = [complex(x.subs(dict.fromkeys(x.free_symbols, 0.75))).real for x in step.exact.ravel()]
        np.testing.assert_allclose(np.reshape(put, step.shape), expected.value, rtol=1e-9, atol=1e-9)


@given(
    st.lists(st.integers(-3, 3), min_size=1, max_size=4), st.lists(st.integers(0, 2), min_size=4, max_size=4)
)
def test_a_limit_is_what_large_numbers_come_near_to(slopes: list[int], offsets: list[int]) -> None:
    """Weights of scores a·β + b: those of a very large β, the limit exactly."""
    scores = [[f"{a}*beta + {b}" for a, b in zip(slopes, offsets, strict=False)]]
    letters = attncalc.problem(S=scores, symbols={"beta": "positive"}, limit="beta -> oo")
    large = attncalc.problem(S=[[f"{a * 60} + {b}" for a, b in zip(slopes, offsets, strict=False)]])
    limit = attncalc.solve(letters)["A_limit"].value
    np.testing.assert_allclose(limit, attncalc.solve(large)["A"].value, atol=1e-12)
    np.testing.assert_allclose(limit.sum(axis=-1), 1)


LIMITS = [
    ("beta -> oo", [["beta", "beta", "0"]], [0.5, 0.5, 0]),
    ("beta -> oo", [["beta^2", "3*beta", "7"]], [1, 0, 0]),
    ("x -> -oo", [["x^3", "x", "0"]], [0, 0, 1]),
    ("beta -> 0", [["1/beta", "2/beta", "beta"]], [0, 1, 0]),
    ("beta → ∞", [["-beta", "ln(2)", "0"]], [0, 2 / 3, 1 / 3]),
    ("beta -> 0", [["beta", "beta^2", "1"]], [1 / (2 + np.e), 1 / (2 + np.e), np.e / (2 + np.e)]),
    ("beta -> oo", [["beta", "-inf", "beta"]], [0.5, 0, 0.5]),
    ("x -> 0", [["x", "x^2", "0"]], [1 / 3, 1 / 3, 1 / 3]),
    ("x -> 2", [["x^2", "2*x", "x + 2"]], [1 / 3, 1 / 3, 1 / 3]),
    ("x -> 2", [["(x^2 - 4)/(x - 2)", "4", "-inf"]], [0.5, 0.5, 0]),
    (
        "x → −1.5",
        [["-2*x", "ln(2)", "3"]],
        [np.e**3 / (2 * np.e**3 + 2), 2 / (2 * np.e**3 + 2), np.e**3 / (2 * np.e**3 + 2)],
    ),
    ("beta -> 2", [["ln(beta)", "0", "-inf"]], [2 / 3, 1 / 3, 0]),
]


@pytest.mark.parametrize(("limit", "scores", "weights"), LIMITS)
def test_limits(limit: str, scores: list[list[str]], weights: list[float]) -> None:
    """Exponents are compared, ties share, hidden keys stay hidden."""
    problem = attncalc.problem(S=scores, symbols={"beta": "positive", "x": "real"}, limit=limit)
    np.testing.assert_allclose(attncalc.solve(problem)["A_limit"].value[0], weights)


def test_each_head_has_its_limit() -> None:
    """A_1_limit and O_2_limit."""
    problem = attncalc.problem(
        Q_1=[["beta", 0]], Q_2=[[0, "beta"]], K="identity(2)", V="identity(2)", scale="none",
        symbols={"beta": "positive"}, limit="beta -> oo",
    )  # fmt: skip
    solution = attncalc.solve(problem)
    assert solution["A_1_limit"].value.tolist() == [[1, 0]]
    assert solution["O_2_limit"].value.tolist() == [[0, 1]]
    assert solution.output == "H"


def test_a_large_norm_is_near_its_limit() -> None:
    """Part (e) of the exploration: c at β = 6 is c_limit, but for something very small."""
    solution = solved("attention-exploration-e1")
    output, limit = solution["O"].exact, solution["O_limit"].exact
    assert output is not None and limit is not None
    for x, y in zip(output.ravel(), limit.ravel(), strict=True):
        gap = x - y
        assert abs(float(gap.subs(dict.fromkeys(gap.free_symbols, 6)))) < 1e-9


def test_rows_are_written_with_named_vectors() -> None:
    """c₂ ≈ u_b and c₁ ≈ u_b − u_c."""
    solution = solved("attention-exploration-e2")
    said = name_rows(solution, solution["O_limit"].numbers)
    assert [write(said[at], Ascii()) for at in ((0,), (1,))] == ["u_b - u_c", "u_b"]


def test_letters_do_not_stand_in_for_each_other() -> None:
    """The numbers at which answers are tried lie on no line: the mean of v_a and v_c is not v_b."""
    told = attncalc.problem(
        symbols={"v_a": "real", "v_b": "real", "v_c": "real"},
        S=[["-inf", 0, "-inf"]],
        V=[["v_a"], ["v_b"], ["v_c"]],
    )
    assert attncalc.check(told, {"O": [["v_b"]]}).verdict == "correct"
    assert attncalc.check(told, {"O": [["(v_a + v_c)/2"]]}).verdict == "incorrect"


def test_a_step_may_be_answered_by_its_limit() -> None:
    """α ≈ (1/2, 1/2) is right of the limit, whose step it is then; what the step itself is, is right too."""
    letters: dict[str, Any] = {"symbols": {"beta": "positive"}, "limit": "beta -> oo"}
    problem = attncalc.problem(**letters, S=[["beta", "beta", 0]])
    for told, step in (
        (["1/2", "1/2", 0], "A_limit"),
        ([*["e^beta/(2e^beta + 1)"] * 2, "1/(2e^beta + 1)"], "A"),
    ):
        report = attncalc.check(problem, {"A": [told]})
        assert [one.step for one in report.steps if one.verdict == "correct"] == [step]
    assert attncalc.check(problem, {"A": [["2/3", "1/3", 0]]}).verdict == "incorrect"


def test_what_is_given_may_have_a_name_of_the_course() -> None:
    """In the output; one that is a step's is refused, unless that step is called otherwise."""
    keys: dict[str, Any] = {"X": [[1, 2], [0, 1]], "W_Q": [[1, 0], [0, 2]]}
    text = str(attncalc.solve(attncalc.problem(**keys, names={"W_Q": "M"})))
    assert "Q = X M" in text and "W_Q" not in text
    with pytest.raises(attncalc.ProblemError, match="'Q' is already the name of a step"):
        attncalc.solve(attncalc.problem(**keys, names={"W_Q": "Q"}))
    assert "q = X Q" in str(attncalc.solve(attncalc.problem(**keys, names={"W_Q": "Q", "Q": "q"})))


def test_sizes_have_names_of_the_course() -> None:
    """In laws, worked lines and derivations."""
    keys: dict[str, Any] = {"Q": [[1, 2]], "K": [[2, 1], [1, 1]], "names": {"d_k": "D"}}
    text = str(attncalc.solve(attncalc.problem(**keys)))
    assert "Z = S / √D" in text and "S₁/√D" in text and "d_k" not in text
    derived = str(attncalc.solve(attncalc.problem(**keys, parts=[{"part": "a", "explain": "scaling"}])))
    assert "s = √D" in derived and "d_k" not in derived


def test_keys_and_values_may_be_one_matrix() -> None:
    """It is shown once, and its rows are what is added up; two that differ need two names."""
    keys: dict[str, Any] = {
        "Q": [[1, 0]],
        "K": [[1, 2], [0, 1]],
        "vectors": "columns",
        "names": {"K": "h", "V": "h"},
    }
    text = str(attncalc.solve(attncalc.problem(**keys, V=[[1, 2], [0, 1]])))
    assert text.count("h = ") == 1 and "·h₁ + " in text
    with pytest.raises(attncalc.ProblemError, match="'h' is already the name of a step"):
        attncalc.solve(attncalc.problem(**keys, V=[[1, 2], [0, 3]]))


def test_a_common_factor_stands_before_the_sum() -> None:
    """q = β (k_a + k_b), and matrices as outer products."""
    assert "q = β·(k_a + k_b)" in run("solve", "attention-exploration-b")
    assert "V = (u_b u_bᵀ − u_c u_cᵀ) / β^2" in run("solve", "attention-exploration-e2")


def test_json_has_null_where_letters_are() -> None:
    """Exact texts read back; a number with letters has no value."""
    solution = json.loads(run("solve", "attention-exploration-b", "-f", "json"))
    steps = {step["name"]: step for step in solution["steps"]}
    assert steps["S"]["exact"] == [["beta", "beta", "0", "0"]]
    assert steps["S"]["value"] == [[None, None, 0.0, 0.0]]
    assert steps["A_limit"]["value"] == [[0.5, 0.5, 0.0, 0.0]]


@given(
    st.lists(st.tuples(*[st.integers(-2, 2)] * 3), min_size=1, max_size=3),
    st.sampled_from(["0", "2", "-1.5"]),
)
def test_a_limit_at_a_point_is_the_value_there(scores: list[tuple[int, int, int]], point: str) -> None:
    """Weights of scores a·x² + b·x + c change without a jump."""
    letters = attncalc.problem(
        S=[[f"{a}*x^2 + {b}*x + {c}" for a, b, c in scores]], V=[[f"x + {n}"] for n in range(len(scores))],
        symbols={"x": "real"}, limit=f"x -> {point}",
    )  # fmt: skip
    x = float(point)
    numbers = attncalc.problem(
        S=[[a * x**2 + b * x + c for a, b, c in scores]], V=[[x + n] for n in range(len(scores))]
    )
    limit, there = attncalc.solve(letters), attncalc.solve(numbers, "numeric")
    for step in ("A", "O"):
        np.testing.assert_allclose(limit[f"{step}_limit"].value, there[step].value, rtol=1e-12)


OUTPUTS = [
    ({"S": [["2*t", "t + 2"]], "V": [["t"], ["t^2"]], "limit": "t -> 2"}, "3"),
    ({"S": [["t", "ln(2)"]], "V": [["t^2 - 4"], [3]], "limit": "t -> 0"}, "2/3"),
    ({"S": [["t", 0]], "V": [["t"], [1]], "limit": "t -> 0"}, "1/2"),
    ({"S": [["t", 0]], "V": [["t"], [1]], "limit": "t -> oo"}, "t"),
    ({"S": [["1/t", 0]], "V": [["t + 5"], [1]], "limit": "t -> 0"}, "5"),
    ({"S": [["t", 0]], "V": [["sin(t)"], [1]], "limit": "t -> 0"}, "1/2"),
    ({"S": [["t^2/(t - 2)", "4/(t - 2)"]], "V": [["t"], [2]], "limit": "t -> 2"}, "2"),
    ({"S": [["t", 0], ["-inf", "-inf"]], "V": [[3], [1]], "limit": "t -> oo", "masked_rows": "zero"}, "3"),
]


@pytest.mark.parametrize(("keys", "output"), OUTPUTS)
def test_outputs_in_the_limit(keys: dict[str, Any], output: str) -> None:
    """What the output tends to, or comes as near to as one likes."""
    solution = attncalc.solve(attncalc.problem(**keys, symbols={"t": "positive"}))
    assert str(solution["O_limit"].exact[0, 0]) == output  # type: ignore[index]
    (step,) = attncalc.check(solution.problem, {"O_limit[1,1]": output}).steps
    assert step.verdict == "correct"


def test_letters_are_not_solved_numerically() -> None:
    """The mode is exact, whatever is asked for."""
    problem = attncalc.load("attention-exploration-b")
    with pytest.raises(attncalc.ProblemError, match="has free letters, so it is solved exactly"):
        attncalc.solve(problem, "numeric")
    run("shapes", "attention-exploration-b")


def test_quotients_of_many_degrees_are_left_alone() -> None:
    """Looking for the common factor of these would take SymPy 20 s."""
    scores = ["1/2 - b/2", "9*b/2 - 15/2", "11*b - 19"]
    start = process_time()
    solution = attncalc.solve(attncalc.problem(symbols={"b": "real"}, S=[scores], V=[[6], [-3], [3]]))
    (output,) = solution["O"].exact.ravel()  # type: ignore[union-attr]
    assert process_time() - start < 5
    powers = np.exp([-0.5, 1.5, 3])
    np.testing.assert_allclose(
        float(output.subs(*output.free_symbols, 2)), powers @ [6, -3, 3] / powers.sum()
    )


ANSWERS = [
    ("S[2]", "[0, beta*beta, 0]", "correct"),
    ("A[2,2]", "1/(1 + 2exp(-beta^2))", "correct"),
    ("A[2,2]", "1/(1 + exp(-beta^2))", "wrong"),
    ("O_limit[2]", "u_a", "correct"),
    ("c_limit[2]", "u_a + u_b", "wrong"),
    ("O_limit[2,4]", "gamma", "unreadable"),
]


@pytest.mark.parametrize(("step", "told", "verdict"), ANSWERS)
def test_answers_with_letters(step: str, told: str, verdict: str) -> None:
    """However it is written, the same expression is right, and the vectors of the problem have their names."""
    report = marked(checker_of("attention-exploration-e1"), {step: told})
    assert {s.verdict for s in report.steps if s.verdict != "blank"} == {verdict}
