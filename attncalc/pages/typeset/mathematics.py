"""Formulas laid out: laws and worked lines under each other, matrices side by side, all within a width."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import zip_longest

from attncalc.core.graph.references import count_from_one
from attncalc.core.notations.latex import Latex
from attncalc.core.notations.unicode import summands
from attncalc.core.record import record
from attncalc.core.terms.formulas import Maths, Shape
from attncalc.pages.typeset.layout import TEX, Layout
from attncalc.pages.typeset.matrices import GAP, LaidOut
from attncalc.pages.typeset.shades import shorten
from attncalc.worked.blocks import Block, Display, Equation, Grid, Law, Sized
from attncalc.worked.prose import find_maths

CONTINUED = re.compile(r"&(?! )")
"""The start of a row that continues the one before it."""


@record
class Mathematics:
    """Writes rows of formulas in one notation; & marks where they are aligned."""

    notation: Latex
    room: int
    """The number of characters of a formula that fit on a line."""
    tallest: int
    """The number of rows of a matrix or a table that fit on a page."""
    layout: Layout = TEX

    @property
    def signs(self) -> dict[str, str]:
        """The signs of relations."""
        return {"=": self.notation.equal, "≈": self.notation.about}

    def width(self, formula: str) -> int:
        """The approximate width of a formula in characters."""
        return self.layout.width(formula)

    def law(self, block: Block) -> Iterator[str]:
        """The rows of a matrix formula and its shapes, or of a law."""
        if isinstance(block, Equation):
            yield from self.chain(block)
        if isinstance(block, Law):
            row, gap = f"{self.write(block.subject)} &= {self.write(block.formula)}", f" {self.layout.wide} "
            for shape in self.shapes(block):
                if self.width(row + gap + shape) > self.room:
                    yield row
                    row, gap = "&", f"{self.layout.wide} "
                row, gap = row + gap + shape, self.layout.space
            yield row

    def shapes(self, law: Law) -> list[str]:
        """Q 2×3, K 3×3 → S 2×3, piece by piece."""
        *inputs, result = map(self.write_size, (*law.inputs, law.result))
        if not inputs:
            return [result]
        return [*(f"{matrix}," for matrix in inputs[:-1]), inputs[-1], f"{self.layout.arrow} {result}"]

    def write_size(self, matrix: Sized) -> str:
        """Q 2×3"""
        name, size = matrix
        return f"{self.notation.name(name)}{self.layout.space}{self.write(Shape(size))}"

    def write(self, maths: Maths) -> str:
        """A term or a formula."""
        return self.notation.write(maths)[0]

    def sides(self, line: Equation) -> list[str]:
        """The right sides of a line, each with its relation."""
        return [f"{self.signs[relation]} {self.write(term)}" for relation, term in line.sides]

    def write_lines(self, lines: tuple[Equation, ...]) -> tuple[list[str], int]:
        """Worked lines and their pairs of columns: one for each relation if there is room, else one."""
        table = [[self.write(line.left), *self.sides(line)] for line in lines]
        widths = [max(map(self.width, column)) for column in zip_longest(*table, fillvalue="")]
        if sum(widths) + GAP * len(widths) > self.room:
            return [row for line in lines for row in self.chain(line)], 1
        return [f"{row[0]} &" + f" &{self.layout.apart}&".join(row[1:]) for row in table], len(widths) - 1

    def chain(self, line: Equation) -> Iterator[str]:
        """A line on one row if it fits; else the rule on one row, and then as much on each row as fits."""
        left, sides = self.write(line.left), self.sides(line)
        room = self.room - self.width(left)
        rows: list[str] = []
        for (relation, term), side in zip(line.sides, sides, strict=True):
            if (
                rows
                and self.width(rows[-1] + side) <= room
                and (len(rows) > 1 or self.width(" ".join(sides)) <= room)
            ):
                rows[-1] += f" {side}"
            else:
                first, *rest = self.break_term(term, room)
                rows += [
                    f"{self.signs[relation]} {first}",
                    *(f"{self.layout.further}{part}" for part in rest),
                ]
        yield f"{left} &{rows[0]}"
        yield from (f"&{row}" for row in rows[1:])

    def break_term(self, term: Maths, room: int) -> list[str]:
        """A term in rows that fit."""
        text = self.write(term)
        if self.width(text) <= room:
            return [text]
        rows = [""]
        for piece in self.layout.cut_to(room, summands(term, self.notation.on_a_line())):
            if rows[-1] and self.width(rows[-1] + piece) > room:
                rows.append("")
            rows[-1] += piece
        return rows

    # Matrices

    def side_by_side(self, members: Iterable[Display]) -> Iterator[str]:
        """Matrices in rows, as many in each as there is room for."""
        waiting: list[str] = []
        used = 0
        for member in members:
            name, found = f"{self.write(member.label)} ", list(self.matrices(member))
            extent = self.width(name) + sum(across + 3 for _, _, across in found)
            if waiting and (used + extent > self.room or extent > self.room):
                yield "& " + f" {self.layout.wide} ".join(waiting)
                waiting, used = [], 0
            if extent <= self.room:
                waiting.append(name + " ".join(f"{sign} {text}" for sign, text, _ in found))
                used += extent + GAP
            else:
                for sign, text, _ in found:
                    yield f"{name}&{sign} {text}"
                    name = ""
        if waiting:
            yield "& " + f" {self.layout.wide} ".join(waiting)

    def matrices(self, display: Display) -> Iterator[tuple[str, str, int]]:
        """The matrices of a display with their relations and widths, large ones in pieces."""
        for relation, grid in display.grids:
            sign = self.signs[relation]
            for sheet in self.sheets(grid):
                yield sign, self.layout.matrix(sheet), sheet.width
                sign = ""

    def sheets(self, grid: Grid) -> list[LaidOut]:
        """A matrix, with labels that are more than row numbers; in labelled pieces if it is large."""
        cells = [[self.entry(grid, i, j) for j in range(len(row))] for i, row in enumerate(grid.cells)]
        rows, columns = grid.rows or row_numbers(grid), grid.columns or column_numbers(grid)
        whole = LaidOut(cells, [*map(self.label, rows)], [*map(self.label, columns)], self.width)
        pieces = list(whole.pieces(self.room, self.tallest))
        if len(pieces) > 1:
            return pieces
        return [LaidOut(cells, self.telling(grid.rows), self.telling(grid.columns), self.width)]

    def telling(self, labels: tuple[str, ...]) -> list[str]:
        """Labels, unless they only count."""
        counting = labels == tuple(map(str, range(1, len(labels) + 1)))
        return [] if counting else [*map(self.label, labels)]

    def entry(self, grid: Grid, i: int, j: int) -> str:
        """An entry, its quotients on the line, boxed if it is marked, or a gap."""
        term = grid.cells[i][j]
        if term is None:
            return self.layout.gaps[not any(grid.cells[i])]
        text = self.notation.on_a_line().write(term)[0]
        return self.layout.box(text) if (i, j) in grid.marked else text

    def label(self, text: str) -> str:
        """A token or a number beside a matrix."""
        if not text:
            return ""
        short = shorten(text)
        first, *rest = find_maths(short)
        return self.notation.text(short) if rest or isinstance(first, str) else self.write(first)


def row_numbers(grid: Grid) -> tuple[str, ...]:
    """The numbers of the rows in the whole matrix."""
    return tuple(next((count_from_one(at[:-1]) for at in line if at), "") for line in grid.places)


def column_numbers(grid: Grid) -> tuple[str, ...]:
    """The numbers of the columns in the whole matrix."""
    columns = zip(*grid.places, strict=True)
    return tuple(next((count_from_one(at[-1:]) for at in column if at), "") for column in columns)
