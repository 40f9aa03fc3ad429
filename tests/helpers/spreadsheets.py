"""Workbooks computed again by LibreOffice, and their cells by matrix."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from attncalc.exercise.solve.solution import Solution
from attncalc.features.spreadsheets.formulas import HIDDEN, Placed
from attncalc.features.spreadsheets.layout import lay_out, solution_groups
from attncalc.features.spreadsheets.read_workbook import StoredSheet, read_workbook
from attncalc.features.spreadsheets.workbook import SHEET, solution_page, write_workbook
from attncalc.worked.view import Excerpt, View
from attncalc.worked.writer.steps import Writer

OFFICE = shutil.which("soffice")
needs_writer = pytest.mark.skipif(
    not __import__("importlib.util").util.find_spec("xlsxwriter"), reason="XlsxWriter is not installed"
)
needs_office = pytest.mark.skipif(
    OFFICE is None, reason="LibreOffice, which computes the formulas, is not installed"
)
FIRST = "xl/worksheets/sheet1.xml"
FORMULA = re.compile(r'(<c r="([A-Z]+[0-9]+)"[^>]*?)( t="str")?(>)<f>([^<]*)</f><v>[^<]*</v>')


def workbook_of(solution: Solution) -> bytes:
    """The workbook of a solution."""
    return write_workbook(solution_page(Excerpt(solution, View())))


def places_of(solution: Solution) -> dict[str, Placed]:
    """Where the matrices of a solution stand on the first sheet."""
    bands = lay_out(solution, solution_groups(solution, solution.steps), Writer(solution, View()))
    return {block.name: block.placed for band in bands for block in band.blocks}


def formulas_of(data: bytes) -> dict[str, str]:
    """The formulas of the first sheet by cell."""
    text = zipfile.ZipFile(io.BytesIO(data)).read(FIRST).decode()
    return {match[2]: match[5].replace("&gt;", ">") for match in FORMULA.finditer(text)}


def replace_member(data: bytes, member: str, text: str) -> bytes:
    """A workbook with another text in one of its members."""
    source, out = zipfile.ZipFile(io.BytesIO(data)), io.BytesIO()
    with zipfile.ZipFile(out, "w") as target:
        for name in source.namelist():
            target.writestr(name, text if name == member else source.read(name))
    return out.getvalue()


def without_values(data: bytes) -> bytes:
    """A workbook whose formulas have no stored values, so that whoever opens it has to compute them."""
    text = zipfile.ZipFile(io.BytesIO(data)).read(FIRST).decode()
    stripped, count = FORMULA.subn(r"\1\4<f>\5</f>", text)
    assert count == text.count("<f>") > 0
    return replace_member(data, FIRST, stripped)


def with_number(data: bytes, cell: str, number: float) -> bytes:
    """A workbook with another number in a cell."""
    text = zipfile.ZipFile(io.BytesIO(data)).read(FIRST).decode()
    changed, count = re.subn(rf'(<c r="{cell}"[^>]*><v>)[^<]*', rf"\g<1>{number!r}", text)
    assert count == 1
    return replace_member(data, FIRST, changed)


def recalculate(books: Mapping[str, bytes], folder: Path) -> dict[str, StoredSheet]:
    """The first sheets of workbooks after LibreOffice has computed their formulas."""
    assert OFFICE is not None
    out = folder / "computed"
    for name, data in books.items():
        (folder / f"{name}.xlsx").write_bytes(without_values(data))
    files = [str(folder / f"{name}.xlsx") for name in books]
    subprocess.run(
        [OFFICE, f"-env:UserInstallation={(folder / 'profile').as_uri()}", "--headless", "--convert-to", "xlsx",
         "--outdir", str(out), *files],
        check=True, capture_output=True, timeout=600,
    )  # fmt: skip
    return {name: first_sheet((out / f"{name}.xlsx").read_bytes()) for name in books}


def first_sheet(data: bytes) -> StoredSheet:
    """The sheet with the matrices."""
    return next(sheet for sheet in read_workbook(data, "book.xlsx").sheets if sheet.name == SHEET)


def assert_agrees(sheet: StoredSheet, solution: Solution, within: float = 1e-9) -> None:
    """Fail if an entry of a step differs from its cell."""
    places = places_of(solution)
    for step in solution.steps:
        for at in np.ndindex(step.shape):
            cell, expected = sheet.cells[places[step.name].find(at)], float(step.value[at])
            if np.isneginf(expected):
                assert cell.text == HIDDEN, (step.name, at)
            else:
                assert float(cell.text) == pytest.approx(expected, rel=within, abs=within), (step.name, at)
