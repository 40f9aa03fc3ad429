"""Matrices as tables: the style sheet draws the brackets, decimal points are aligned."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from html import escape

from attncalc.core.notations.mathml import MathML
from attncalc.core.notations.terms import digits
from attncalc.core.notations.unicode import Notation, write
from attncalc.core.terms import Constant, Negative, Term
from attncalc.core.terms.formulas import Maths
from attncalc.pages.documents.html.cells import key
from attncalc.pages.typeset.shades import shade
from attncalc.worked.blocks import SIGNS, Display, Grid
from attncalc.worked.grids import is_plain
from attncalc.worked.prose import pieces

PLAIN = Notation()
LONGEST_HEAD = 16
GAPS = {"row": "⋮", "col": "…"}
WRONG = SIGNS["wrong"]
CROSS = f'<span class="cross" role="img" aria-label="{WRONG.word}">{WRONG.glyph}</span>'
UNSEEN = f'<i class="cross">{WRONG.glyph}</i>'


def display(block: Display, notation: MathML) -> str:
    """A name and the matrices it equals."""
    name = f"<math>{write(block.label, notation)}</math>"
    shares = shares_of(block) if block.shaded else {}
    grids: list[str] = []
    for relation, grid in block.grids:
        table = "".join(MatrixTable(block, grid, notation, shares).markup())
        label = f'<span class="name">{name}</span> ' if not grids else ""
        grids.append(f'<div class="eq">{label}<span>{relation}</span><div class="box">{table}</div></div>')
    return f'<div class="display">{"".join(grids)}</div>'


def shares_of(block: Display) -> dict[tuple[int, int], float]:
    """The weights written as decimals in a matrix, by row and column."""
    return {
        (i, j): float(cell.value)
        for _, grid in block.grids
        for i, row in enumerate(grid.cells)
        for j, cell in enumerate(row)
        if isinstance(cell, Constant)
    }


class MatrixTable:
    """One matrix with its labels."""

    def __init__(
        self, block: Display, grid: Grid, notation: MathML, shares: dict[tuple[int, int], float]
    ) -> None:
        self.of, self.grid, self.notation, self.shares = block.of, grid, notation, shares
        self.label = block.symbol
        self.said = {at: "".join(map(in_words, pieces(text))) for at, text in grid.said}
        self.plain = all(is_plain(cell) for row in grid.cells for cell in row)
        self.places = [max(map(count_decimals, column)) for column in zip(*grid.cells, strict=True)]

    def markup(self) -> Iterator[str]:
        """The table, a line a row."""
        kind = ("plain" if self.plain else "exact") + (" shaded" if self.shares else "")
        yield f'<table role="grid" aria-label="{escape(self.label)}" class="{kind}">'
        if any(self.grid.columns):
            corner = "<td></td>" if self.grid.rows else ""
            heads = "".join(head("col", text) for text in self.grid.columns)
            yield f"<thead><tr>{corner}{heads}</tr></thead>"
        yield "<tbody>"
        for i, row in enumerate(self.grid.cells):
            first = head("row", self.grid.rows[i]) if self.grid.rows else ""
            yield f"<tr>{first}{''.join(self.cell(i, j, cell) for j, cell in enumerate(row))}</tr>"
        yield "</tbody></table>"

    def cell(self, i: int, j: int, cell: Term | None) -> str:
        """One entry with its key, its shade, and a cross if it is wrong."""
        if cell is None:
            return '<td class="gap">…</td>'
        at = self.grid.places[i][j] if self.grid.places else None
        named = f' data-k="{escape(key(self.of, at))}"' if self.of and at is not None else ""
        shaded = f' style="--w:{shade(self.shares[i, j])}"' if (i, j) in self.shares else ""
        wrong = ' class="wrong"' if (i, j) in self.grid.marked else ""
        wrong += ' class="hidden"' if (i, j) in self.grid.hidden else ""
        wrong += f' data-said="{escape(self.said[i, j])}"' if self.said.get((i, j)) else ""
        cross = CROSS if wrong else UNSEEN if self.grid.marked else ""
        return f"<td{named}{shaded}{wrong}>{self.entry(cell, self.places[j])}{cross}</td>"

    def entry(self, cell: Term, room: int) -> str:
        """A number as text with its decimal point aligned, or a term as mathematics."""
        if not is_plain(cell):
            return f"<math>{write(cell, self.notation)}</math>"
        text = write_number(cell)
        missing = "0" * (room - count_decimals(cell)) if text[-1].isdigit() else ""
        point = "." if missing and not count_decimals(cell) else ""
        return f"{text}<i>{point}{missing}</i>" if missing and self.plain else text


def in_words(piece: str | Maths) -> str:
    """A piece of a sentence as plain text."""
    return piece if isinstance(piece, str) else write(piece, PLAIN)


def write_number(cell: Term) -> str:
    """A plain number with its sign, powers of ten written as such."""
    if isinstance(cell, Negative):
        return f"−{write_number(cell.term)}"
    assert isinstance(cell, Constant)
    if isinstance(cell.value, float):
        return "−∞" if cell.value < 0 else "∞"
    plain, exponent = digits(cell.value)
    power = f"×10<sup>{'−' if exponent < 0 else ''}{abs(exponent)}</sup>" if exponent is not None else ""
    return f"{'−' if cell.value < 0 else ''}{plain}{power}"


def count_decimals(cell: Term | None) -> int:
    """The number of decimals of an entry."""
    bare = cell.term if isinstance(cell, Negative) else cell
    if not isinstance(bare, Constant) or not isinstance(bare.value, Decimal):
        return 0
    plain, exponent = digits(bare.value)
    return len(plain.partition(".")[2]) if exponent is None else 0


def head(scope: str, text: str) -> str:
    """A token or number beside a row or above a column; a long one is shown in full on pointing at it.

    Omitted rows and columns have dots.
    """
    text = text or GAPS[scope]
    whole = f' title="{escape(text)}"' if len(text) > LONGEST_HEAD else ""
    return (
        f'<th scope="{scope}"{whole}>{escape(text) if text.isascii() else f"<bdi>{escape(text)}</bdi>"}</th>'
    )
