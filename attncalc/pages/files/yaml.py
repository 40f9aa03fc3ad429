"""A YAML file, unchanged."""

from __future__ import annotations

from attncalc.pages import Page


def render(text: str, _: Page) -> str:
    """The text itself."""
    return text
