"""Typeset cells with their labels, measured, and split if they are too large for a page."""

from __future__ import annotations

import re
from collections.abc import Iterator

from attncalc.core.notations.latex import BLANK
from attncalc.core.record import record
from attncalc.core.terms.functions import FUNCTIONS

GAP = 2
"""The space between columns, in characters."""
FRACTION = re.compile(r"\\frac\{([^{}]*)\}\{([^{}]*)\}")
GROUP = re.compile(r"(?:\\(?!frac)[a-zA-Z]+|[_^] ?)\{([^{}]*)\}")
ANYWHERE = re.compile(r"(?=/)|(?<=\d{20})(?=\d)")
COMMAND = re.compile(r"\\([a-zA-Z]+) ?|\\(.)")
LENGTHS = {
    **{row.latex[1:]: len(row.latex) - 1 for row in FUNCTIONS.values()},
    "left": 0, "right": 0, "infty": 2, "quad": 2, "qquad": 4, "max": 3, "min": 3,
}  # fmt: skip
"""The widths of commands in characters; any other is 1."""


def width(tex: str) -> int:
    """The approximate width of a formula in characters; of a fraction, that of its longer part.

    >>> width("x_i"), width(r"\\frac{a b c}{d}")
    (3, 5)
    """
    before, tex = "", tex.replace(BLANK, "x" * 8)
    while tex != before:
        before = tex
        tex = FRACTION.sub(lambda found: max(found[1], found[2], key=len), tex)
        tex = GROUP.sub(r"\1", tex)
    plain = COMMAND.sub(lambda found: "x" * LENGTHS.get(found[1], 1), tex)
    return len(re.sub(r"[{}&$]", "", plain))


@record
class LaidOut:
    """Cells in rows, with labels before the rows and heads above the columns, or none."""

    cells: list[list[str]]
    labels: list[str]
    heads: list[str]

    @property
    def widths(self) -> list[int]:
        """The widths of the columns."""
        columns = [list(column) for column in zip(*self.cells, strict=True)]
        tops = self.heads or [""] * len(columns)
        return [max(map(width, [top, *column])) + GAP for top, column in zip(tops, columns, strict=True)]

    @property
    def margin(self) -> int:
        """The width of the labels."""
        return max(map(width, self.labels), default=0) + 2 * GAP

    @property
    def width(self) -> int:
        """The whole width."""
        return self.margin + sum(self.widths)

    def pieces(self, room: int, tallest: int) -> Iterator[LaidOut]:
        """The sheet split between columns and rows so that every piece fits."""
        for top in range(0, len(self.cells), tallest):
            rows = slice(top, top + tallest)
            for columns in groups(self.widths, room - self.margin):
                cells = [row[columns] for row in self.cells[rows]]
                yield LaidOut(cells, self.labels[rows], self.heads[columns])


def groups(widths: list[int], room: int) -> Iterator[slice]:
    """Neighbouring columns that fit together, at least one at a time."""
    start = used = 0
    for column, extent in enumerate(widths):
        if column > start and used + extent > room:
            yield slice(start, column)
            start, used = column, 0
        used += extent
    yield slice(start, len(widths))


def cut_to(room: int, summands: list[str]) -> Iterator[str]:
    """The summands of a formula; one that is too long is cut at slashes and inside numbers."""
    for piece in join_at_braces(summands):
        yield from [piece] if width(piece) <= room else join_at_braces(ANYWHERE.split(piece))


def join_at_braces(parts: list[str]) -> Iterator[str]:
    """Parts of a formula, joined again where a brace is open between them."""
    piece = ""
    for part in parts:
        piece += part
        if piece.count("{") == piece.count("}"):
            yield piece
            piece = ""


def write_matrix(sheet: LaidOut) -> str:
    """A matrix in brackets, or with rules between its labels and its cells."""
    if len(sheet.cells) == 1 and sheet.heads and not sheet.labels:
        named = zip(sheet.heads, sheet.cells[0], strict=True)
        return environment("bmatrix", [" & ".join(rf"\overset{{{head}}}{{{cell}}}" for head, cell in named)])
    rows = [" & ".join(row) for row in sheet.cells]
    if not sheet.labels and not sheet.heads:
        return environment("bmatrix", rows)
    rule = "r|" if sheet.labels else ""
    if sheet.labels:
        rows = [f"{label} & {row}" for label, row in zip(sheet.labels, rows, strict=True)]
    if sheet.heads:
        heads = [""] * bool(sheet.labels) + sheet.heads
        rows = [" & ".join(heads).strip(), r"\hline" + "\n" + rows[0], *rows[1:]]
    return environment("array", rows, f"{{{rule}{'r' * len(sheet.cells[0])}}}")


def environment(name: str, rows: list[str], argument: str = "") -> str:
    """Rows in an environment; in Markdown only two backslashes at the end of a line survive."""
    body = " \\\\\n".join(rows)
    return f"\\begin{{{name}}}{argument}\n{body}\n\\end{{{name}}}"
