"""A document as its blocks, one a line, for those who write a format."""

from __future__ import annotations

from attncalc.pages import Page
from attncalc.worked.blocks import Document


def render(document: Document, _: Page) -> str:
    """Every block as Python writes it."""
    return "\n".join(map(repr, document.blocks))
