"""What LaTeX and Markdown share: blocks made of sentences, displays and tables."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from itertools import groupby
from typing import TypeAlias

from attncalc.document.blocks import (
    Bars,
    Block,
    Displays,
    Document,
    Equation,
    Equations,
    Formula,
    Heading,
    Map,
    Note,
    Paragraph,
    Table,
    Verdict,
)
from attncalc.formats import shortened
from attncalc.formats.pages.mathematics import INLINE, LETTER, Mathematics
from attncalc.formats.pages.matrices import LaidOut
from attncalc.formats.pages.text import GLYPHS

Row: TypeAlias = list[str]

MOST_ROWS = 40
"""The rows of one display: LaTeX keeps all of them in memory."""
NAME = re.compile(rf"{LETTER}(?:_\w+)*'?")
MATHS = re.compile(rf"[_^=()\[\]×√/]|-\d|(?<!\w){LETTER}(?!\w)")
"""What a cell of a table has in it where it is a formula."""


class Typeset(ABC):
    """Writes blocks; a format says how headings, displays and tables look."""

    maths: Mathematics

    def pieces(self, document: Document) -> Iterator[str]:
        """The text of every block, laws together with their matrix formula."""
        for lawful, blocks in groupby(document.blocks, lambda block: isinstance(block, Formula | Equation)):
            if lawful:
                yield self.display([row for block in blocks for row in self.maths.law(block)])
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
                return self.display(list(self.maths.law(block)))
            case Equations(lines):
                return self.display(*self.maths.worked(lines))
            case Displays(members):
                return self.display(list(self.maths.side_by_side(members)))
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
                    [self.prose(shortened(label)), *map(self.shaded, line)]
                    for label, line in zip(rows, weights, strict=True)
                ]
                return self.tables([self.cell(symbol), *map(self.prose, map(shortened, columns))], body)

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
    def aligned(self, rows: list[str], pairs: int) -> str:
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
            self.inline(self.maths.notation.formula(part)) if n % 2 else self.escaped(part)
            for n, part in enumerate(parts)
        )

    def titled(self, text: str) -> str:
        """The title of a step, whose last word is its symbol."""
        before, space, last = text.rpartition(" ")
        if not NAME.fullmatch(last):
            return self.prose(text)
        return f"{self.prose(before)}{space}{self.inline(self.maths.notation.name(last))}"

    def cell(self, text: str) -> str:
        """A cell of a table: a formula or words."""
        return self.inline(self.maths.notation.formula(text)) if MATHS.search(text) else self.escaped(text)

    # Displays and tables

    def display(self, rows: list[str], pairs: int = 1) -> str:
        """Lines of mathematics, a page of them at a time."""
        pages = range(0, len(rows), MOST_ROWS)
        return "\n\n".join(self.aligned(rows[start : start + MOST_ROWS], pairs) for start in pages)

    def tables(self, heads: Row, rows: list[Row], last: str = "r") -> str:
        """A table, or the pieces of a large one, its last column flush left or right."""
        sheet = LaidOut([row[1:] for row in rows], [row[0] for row in rows], heads[1:])
        return "\n\n".join(
            self.table(
                [heads[0], *piece.heads],
                [[label, *row] for label, row in zip(piece.labels, piece.cells, strict=True)],
                "l" + "r" * (len(piece.heads) - 1) + last,
            )
            for piece in sheet.pieces(self.maths.room * 4 // 3, self.maths.tallest)
        )
