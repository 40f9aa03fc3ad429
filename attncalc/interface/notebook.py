"""How solutions, steps and reports show themselves in a notebook, which they need not know."""

from __future__ import annotations

from abc import ABC, abstractmethod
from html import escape

from attncalc.document.blocks import Document
from attncalc.formats import FRAGMENT
from attncalc.formats.pages import html, latex, markdown, text

FRAME = (
    '<iframe srcdoc="{page}" sandbox="allow-scripts" style="width:100%;height:{height};border:0"></iframe>'
)
"""A page of its own, so that neither its style nor its script meets the notebook's."""


class Notebook(ABC):
    """Something with a document, which a notebook shows as a page, as Markdown or as LaTeX."""

    frame_height = "36rem"

    @abstractmethod
    def to_document(self, pointed: bool) -> Document:
        """What is shown; with the working of every entry where it can be pointed at."""

    def __str__(self) -> str:
        return text.render(self.to_document(pointed=False), FRAGMENT)

    def _repr_html_(self) -> str:
        page = html.render(self.to_document(pointed=True), FRAGMENT)
        return FRAME.format(page=escape(page), height=self.frame_height)

    def _repr_markdown_(self) -> str:
        return markdown.render(self.to_document(pointed=False), FRAGMENT)

    def _repr_latex_(self) -> str:
        return latex.render(self.to_document(pointed=False), FRAGMENT)
