"""Matrices drawn with brackets and aligned decimal points, split between columns if they are too wide."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from attncalc.core.notations.columns import flush_right, width_of
from attncalc.core.notations.unicode import write
from attncalc.core.record import record
from attncalc.core.terms import Constant, Term
from attncalc.pages.documents.text.lines import INDENT, Line, Medium, line_width, trim
from attncalc.pages.typeset.shades import ASCII_BLOCKS, BLOCKS, shade_block
from attncalc.worked.blocks import SIGNS, Display, Grid
from attncalc.worked.grids import is_decimal

GAPS = ("…", "...")
"""The sign for omitted entries, in Unicode and in ASCII."""
BRACKETS = ("⎡⎢⎣⎤⎥⎦[]", "[[[]]][]")
BESIDE = 4
"""The columns between two matrices."""
FRAME = 12
"""The approximate width of a name, brackets and margins, in columns."""


@record
class Column:
    """One column of a matrix: its head and its entries, all of one width."""

    head: str
    entries: list[str]

    @property
    def width(self) -> int:
        """Its width."""
        return max(width_of(self.head), width_of(self.entries[0]))


class MatrixDrawing(Medium):
    """Draws matrices side by side."""

    def displays(self, members: Iterable[Display]) -> Iterator[Line]:
        """Matrices side by side if they fit."""
        waiting: list[list[Line]] = []
        used = 0
        for picture in (picture for member in members for picture in self.pictures(member)):
            extent = max(map(line_width, picture))
            if waiting and used + BESIDE + extent > self.room:
                yield from self.row(waiting)
                waiting, used = [], 0
            used += extent + (BESIDE if waiting else 0)
            waiting.append(picture)
        yield from self.row(waiting)

    def row(self, pictures: list[list[Line]]) -> Iterator[Line]:
        """Pictures side by side, aligned at the bottom, under a blank line."""
        if not pictures:
            return
        yield []
        height = max(map(len, pictures))
        widths = [max(map(line_width, picture)) + BESIDE for picture in pictures]
        level = [[*([[]] * (height - len(picture))), *picture] for picture in pictures]
        for parts in zip(*level, strict=True):
            line: Line = [(INDENT, "")]
            for part, width in zip(parts, widths, strict=True):
                line += [*part, (" " * (width - line_width(part)), "")]
            yield trim(line)

    def pictures(self, display: Display) -> list[list[Line]]:
        """A name with its matrices, and the shades of weights beside them if there is room."""
        found = self.matrices(display)
        last, grid = found[-1], display.grids[-1][1]
        if display.shaded and max(map(line_width, last)) + 2 * len(grid.cells[0]) + len(INDENT) <= self.room:
            found[-1] = self.add_shades(last, grid)
        return found

    def add_shades(self, picture: list[Line], grid: Grid) -> list[Line]:
        """A matrix of weights with a shade for each of them beside it."""
        blocks = ASCII_BLOCKS if self.ascii else BLOCKS

        def shades(cells: Sequence[Term | None]) -> str:
            weights = (float(cell.value) if isinstance(cell, Constant) else 0 for cell in cells)
            return INDENT + "".join(shade_block(weight, blocks) for weight in weights)

        above, rows = picture[: -len(grid.cells)], picture[-len(grid.cells) :]
        shaded = ([*line, (shades(cells), "")] for line, cells in zip(rows, grid.cells, strict=True))
        return [*above, *shaded]

    def matrices(self, display: Display) -> list[list[Line]]:
        """A name with its matrices: in one picture if they fit, else one picture each."""
        name = write(display.label, self.notation)
        drawn = [(self.signs[relation], self.grids(grid)) for relation, grid in display.grids]
        if len(drawn) > 1 and all(len(parts) == 1 for _, parts in drawn):
            (sign, (left,)), (other, (right,)) = drawn
            both = side_by_side(beside(f"{name} {sign} ", left), beside(f" {other} ", right))
            if max(map(line_width, both)) <= self.room:
                return [both]
        found = []
        for number, (sign, parts) in enumerate(drawn):
            label = f"{name if number == 0 else ' ' * width_of(name)} {sign} "
            for part in parts:
                found.append(beside(label, part))
                label = " " * width_of(label)
        return found

    def grids(self, grid: Grid) -> list[list[Line]]:
        """A matrix drawn with brackets, in pieces if it is too wide."""
        labels = [self.plain(label) for label in grid.rows] or [""] * len(grid.cells)
        margin = max(map(width_of, labels))
        columns = list(self.columns(grid))
        groups, used = [[columns[0]]], margin + columns[0].width + FRAME
        for column in columns[1:]:
            if used + column.width + 2 > self.room and self.width:
                groups.append([])
                used = margin + FRAME
            groups[-1].append(column)
            used += column.width + 2
        return [self.draw(group, labels, margin) for group in groups]

    def columns(self, grid: Grid) -> Iterator[Column]:
        """The columns of a matrix as text, wrong entries marked."""
        cross = self.sign(SIGNS["wrong"])
        heads = [self.plain(label) for label in grid.columns] or [""] * len(grid.cells[0])
        for j, (head, cells) in enumerate(zip(heads, zip(*grid.cells, strict=True), strict=True)):
            entries = self.entries(cells)
            if grid.marked:
                crosses = (cross if (i, j) in grid.marked else " " for i in range(len(entries)))
                entries = [*map(add_sign, entries, crosses)]
            yield Column(head, entries)

    def draw(self, columns: Sequence[Column], labels: list[str], margin: int) -> list[Line]:
        """Some columns of a matrix with brackets and labels."""
        space = " " if margin else ""
        lines: list[Line] = []
        if any(column.head for column in columns):
            named = "  ".join(flush_right(column.head, column.width) for column in columns)
            lines.append([(" " * (margin + len(space) + 2) + named, "dim")])
        for n, label in enumerate(labels):
            left, right = self.brackets(n, len(labels))
            body = "  ".join(flush_right(column.entries[n], column.width) for column in columns)
            lines.append([(flush_right(label, margin) + space, "dim"), (f"{left} {body} {right}", "")])
        return lines

    def brackets(self, row: int, rows: int) -> tuple[str, str]:
        """The brackets around a row: an upper, a middle or a lower piece, or a whole one."""
        glyphs = BRACKETS[self.ascii]
        if rows == 1:
            return glyphs[6], glyphs[7]
        piece = 0 if row == 0 else 2 if row == rows - 1 else 1
        return glyphs[piece], glyphs[piece + 3]

    def entries(self, cells: tuple[Term | None, ...]) -> list[str]:
        """A column of entries and gaps, decimal points aligned, or flush right."""
        texts = [GAPS[self.ascii] if cell is None else write(cell, self.notation) for cell in cells]
        if all(map(is_decimal, cells)):
            behind = [
                0 if cell is None else behind_point(text) for cell, text in zip(cells, texts, strict=True)
            ]
            texts = [text + " " * (max(behind) - n) for text, n in zip(texts, behind, strict=True)]
        extent = max(map(width_of, texts))
        return [flush_right(text, extent) for text in texts]


def behind_point(text: str) -> int:
    """The number of characters from the decimal point on."""
    return len(text) - text.index(".") if "." in text else 0


def add_sign(text: str, sign: str) -> str:
    """An entry with a sign directly after it."""
    bare = text.rstrip()
    return bare + sign + " " * (len(text) - len(bare))


def beside(label: str, picture: list[Line]) -> list[Line]:
    """A label before the middle of a picture's matrix."""
    heads = sum(1 for line in picture if len(line) == 1)
    middle = heads + (len(picture) - heads) // 2
    return [[(label if n == middle else " " * width_of(label), ""), *line] for n, line in enumerate(picture)]


def side_by_side(left: list[Line], right: list[Line]) -> list[Line]:
    """Two pictures of the same height."""
    extent = max(map(line_width, left))
    return [[*a, (" " * (extent - line_width(a)), ""), *b] for a, b in zip(left, right, strict=True)]
