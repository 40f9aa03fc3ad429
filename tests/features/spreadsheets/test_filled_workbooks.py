"""A filled workbook is marked as the same answers in YAML are, however it was filled in."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import attncalc
from attncalc.core.fields import Floats
from attncalc.exercise.solve.solution import Solution
from attncalc.features.spreadsheets.formulas import cell_name
from attncalc.features.spreadsheets.layout import lay_out
from attncalc.features.spreadsheets.workbook import Page, worksheet_page, write_workbook
from attncalc.marking.checker import Checker
from attncalc.marking.report.report import Report
from attncalc.worked.view import Excerpt, View
from attncalc.worked.writer.steps import Writer
from tests.helpers.quick_and_slow import SLOW
from tests.helpers.spreadsheets import FIRST, first_sheet, needs_writer, replace_member

pytestmark = needs_writer
COLUMNS = Path(__file__).parents[2] / "exercise" / "columns" / "spreadsheet-small.yaml"
PROBLEMS = [
    "dot-product-3",
    "the-cat-sat",
    "discussion-10-q1",
    "causal-cache",
    "two-heads-by-hand",
    "softcap",
    str(COLUMNS),
]
Values = dict[str, Floats]
Texts = dict[str, list[list[str]]]


def worksheet_of(solution: Solution) -> Page:
    """The page of the worksheet."""
    return worksheet_page(Excerpt(solution, View()))


def shown(solution: Solution, values: Values) -> Values:
    """Matrices as they are written."""
    return {name: x.T if solution.graph.is_turned(name) else x for name, x in values.items()}


def right(solution: Solution) -> Values:
    """What a careful student finds."""
    return {step.name: step.value for step in solution.steps if not np.isneginf(step.value).any()}


def with_slip(solution: Solution) -> Values:
    """One entry of the first step is wrong."""
    found = {name: x.copy() for name, x in right(solution).items()}
    next(iter(found.values()))[0, 0] += 1
    return found


def copied_formula(solution: Solution) -> Values:
    """The formula of the first weight was copied right and down with the total of the first row: E1/$T$1."""
    found = right(solution)
    for step in solution.steps:
        if step.step.kind.is_weights:
            found[step.name] = (
                step.value * (1 / step.value[:1].sum()) * np.exp(np.arange(len(step.value)))[:, None]
            )
    return found


def exactly(x: float) -> str:
    """A number as a program stores it."""
    return repr(float(x + 0)).removesuffix(".0")


def rounded(x: float) -> str:
    """A number rounded to two decimals."""
    return f"{x + 0:.2f}"


def with_comma(x: float) -> str:
    """A rounded number with a decimal comma."""
    return f"{x + 0:.3f}".replace(".", ",")


def fill_worksheet(solution: Solution, texts: Texts, is_text: bool, style: str = "") -> bytes:
    """The worksheet with numbers, or texts, in its cells."""
    page = worksheet_of(solution)
    data = write_workbook(page)
    xml = zipfile.ZipFile(io.BytesIO(data)).read(FIRST).decode()
    bands = lay_out(solution, page.groups, Writer(solution, View()), page.has_laws)
    for block in (block for band in bands for block in band.blocks if not block.is_given):
        for (i, j), text in np.ndenumerate(np.array(texts.get(block.name, []), dtype=object)):
            cell = cell_name(block.placed.row + i, block.placed.column + j)
            content = f' t="inlineStr"><is><t>{text}</t></is></c>' if is_text else f"><v>{text}</v></c>"
            xml, count = re.subn(rf'<c r="{cell}"( s="\d+")/>', rf'<c r="{cell}"\g<1>{style}{content}', xml)
            assert count == 1
    return replace_member(data, FIRST, xml)


def pasted(solution: Solution, values: Values) -> tuple[bytes, Texts]:
    """All digits of numbers in the cells of the worksheet."""
    texts = {name: [[*map(exactly, row)] for row in x] for name, x in shown(solution, values).items()}
    return fill_worksheet(solution, texts, is_text=False), texts


def typed(solution: Solution, values: Values) -> tuple[bytes, Texts]:
    """Texts with a decimal comma in the cells of the worksheet."""
    texts = {name: [[*map(with_comma, row)] for row in x] for name, x in shown(solution, values).items()}
    return fill_worksheet(solution, texts, is_text=True), texts


def own_book(texts: Texts, write: Callable[..., None], beside: bool) -> bytes:
    """An own layout: names above the matrices, or to the left of them; numbers are shown with two decimals."""
    from xlsxwriter import Workbook

    data = io.BytesIO()
    book = Workbook(data, {"in_memory": True})
    sheet, style = book.add_worksheet("Tabelle1"), book.add_format({"num_format": "0.00"})
    sheet.write_string(0, 0, "My answers to the exercise")
    row = 2
    for name, rows in texts.items():
        sheet.write_string(row, 0, name if beside else f"{name}:")
        top, left = (row, 1) if beside else (row + 1, 0)
        for (i, j), text in np.ndenumerate(np.array(rows, dtype=object)):
            write(sheet, top + i, left + j, text, style)
        row = top + len(rows) + 1
    book.close()
    return data.getvalue()


def own_above(solution: Solution, values: Values) -> tuple[bytes, Texts]:
    """Rounded numbers, below the names."""
    texts = {name: [[*map(rounded, row)] for row in x] for name, x in shown(solution, values).items()}

    def write(sheet: Any, row: int, column: int, text: str, style: object) -> None:
        sheet.write_number(row, column, float(text), style)

    return own_book(texts, write, beside=False), texts


def own_formulas(solution: Solution, values: Values) -> tuple[bytes, Texts]:
    """Formulas with their stored values, to the right of the names."""
    texts = {name: [[*map(exactly, row)] for row in x] for name, x in shown(solution, values).items()}

    def write(sheet: Any, row: int, column: int, text: str, style: object) -> None:
        sheet.write_formula(row, column, f"={text}*1", style, text)

    return own_book(texts, write, beside=True), texts


STUDENTS = (right, with_slip, copied_formula)
WAYS = (pasted, typed, own_above, own_formulas)
CASES = [*product(PROBLEMS, STUDENTS, WAYS)]


def facts(report: Report) -> object:
    """What a report says, but for the places."""
    steps = [
        (
            one.step,
            one.verdict,
            one.score,
            one.wrong_cells,
            [each.mistake for each in one.diagnoses],
            one.remarks,
        )
        for one in report.steps
    ]
    return report.verdict, report.score, report.max_score, report.first_wrong, steps


@pytest.mark.parametrize(
    ("name", "student", "way"),
    [pytest.param(*case, marks=() if n % 7 == 0 else SLOW) for n, case in enumerate(CASES)],
)
def test_a_filled_workbook_is_marked_as_its_yaml_twin(name: str, student: Any, way: Any) -> None:
    checker = Checker(attncalc.load(name))
    worksheet = worksheet_of(checker.solution)
    values = student(checker.solution)
    if way in (pasted, typed):
        values = {step.name: values[step.name] for step in worksheet.steps if step.name in values}
    data, texts = way(checker.solution, values)
    rows = {step: ", ".join(f"[{', '.join(map(quoted, row))}]" for row in x) for step, x in texts.items()}
    lines = [f"{step}: [{text}]" for step, text in rows.items()]
    report = checker.check_content("answers.xlsx", data)
    assert not report.errors
    assert facts(report) == facts(checker.check_content("answers.yaml", "\n".join(lines).encode()))


def quoted(text: str) -> str:
    """A number in YAML, in quotes if it has a comma."""
    return f'"{text}"' if "," in text else text


def test_forty_workbooks_and_more() -> None:
    assert len(CASES) >= 40


@pytest.mark.parametrize("name", ["dot-product-3", "discussion-10-q1", str(COLUMNS)])
def test_a_worksheet_saved_as_a_table_is_marked_too(name: str) -> None:
    checker = Checker(attncalc.load(name))
    asked = {step.name for step in worksheet_of(checker.solution).steps if step.shape[-1] > 1}
    data, _ = pasted(
        checker.solution, {name: x for name, x in with_slip(checker.solution).items() if name in asked}
    )
    cells = first_sheet(data).cells
    rows, columns = (1 + max(at[axis] for at in cells) for axis in (0, 1))
    text = io.StringIO()
    csv.writer(text).writerows(
        [[cells[i, j].text if (i, j) in cells else "" for j in range(columns)] for i in range(rows)]
    )
    table = checker.check_content("answers.csv", text.getvalue().encode())
    assert not table.errors
    book = checker.check_content("answers.xlsx", data)
    assert table.score == book.score
    assert answered(table) == answered(book)


def answered(report: Report) -> dict[str, object]:
    """The verdicts on the steps that are not left blank, and what is wrong in them."""
    return {one.step: (one.verdict, one.wrong_cells) for one in report.steps if one.verdict != "blank"}
