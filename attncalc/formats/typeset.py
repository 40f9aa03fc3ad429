"""What LaTeX and Markdown share: matrices, aligned lines, tables, and formulas inside sentences."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from itertools import groupby, zip_longest
from typing import TypeAlias

from attncalc.document import (
    Bars,
    Block,
    Display,
    Displays,
    Document,
    Equation,
    Equations,
    Formula,
    Grid,
    Heading,
    Map,
    Note,
    Paragraph,
    Table,
    Verdict,
)
from attncalc.formats.sheet import GAP, Sheet, matrix, summands, width
from attncalc.formats.text import GLYPHS
from attncalc.readings.latex import Latex
from attncalc.readings.writing import GREEK
from attncalc.terms import Term

Row: TypeAlias = list[str]

SIGNS = {"=": "=", "≈": r"\approx"}
LETTER = rf"(?:[A-Za-z]\d*|{'|'.join(GREEK)})"
NAME = re.compile(rf"{LETTER}(?:_\w+)*'?")
INDICES = r"\[\d+(?:, ?\d+)*\]"
INLINE = re.compile(
    rf"(?<!\w)({LETTER}(?:_[A-Za-z\d]{{1,2}})+(?:{INDICES}|(?!\w))|{LETTER}{INDICES}"
    r"|[A-Za-z](?:\[\w+\])?\^(?:[-−]?(?:∞|\d+)))"
)
"""The formulas in a sentence: h_1, W_Q, mu_a, S[3,1], x^2, E[x]^2."""
MATHS = re.compile(rf"[_^=()\[\]×√/]|-\d|(?<!\w){LETTER}(?!\w)")
"""What a cell of a table has in it where it is a formula."""


class Typeset(ABC):
    """Writes blocks; a format says how headings, displays and tables look."""

    notation: Latex
    room: int
    """How many characters of a formula fit on a line."""
    tallest: int
    """How many rows of a matrix or a table fit on a page."""

    def pieces(self, document: Document) -> Iterator[str]:
        """The text of every block, laws together with their matrix formula."""
        for lawful, blocks in groupby(document.blocks, lambda block: isinstance(block, Formula | Equation)):
            if lawful:
                yield self.display([row for block in blocks for row in self.law(block)])
            else:
                yield from filter(None, map(self.block, blocks))

    def block(self, block: Block) -> str:
        """The text of one block."""
        match block:
            case Heading(text, level):
                return self.heading(self.titled(text) if level == 3 else self.prose(text), level)
            case Paragraph(text):
                return self.prose(text)
            case Note(text):
                return self.note(self.prose(text))
            case Formula() | Equation():
                return self.display(list(self.law(block)))
            case Equations(lines):
                return self.worked(lines) if lines else ""
            case Displays(members):
                return self.display(list(self.side_by_side(members))) if members else ""
            case Verdict(verdict, symbol, text):
                sign = self.escaped(GLYPHS[verdict][0][0])
                return f"{sign} {self.cell(symbol)} {self.prose(text)}"
            case Bars(title, counts):
                most = max(count for _, count in counts)
                bars = [[self.prose(name), str(count), self.bar(count / most)] for name, count in counts]
                return f"{self.cell(title)}\n\n{self.tables(['', 'count', ''], bars, 'l')}"
            case Table(heads, rows):
                return self.tables([*map(self.cell, heads)], [[*map(self.cell, row)] for row in rows])
            case Map(symbol, rows, columns, weights):
                body = [
                    [self.prose(label), *map(self.shaded, line)]
                    for label, line in zip(rows, weights, strict=True)
                ]
                return self.tables([self.cell(symbol), *map(self.prose, columns)], body)

    # What a format decides

    @abstractmethod
    def escaped(self, text: str) -> str:
        """Text in which nothing is a command."""

    @abstractmethod
    def inline(self, formula: str) -> str:
        """A formula inside a sentence."""

    @abstractmethod
    def heading(self, text: str, level: int) -> str:
        """A title."""

    @abstractmethod
    def note(self, text: str) -> str:
        """An aside."""

    @abstractmethod
    def display(self, rows: list[str], pairs: int = 1) -> str:
        """Lines of mathematics, with so many pairs of columns that are aligned."""

    @abstractmethod
    def table(self, heads: Row, rows: list[Row], columns: str) -> str:
        """A table that is not too large, its columns flush left (l) or right (r)."""

    @abstractmethod
    def shaded(self, weight: float) -> str:
        """A weight with a shade of its size."""

    @abstractmethod
    def bar(self, share: float) -> str:
        """A bar, as a share of the longest."""

    # Text

    def prose(self, text: str) -> str:
        """A sentence, the formulas in it as formulas."""
        parts = INLINE.split(text)
        return "".join(
            self.inline(self.notation.formula(part)) if n % 2 else self.escaped(part)
            for n, part in enumerate(parts)
        )

    def titled(self, text: str) -> str:
        """The title of a step, whose last word is its symbol."""
        before, space, last = text.rpartition(" ")
        if not NAME.fullmatch(last):
            return self.prose(text)
        return f"{self.prose(before)}{space}{self.inline(self.notation.name(last))}"

    def cell(self, text: str) -> str:
        """A cell of a table: a formula or words."""
        return self.inline(self.notation.formula(text)) if MATHS.search(text) else self.escaped(text)

    # Lines

    def law(self, block: Block) -> Iterator[str]:
        """The rows of a matrix formula and its shapes, or of a law."""
        if isinstance(block, Equation):
            yield from self.chain(block)
        if isinstance(block, Formula):
            row = f"{self.notation.name(block.symbol)} &= {self.notation.formula(block.formula)}"
            for name, size in block.shapes:
                shape = rf" \qquad {self.notation.name(name)}\colon " + r" \times ".join(map(str, size))
                if width(row + shape) > self.room:
                    yield row
                    row = "&"
                row += shape
            yield row

    def sides(self, line: Equation) -> list[str]:
        """What stands right of a line's left side, each with its relation."""
        return [f"{SIGNS[relation]} {self.notation.write(term)[0]}" for relation, term in line.sides]

    def worked(self, lines: tuple[Equation, ...]) -> str:
        """Worked lines, their relations under each other where there is room."""
        table = [[self.notation.write(line.left)[0], *self.sides(line)] for line in lines]
        widths = [max(map(width, column)) for column in zip_longest(*table, fillvalue="")]
        if sum(widths) + GAP * len(widths) > self.room:
            return self.display([row for line in lines for row in self.chain(line)])
        return self.display([f"{row[0]} &" + r" &\quad&".join(row[1:]) for row in table], len(widths) - 1)

    def chain(self, line: Equation) -> Iterator[str]:
        """A line whole; else the rule on a row of its own, and then as much on each row as fits."""
        left, sides = self.notation.write(line.left)[0], self.sides(line)
        room = self.room - width(left)
        rows: list[str] = []
        for (relation, term), side in zip(line.sides, sides, strict=True):
            if rows and width(rows[-1] + side) <= room and (len(rows) > 1 or width(" ".join(sides)) <= room):
                rows[-1] += f" {side}"
            else:
                first, *rest = self.broken(term, room)
                rows += [f"{SIGNS[relation]} {first}", *(rf"\qquad {{}}{part}" for part in rest)]
        yield f"{left} &{rows[0]}"
        yield from (f"&{row}" for row in rows[1:])

    def broken(self, term: Term, room: int) -> list[str]:
        """A term in as many rows as it takes."""
        text = self.notation.write(term)[0]
        if width(text) <= room:
            return [text]
        rows = [""]
        for piece in summands(self.notation.on_a_line().write(term)[0], room):
            if rows[-1] and width(rows[-1] + piece) > room:
                rows.append("")
            rows[-1] += piece
        return rows

    # Matrices

    def side_by_side(self, members: Iterable[Display]) -> Iterator[str]:
        """Matrices in rows, as many in each as there is room for."""
        waiting: list[str] = []
        used = 0
        for member in members:
            name, found = f"{self.named(member.symbol)} ", list(self.matrices(member))
            extent = width(name) + sum(across + 3 for _, _, across in found)
            if waiting and (used + extent > self.room or extent > self.room):
                yield "& " + r" \qquad ".join(waiting)
                waiting, used = [], 0
            if extent <= self.room:
                waiting.append(name + " ".join(f"{sign} {matrix}" for sign, matrix, _ in found))
                used += extent + GAP
            else:
                for sign, matrix, _ in found:
                    yield f"{name}&{sign} {matrix}"
                    name = ""
        if waiting:
            yield "& " + r" \qquad ".join(waiting)

    def named(self, symbol: str) -> str:
        """The name of a matrix, or of a row of it."""
        return self.notation.formula(re.sub(r"\]$", ",:]", symbol))

    def matrices(self, display: Display) -> Iterator[tuple[str, str, int]]:
        """The matrices of a display with their relations and widths, large ones in pieces."""
        for relation, grid in display.grids:
            sign = SIGNS[relation]
            for sheet in self.sheets(grid):
                yield sign, matrix(sheet), sheet.width
                sign = ""

    def sheets(self, grid: Grid) -> list[Sheet]:
        """A matrix, labelled where its labels say more than its place; in labelled pieces if it is large."""
        cells = [[self.entry(grid, i, j) for j in range(len(row))] for i, row in enumerate(grid.cells)]
        rows, columns = grid.rows or row_numbers(grid), grid.columns or column_numbers(grid)
        whole = Sheet(cells, [*map(self.label, rows)], [*map(self.label, columns)])
        pieces = list(whole.pieces(self.room, self.tallest))
        if len(pieces) > 1:
            return pieces
        return [Sheet(cells, self.telling(grid.rows), self.telling(grid.columns))]

    def telling(self, labels: tuple[str, ...]) -> list[str]:
        """Labels, unless they only count."""
        counting = labels == tuple(map(str, range(1, len(labels) + 1)))
        return [] if counting else [*map(self.label, labels)]

    def entry(self, grid: Grid, i: int, j: int) -> str:
        """An entry, its quotients on the line, boxed where it is marked, or a gap."""
        term = grid.cells[i][j]
        if term is None:
            return r"\cdots" if any(grid.cells[i]) else r"\vdots"
        text = self.notation.on_a_line().write(term)[0]
        return rf"\boxed{{{text}}}" if (i, j) in grid.marked else text

    def label(self, text: str) -> str:
        """A token or a number beside a matrix."""
        if not text:
            return ""
        return self.notation.formula(text) if INLINE.fullmatch(text) else self.notation.text(text)

    # Tables

    def tables(self, heads: Row, rows: list[Row], last: str = "r") -> str:
        """A table, or the pieces of a large one, its last column flush left or right."""
        sheet = Sheet([row[1:] for row in rows], [row[0] for row in rows], heads[1:])
        return "\n\n".join(
            self.table(
                [heads[0], *piece.heads],
                [[label, *row] for label, row in zip(piece.labels, piece.cells, strict=True)],
                "l" + "r" * (len(piece.heads) - 1) + last,
            )
            for piece in sheet.pieces(self.room * 4 // 3, self.tallest)
        )


def row_numbers(grid: Grid) -> tuple[str, ...]:
    """Where the rows stand in the whole matrix."""
    return tuple(next((counted(at[:-1]) for at in line if at), "") for line in grid.places)


def column_numbers(grid: Grid) -> tuple[str, ...]:
    """Where the columns stand in the whole matrix."""
    columns = zip(*grid.places, strict=True)
    return tuple(next((counted(at[-1:]) for at in column if at), "") for column in columns)


def counted(at: tuple[int, ...]) -> str:
    """Indices counted from 1."""
    return ",".join(str(n + 1) for n in at)
