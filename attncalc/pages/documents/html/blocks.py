"""The blocks of a document as markup."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape, unescape

from attncalc.core.notations.mathml import MathML
from attncalc.core.notations.unicode import Notation, write
from attncalc.core.terms import Entry
from attncalc.core.terms.formulas import Equal, Maths, Name, Text
from attncalc.pages.documents.html.cells import Cells, Linked, entries_of, key_of, of_map
from attncalc.pages.documents.html.matrix import display
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
    Sign,
    Sized,
    Table,
    Verdict,
)
from attncalc.worked.prose import pieces, split_code

MOST_OPEN = 4
"""Up to this number, worked lines are shown unfolded."""
MOST_OPEN_SECTIONS = 30
"""Up to this number of sections a page is laid out at once, and its short lists are open."""
PLAIN = Notation()


class Blocks:
    """Writes the blocks of one document."""

    def __init__(self, document: Document) -> None:
        self.is_long = sum(isinstance(block, Heading) for block in document.blocks) >= MOST_OPEN_SECTIONS
        self.model = document.model
        self.cells = Cells(document)
        self.notation, self.linked = MathML(), Linked(self.cells)

    def heading_parts(self, heading: Heading) -> tuple[str, str]:
        """The text of a heading, readable by screen readers even if it is mathematics, and its symbol."""
        parts = list(pieces(heading.text))
        written = self.cell if any(isinstance(part, str) for part in parts) else self.head
        return "".join(map(written, parts)), self.maths(Name(heading.symbol)) if heading.symbol else ""

    def block(self, block: Block) -> Iterator[str]:
        """The markup of one block."""
        match block:
            case Heading():
                raise AssertionError(block)
            case Paragraph(text, sign):
                kind = f"reason {sign.word}" if sign else self.fixed(block.is_numeric).strip()
                marked = f' class="{kind}"' if kind else ""
                yield f'<p{marked} dir="auto">{self.prose(text)}</p>'
            case Note(text):
                yield f'<p class="note{self.fixed(block.is_numeric)}" dir="auto">{self.prose(text)}</p>'
            case Room(lines, words):
                ruled = "".join(f"<span>{escape(word)}</span>" for word in words)
                yield (
                    f'<p class="words">{ruled}</p>'
                    if words
                    else f'<p class="room" style="--lines:{lines}"></p>'
                )
            case Code(text):
                yield f"<pre><code>{escape(text)}</code></pre>"
            case Law():
                yield self.law(block)
            case Equation():
                yield self.line(block)
            case Equations(lines):
                yield from self.lines(lines)
            case Displays(members):
                yield '<div class="displays">'
                yield from (display(member, self.notation) for member in members)
                yield "</div>"
            case Map():
                yield f'<div class="displays map">{display(of_map(block), self.notation)}</div>'
            case Answer(text, displays):
                matrices = "".join(display(member, self.notation) for member in displays)
                shown = f'<div class="displays">{matrices}</div>' if displays else ""
                line = f'<p dir="auto"><b>Answer:</b> {self.prose(text)}</p>'
                yield f'<div class="answer{self.fixed(True)}">{line}{shown}</div>'
            case Table():
                yield from self.table(block)
            case Bars():
                yield from self.bars(block)
            case Verdict(sign, symbol, text):
                said = f"<b>{self.maths(Name(symbol))}</b> <span>{self.prose(text)}</span>"
                yield f'<p class="verdict {sign.word}"><span>{sign.glyph}</span>{said}</p>'
            case Roster():
                yield from self.roster(block)
            case Listing(entries):
                listed = "".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in entries)
                yield f'<dl class="listing" dir="auto">{listed}</dl>'

    def fixed(self, is_numeric: bool) -> str:
        """The class of what is true of the given numbers alone, on a page on which they can be changed."""
        return " fixed" if self.model and is_numeric else ""

    def prose(self, text: Text) -> str:
        """Sentences with mathematics."""
        return "".join(
            self.words(part) if isinstance(part, str) else self.cell(part) for part in pieces(text)
        )

    def words(self, words: str) -> str:
        """Words, the names of programs in them as code."""
        found = split_code(words)
        return "".join(f"<code>{escape(part)}</code>" if is_code else escape(part) for part, is_code in found)

    def cell(self, cell: Cell) -> str:
        """A cell of a table: words or mathematics."""
        return escape(cell) if isinstance(cell, str) else self.maths(cell)

    def head(self, cell: Cell) -> str:
        """The head of a row or column, readable by screen readers even if it is mathematics."""
        if isinstance(cell, str):
            return escape(cell)
        shown = f'<math aria-hidden="true">{write(cell, self.notation)}</math>'
        return f'<span class="heard">{escape(said(cell))}</span>{shown}'

    def maths(self, maths: Maths) -> str:
        """A term or a formula."""
        return f"<math>{write(maths, self.notation)}</math>"

    def law(self, block: Law) -> str:
        """S = Q Kᵀ, and the shapes."""
        inputs, result = ", ".join(map(self.write_size, block.inputs)), self.write_size(block.result)
        shapes = f"{inputs} → {result}" if inputs else result
        law = self.maths(Equal(block.subject, block.formula))
        return f'<p class="formula">{law} <span class="shapes">{shapes}</span></p>'

    def write_size(self, matrix: Sized) -> str:
        """Q 3×2"""
        name, shape = matrix
        return f"{self.maths(Name(name))}&nbsp;{'×'.join(map(str, shape))}"

    def lines(self, lines: tuple[Equation, ...]) -> Iterator[str]:
        """Worked lines: a few are open, many are folded."""
        worked = any(len(line.sides) > 1 or any(entries_of(line.sides[0][1])) for line in lines)
        is_computed = worked and all(self.is_computed(line) for line in lines)
        written = [self.plain(line) if is_computed else self.line(line, key_of(line.left)) for line in lines]
        kind = "" if is_computed or not self.model else " fixed"
        if len(lines) == 1 or not any(self.cells.has(line.left) for line in lines):
            yield from (f'<div class="lines{kind}">', *written, "</div>") if self.model else written
            return
        opened = " open" if len(lines) <= MOST_OPEN and not self.is_long else ""
        title = "Worked lines" if worked else "Exact entries"
        yield f'<details class="lines{kind}"{opened}><summary>{title} <small>{len(lines)}</small></summary>'
        yield from written
        yield "</details>"

    def is_computed(self, line: Equation) -> bool:
        """Whether the script writes a line, from the rule of its cell."""
        return bool(self.model and isinstance(line.left, Entry) and line.left.of in self.model.names)

    def plain(self, line: Equation) -> str:
        """A line as plain text, until the script writes it."""
        sides = (f"{relation} {write(term, PLAIN)}" for relation, term in line.sides)
        text = " ".join((write(line.left, PLAIN), *sides))
        return f'<div class="line" data-k="{escape(key_of(line.left) or "")}">{escape(text)}</div>'

    def line(self, line: Equation, name: str | None = None, why: str = "") -> str:
        """A chain of equal terms, which may break before every relation and sign."""
        sides = [self.side(relation, term) for relation, term in line.sides]
        named = f' data-k="{escape(name)}"' if name else ""
        note = f" <em>{why}</em>" if why else ""
        return f'<div class="line"{named}>{self.maths(line.left)} {" ".join(sides)}{note}</div>'

    def side(self, relation: str, term: Maths) -> str:
        """One side, its addends apart so that a line can break between them."""
        pieces = (
            f'<math><mo form="infix">{sign or relation}</mo>{text}</math>'
            for sign, text in self.linked.addends(term)
        )
        return f"<span>{' '.join(f'<span>{piece}</span>' for piece in pieces)}</span>"

    def table(self, block: Table) -> Iterator[str]:
        """Rows under their headings: words flush left, numbers flush right."""
        columns = list(zip(*block.rows, strict=True)) or [()] * len(block.heads)
        kinds = [' class="prose"' if any(map(is_prose, column)) else "" for column in columns]
        named = zip(kinds, block.heads, strict=True)
        heads = "".join(
            f'<th scope="col"{kind}>{self.head(head)}</th>' if head else "<td></td>" for kind, head in named
        )
        yield f'<div class="box"><table class="table"><thead><tr>{heads}</tr></thead><tbody>'
        for row in block.rows:
            total = ' class="total"' if row[0] == "total" else ""
            rest = zip(kinds[1:], row[1:], strict=True)
            cells = "".join(f"<td{kind}>{self.cell(cell)}</td>" for kind, cell in rest)
            yield f'<tr{total}><th scope="row">{self.head(row[0])}</th>{cells}</tr>'
        yield "</tbody></table></div>"

    def roster(self, block: Roster) -> Iterator[str]:
        """One line for each member, which unfolds to the report."""
        names = "minmax(var(--name), 1fr) " * (1 + block.has_students)
        columns = f"1.2rem {names} repeat({len(block.steps)}, var(--sign)) var(--points) 1rem"
        heads = "".join(f"<span>{self.maths(Name(step))}</span>" for step in block.steps)
        students = "<span>student</span>" if block.has_students else ""
        yield f'<div class="roster" style="--columns: {columns}">'
        yield f'<div class="member"><span></span><span>file</span>{students}{heads}<span>points</span></div>'
        for member in block.members:
            yield from self.member(member, block.has_students)
        yield "</div>"
        yield f'<p class="note">{", ".join(f"{sign.glyph} {sign.word}" for sign in block.signs)}</p>'

    def member(self, member: Member, has_students: bool) -> Iterator[str]:
        """One member of a class, with the report below the line, folded or not."""
        names = (member.name, member.student) if has_students else (member.name,)
        cells = [
            sign_of(member.sign),
            *(f'<span dir="auto">{escape(name)}</span>' for name in names),
            *map(sign_of, member.signs),
            f"<span>{escape(member.points)}</span>",
        ]
        line = "".join(cells)
        words = f'<p class="note" dir="auto">{self.prose(member.text)}</p>' if member.text else ""
        if member.report:
            yield f'<details><summary class="member">{line}</summary>'
            for block in member.report:
                yield from self.inner(block)
            yield f"</details>{words}"
        else:
            yield f'<div class="member">{line}</div>{words}'

    def inner(self, block: Block) -> Iterator[str]:
        """A block inside another; its headings rank directly below the title, and are small."""
        if isinstance(block, Heading):
            yield f"<h2>{' '.join(self.heading_parts(block))}</h2>"
        else:
            yield from self.block(block)

    def bars(self, block: Bars) -> Iterator[str]:
        """A bar for every count."""
        most = max(count for _, count in block.counts)
        yield f'<table class="bars"><caption>{self.prose(block.title)}</caption><tbody>'
        for name, count in block.counts:
            head = "".join(map(self.head, pieces(name)))
            bar = f'<div class="bar" style="--n:{count / most:.3f}"></div>' if count else ""
            yield f'<tr><th scope="row">{head}</th><td>{count:,}</td><td>{bar}</td></tr>'
        yield "</tbody></table>"


def said(maths: Maths) -> str:
    """Mathematics as plain text, for attributes that cannot hold markup."""
    return unescape(re.sub("<[^>]*>", "", write(maths, MathML())))


def is_prose(cell: Cell) -> bool:
    """Whether a cell of a table is written in words."""
    return isinstance(cell, str) and re.search("[a-z]{3}", cell) is not None


def sign_of(sign: Sign | None) -> str:
    """A sign with a text for screen readers."""
    if sign is None:
        return "<span></span>"
    said = f'role="img" aria-label="{sign.word}" title="{sign.word}"'
    return f'<span class="{sign.word}" {said}>{sign.glyph}</span>'
