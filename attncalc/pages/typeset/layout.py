"""What mathematics consists of on a page beside its formulas: matrices, gaps, and how wide a formula is."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator

from attncalc.core.notations import latex, typst
from attncalc.core.terms.functions import FUNCTIONS
from attncalc.pages.typeset.matrices import LaidOut

CUT = re.compile(r"(?=\\?/)(?<!\\)|(?<=\d{20})(?=\d)")
"""Where a term that is too long may be cut: at slashes, and inside numbers."""
BLANK_WIDTH = "x" * 8
LENGTHS = {
    **{row.latex[1:]: len(row.latex) - 1 for row in FUNCTIONS.values()},
    "left": 0, "right": 0, "infty": 2, "quad": 2, "qquad": 4, "max": 3, "min": 3,
}  # fmt: skip
"""The widths of commands in characters; any other is 1."""


class Layout(ABC):
    """The commands that lay out formulas in one language."""

    wide: str
    """A gap between formulas."""
    apart: str
    """A narrower one."""
    space: str
    """A gap between words."""
    arrow: str
    further: str
    """The start of a row that continues a sum."""
    gaps: tuple[str, str]
    """Entries left out in a row, and in a column."""

    @abstractmethod
    def width(self, formula: str) -> int:
        """The approximate width of a formula in characters; of a fraction, that of its longer part."""

    @abstractmethod
    def box(self, formula: str) -> str:
        """A formula in a frame."""

    @abstractmethod
    def matrix(self, sheet: LaidOut) -> str:
        """A matrix in brackets, with its labels outside."""

    @abstractmethod
    def is_closed(self, piece: str) -> bool:
        """Whether no group is open at the end of a piece of a formula."""

    def cut_to(self, room: int, summands: list[str]) -> Iterator[str]:
        """The summands of a formula; one that is too long is cut at slashes and inside numbers."""
        for piece in self.join(summands):
            yield from [piece] if self.width(piece) <= room else self.join(CUT.split(piece))

    def join(self, parts: list[str]) -> Iterator[str]:
        """Parts of a formula, joined again where a group is open between them."""
        piece = ""
        for part in parts:
            piece += part
            if self.is_closed(piece):
                yield piece
                piece = ""


class TexLayout(Layout):
    """LaTeX and MathJax."""

    wide, apart, space, arrow, further = r"\qquad", r"\quad", "\\ ", r"\to", r"\qquad {}"
    gaps = r"\cdots", r"\vdots"
    fraction = re.compile(r"\\frac\{([^{}]*)\}\{([^{}]*)\}")
    group = re.compile(r"(?:\\(?!frac)[a-zA-Z]+|[_^] ?)\{([^{}]*)\}")
    command = re.compile(r"\\([a-zA-Z]+) ?|\\(.)")

    def width(self, formula: str) -> int:
        r"""The approximate width.

        >>> TEX.width("x_i"), TEX.width(r"\frac{a b c}{d}")
        (3, 5)
        """
        before, tex = "", formula.replace(latex.BLANK, BLANK_WIDTH)
        while tex != before:
            before = tex
            tex = self.fraction.sub(lambda found: max(found[1], found[2], key=len), tex)
            tex = self.group.sub(r"\1", tex)
        plain = self.command.sub(lambda found: "x" * LENGTHS.get(found[1], 1), tex)
        return len(re.sub(r"[{}&$]", "", plain))

    def box(self, formula: str) -> str:
        return rf"\boxed{{{formula}}}"

    def is_closed(self, piece: str) -> bool:
        return piece.count("{") == piece.count("}")

    def matrix(self, sheet: LaidOut) -> str:
        """The heads stand above the first row and have no height, so that brackets keep theirs."""
        first, *rest = sheet.cells
        above = ""
        if sheet.heads:
            first = [
                rf"\smash{{\overset{{\textstyle {head}}}{{\rule{{0pt}}{{{HEAD_ABOVE}ex}}{cell}}}}}"
                if head
                else cell
                for head, cell in zip(sheet.heads, first, strict=True)
            ]
            above = rf"\rule{{0pt}}{{{HALF_ROW * len(sheet.cells) + HEAD_HEIGHT:.1f}em}}"
        matrix = environment("bmatrix", [" & ".join(row) for row in (first, *rest)])
        labels = environment("array", sheet.labels, "{r}") if sheet.labels else ""
        return f"{above}{labels}{matrix}"


HEAD_ABOVE, HEAD_HEIGHT, HALF_ROW = 2.8, 1.6, 0.72
"""How far a head is above the first row, in ex, and the heights of a head and of half a row, in em."""


def environment(name: str, rows: list[str], argument: str = "") -> str:
    """Rows in an environment; in Markdown only two backslashes at the end of a line survive."""
    body = " \\\\\n".join(rows)
    return f"\\begin{{{name}}}{argument}\n{body}\n\\end{{{name}}}"


class TypstLayout(Layout):
    """Typst; `labelled` is a function of the page."""

    wide, apart, space, arrow, further = "wide", "quad", " space ", "→", 'quad ""'
    gaps = "dots.c", "dots.v"
    string = re.compile(r'"((?:[^"\\]|\\.)*)"')
    fraction = re.compile(r"frac\(([^()]*), ([^()]*)\)")
    group = re.compile(r"(?:sqrt|upright|mono|[_^])\(([^()]*)\)")

    def width(self, formula: str) -> int:
        """The approximate width.

        >>> TYPST.width("x_(1)"), TYPST.width("frac(a b c, d)")
        (2, 5)
        """
        plain = self.string.sub(lambda found: "x" * len(found[1]), formula.replace(typst.BLANK, BLANK_WIDTH))
        before, plain = "", re.sub(r"\\.", "x", plain)
        while plain != before:
            before = plain
            plain = self.fraction.sub(lambda found: max(found[1], found[2], key=len), plain)
            plain = self.group.sub(r"\1", plain)
        plain = re.sub(r"dot\.op|dots\.[cv]", "x", plain).replace("wide", "xxxx").replace("quad", "xx")
        return len(re.sub(r"[()&$_^]", "", plain))

    def box(self, formula: str) -> str:
        return f"#framed[${formula}$]"

    def is_closed(self, piece: str) -> bool:
        plain = re.sub(r"\\.", "", self.string.sub("", piece))
        return plain.count("(") == plain.count(")") and '"' not in plain

    def matrix(self, sheet: LaidOut) -> str:
        cells = ",\n".join(f"  {array_of(row)}" for row in sheet.cells)
        return f"#labelled({array_of(sheet.heads)}, {array_of(sheet.labels)}, (\n{cells},\n))"


def array_of(formulas: list[str]) -> str:
    """An array of formulas; one member needs a comma."""
    return f"({''.join(f'${formula}$, ' for formula in formulas).rstrip(' ')})"


TEX, TYPST = TexLayout(), TypstLayout()
