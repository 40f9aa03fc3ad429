"""How solutions, steps and reports show themselves in a notebook, which they need not know."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from attncalc.document import Document

FRAME = (
    '<iframe srcdoc="{page}" sandbox="allow-scripts" style="width:100%;height:{height};border:0"></iframe>'
)
"""A page of its own, so that neither its style nor its script meets the notebook's."""


class Notebook:
    """Something with a document, which a notebook shows as a page, as Markdown or as LaTeX."""

    frame_height = "36rem"

    def to_document(self, pointed: bool) -> Document:
        """What is shown; with the working of every entry where it can be pointed at."""
        raise NotImplementedError

    def __str__(self) -> str:
        from attncalc.formats.text import render
        from attncalc.readings.writing import Notation

        lines = render(self.to_document(pointed=False), None, Notation())
        return "\n".join("".join(piece for piece, _ in line).rstrip() for line in lines)

    def _repr_html_(self) -> str:
        from html import escape

        from attncalc.formats import FRAGMENT, html

        page = html.render(self.to_document(pointed=True), FRAGMENT)
        return FRAME.format(page=escape(page), height=self.frame_height)

    def _repr_markdown_(self) -> str:
        from attncalc.formats import FRAGMENT, markdown

        return markdown.render(self.to_document(pointed=False), FRAGMENT)

    def _repr_latex_(self) -> str:
        from attncalc.formats import FRAGMENT, latex

        return latex.render(self.to_document(pointed=False), FRAGMENT)
