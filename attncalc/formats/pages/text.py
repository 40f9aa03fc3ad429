"""A document as lines for a terminal: brackets, subscripts and aligned points, wrapped to its width.

A line is a list of spans (text, style), so that it can be printed with or without colour.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from textwrap import wrap
from typing import TypeAlias
from unicodedata import east_asian_width

from attncalc.document.blocks import (
    Bars,
    Block,
    Display,
    Displays,
    Document,
    Equation,
    Equations,
    Grid,
    Heading,
    Law,
    Map,
    Note,
    Paragraph,
    Table,
    Verdict,
)
from attncalc.document.grids import is_decimal
from attncalc.notations.terms import GREEK
from attncalc.notations.unicode import Ascii, Notation, summands, write
from attncalc.terms import Term
from attncalc.terms.formulas import Text

Span: TypeAlias = tuple[str, str]
Line: TypeAlias = list[Span]

INDENT = "  "
NATURAL_WIDTH = 100
IN_ASCII = str.maketrans(
    {"−": "-", "∞": "inf", "×": "x", "·": "*", "√": "sqrt ", "≈": "~=", "…": "...", "→": "->", "ᵀ": "^T"}
    | {sign: name for name, sign in GREEK.items()}
)
GLYPHS = {
    "correct": ("✓+", "green"), "rounded": ("~~", "green"), "follows": ("→>", "yellow"),
    "wrong": ("✗x", "bold red"), "shape": ("✗x", "bold red"), "coarse": ("??", "yellow"),
    "blank": ("··", "dim"), "unreadable": ("!!", "bold red"),
}  # fmt: skip
"""The sign of a verdict, in Unicode and in ASCII, and its colour."""
BRACKETS = {False: "⎡⎢⎣⎤⎥⎦[]", True: "[[[]]][]"}


def render(document: Document, width: int | None, notation: Notation) -> Iterator[Line]:
    """The lines of a document; without a width (in a pipe) worked lines are never wrapped."""
    writer = Writer(width, notation)
    before: Block | None = None
    for block in document.blocks:
        if isinstance(block, Paragraph) and isinstance(before, Equations | Table | Displays | Map | Bars):
            yield []
        yield from writer.block(block, first=before is None)
        before = block


class Writer:
    """Lays out blocks at one width in one notation."""

    def __init__(self, width: int | None, notation: Notation) -> None:
        self.width = width
        self.room = (width or NATURAL_WIDTH) - len(INDENT)
        self.notation = notation
        self.ascii = isinstance(notation, Ascii)

    def block(self, block: Block, first: bool) -> Iterator[Line]:
        """The lines of one block, with the blank line that belongs before it."""
        match block:
            case Heading(text, level, symbol):
                named = f"{text} {self.notation.name(symbol)}" if symbol else text
                yield from self.heading(named, level, first)
            case Paragraph(text):
                yield from self.prose(text, "")
            case Note(text):
                yield from self.prose(text, "dim")
            case Law():
                yield from self.law(block)
            case Equation():
                yield from self.equation(block)
            case Equations(lines):
                yield []
                for line in lines:
                    yield from self.equation(line)
            case Displays(members):
                yield from self.displays(members)
            case Bars():
                yield from self.bars(block)
            case Table():
                yield from self.table(block)
            case Map():
                yield from self.map(block)
            case Verdict(verdict, symbol, text):
                glyph, style = GLYPHS[verdict]
                shown = self.plain(f"{self.notation.name(symbol):<4} {text}")
                yield [(f"{INDENT}{glyph[self.ascii]} ", style), (shown, "")]

    def bars(self, block: Bars) -> Iterator[Line]:
        """A bar for every count, the longest half as wide as the page."""
        yield []
        yield [(self.said(block.title), "bold")]
        labels = [self.said(name) for name, _ in block.counts]
        names = max(map(len, labels))
        most = max(count for _, count in block.counts)
        room = self.room // 2
        for label, (_, count) in zip(labels, block.counts, strict=True):
            bar = ("#" if self.ascii else "█") * max(1, round(room * count / most))
            yield [(f"{INDENT}{label:<{names}}  {count:>5}  ", ""), (bar, "cyan")]

    def table(self, block: Table) -> Iterator[Line]:
        """Columns under their headings: the first flush left, the others flush right."""
        rows = [[self.said((cell,)) for cell in row] for row in (block.heads, *block.rows)]
        widths = [max(width_of(row[n]) for row in rows) for n in range(len(block.heads))]
        yield []
        for number, row in enumerate(rows):
            first = row[0] + " " * (widths[0] - width_of(row[0]))
            rest = "".join(
                f"  {padded(cell, width)}" for cell, width in zip(row[1:], widths[1:], strict=True)
            )
            yield [(f"{INDENT}{first}{rest}", "dim" if number == 0 else "")]

    def map(self, block: Map) -> Iterator[Line]:
        """Every weight with a shade of its size."""
        shades = " .:*#" if self.ascii else " ░▒▓█"
        columns = [self.plain(label) for label in block.columns]
        width = max(7, *map(width_of, columns))
        margin = max(map(width_of, block.rows))
        yield []
        yield [(INDENT + " " * (margin + 2) + "  ".join(padded(label, width) for label in columns), "dim")]
        for label, weights in zip(block.rows, block.weights, strict=True):
            cells = (f"{shades[min(4, int(5 * weight))] * 2} {weight:.2f}" for weight in weights)
            body = "  ".join(padded(cell, width) for cell in cells)
            yield [(INDENT + padded(self.plain(label), margin) + "  ", "dim"), (body, "")]

    def heading(self, text: str, level: int, first: bool) -> Iterator[Line]:
        """A heading, the title and the parts with a rule under them."""
        if not first:
            yield []
        lines = wrap(self.plain(text), self.width or NATURAL_WIDTH) or [""]
        for line in lines:
            yield [(line, "bold" if level > 1 else "bold underline")]
        if level == 1:
            yield [(("=" if self.ascii else "═") * max(map(width_of, lines)), "dim")]
        elif level == 2:
            yield [(("-" if self.ascii else "─") * max(map(width_of, lines)), "dim")]

    def said(self, text: Text) -> str:
        """Words and the mathematics among them, on one line."""
        parts = (text,) if isinstance(text, str) else text
        return "".join(self.plain(self.notation.said(part)) for part in parts)

    def prose(self, text: Text, style: str) -> Iterator[Line]:
        """Wrapped sentences."""
        for line in wrap(self.said(text), self.width or NATURAL_WIDTH, break_on_hyphens=False):
            yield [(line, style)]

    def law(self, block: Law) -> Iterator[Line]:
        """S = Q Kᵀ, and the shapes."""
        times = "x" if self.ascii else "×"
        arrow = "->" if self.ascii else "→"
        shapes = [f"{self.notation.name(name)} {times.join(map(str, size))}" for name, size in block.shapes]
        subject, formula = (write(side, self.notation) for side in (block.subject, block.formula))
        left = f"{INDENT}{subject} = {formula}"
        right = f"{', '.join(shapes[:-1])} {arrow} {shapes[-1]}".lstrip()
        if self.width and len(left) + len(right) + 4 > self.width:
            yield [(left, "")]
            yield from ([(INDENT * 2 + line, "dim")] for line in wrap(right, self.room - 2))
        else:
            yield [(left, ""), (INDENT * 2 + right, "dim")]

    def equation(self, block: Equation) -> Iterator[Line]:
        """A chain on one line where it fits, else one relation a line, wrapped at the signs."""
        left = write(block.left, self.notation)
        about = {"=": self.notation.equal, "≈": self.notation.about}
        signs = [about[relation] for relation, _ in block.sides]
        sides = [
            (sign, write(term, self.notation)) for sign, (_, term) in zip(signs, block.sides, strict=True)
        ]
        whole = " ".join([left, *(f"{sign} {text}" for sign, text in sides)])
        if self.width is None or width_of(whole) <= self.room:
            yield self.chain(INDENT + left, sides)
            return
        margin = INDENT + left
        for number, (sign, (_, term)) in enumerate(zip(signs, block.sides, strict=True)):
            style = "bold" if number == len(signs) - 1 and len(signs) > 1 else ""
            for line in broken(summands(term, self.notation), self.room - width_of(left) - len(sign) - 2):
                yield [(f"{margin} {sign} ", ""), (line, style)]
                margin, sign = " " * width_of(margin), " " * len(sign)

    def chain(self, left: str, sides: list[tuple[str, str]]) -> Line:
        """All sides on one line, the last one standing out."""
        line: Line = [(left, "")]
        for sign, text in sides[:-1]:
            line.append((f" {sign} {text}", ""))
        sign, text = sides[-1]
        return [*line, (f" {sign} ", ""), (text, "bold" if len(sides) > 1 else "")]

    def displays(self, members: Iterable[Display]) -> Iterator[Line]:
        """Matrices side by side as far as they fit."""
        waiting: list[list[Line]] = []
        used = 0
        for member in members:
            for picture in self.pictures(member):
                extent = max(map(line_width, picture))
                if waiting and used + 4 + extent > self.room:
                    yield from self.row(waiting)
                    waiting, used = [], 0
                used += extent + (4 if waiting else 0)
                waiting.append(picture)
        yield from self.row(waiting)

    def row(self, pictures: list[list[Line]]) -> Iterator[Line]:
        """Pictures side by side, level at the bottom, under a blank line."""
        if not pictures:
            return
        yield []
        height = max(map(len, pictures))
        padded = [[*([[]] * (height - len(picture))), *picture] for picture in pictures]
        for lines in zip(*padded, strict=True):
            line: Line = [(INDENT, "")]
            for number, (part, picture) in enumerate(zip(lines, pictures, strict=True)):
                line += part
                if number < len(pictures) - 1:
                    gap = max(map(line_width, picture)) - line_width(part) + 4
                    line.append((" " * gap, ""))
            yield trimmed(line)

    def pictures(self, display: Display) -> list[list[Line]]:
        """A name with its matrices: in one picture where it fits, else one each."""
        signs = {"=": self.notation.equal, "≈": self.notation.about}
        name = write(display.label, self.notation)
        drawn = [(signs[relation], self.grids(grid)) for relation, grid in display.grids]
        if len(drawn) > 1:
            first = beside(f"{name} {drawn[0][0]} ", drawn[0][1][0])
            both = side_by_side(first, beside(f" {drawn[1][0]} ", drawn[1][1][0]))
            single = all(len(parts) == 1 for _, parts in drawn)
            if single and max(map(line_width, both)) <= self.room:
                return [both]
        found = []
        for number, (sign, parts) in enumerate(drawn):
            label = f"{name if number == 0 else ' ' * len(name)} {sign} "
            for part in parts:
                found.append(beside(label, part))
                label = " " * len(label)
        return found

    def grids(self, grid: Grid) -> list[list[Line]]:
        """A matrix drawn with brackets, cut between columns where it is too wide."""
        columns = [self.column(cells) for cells in zip(*grid.cells, strict=True)]
        if grid.marked:
            cross = GLYPHS["wrong"][0][self.ascii]
            columns = [
                [marked(text, cross if (i, j) in grid.marked else " ") for i, text in enumerate(column)]
                for j, column in enumerate(columns)
            ]
        labels = [self.plain(label) for label in grid.rows] or [""] * len(grid.cells)
        margin = max(map(width_of, labels))
        heads = [self.plain(label) for label in grid.columns] or [""] * len(columns)
        widths = [
            max(width_of(head), width_of(column[0])) for head, column in zip(heads, columns, strict=True)
        ]
        groups, used = [[0]], margin + widths[0] + 12
        for j in range(1, len(columns)):
            if used + widths[j] + 2 > self.room and self.width:
                groups.append([])
                used = margin + 12
            groups[-1].append(j)
            used += widths[j] + 2
        return [self.drawn(group, columns, heads, widths, labels, margin) for group in groups]

    def column(self, cells: tuple[Term | None, ...]) -> list[str]:
        """The entries of a column, decimal points under each other, or flush right."""
        texts = [self.cell(cell) for cell in cells]
        if all(map(is_decimal, cells)):
            split = [
                text.partition(".") if cell is not None else (text, "", "")
                for cell, text in zip(cells, texts, strict=True)
            ]
            after = max(len(point + rest) for _, point, rest in split)
            texts = [f"{whole}{(point + rest).ljust(after)}" for whole, point, rest in split]
        extent = max(map(width_of, texts))
        return [padded(text, extent) for text in texts]

    def drawn(
        self,
        group: list[int],
        columns: list[list[str]],
        heads: list[str],
        widths: list[int],
        labels: list[str],
        margin: int,
    ) -> list[Line]:
        """Some columns of a matrix with brackets and labels."""
        glyphs = BRACKETS[self.ascii]
        rows = len(columns[0])
        space = " " if margin else ""
        lines: list[Line] = []
        if any(heads):
            named = "  ".join(padded(heads[j], widths[j]) for j in group)
            lines.append([(" " * (margin + len(space) + 2) + named, "dim")])
        for n in range(rows):
            kind = 6 if rows == 1 else 0 if n == 0 else 2 if n == rows - 1 else 1
            left, right = (glyphs[6], glyphs[7]) if kind == 6 else (glyphs[kind], glyphs[kind + 3])
            body = "  ".join(padded(columns[j][n], widths[j]) for j in group)
            label = padded(labels[n], margin) + space
            lines.append([(label, "dim"), (f"{left} {body} {right}", "")])
        return lines

    def cell(self, cell: Term | None) -> str:
        """An entry, or a gap."""
        if cell is None:
            return "..." if self.ascii else "…"
        return write(cell, self.notation)

    def plain(self, text: str) -> str:
        """Text that the terminal can show."""
        return text.translate(IN_ASCII).encode("ascii", "backslashreplace").decode() if self.ascii else text


def broken(pieces: list[str], room: int) -> Iterator[str]:
    """The pieces of a sum in as many lines as it takes for each to fit, if it can."""
    line = ""
    for piece in pieces:
        if line and width_of(line + piece.rstrip()) > room:
            yield line.rstrip()
            line = ""
        line += piece
    yield line.rstrip()


def marked(text: str, sign: str) -> str:
    """An entry with a sign directly behind it."""
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


def trimmed(line: Line) -> Line:
    """A line without blanks at its end."""
    while line and not line[-1][0].strip():
        line = line[:-1]
    return [*line[:-1], (line[-1][0].rstrip(), line[-1][1])] if line else []


def padded(text: str, width: int) -> str:
    """Text flush right."""
    return " " * (width - width_of(text)) + text


def line_width(line: Line) -> int:
    """How many columns a line takes."""
    return sum(width_of(text) for text, _ in line)


def width_of(text: str) -> int:
    """How many columns a text takes: wide characters take two."""
    return len(text) if text.isascii() else sum(2 if east_asian_width(c) in "WF" else 1 for c in text)
