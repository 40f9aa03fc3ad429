"""A document as its blocks, one a line, for those who write a format."""

from __future__ import annotations

from attncalc.document.blocks import Document
from attncalc.formats import Page


def render(document: Document, _: Page) -> str:
    """Every block as Python writes it."""
    return "\n".join(map(repr, document.blocks))
