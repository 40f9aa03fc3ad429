"""A solution as a workbook of live formulas."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.features.spreadsheets.workbook import solution_page, write_workbook
from attncalc.pages import Page
from attncalc.worked.view import Excerpt


def pieces(excerpt: Excerpt, _: Page) -> Iterator[bytes]:
    """The bytes of the workbook."""
    yield write_workbook(solution_page(excerpt))
