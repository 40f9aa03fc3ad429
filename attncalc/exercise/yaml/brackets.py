"""The brackets of a YAML text as they were typed, whether they are closed or not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from attncalc.core.record import record

# Patterns are left as texts: they are compiled by the first file that needs them, not at every start.
CLOSING = {"[": "]", "{": "}"}
BEFORE_VALUE = r"\s*(?:- +)*(?:(?:\"[^\"]*\"\s*|'[^']*'\s*|[^\s'\"\[{#:][^:#]*):(?:\s+|$))?"
"""What stands before the value of a line: its indentation, dashes, and the key."""
NEXT_KEY = r"\s*(?:- |[A-Za-z_]\w*(?:\[[0-9, ]*\])?\s*:(?:\s|$))"
"""How the line of the next key, or of the next item, starts."""
PIECE = r"(?:(?<=[\[{,:\s])|^)(?:'(?:[^']|'')*'|\"(?:[^\"\\]|\\.)*\")|(?:(?<=\s)|^)#.*|[^\s\[\]{},#]+|."
"""A quoted text, a comment, a word, or a sign."""


class Bracket(NamedTuple):
    """One bracket, counted from 0."""

    sign: str
    line: int
    column: int


@record
class Flow:
    """A value in brackets: where it starts and ends, which are left open, and which opens inside a row."""

    start: Bracket
    line: int
    column: int
    left_open: tuple[Bracket, ...]
    inside_row: Bracket | None
    comma: Bracket | None
    """The comma before the bracket that opens inside a row."""
    mismatch: Bracket | None
    """The first bracket that closes another than the last one opened."""


def find_flows(lines: Sequence[str]) -> Iterator[Flow]:
    """Every value that starts with a bracket, in order."""
    number = 0
    while number < len(lines):
        column = re.match(BEFORE_VALUE, lines[number]).end()  # type: ignore[union-attr]
        if lines[number][column : column + 1] in tuple(CLOSING):
            flow = read_flow(lines, number, column)
            yield flow
            number = flow.line
        number += 1


def read_flow(lines: Sequence[str], first: int, column: int) -> Flow:
    """The value that starts with the bracket here, to where it is closed or the next key starts."""
    start = Bracket(lines[first][column], first, column)
    opened: list[Bracket] = []
    filled: set[Bracket] = set()
    comma = inside = before = mismatch = None
    end = first, len(lines[first])
    for number in range(first, len(lines)):
        if number > first and is_next(lines, number, start):
            break
        if lines[number].strip():
            end = number, len(lines[number].rstrip())
        for match in re.compile(PIECE).finditer(lines[number], column if number == first else 0):
            here = Bracket(match[0], number, match.start())
            if match[0] in CLOSING:
                if opened and opened[-1] in filled and not inside and comma and len(opened) > 1:
                    inside, before = opened[-1], comma
                opened.append(here)
            elif match[0] in CLOSING.values():
                if CLOSING[opened[-1].sign] != match[0]:
                    mismatch = mismatch or here
                opened.pop()
                if not opened:
                    return Flow(start, number, match.end(), (), inside, before, mismatch)
            elif match[0] == ",":
                comma = here
            elif match[0][0] == "#":
                end = number, len(lines[number][: match.start()].rstrip())
            elif match[0].strip():
                filled.add(opened[-1])
    return Flow(start, *end, tuple(opened), inside, before, mismatch)


def is_next(lines: Sequence[str], number: int, start: Bracket) -> bool:
    """Whether a line starts the next key or item, so that what is open here was forgotten."""
    line, first = lines[number], lines[start.line]
    if start.sign == "[":
        return bool(re.match(NEXT_KEY, line))
    is_root = not first[: start.column].strip()
    return bool(re.match(NEXT_KEY, line)) and indent_of(line) <= indent_of(first) and not is_root


def indent_of(line: str) -> int:
    """How many columns stand empty before a line."""
    return len(line) - len(line.lstrip())
