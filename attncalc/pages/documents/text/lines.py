"""Lines for a terminal: spans of text, each in a style, measured in columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from attncalc.core.notations.columns import width_of
from attncalc.core.notations.terms import GREEK
from attncalc.core.notations.unicode import Ascii, Notation
from attncalc.core.terms.formulas import Text
from attncalc.pages import Page
from attncalc.worked.blocks import Sign

Span: TypeAlias = tuple[str, str]
Line: TypeAlias = list[Span]

CODES = {"bold": "1", "dim": "2", "underline": "4", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
"""The escape codes of styles."""
WORD = re.compile(r"(\s*)(\S+)")
JOINED = re.compile(".(?:\u200d.|\ufe0f)*")
"""A character with the characters joined to it."""


def line_width(line: Line) -> int:
    """The width of a line in columns."""
    return sum(width_of(text) for text, _ in line)


def trim(line: Line) -> Line:
    """A line without blanks at its end."""
    while line and not line[-1][0].strip():
        line = line[:-1]
    return [*line[:-1], (line[-1][0].rstrip(), line[-1][1])] if line else []


def join_lines(lines: Iterable[Line], colour: bool) -> str:
    """The text of lines, with or without colour."""
    write = with_escape_codes if colour else without_styles
    return "\n".join(write(trim(line)) for line in lines)


def without_styles(line: Line) -> str:
    """A line without its styles."""
    return "".join(text for text, _ in line)


def with_escape_codes(line: Line) -> str:
    """A line with its styles as escape codes."""
    return "".join(style_text(text, style) for text, style in line)


def style_text(text: str, style: str) -> str:
    """A text in a style, reset after it."""
    codes = ";".join(CODES[word] for word in style.split())
    return f"\x1b[{codes}m{text}\x1b[0m" if codes and text else text


def wrap_words(text: str, width: int) -> list[str]:
    """Wrap words at a width in columns; a word longer than a line is broken, a number never."""
    lines: list[str] = []
    for space, word in WORD.findall(text):
        if lines and width_of(lines[-1] + space + word) <= width:
            lines[-1] += space + word
        else:
            lines += break_word(word, width)
    return lines


def break_word(word: str, width: int) -> Iterator[str]:
    """A word, in pieces if it is too long and no number."""
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


INDENT = "  "
NATURAL_WIDTH = 100
IN_ASCII = str.maketrans(
    {"−": "-", "∞": "inf", "×": "x", "·": "*", "√": "sqrt ", "≈": "~=", "…": "...", "→": "->", "ᵀ": "^T"}
    | {sign: name for name, sign in GREEK.items()}
)


class Medium:
    """A terminal, or a pipe, which has no width."""

    def __init__(self, page: Page) -> None:
        self.width, self.ascii = page.width, page.ascii
        self.room = (page.width or NATURAL_WIDTH) - len(INDENT)
        self.notation = Ascii() if page.ascii else Notation()
        self.signs = {"=": self.notation.equal, "≈": self.notation.about}

    def sign(self, sign: Sign) -> str:
        """A sign in characters that it can show."""
        return sign.ascii if self.ascii else sign.glyph

    def plain(self, text: str) -> str:
        """Text in characters that it can show."""
        return text.translate(IN_ASCII).encode("ascii", "backslashreplace").decode() if self.ascii else text

    def said(self, text: Text) -> str:
        """Words and the mathematics among them, on one line."""
        parts = (text,) if isinstance(text, str) else text
        return "".join(self.plain(self.notation.write_part(part)) for part in parts)
