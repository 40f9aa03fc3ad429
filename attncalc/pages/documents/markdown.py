"""A document as Markdown with formulas that GitHub, JupyterLab and VS Code all show."""

from __future__ import annotations

import re

from attncalc.core.notations.latex import RAISED, RARE, MathJax, on_one_line, to_formula
from attncalc.core.terms.formulas import Text
from attncalc.pages import Page
from attncalc.pages.typeset.blocks import Row, Typeset
from attncalc.pages.typeset.layout import TEX, environment
from attncalc.pages.typeset.mathematics import Mathematics
from attncalc.pages.typeset.shades import share_of
from attncalc.worked.blocks import Document

ENDING = "md"
MARKUP = (
    r"[$\\<>&`*_\[\]|~^@{}]|:(?=\w)|^[-+=#%:]|^\d+[.)](?!\w)|^\(?(?:[A-Za-z]|[ivxlcdm]+|[IVXLCDM]+)[.)](?= )"
)
"""Text that Markdown (or pandoc's) reads as markup: anywhere, or at the start of a paragraph."""
SIGNS = {"$": r"<span>\$</span>", "\\": r"<span>\\</span>", "<": "&lt;", ">": "&gt;", "&": "&amp;"}
"""Characters that need elements or entities: notebooks search the finished page for formulas again."""
LETTERS, OTHERS = (re.sub(kind, "", RARE) for kind in (r"\W", r"\w"))
FORMULA = rf"(?<![^\W\d_])[{LETTERS}][A-Za-z]?(?!\w)|[{OTHERS}{RAISED}]+(?:\d+(?:\.\d+)?)?"
"""Characters that only mathematical fonts have, with the letter or number beside them."""
RULES = {"l": ":{}", "r": "{}:"}
WRITTEN = re.compile(rf"(?P<formula>{FORMULA})|{MARKUP}")
LONGEST_BAR = 12
GAP_OF_TABLE = 4
SHADE = 2
LINE = 2
"""Widths of the longest bar, of a gap and of the shade of a weight of 1, and the height of a line, in ems."""


def render(document: Document, page: Page) -> str:
    """The document; for GitHub, with formulas in its own fences."""
    writer = GitHubPage() if page.flavor == "github" else MarkdownPage()
    return "\n\n".join(writer.pieces(document))


class MarkdownPage(Typeset):
    """Writes blocks that are readable as source."""

    # The size of a page made by pandoc.
    maths = Mathematics(MathJax(), room=62, tallest=36)
    most_rows = 12
    start = end = "$"

    def escape(self, text: str) -> str:
        return WRITTEN.sub(self.quote, on_one_line(text))

    def quote(self, found: re.Match[str]) -> str:
        """A character as a formula, or markup escaped."""
        if found["formula"]:
            return self.inline(to_formula(found[0]))
        return SIGNS.get(found[0]) or f"{found[0][:-1]}\\{found[0][-1]}"

    def prose(self, text: Text) -> str:
        # Two dollars side by side would start a display.
        return super().prose(text).replace(self.end + self.start, " ")

    def inline(self, formula: str) -> str:
        return f"{self.start}{formula}{self.end}"

    def heading(self, text: str, level: int) -> str:
        return f"{'#' * level} {text}"

    def strong(self, text: str) -> str:
        return f"**{text}**"

    def note(self, text: str) -> str:
        return f"> {text}"

    def code(self, text: str) -> str:
        return f"```python\n{text}\n```"

    def code_name(self, name: str) -> str:
        return f"`{name}`"

    def room(self, lines: int) -> str:
        return self.inline(rf"\rule{{0em}}{{{LINE * lines}em}}")

    def write_rules(self, words: list[str]) -> str:
        line = self.inline(rf"\rule{{{LONGEST_BAR}em}}{{0.1ex}}")
        return "\n\n".join(f"{word}: {line}" for word in words)

    def align(self, rows: list[str], pairs: int) -> str:
        inner = environment("alignedat", rows, f"{{{pairs}}}") if pairs > 1 else environment("aligned", rows)
        # A line that starts with a minus could be an item of a list.
        return self.fence(inner.replace("\n-", "\n{-}"))

    def fence(self, formula: str) -> str:
        """A formula on separate lines."""
        return f"$$\n{formula}\n$$"

    def table(self, heads: Row, rows: list[Row], columns: str) -> str:
        # If a table is wider than a page, pandoc makes columns as wide as their dashes, gaps included.
        widths = [max(3, *map(TEX.width, column)) + GAP_OF_TABLE for column in zip(heads, *rows, strict=True)]
        rule = [RULES[side].format("-" * (extent - 1)) for side, extent in zip(columns, widths, strict=True)]
        return "\n".join(f"| {' | '.join(row)} |" for row in (heads, rule, *rows))

    def write_shaded(self, weight: float) -> str:
        return f"{self.rule(SHADE * share_of(weight))} {weight:.2f}"

    def bar(self, share: float) -> str:
        return self.rule(LONGEST_BAR * share)

    def rule(self, width: float) -> str:
        """A bar with its width in ems."""
        return self.inline(rf"\rule{{{width:.2f}em}}{{1ex}}")


class GitHubPage(MarkdownPage):
    """Writes formulas in which GitHub does not look for Markdown."""

    start, end = "$`", "`$"

    def fence(self, formula: str) -> str:
        return f"```math\n{formula}\n```"
