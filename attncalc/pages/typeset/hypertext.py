"""Blocks as plain HTML for a page of another system, whose MathJax shows the formulas."""

from __future__ import annotations

import re
from html import escape

from attncalc.core.errors import inert
from attncalc.core.notations.latex import MathJax
from attncalc.pages.typeset.blocks import Row, Typeset
from attncalc.pages.typeset.layout import environment
from attncalc.pages.typeset.mathematics import Mathematics
from attncalc.pages.typeset.shades import write_shade
from attncalc.worked.blocks import Block, Document, Note, Paragraph

TOP = 2
"""The number of heading levels used by the page around a question."""
NO_CHARACTER = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that HTML does not allow."""


def plain(text: str) -> str:
    """Text without markup, blanks of Cloze or variables of Mustache."""
    shown = escape(NO_CHARACTER.sub("\ufffd", inert(text)))
    return shown.replace("{", "&#123;").replace("}", "&#125;")


class Hypertext(Typeset):
    """Writes blocks; words of users never become formulas."""

    maths = Mathematics(MathJax(), room=84, tallest=10_000)

    def write(self, *blocks: Block) -> str:
        """Some blocks below each other."""
        return "\n".join(self.pieces(Document(blocks)))

    def block(self, block: Block) -> str:
        return (
            f"<p>{super().block(block)}</p>" if isinstance(block, Paragraph | Note) else super().block(block)
        )

    def escape(self, text: str) -> str:
        # A formula does not go across elements.
        return re.sub(r"[$\\]", r"<span>\g<0></span>", plain(re.sub(r"\s+", " ", text)))

    def inline(self, formula: str) -> str:
        return rf"\({plain_formula(formula)}\)"

    def heading(self, text: str, level: int) -> str:
        return f"<h{level + TOP}>{text}</h{level + TOP}>"

    def strong(self, text: str) -> str:
        return f"<strong>{text}</strong>"

    def boxed(self, text: str) -> str:
        return f"<div>{text}</div>"

    def note(self, text: str) -> str:
        return f"<em>{text}</em>"

    def code(self, text: str) -> str:
        return f"<pre>{plain(text)}</pre>"

    # A form is filled in by typing: it needs no room to write by hand.

    def code_name(self, name: str) -> str:
        return f"<code>{plain(name)}</code>"

    def room(self, lines: int) -> str:  # noqa: ARG002
        return ""

    def write_rules(self, words: list[str]) -> str:  # noqa: ARG002
        return ""

    def align(self, rows: list[str], pairs: int) -> str:
        inner = environment("alignedat", rows, f"{{{pairs}}}") if pairs > 1 else environment("aligned", rows)
        return f"<p>\\[{plain_formula(inner)}\\]</p>"

    def table(self, heads: Row, rows: list[Row], columns: str) -> str:
        sides = [{"l": "left", "r": "right"}[side] for side in columns]
        head = "".join(f"<th>{cell}</th>" for cell in heads)
        cells = (
            "".join(f'<td align="{side}">{cell}</td>' for side, cell in zip(sides, row, strict=True))
            for row in rows
        )
        return "\n".join(["<table>", f"<tr>{head}</tr>", *(f"<tr>{row}</tr>" for row in cells), "</table>"])

    def write_shaded(self, weight: float) -> str:
        return write_shade(weight).strip()

    def bar(self, share: float) -> str:
        return f"{share:.0%}"


def plain_formula(formula: str) -> str:
    """A formula on one line in which no brace opens a blank of Cloze."""
    return re.sub(r"\{(?=#|[0-9]*:)", "&#123;", escape(" ".join(formula.split())))
