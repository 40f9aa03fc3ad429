"""The width of a text on a terminal: accents have none, wide letters and joined emoji have two columns."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

NARROW = re.compile(
    "[ -~\xa0-\xac\xae-\u02ff\u0370-\u0482\u1d00-\u1dbf\u2010-\u2027\u2030-\u205f\u2070-\u20cf"
    "\u2100-\u2319\u239b-\u23b4\u2500-\u25fc\u2713\u2717]*"
)
"""Characters of one column each: a text of these needs no table to be measured."""
JOINER = "\u200d"
"""What joins two characters to one."""


def width_of(text: str) -> int:
    """Return the number of columns of a text on a terminal."""
    if NARROW.fullmatch(text):
        return len(text)
    # Slow to import, and seldom needed.
    from rich.cells import cell_len

    return cell_len(text)


def clusters_of(text: str) -> list[str]:
    """The characters of a text, each with the accents and signs that are joined to it."""
    found: list[str] = []
    for letter in text:
        is_accent = unicodedata.category(letter) in ("Mn", "Me", "Cf")
        if found and (is_accent or found[-1].endswith(JOINER)):
            found[-1] += letter
        else:
            found.append(letter)
    return found


def cut_middle(text: str, width: int, gap: str = "…") -> str:
    """Cut the middle out of a text that is wider than this; its beginning and its end stay.

    >>> cut_middle("jonesamy_LATE_123_7890_answers.yaml", 15), cut_middle("Amy", 15)
    ('jonesam…rs.yaml', 'Amy')
    >>> cut_middle("李小龙李小龙", 7)
    '李小…龙'
    """
    if width_of(text) <= width:
        return text
    room = max(width - width_of(gap), 0)
    letters = clusters_of(text)
    end = take(reversed(letters), room - room // 2)
    start = take(iter(letters), room - width_of("".join(end)))
    return "".join((*start, gap, *reversed(end)))


def take(letters: Iterator[str], width: int) -> list[str]:
    """The first letters that fit into a width."""
    found: list[str] = []
    for letter in letters:
        width -= width_of(letter)
        if width < 0:
            break
        found.append(letter)
    return found


def flush_left(text: str, width: int) -> str:
    """Pad a text with spaces on the right to a width."""
    return text + " " * (width - width_of(text))


def flush_right(text: str, width: int) -> str:
    """Pad a text with spaces on the left to a width."""
    return " " * (width - width_of(text)) + text
