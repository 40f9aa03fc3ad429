"""How a notebook shows problems, solutions, steps and reports; their own classes know nothing of it."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from html import escape
from typing import Any

from attncalc.pages import FRAGMENT
from attncalc.pages.documents import html, latex, markdown, text
from attncalc.worked.blocks import Document

FRAME = (
    '<iframe class="attncalc" srcdoc="{page}" sandbox="allow-scripts" scrolling="no" '
    'style="width:100%;height:36rem;border:0"></iframe>'
)
"""A separate page in a frame, isolated from the notebook's style and scripts, with the height it asks for."""


class Notebook(ABC):
    """Something with a document, which a notebook shows as a page, as Markdown or as LaTeX."""

    @abstractmethod
    def to_document(self, pointed: bool) -> Document:
        """The document to show; if `pointed`, with the working of every entry, for the pointer."""

    def __str__(self) -> str:
        return text.render(self.to_document(pointed=False), FRAGMENT)

    def _repr_html_(self) -> str:
        frame = FRAME.format(page=escape(html.render_framed(self.to_document(pointed=True))))
        return html.render_assets() + frame if brings_assets() else frame

    def _repr_markdown_(self) -> str:
        return markdown.render(self.to_document(pointed=False), FRAGMENT)

    def _repr_latex_(self) -> str:
        return latex.render(self.to_document(pointed=False), FRAGMENT)


def brings_assets() -> bool:
    """Whether to add style and script: only to the first cell that shows something, whenever it is run."""
    shell: Any = "IPython" in sys.modules and sys.modules["IPython"].get_ipython()
    if not shell or "google.colab" in sys.modules:  # every cell is isolated
        return True
    run = shell.execution_count
    parent = shell.get_parent() if hasattr(shell, "get_parent") else {}
    cell = parent.get("metadata", {}).get("cellId", run)
    first_cell, first_run = getattr(shell, "attncalc_assets", (cell, None))
    if first_cell != cell or first_run == run:
        return False
    shell.attncalc_assets = cell, run
    return True
