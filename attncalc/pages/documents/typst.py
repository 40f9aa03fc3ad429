"""A document as Typst: a whole file, which looks like the article of LaTeX."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.core.notations.typst import Typst, escape, quote
from attncalc.pages import Page
from attncalc.pages.typeset.blocks import Row, Typeset
from attncalc.pages.typeset.layout import TYPST
from attncalc.pages.typeset.mathematics import Mathematics
from attncalc.pages.typeset.shades import share_of
from attncalc.worked.blocks import Document

ENDING = "typ"
ON_A_PAGE = 78
"""The characters of a formula that fit on a line."""
PREAMBLE = r"""#set page(paper: "a4", margin: 2.5cm, numbering: "1")
#set text(font: "New Computer Modern", size: 10pt)
#set par(justify: true, spacing: 0.9em)
#show heading: it => block(above: 1.3em, below: 0.8em, sticky: true, it.body)
#show heading.where(level: 1): set text(size: 14pt)
#show heading.where(level: 2): set text(size: 12pt)
#show heading.where(level: 3): set text(size: 10pt)
#set math.equation(numbering: none)
#show math.equation.where(block: true): set align(left)
#show math.equation.where(block: true): it => pad(left: 2em, it)
#show math.equation: set block(breakable: true)
#set table(stroke: none, inset: (x: 5pt, y: 3.5pt))
#let blank = box(width: 4em, height: 1.6em, stroke: (bottom: 0.4pt))
#let framed(body) = box(stroke: 0.4pt, outset: 2pt, body)
#let shaded(share, text) = table.cell(fill: luma(100% - 50% * share))[#text]
#let labelled(heads, labels, rows) = {
  let height = if rows.flatten().contains($#blank$) { 2em } else { 1.4em }
  let number = rows.len()
  let line = 0.5pt
  let lines(side) = ((side): line, top: line, bottom: line)
  let bracket(side) = grid.cell(rowspan: number, inset: 0pt, stroke: lines(side))[]
  let cells = rows.enumerate().map(((at, row)) => (
    if labels != () { (labels.at(at),) },
    if at == 0 { (bracket("left"),) },
    row,
    if at == 0 { (bracket("right"),) },
  ).filter(it => it != none).flatten()).flatten()
  let above = if heads != () { (if labels != () { ([],) } else { () }) + ([],) + heads + ([],) } else { () }
  math.class("normal", box(baseline: number * height / 2 - 0.25em, grid(
    columns: (if labels != () { (auto,) } else { () }) + (3pt,) + rows.at(0).map(_ => auto) + (3pt,),
    rows: (if heads != () { (1.3em,) } else { () }) + (height,) * number,
    align: (right + horizon),
    inset: (x: 0.45em),
    ..above, ..cells,
  )))
}
"""
"""Settings, and the functions that formulas use."""


def render(document: Document, page: Page) -> str:  # noqa: ARG001  a file is always whole
    """The document as a file that compiles."""
    return "\n\n".join([PREAMBLE.rstrip(), *TypstPage().pieces(document)])


class TypstPage(Typeset):
    """Writes blocks for a printed page."""

    def __init__(self) -> None:
        self.maths = Mathematics(Typst(), ON_A_PAGE, tallest=36, layout=TYPST)

    def pieces(self, document: Document) -> Iterator[str]:
        """The text of every block; the first sentence under a heading stays on the page of what follows."""
        before = ""
        for piece in super().pieces(document):
            keep = before.startswith("=") and not piece.startswith(("=", "$", "#"))
            yield f"#block(sticky: true)[{piece}]" if keep else piece
            before = piece

    def escape(self, text: str) -> str:
        return escape(text)

    def inline(self, formula: str) -> str:
        return f"${formula.strip()}$"

    def heading(self, text: str, level: int) -> str:
        return f"{'=' * level} {text}"

    def strong(self, text: str) -> str:
        return f"#strong[{text}]"

    def boxed(self, text: str) -> str:
        return f"#block(stroke: 0.5pt, inset: 6pt, width: 100%, breakable: false)[{text}]"

    def note(self, text: str) -> str:
        return f"#emph[{text}]"

    def code(self, text: str) -> str:
        return f'#raw(block: true, lang: "python", {quote(text)})'

    def code_name(self, name: str) -> str:
        return f"#raw({quote(name)});"

    def room(self, lines: int) -> str:
        return f"#v({lines * 1.2:g}em)"

    def write_rules(self, words: list[str]) -> str:
        line = "#box(width: 1fr, line(length: 100%, stroke: 0.4pt))"
        return " #h(1em) ".join(f"{word}: {line}" for word in words)

    def align(self, rows: list[str], pairs: int) -> str:  # noqa: ARG002  any number of pairs is aligned
        body = " \\\n".join(rows)
        return f"$ {body} $"

    def table(self, heads: Row, rows: list[Row], columns: str) -> str:
        sides = ", ".join({"l": "left", "r": "right"}[side] for side in columns)
        lines = "\n".join(f"  {''.join(f'[{cell}], ' for cell in row).rstrip()}" for row in rows)
        head = "".join(f"[{cell}], " for cell in heads)
        return (
            f"#table(columns: {len(columns)}, align: ({sides},),\n"
            f"  table.header({head}table.hline(stroke: 0.4pt)),\n{lines}\n)"
        )

    def write_shaded(self, weight: float) -> str:
        return f"#shaded({share_of(weight):.2f})[{weight:.2f}]"

    def bar(self, share: float) -> str:
        return f"#box(width: {10 * share:.2f}em, height: 0.6em, fill: black)"
