"""Tokens as columns: the same exercise, its matrices written as their transposes, is solved and marked the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

import attncalc
from attncalc.exercise.keys.read_problem import is_turned
from attncalc.marking.checker import Checker
from attncalc.pages import formats_of
from attncalc.worked.document import document
from attncalc.worked.view import View
from attncalc.worked.worksheet import worksheet
from tests.helpers.bundled import FEW, ONE_SEQUENCE, TEXTS, solved
from tests.helpers.quick_and_slow import each
from tests.helpers.solutions import printed, refusal, solve_keys, verdicts

SHEETS = sorted((Path(__file__).parent / "columns").glob("*.yaml"))


@pytest.mark.parametrize("file", SHEETS, ids=lambda file: file.stem)
def test_published_spreadsheets_agree_in_every_number(file: Path) -> None:
    report = Checker(attncalc.load(file)).check_key()
    assert {step.verdict for step in report.steps} == {"correct"}, verdicts(report)


def transpose(value: Any) -> Any:
    """Nested lists with the last two levels exchanged; a flat list stays."""
    if not isinstance(value, list) or not isinstance(value[0], list):
        return value
    return (
        [*map(transpose, value)] if isinstance(value[0][0], list) else [*map(list, zip(*value, strict=True))]
    )


def in_columns(name: str) -> dict[str, Any]:
    """The keys of a bundled problem with a column for each token."""
    keys = yaml.load(TEXTS[name], Loader=yaml.BaseLoader)
    for key in filter(is_turned, keys):
        value = keys[key]
        if isinstance(value, str) and "(" in value:
            keys[key] = f"transpose({value})"
        elif isinstance(value, dict):
            keys[key] = {word: transpose(x) for word, x in value.items()}
        else:
            keys[key] = transpose(value)
    kept = {key: value for key, value in keys.items() if key not in ("answers", "digits")}
    written = {"weights": "in-out"} if "W_" in TEXTS[name] else {}
    return {**written, **kept, "layout": "columns"}


# The weights of one of them are too small to be typed.
TURNED = [
    name
    for name in ONE_SEQUENCE
    if "file:" not in TEXTS[name] and name != "deepml-94-test" and "design" not in TEXTS[name]
]


@each("name", TURNED, FEW)
def test_a_problem_in_columns_is_the_same_problem(name: str) -> None:
    rows = solved(name)
    columns = solve_keys(None, **in_columns(name))
    assert [step.name for step in columns.steps] == [step.name for step in rows.steps]
    for one, other in zip(rows.steps, columns.steps, strict=True):
        np.testing.assert_allclose(other.value, one.value, rtol=1e-12)
    answers = {
        step.name: [
            [f"{x:.12g}" for x in row]
            for row in (step.value.T if columns.graph.is_turned(step.name) else step.value)
        ]
        for step in columns.steps
    }
    report = attncalc.check(columns.problem, answers)
    assert set(verdicts(report).values()) <= {"correct"}, verdicts(report)
    for format_ in ("text", "latex", "markdown", "html"):
        assert formats_of("documents")[format_].render(worksheet(columns, View()))


def test_laws_lines_and_sentences_are_written_in_columns() -> None:
    keys = {
        "X": [[1, 2], [3, 4], [0, 1]],
        "W_Q": [[1, 0, 2]],
        "W_K": [[0, 1, 1]],
        "W_V": [[1, 1, 1], [2, 0, 0]],
    }
    text = printed(document(solve_keys("numeric", **keys, layout="columns", mask="causal"), View()))
    for line in (
        "Q = W_Q X    X 3×2, W_Q 1×3 → Q 1×2",
        "S = Kᵀ Q    Q 1×2, K 1×2 → S 2×2",
        "S_ji = Σ_d Q_di·K_dj",
        "Column totals T",
        "The total of each column.",
        "T_i = Σ_j E_ji",
        "O = V A    A 2×2, V 2×2 → O 2×2",
        "A₁₂ = E₁₂/T₂ ≈ 162754.7914/485327950.2012 ≈ 0.000335",
        "2 ⎣ 0  0.9997   ⎦",
    ):
        assert line in text, text
    assert " row" not in text


def test_answers_are_marked_as_they_are_written() -> None:
    problem = attncalc.problem(S=[[1, 5], [2, 0], [3, 4]], V=[[1, 0, 2]], layout="columns", scale="none")
    assert problem.settings["S"].shape == (2, 3)
    report = attncalc.check(problem, {"A": [[0.09, 0.98], [0.24, 0.01], [0.67, 0.26]], "O[1]": [1.42]})
    assert verdicts(report) == {"A": "wrong", "O": "correct"}
    assert report.first_wrong is not None
    assert report.first_wrong.cells == ((2, 1),)
    assert "Columns" not in str(report)
    report = attncalc.check(problem, {"A": [[0.09, 0.24, 0.67], [0.73, 0, 0.27]]})
    assert "A has the shape 2×3, and should have 3×2." in str(report)
    report = attncalc.check(problem, {"A": [[0.12, 0.88], [0.3, 0.7], [0.4, 0.6]], "O": [[1, 2]]})
    assert "The rows add up to 1, where the columns should." in str(report)
    array = np.array([[0.0900, 0.2447, 0.6652], [0.7275, 0.0049, 0.2676]])
    assert verdicts(attncalc.check(problem, {"A": array})) == {"A": "correct"}


def test_shapes_that_suggest_columns_are_told_how_to_write_them() -> None:
    message = refusal(X=[[1, 2], [3, 4], [0, 1]], W_Q=[[1, 0, 2]])
    assert message.endswith("; if tokens are columns, write layout: columns")


def test_the_gradient_of_a_weight_is_written_like_the_weight() -> None:
    keys = {"X": [[1, 2], [3, 4], [0, 1]], "W_V": [[1, 1, 1], [2, 0, 0]], "layout": "columns"}
    solution = solve_keys("numeric", **keys, backward={"O": "ones"})
    assert solution["dW_V"].shape == solution.graph.shown_shape("dW_V") == (2, 3)
    assert "dW_V = dV Xᵀ    dV 2×2, X 3×2 → dW_V 2×3" in printed(document(solution, View()))
