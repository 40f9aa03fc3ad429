"""How many columns of a terminal a text takes: accents none, wide letters two, a joined emoji two in all."""

from __future__ import annotations

import re

NARROW = re.compile(
    "[ -~\xa0-\xac\xae-\u02ff\u0370-\u0482\u1d00-\u1dbf\u2010-\u2027\u2030-\u205f\u2070-\u20cf"
    "\u2100-\u2319\u239b-\u23b4\u2500-\u25fc\u2713\u2717]*"
)
"""Letters and signs of one column each: most texts need no table to be measured."""


def width_of(text: str) -> int:
    """How many columns a text takes."""
    if NARROW.fullmatch(text):
        return len(text)
    # Slow to import, and seldom needed.
    from rich.cells import cell_len

    return cell_len(text)


def flush_left(text: str, width: int) -> str:
    """Text with as many blanks after it as it takes."""
    return text + " " * (width - width_of(text))


def flush_right(text: str, width: int) -> str:
    """Text with as many blanks before it as it takes."""
    return " " * (width - width_of(text)) + text
