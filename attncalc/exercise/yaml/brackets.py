"""The brackets of a YAML text, and repairs of those that do not match."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from attncalc.core.record import record
from attncalc.core.repair import Proposal
from attncalc.exercise.yaml.try_repairs import Broken

CLOSING = {"[": "]", "{": "}"}
BEFORE_VALUE = r"\s*(?:- +)*(?:(?:\"[^\"]*\"\s*|'[^']*'\s*|[^\s'\"\[{#:][^:#]*):(?:\s+|$))?"
"""The part of a line before its value: indentation, dashes, and the key."""
NEXT_KEY = r"\s*(?:- |[A-Za-z_]\w*(?:\[[0-9, ]*\])?\s*:(?:\s|$))"
"""The start of the line of the next key, or of the next item."""
PIECE = r"(?:(?<=[\[{,:\s])|^)(?:'(?:[^']|'')*'|\"(?:[^\"\\]|\\.)*\")|(?:(?<=\s)|^)#.*|[^\s\[\]{},#]+|."
"""A quoted text, a comment, a word, or a sign."""


class Bracket(NamedTuple):
    """One bracket, counted from 0."""

    sign: str
    line: int
    column: int


@record
class Flow:
    """A value in brackets: its start and end, the brackets left open, and one that opens inside a row."""

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
    """Yield every value that starts with a bracket, in order."""
    number = 0
    while number < len(lines):
        column = re.match(BEFORE_VALUE, lines[number]).end()  # type: ignore[union-attr]
        if lines[number][column : column + 1] in tuple(CLOSING):
            flow = read_flow(lines, number, column)
            yield flow
            number = flow.line
        number += 1


def read_flow(lines: Sequence[str], first: int, column: int) -> Flow:
    """Scan the value that starts with this bracket until it is closed or the next key starts."""
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
    """Whether a line starts the next key or item, so that a closing bracket is missing before it."""
    line, first = lines[number], lines[start.line]
    if start.sign == "[":
        return bool(re.match(NEXT_KEY, line))
    is_root = not first[: start.column].strip()
    return bool(re.match(NEXT_KEY, line)) and indent_of(line) <= indent_of(first) and not is_root


def indent_of(line: str) -> int:
    """Count the spaces before a line."""
    return len(line) - len(line.lstrip())


def unclosed(broken: Broken) -> Iterator[Proposal]:
    """A bracket that is not closed before the next key, or before the next row."""
    for flow in find_flows(broken.lines):
        if flow.inside_row and flow.comma:
            opened, comma = flow.inside_row, flow.comma
            line = broken.lines[comma.line]
            changed = {comma.line: f"{line[: comma.column]}]{line[comma.column :]}"}
            where = f"the ',' in column {comma.column + 1}{of_line(comma.line, opened.line)}"
            message = f"this '[' is not closed: write ']' before {where}"
            yield broken.propose(changed, message, *opened[1:])
        if flow.left_open:
            opened = flow.left_open[0]
            closing = "".join(CLOSING[bracket.sign] for bracket in reversed(flow.left_open))
            line = broken.lines[flow.line]
            changed = {flow.line: line[: flow.column] + closing + line[flow.column :]}
            where = f"line {flow.line + 1}" if flow.line != opened.line else "the line"
            message = f"this '{opened.sign}' is not closed: write '{closing}' at the end of {where}"
            yield broken.propose(changed, message, *opened[1:])


def of_line(line: int, other: int) -> str:
    """Name the line if it is another one."""
    return f" of line {line + 1}" if line != other else ""


def closed_twice(broken: Broken) -> Iterator[Proposal]:
    """A bracket that closes nothing, or too early, or another kind than was opened."""
    for flow in find_flows(broken.lines):
        line = broken.lines[flow.line]
        rest = re.match(r"\s*(?P<at>[\]},])", line[flow.column :])
        if rest and not flow.left_open:
            early = rest["at"] == ","
            if early and line.count("]", flow.column) <= line.count("[", flow.column):
                continue
            column = flow.column - 1 if early else flow.column + rest.start("at")
            message = f"this '{line[column]}' closes {'too early' if early else 'nothing'}: leave it out"
            changed = line[:column] + line[column + 1 :]
            yield broken.propose({flow.line: changed}, message, flow.line, column)
        if flow.mismatch:
            sign, number, column = flow.mismatch
            line, other = broken.lines[number], {"]": "}", "}": "]"}[sign]
            changed = f"{line[:column]}{other}{line[column + 1 :]}"
            message = f"this '{sign}' closes another bracket: write '{other}'"
            yield broken.propose({number: changed}, message, number, column)


def rows_below(broken: Broken) -> Iterator[Proposal]:
    """Rows below each other without brackets around them."""
    for flow in find_flows(broken.lines):
        below = broken.lines[flow.line + 1 :]
        count = next((n for n, line in enumerate(below) if not line.lstrip().startswith("[")), len(below))
        if (
            flow.start.line == flow.line
            and count
            and not flow.left_open
            and not broken.lines[flow.line][flow.column :].strip(" ,")
        ):
            last = flow.line + count
            rows = {n: f"{broken.lines[n].rstrip(' ,')}," for n in range(flow.line, last)}
            first = rows[flow.start.line]
            rows[flow.start.line] = f"{first[: flow.start.column]}[{first[flow.start.column :]}"
            rows[last] = broken.lines[last].rstrip(" ,") + "]"
            where = f"write '[' here and ']' at the end of line {last + 1}"
            message = f"the rows of a matrix need their own brackets: {where}"
            yield broken.propose(rows, message, flow.start.line, flow.start.column)
