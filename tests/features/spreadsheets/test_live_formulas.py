"""Every entry of a workbook is a formula that another program computes to the same number."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import attncalc
from attncalc.core.errors import ProblemError
from attncalc.features.spreadsheets.formulas import cell_name
from attncalc.pages import formats_of
from tests.helpers.bundled import FEW, NUMERIC, solved
from tests.helpers.commands import run
from tests.helpers.quick_and_slow import SLOW, each
from tests.helpers.solutions import excerpt, solve_keys
from tests.helpers.spreadsheets import (
    assert_agrees,
    first_sheet,
    formulas_of,
    needs_office,
    needs_writer,
    places_of,
    recalculate,
    with_number,
    workbook_of,
)

pytestmark = needs_writer
X: dict[str, Any] = {"X": [[1, 2], [3, 4], [0, 1]], "W_Q": [[1, 0], [0, 2]], "W_V": [[1], [1]]}
COLUMNS = sorted((Path(__file__).parents[2] / "exercise" / "columns").glob("*.yaml"))
CHANGED = [
    ("cached-causal", {**X, "mask": "causal", "past_K": [[1, 1]], "past_V": [[2]]}, "X", (1, 0), 2.5),
    ("columns", {**X, "X": [[1, 3, 0], [2, 4, 1]], "W_V": [[1, 1]], "layout": "columns"}, "X", (2, 1), -1),
    (
        "heads",
        {"X": [[1, 2], [3, 4]], "heads": 2, "W_O": [[1, 2], [0, 1]]},
        "W_O",
        (0, 1),
        0.25,
    ),
    ("norm", {**X, "W_V": [[1, 0], [1, 1]], "block": ["residual", "layer_norm"]}, "W_V", (1, 1), 3),
]


@needs_office
@pytest.mark.parametrize(
    "names",
    [["softcap", "causal-cache", "gpt2-block"], pytest.param(NUMERIC, marks=SLOW)],
    ids=["few", "all"],
)
def test_libreoffice_computes_the_solution(names: list[str], tmp_path: Path) -> None:
    solutions = {name: solved(name) for name in names} | {
        file.stem: attncalc.solve(attncalc.load(file)) for file in COLUMNS
    }
    before, after = {}, {}
    for name, keys, matrix, at, number in CHANGED:
        solution = solve_keys(**keys)
        given = [[*row] for row in keys[matrix]]
        shown = at[::-1] if solution.graph.is_turned(matrix) else at
        given[shown[0]][shown[1]] = number
        cell = cell_name(*places_of(solution)[matrix].find(at))
        before[name] = with_number(workbook_of(solution), cell, number)
        after[name] = solve_keys(**{**keys, matrix: given})
    books = {name: workbook_of(solution) for name, solution in solutions.items()} | before
    for name, sheet in recalculate(books, tmp_path).items():
        assert_agrees(sheet, {**solutions, **after}[name])


@each("name", NUMERIC, FEW)
def test_values_are_stored_beside_the_formulas(name: str) -> None:
    data = workbook_of(solved(name))
    assert_agrees(first_sheet(data), solved(name), 1e-15)
    assert data == workbook_of(solved(name))


FORMULAS = [
    ({"Q": [[1, 2]], "K": [[3, 4], [5, 6]]}, "S", "SUMPRODUCT(Q11:Q12,K11:K12)"),
    ({"Q": [[1, 2]], "K": [[3, 4], [5, 6]]}, "Z", "S11/SQRT(d_k)"),
    ({"Q": [[1, 2]], "K": [[3, 4]]}, "T", "E11"),
    ({"S": [[1, 2]], "V": [[3], [4]]}, "E", "EXP(S11)"),
    ({"S": [[1, 2]], "V": [[3], [4]]}, "T", "SUM(E11:E12)"),
    ({"S": [[1, 2]], "V": [[3], [4]]}, "A", "E11/T11"),
    ({"S": [[1, 2]], "V": [[3], [4]]}, "O", "MMULT(A11:A12,V11:V21)"),
    ({"S": [[1, "-inf"]], "V": [[3], [4]]}, "E", "IF(ISNUMBER(S11),EXP(S11),0)"),
    ({"S": [[1, 2]], "mask": {"add": [[0, "-inf"]]}}, "M", 'IF(ISNUMBER(mask11),S11+mask11,"−∞")'),
    ({"S": [[1000, 2]], "V": [[3], [4]]}, "E", "EXP(S11-MAX(S11:S12))"),
    ({"O": [[1, -2]], "X": [[1, 2]], "block": ["rms_norm"]}, "ms1", "SUMPRODUCT(O11:O12^2)/2"),
    ({"X": [[1, 2]], "W_V": [[1], [2]], "layout": "columns"}, "V", "W_V11*X11"),
]


@pytest.mark.parametrize(("keys", "step", "formula"), FORMULAS)
def test_a_formula_is_the_rule_of_its_cell(keys: dict[str, Any], step: str, formula: str) -> None:
    solution = solve_keys(**keys)
    places = places_of(solution)
    named = {
        cell_name(*placed.find(at)): name + "".join(str(n + 1) for n in at)
        if name in solution.graph.shapes
        else name
        for name, placed in places.items()
        for at in np.ndindex(placed.shape)
    }
    found = formulas_of(workbook_of(solution))[cell_name(*places[step].find((0, 0)))]
    assert re.sub(r"\b[A-Z]+[0-9]+\b", lambda match: named[match[0]], found) == formula


def test_only_what_is_asked_for_and_what_it_needs_is_on_the_sheet() -> None:
    xlsx = formats_of("solutions")["xlsx"]
    sheet = first_sheet(next(iter(xlsx.pieces(excerpt(solved("dot-product-3"), "Z")))))  # type: ignore[arg-type]
    texts = {cell.text for cell in sheet.cells.values()}
    assert "Z  Scaled scores" in texts and "S  Scores" in texts and "E  Exponentials" not in texts


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (
            {"S": [["x", 1]], "symbols": {"x": "real"}},
            "E has entries with free letters; a spreadsheet has numbers only",
        ),
        (
            {"S": [[1] * 220] * 120},
            "is too large for a spreadsheet: 52,920 entries, at most 50,000",
        ),
    ],
)
def test_what_is_no_sheet_of_numbers_is_refused(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(ProblemError, match=message.replace("(", r"\(")):
        workbook_of(solve_keys(**keys))


def test_text_of_a_file_is_never_a_formula() -> None:
    data = workbook_of(
        solve_keys(
            S=[[1, 2]] * 2, title="=1+1", source="@SUM(A1)", tokens=["=2*3", "a"], key_tokens=["+1", "-x"]
        )
    )
    assert not any(re.search(r"[0-9][*+][0-9]|A1\b", formula) for formula in formulas_of(data).values())
    assert {"=1+1", "=2*3", "+1", "-x"} <= {cell.text for cell in first_sheet(data).cells.values()}


def test_the_command_writes_the_file(tmp_path: Path) -> None:
    run("solve", "dot-product-3", "-f", "xlsx", "-o", str(tmp_path / "sheet.xlsx"))
    assert_agrees(first_sheet((tmp_path / "sheet.xlsx").read_bytes()), solved("dot-product-3"))
