"""Worksheets as workbooks, for a class too, and solutions as comma-separated values."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest

import attncalc
from attncalc.features.spreadsheets.formulas import cell_name
from attncalc.features.spreadsheets.read_workbook import read_workbook
from attncalc.features.spreadsheets.workbook import BLOCK
from attncalc.marking.checker import Checker
from tests.helpers.bundled import FEW, NUMERIC, checker_of, solved
from tests.helpers.commands import run, run_fault
from tests.helpers.quick_and_slow import each
from tests.helpers.solutions import verdicts
from tests.helpers.spreadsheets import FIRST, needs_writer


@needs_writer
def test_a_worksheet_has_blanks_and_no_results(tmp_path: Path) -> None:
    file = tmp_path / "sheet.xlsx"
    run("solve", "discussion-10-q1", "-f", "worksheet", "--flavor", "xlsx", "-o", str(file))
    book = read_workbook(file.read_bytes(), "sheet.xlsx")
    sheet, names = book.sheets
    assert "<f>" not in zipfile.ZipFile(io.BytesIO(file.read_bytes())).read(FIRST).decode()
    texts = [cell.text for cell in sheet.cells.values()]
    for text in (
        "problem",
        "discussion-10-q1",
        "student",
        "(b)  Calculate the attention scores of token 3 with each of the three tokens.",
    ):
        assert text in texts
    given = {
        float(x)
        for name in ("X", "W_Q", "W_K", "W_V")
        for x in solved("discussion-10-q1").trace.values[name].ravel()
    }
    assert {float(cell.text) for cell in sheet.cells.values() if cell.kind == "n"} <= given
    assert {name for name in book.names if name.startswith(BLOCK)} == {f"{BLOCK}{name}" for name in "QKVSAO"}
    assert any("Fill in the white ones" in cell.text for cell in names.cells.values())
    report = checker_of("discussion-10-q1").check_file(str(file))
    assert (report.verdict, report.student, report.errors) == ("incomplete", "", ())


@needs_writer
def test_sheets_and_keys_for_a_class(tmp_path: Path) -> None:
    run(
        "vary",
        "dot-product-3",
        "--count",
        "2",
        "--seed",
        "7",
        "--sheets",
        "--keys",
        "-f",
        "xlsx",
        "-o",
        str(tmp_path),
    )
    for number in ("001", "002"):
        checker = Checker(attncalc.load(tmp_path / f"{number}.yaml"))
        sheet, key = (
            checker.check_file(str(tmp_path / f"{number}-{kind}.xlsx")) for kind in ("sheet", "key")
        )
        assert (sheet.verdict, key.verdict) == ("incomplete", "correct")
        texts = [
            cell.text
            for cell in read_workbook((tmp_path / f"{number}-sheet.xlsx").read_bytes(), "")
            .sheets[0]
            .cells.values()
        ]
        assert number in texts and any(text.endswith(f"-{number}") for text in texts[texts.index("code") :])


@needs_writer
@each("name", NUMERIC, FEW)
def test_an_own_workbook_is_marked_as_right(name: str, tmp_path: Path) -> None:
    file = tmp_path / "solution.xlsx"
    run("solve", name, "--numeric", "-f", "xlsx", "-o", str(file))
    report = checker_of(name).check_file(str(file))
    assert set(verdicts(report).values()) <= {"correct", "coarse"} and not report.errors, verdicts(report)


@each("name", NUMERIC, FEW)
def test_a_table_holds_every_matrix_and_is_marked_as_right(name: str, tmp_path: Path) -> None:
    file = tmp_path / "solution.csv"
    run("solve", name, "--numeric", "-f", "csv", "-o", str(file))
    blocks = [block.splitlines() for block in file.read_text("utf-8").split("\n\n")]
    solution = solved(name)
    assert [block[0].split(",")[0] for block in blocks] == [
        solution.graph.symbol(one, solution.problem.names)
        for one in (*solution.graph.given, *(step.name for step in solution.steps))
    ]
    for step, block in zip(solution.steps, blocks[-len(solution.steps) :], strict=True):
        found = np.array([[float(x) for x in line.split(",")] for line in block[1:]])
        within = 1e-20 if solution.problem.places is None else 10.0**-solution.problem.places
        np.testing.assert_allclose(found, step.value.reshape(found.shape), rtol=1e-9, atol=within)


def test_what_cannot_be_a_table_is_said() -> None:
    assert "has entries with free letters; a table has numbers only" in run_fault(
        "solve", "attention-exploration-c", "-f", "csv"
    )


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(__import__("sys").modules, "xlsxwriter", None)
    message = run_fault("solve", "dot-product-3", "-f", "xlsx", "-o", str(tmp_path / "x.xlsx"))
    assert "needs XlsxWriter: pip install 'attncalc[xlsx]'" in message
    assert not [*tmp_path.iterdir()]


def test_cells_have_the_names_of_spreadsheets() -> None:
    assert [cell_name(0, 0), cell_name(11, 27)] == ["A1", "AB12"]
