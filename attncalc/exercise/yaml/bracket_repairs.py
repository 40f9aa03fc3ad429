"""Brackets that a hurried hand leaves out or puts too many, and what to write instead."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile

from attncalc.core.errors import inert
from attncalc.exercise.yaml.brackets import CLOSING, find_flows
from attncalc.exercise.yaml.repair import Broken, Mend


def unclosed(broken: Broken) -> Iterator[Mend]:
    """A bracket that is not closed before the next key, or before the next row."""
    for flow in find_flows(broken.lines):
        if flow.inside_row and flow.comma:
            opened, comma = flow.inside_row, flow.comma
            line = broken.lines[comma.line]
            mended = {comma.line: f"{line[: comma.column]}]{line[comma.column :]}"}
            where = f"the ',' in column {comma.column + 1}{of_line(comma.line, opened.line)}"
            message = f"this '[' is not closed: write ']' before {where}"
            yield Mend(broken.changed(mended), *opened[1:], message)
        if flow.left_open:
            opened = flow.left_open[0]
            closing = "".join(CLOSING[bracket.sign] for bracket in reversed(flow.left_open))
            line = broken.lines[flow.line]
            mended = {flow.line: line[: flow.column] + closing + line[flow.column :]}
            where = f"line {flow.line + 1}" if flow.line != opened.line else "the line"
            message = f"this '{opened.sign}' is not closed: write '{closing}' at the end of {where}"
            yield Mend(broken.changed(mended), *opened[1:], message)


def of_line(line: int, other: int) -> str:
    """Which line is meant, where it is not the same."""
    return f" of line {line + 1}" if line != other else ""


def closed_twice(broken: Broken) -> Iterator[Mend]:
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
            mended = line[:column] + line[column + 1 :]
            yield Mend(broken.changed({flow.line: mended}), flow.line, column, message)
        if flow.mismatch:
            sign, number, column = flow.mismatch
            line, other = broken.lines[number], {"]": "}", "}": "]"}[sign]
            mended = f"{line[:column]}{other}{line[column + 1 :]}"
            message = f"this '{sign}' closes another bracket: write '{other}'"
            yield Mend(broken.changed({number: mended}), number, column, message)


KEY_ALONE = r"\s*[A-Za-z_]\w*\s*:\s*"
BRACKETS = " ,[]"
ROW_OF_PRINT = r"[\s\[\],]*[-+−.0-9][^\[\]:]*\]*\s*"


def print_of_rows(broken: Broken) -> Iterator[Mend]:
    """A print below its key whose brackets do not fit."""
    for number, line in broken.before():
        below = broken.lines[number + 1 :]
        rows = list(takewhile(lambda row: re.fullmatch(ROW_OF_PRINT, row), below))
        if not (re.fullmatch(KEY_ALONE, line) and rows and "[" in "".join(rows)):
            continue
        matrix = f"[{', '.join(f'[{inert(row.strip(BRACKETS))}]' for row in rows)}]"
        mended = {number + 1: f"  {matrix}", **{number + 1 + n: "" for n in range(1, len(rows))}}
        message = f"the brackets of these rows do not fit: write {matrix}"
        yield Mend(broken.changed(mended), number + 1, 0, message)


def rows_below(broken: Broken) -> Iterator[Mend]:
    """Rows below each other that no brackets hold together."""
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
            message = f"the rows of a matrix stand in brackets of their own: {where}"
            yield Mend(broken.changed(rows), flow.start.line, flow.start.column, message)
