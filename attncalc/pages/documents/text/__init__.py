"""A document as lines for a terminal: brackets, subscripts and aligned decimal points, wrapped to width."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.core.notations.columns import flush_left, flush_right, width_of
from attncalc.core.notations.unicode import summands, write
from attncalc.core.terms.formulas import Text
from attncalc.pages import Page
from attncalc.pages.documents.text.class_table import roster
from attncalc.pages.documents.text.lines import INDENT, NATURAL_WIDTH, Line, join_lines, wrap_words
from attncalc.pages.documents.text.matrix import MatrixDrawing
from attncalc.pages.typeset.shades import ASCII_BLOCKS, BLOCKS, write_shade
from attncalc.worked.blocks import (
    Answer,
    Bars,
    Block,
    Code,
    Displays,
    Document,
    Equation,
    Equations,
    Heading,
    Law,
    Listing,
    Map,
    Note,
    Paragraph,
    Room,
    Roster,
    Sized,
    Table,
    Verdict,
)
from attncalc.worked.prose import pieces as to_pieces

ENDING = "txt"
RULES = {1: ("═", "="), 2: ("─", "-")}
"""The rules under headings, in Unicode and in ASCII."""
NARROWEST_WEIGHT = 7
NARROWEST = 20
"""The minimal width of text beside a name, in columns."""
STANDING = (Code, Equations, Table, Displays, Map, Bars)
"""The blocks that are set apart from a sentence that continues below them."""


def render(document: Document, page: Page) -> str:
    """The document; without a width (in a pipe) worked lines are never wrapped."""
    text = join_lines(TextWriter(page).lines(document), page.colour)
    return text.encode("ascii", "backslashreplace").decode() if page.ascii else text


RULED = 40
"""The length of a line to write on, in characters."""


class TextWriter(MatrixDrawing):
    """Lays out blocks at one width in one notation."""

    def lines(self, document: Document) -> Iterator[Line]:
        """The lines of a document."""
        before: Block | None = None
        for block in document.blocks:
            if isinstance(block, Paragraph) and isinstance(before, STANDING):
                yield []
            yield from self.block(block, first=before is None)
            before = block

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
            case Code(text):
                yield []
                yield from ([(INDENT + line, "")] for line in text.splitlines())
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
            case Listing():
                yield from self.listing(block)
            case Map():
                yield from self.map(block)
            case Answer():
                yield from self.answer(block)
            case Room(lines, words):
                yield []
                yield from ([] for _ in range(0 if words else lines))
                yield from ([(f"{self.plain(word)}: {'_' * RULED}", "")] for word in words)
            case Roster():
                yield from roster(block, self)
            case Verdict(sign, symbol, text):
                name = flush_left(self.plain(self.notation.name(symbol)), 4)
                yield [(f"{INDENT}{self.sign(sign)} ", sign.colour), (f"{name} {self.said(text)}", "")]

    def answer(self, block: Answer) -> Iterator[Line]:
        """The word and what follows it, in bold."""
        yield []
        yield from self.prose(("Answer: ", *to_pieces(block.text)), "bold")
        for line in self.displays(block.displays):
            yield [(text, style or "bold") for text, style in line]

    def bars(self, block: Bars) -> Iterator[Line]:
        """A bar for every count, the longest half as wide as the page."""
        yield []
        yield [(self.said(block.title), "bold")]
        labels = [self.said(name) for name, _ in block.counts]
        names = max(map(width_of, labels))
        most = max(count for _, count in block.counts)
        room = self.room // 2
        for label, (_, count) in zip(labels, block.counts, strict=True):
            bar = ("#" if self.ascii else "█") * (count and max(1, round(room * count / most)))
            yield [(f"{INDENT}{flush_left(label, names)}  {count:>5}  ", ""), (bar, "cyan")]

    def table(self, block: Table) -> Iterator[Line]:
        """Columns under their headings: the first flush left, the others flush right."""
        rows = [[self.said((cell,)) for cell in row] for row in (block.heads, *block.rows)]
        width, *widths = (max(map(width_of, column)) for column in zip(*rows, strict=True))
        yield []
        for number, (first, *others) in enumerate(rows):
            rest = "".join(f"  {flush_right(*cell)}" for cell in zip(others, widths, strict=True))
            yield [(f"{INDENT}{flush_left(first, width)}{rest}", "dim" if number == 0 else "")]

    def listing(self, block: Listing) -> Iterator[Line]:
        """Names flush left, and their descriptions beside them, wrapped on a terminal."""
        margin = len(INDENT) + max(width_of(self.plain(name)) for name, _ in block.entries)
        for name, title in block.entries:
            text = self.plain(title)
            room = self.width - margin - len(INDENT) if self.width else None
            first, *others = wrap_words(text, max(room, NARROWEST)) if room is not None and text else [text]
            yield [(flush_left(f"{INDENT}{self.plain(name)}", margin), "bold"), (INDENT + first, "")]
            yield from ([(" " * margin + INDENT + line, "")] for line in others)

    def map(self, block: Map) -> Iterator[Line]:
        """Every weight with a shade of its size."""
        rows, columns = ([self.plain(label) for label in labels] for labels in (block.rows, block.columns))
        width = max(NARROWEST_WEIGHT, *map(width_of, columns))
        margin = max(map(width_of, rows))
        yield []
        heads = "  ".join(flush_right(label, width) for label in columns)
        yield [(f"{INDENT}{' ' * margin}  {heads}", "dim")]
        for label, weights in zip(rows, block.weights, strict=True):
            cells = (write_shade(weight, ASCII_BLOCKS if self.ascii else BLOCKS) for weight in weights)
            body = "  ".join(flush_right(cell, width) for cell in cells)
            yield [(f"{INDENT}{flush_right(label, margin)}  ", "dim"), (body, "")]

    def heading(self, text: str, level: int, first: bool) -> Iterator[Line]:
        """A heading, the title and the parts with a rule under them."""
        if not first:
            yield []
        lines = wrap_words(self.plain(text), self.width or NATURAL_WIDTH) or [""]
        for line in lines:
            yield [(line, "bold" if level > 1 else "bold underline")]
        if level in RULES:
            yield [(RULES[level][self.ascii] * max(map(width_of, lines)), "dim")]

    def prose(self, text: Text, style: str) -> Iterator[Line]:
        """Wrapped sentences."""
        for line in wrap_words(self.said(text), self.width or NATURAL_WIDTH):
            yield [(line, style)]

    def law(self, block: Law) -> Iterator[Line]:
        """S = Q Kᵀ, and the shapes."""
        arrow = "->" if self.ascii else "→"
        inputs, result = ", ".join(map(self.write_size, block.inputs)), self.write_size(block.result)
        subject, formula = (write(side, self.notation) for side in (block.subject, block.formula))
        left = f"{INDENT}{subject} = {formula}"
        right = f"{inputs} {arrow} {result}".lstrip()
        if self.width and width_of(left) + width_of(right) + 4 > self.width:
            yield [(left, "")]
            yield from ([(INDENT * 2 + line, "dim")] for line in wrap_words(right, self.room - len(INDENT)))
        else:
            yield [(left, ""), (INDENT * 2 + right, "dim")]

    def write_size(self, matrix: Sized) -> str:
        """Q 3×2"""
        name, shape = matrix
        return f"{self.notation.name(name)} {('x' if self.ascii else '×').join(map(str, shape))}"

    def equation(self, block: Equation) -> Iterator[Line]:
        """A chain on one line if it fits, else one relation on each line, wrapped at the signs."""
        left = write(block.left, self.notation)
        sides = [(self.signs[relation], write(term, self.notation)) for relation, term in block.sides]
        whole = " ".join([left, *(f"{sign} {text}" for sign, text in sides)])
        if self.width is None or width_of(whole) <= self.room:
            yield self.chain(INDENT + left, sides)
            return
        margin = INDENT + left
        for number, (relation, term) in enumerate(block.sides, start=1):
            sign, style = self.signs[relation], "bold" if number == len(block.sides) > 1 else ""
            for line in break_sum(summands(term, self.notation), self.room - width_of(left) - len(sign) - 2):
                yield [(f"{margin} {sign} ", ""), (line, style)]
                margin, sign = " " * width_of(margin), " " * len(sign)

    def chain(self, left: str, sides: list[tuple[str, str]]) -> Line:
        """All sides on one line, the last one highlighted."""
        line: Line = [(left, "")]
        for sign, text in sides[:-1]:
            line.append((f" {sign} {text}", ""))
        sign, text = sides[-1]
        return [*line, (f" {sign} ", ""), (text, "bold" if len(sides) > 1 else "")]


def break_sum(pieces: list[str], room: int) -> Iterator[str]:
    """Join the pieces of a sum into lines that fit, if they can."""
    line = ""
    for piece in pieces:
        if line and width_of(line + piece.rstrip()) > room:
            yield line.rstrip()
            line = ""
        line += piece if line else piece.lstrip()
    yield line.rstrip()
