"""A worksheet as a workbook: the given matrices, and bordered cells to fill in."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.features.spreadsheets.workbook import worksheet_page, write_workbook
from attncalc.pages import Page
from attncalc.worked.view import Excerpt


def pieces(excerpt: Excerpt, _: Page) -> Iterator[bytes]:
    """The bytes of the workbook."""
    yield write_workbook(worksheet_page(excerpt))
