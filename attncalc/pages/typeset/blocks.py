"""Shared by LaTeX and Markdown: blocks made of sentences, displays and tables."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from itertools import groupby
from typing import TypeAlias

from attncalc.core.terms.formulas import Name, Text
from attncalc.pages.typeset.mathematics import CONTINUED, Mathematics
from attncalc.pages.typeset.matrices import LaidOut
from attncalc.pages.typeset.shades import shorten
from attncalc.worked.blocks import (
    Answer,
    Bars,
    Block,
    Cell,
    Code,
    Displays,
    Document,
    Equation,
    Equations,
    Heading,
    Law,
    Listing,
    Map,
    Member,
    Note,
    Paragraph,
    Room,
    Roster,
    Table,
    Verdict,
)
from attncalc.worked.prose import pieces, split_code

Row: TypeAlias = list[str]


class Typeset(ABC):
    """Writes blocks; a format defines how headings, displays and tables look."""

    maths: Mathematics
    most_rows = 40
    """The most rows of one display: LaTeX keeps all of them in memory."""

    def pieces(self, document: Document) -> Iterator[str]:
        """The text of every block, laws together with their matrix formula."""
        for lawful, blocks in groupby(document.blocks, lambda block: isinstance(block, Law | Equation)):
            if lawful:
                yield self.display([row for block in blocks for row in self.maths.law(block)])
            else:
                yield from filter(None, map(self.block, blocks))

    def block(self, block: Block) -> str:
        """The text of one block."""
        match block:
            case Heading(text, level, symbol):
                name = f" {self.inline(self.maths.notation.name(symbol))}" if symbol else ""
                return self.heading(self.prose(text) + name, level)
            case Paragraph(text):
                return self.prose(text)
            case Note(text):
                return self.note(self.prose(text))
            case Room(lines, words):
                return self.write_rules([*map(self.escape, words)]) if words else self.room(lines)
            case Code(text):
                return self.code(text)
            case Law() | Equation():
                return self.display(list(self.maths.law(block)))
            case Equations(lines):
                return self.display(*self.maths.write_lines(lines))
            case Displays(members):
                return self.display(list(self.maths.side_by_side(members)))
            case Verdict(sign, symbol, text):
                name = self.inline(self.maths.notation.name(symbol))
                return f"{self.escape(sign.glyph)} {name} {self.prose(text)}"
            case Roster(steps, members):
                heads = ["", *(self.cell(Name(step)) for step in steps), "points"]
                said = (f"{self.escape(one.name)}: {self.prose(one.text)}" for one in members if one.text)
                return "\n\n".join((self.tables(heads, [*map(self.member, members)]), *said))
            case Listing(entries):
                return "\n\n".join(self.escape(f"{name}: {title}") for name, title in entries)
            case Bars(title, counts):
                most = max(count for _, count in counts)
                bars = [[self.prose(name), str(count), self.bar(count / most)] for name, count in counts]
                return f"{self.prose(title)}\n\n{self.tables(['', 'count', ''], bars, 'l')}"
            case Table(heads, rows):
                return self.tables([*map(self.cell, heads)], [[*map(self.cell, row)] for row in rows])
            case Answer(text, displays):
                matrices = [self.display(list(self.maths.side_by_side(displays)))] if displays else []
                return self.boxed(
                    "\n\n".join((f"{self.strong('Answer:')} {self.prose(text)}".rstrip(), *matrices))
                )
            case Map(symbol, rows, columns, weights):
                body = [
                    [self.prose(shorten(label)), *map(self.write_shaded, line)]
                    for label, line in zip(rows, weights, strict=True)
                ]
                return self.tables([self.cell(Name(symbol)), *map(self.prose, map(shorten, columns))], body)

    # What a format may decide

    def strong(self, text: str) -> str:
        """Words in bold."""
        return text

    def boxed(self, text: str) -> str:
        """What answers a question, set apart."""
        return text

    # What a format decides

    @abstractmethod
    def escape(self, text: str) -> str:
        """Text with all commands escaped."""

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
    def code(self, text: str) -> str:
        """Lines of our own program code, not escaped."""

    @abstractmethod
    def code_name(self, name: str) -> str:
        """A name of a program, inside a sentence; letters, digits, underlines and brackets only."""

    @abstractmethod
    def room(self, lines: int) -> str:
        """n empty lines."""

    @abstractmethod
    def write_rules(self, words: list[str]) -> str:
        """Words, each followed by a line to write on."""

    @abstractmethod
    def align(self, rows: list[str], pairs: int) -> str:
        """Lines of mathematics, with n pairs of aligned columns."""

    @abstractmethod
    def table(self, heads: Row, rows: list[Row], columns: str) -> str:
        """A table that is not too large, its columns flush left (l) or right (r)."""

    @abstractmethod
    def write_shaded(self, weight: float) -> str:
        """A weight with a shade of its size."""

    @abstractmethod
    def bar(self, share: float) -> str:
        """A bar, as a share of the longest."""

    # Text

    def prose(self, text: Text) -> str:
        """A sentence, the formulas in it as formulas."""
        return "".join(
            self.words(part) if isinstance(part, str) else self.cell(part) for part in pieces(text)
        )

    def words(self, words: str) -> str:
        """Words, the names of programs in them as code."""
        return "".join(
            self.code_name(part) if is_code else self.escape(part) for part, is_code in split_code(words)
        )

    def cell(self, cell: Cell) -> str:
        """A cell of a table: a formula or words."""
        return self.escape(cell) if isinstance(cell, str) else self.inline(self.maths.write(cell))

    def member(self, member: Member) -> Row:
        """One member of a class."""
        name = " ".join(filter(None, (member.sign.glyph, member.name, member.student)))
        signs = [self.escape(sign.glyph) if sign else "" for sign in member.signs]
        return [self.escape(name), *signs, member.points]

    # Displays and tables

    def display(self, rows: list[str], pairs: int = 1) -> str:
        """Lines of mathematics, in several displays if they are many; the rows of a line stay together."""
        pages: list[list[str]] = [[]]
        for line in whole_lines(rows):
            if pages[-1] and len(pages[-1]) + len(line) > self.most_rows:
                pages.append([])
            pages[-1] += line
        return "\n\n".join(self.align(page, pairs) for page in pages if page)

    def tables(self, heads: Row, rows: list[Row], last: str = "r") -> str:
        """A table, or the pieces of a large one, its last column flush left or right."""
        sheet = LaidOut(
            [row[1:] for row in rows], [row[0] for row in rows], heads[1:], self.maths.layout.width
        )
        return "\n\n".join(
            self.table(
                [heads[0], *piece.heads],
                [[label, *row] for label, row in zip(piece.labels, piece.cells, strict=True)],
                "l" + "r" * (len(piece.heads) - 1) + last,
            )
            for piece in sheet.pieces(self.maths.room * 4 // 3, self.maths.tallest)
        )


def whole_lines(rows: list[str]) -> Iterator[list[str]]:
    """The rows of every line: the first, and those that continue it."""
    line: list[str] = []
    for row in rows:
        if line and not CONTINUED.match(row):
            yield line
            line = []
        line.append(row)
    yield line
