"""A document as Markdown with formulas that GitHub, JupyterLab and VS Code all show."""

from __future__ import annotations

import re

from attncalc.document.blocks import Document
from attncalc.formats import Page
from attncalc.formats.shared.mathematics import Mathematics
from attncalc.formats.shared.matrices import environment
from attncalc.formats.shared.shades import shaded_text
from attncalc.formats.shared.typeset import Row, Typeset
from attncalc.notations.latex import MathJax

MARKUP = re.compile(r"[$\\<>&`*_\[\]|~]|:(?=\w)|^[-+=#]|^\d+[.)](?!\w)")
"""What Markdown would take for its own: anywhere, or at the start of a paragraph."""
SIGNS = {"$": r"<span>\$</span>", "\\": r"<span>\\</span>", "<": "&lt;", ">": "&gt;", "&": "&amp;"}
"""What a browser would; notebooks look for formulas once more in the finished page, not across elements."""
LONGEST_BAR = 30


def render(document: Document, page: Page) -> str:
    """The document; for GitHub alone, in the fences that it leaves as they are."""
    writer = GitHubPage() if page.flavor == "github" else MarkdownPage()
    return "\n\n".join(writer.pieces(document))


class MarkdownPage(Typeset):
    """Writes blocks that read well as they stand."""

    maths = Mathematics(MathJax(), room=84, tallest=10_000)

    def escaped(self, text: str) -> str:
        folded = re.sub(r"\s+", " ", text)
        return MARKUP.sub(lambda found: SIGNS.get(found[0]) or f"{found[0][:-1]}\\{found[0][-1]}", folded)

    def inline(self, formula: str) -> str:
        return f"${formula}$"

    def heading(self, text: str, level: int) -> str:
        return f"{'#' * level} {text}"

    def note(self, text: str) -> str:
        return f"> {text}"

    def code(self, text: str) -> str:
        return f"```python\n{text}\n```"

    def aligned(self, rows: list[str], pairs: int) -> str:
        inner = environment("alignedat", rows, f"{{{pairs}}}") if pairs > 1 else environment("aligned", rows)
        # A line that starts with a minus could be an item of a list.
        return self.fenced(inner.replace("\n-", "\n{-}"))

    def fenced(self, formula: str) -> str:
        """A formula on lines of its own."""
        return f"$$\n{formula}\n$$"

    def table(self, heads: Row, rows: list[Row], columns: str) -> str:
        rule = [{"l": ":--", "r": "--:"}[side] for side in columns]
        return "\n".join(f"| {' | '.join(row)} |" for row in (heads, rule, *rows))

    def shaded(self, weight: float) -> str:
        return shaded_text(weight).strip()

    def bar(self, share: float) -> str:
        return "█" * max(1, round(LONGEST_BAR * share))


class GitHubPage(MarkdownPage):
    """Writes formulas where GitHub does not look for Markdown in them."""

    def inline(self, formula: str) -> str:
        return f"$`{formula}`$"

    def fenced(self, formula: str) -> str:
        return f"```math\n{formula}\n```"
