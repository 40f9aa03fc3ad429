"""The width of a text on a terminal: accents have none, wide letters and joined emoji have two columns."""

from __future__ import annotations

import re

NARROW = re.compile(
    "[ -~\xa0-\xac\xae-\u02ff\u0370-\u0482\u1d00-\u1dbf\u2010-\u2027\u2030-\u205f\u2070-\u20cf"
    "\u2100-\u2319\u239b-\u23b4\u2500-\u25fc\u2713\u2717]*"
)
"""Characters of one column each: a text of these needs no table to be measured."""


def width_of(text: str) -> int:
    """Return the number of columns of a text on a terminal."""
    if NARROW.fullmatch(text):
        return len(text)
    # Slow to import, and seldom needed.
    from rich.cells import cell_len

    return cell_len(text)


def flush_left(text: str, width: int) -> str:
    """Pad a text with spaces on the right to a width."""
    return text + " " * (width - width_of(text))


def flush_right(text: str, width: int) -> str:
    """Pad a text with spaces on the left to a width."""
    return " " * (width - width_of(text)) + text
