"""Lines for a terminal: spans of text, each in a style, measured in columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from attncalc.core.notations.columns import width_of

Span: TypeAlias = tuple[str, str]
Line: TypeAlias = list[Span]

CODES = {"bold": "1", "dim": "2", "underline": "4", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
"""What a terminal is told to write in a style."""
WORD = re.compile(r"(\s*)(\S+)")
JOINED = re.compile(".(?:\u200d.|\ufe0f)*")
"""A letter, or several that make one."""


def line_width(line: Line) -> int:
    """How many columns a line takes."""
    return sum(width_of(text) for text, _ in line)


def trimmed(line: Line) -> Line:
    """A line without blanks at its end."""
    while line and not line[-1][0].strip():
        line = line[:-1]
    return [*line[:-1], (line[-1][0].rstrip(), line[-1][1])] if line else []


def printed(lines: Iterable[Line], colour: bool) -> str:
    """The text of lines, in colour or without."""
    write = coloured if colour else without_styles
    return "\n".join(write(trimmed(line)) for line in lines)


def without_styles(line: Line) -> str:
    """A line without its styles."""
    return "".join(text for text, _ in line)


def coloured(line: Line) -> str:
    """A line in its styles."""
    return "".join(styled(text, style) for text, style in line)


def styled(text: str, style: str) -> str:
    """A text in a style, and back to none."""
    codes = ";".join(CODES[word] for word in style.split())
    return f"\x1b[{codes}m{text}\x1b[0m" if codes and text else text


def wrapped(text: str, width: int) -> list[str]:
    """Words in lines of so many columns; a word is broken where it is too long for one, a number never."""
    lines: list[str] = []
    for space, word in WORD.findall(text):
        if lines and width_of(lines[-1] + space + word) <= width:
            lines[-1] += space + word
        else:
            lines += broken_word(word, width)
    return lines


def broken_word(word: str, width: int) -> Iterator[str]:
    """A word, in pieces where it is too long and no number."""
    if width_of(word) <= width or any(letter.isdigit() for letter in word):
        yield word
        return
    line, used = "", 0
    for letter in JOINED.findall(word):
        extent = width_of(letter)
        if line and used + extent > width:
            yield line
            line, used = "", 0
        line, used = line + letter, used + extent
    yield line
