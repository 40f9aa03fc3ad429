"""A solution as a sheet to hand out: a page with blanks, in the page format that its flavour names."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.pages import Page, formats_of
from attncalc.worked.view import Excerpt
from attncalc.worked.worksheet import worksheet

ENDING = "md"


def page_endings() -> tuple[str, ...]:
    """The file extensions of its flavours."""
    return tuple(page.ending for page in formats_of("documents", "sheets").values())


def pieces(excerpt: Excerpt, page: Page) -> Iterator[str | bytes]:
    """The sheet in the format of its flavour: by default Markdown, or LaTeX for a standalone file."""
    if page.flavor in (sheets := formats_of("sheets")):
        yield from sheets[page.flavor].pieces(excerpt, page)
        return
    usual = "latex" if page.standalone else "markdown"
    pages = formats_of("documents")
    document = worksheet(excerpt.solution, excerpt.view)
    yield pages[page.flavor if page.flavor in pages else usual].render(document, page)
