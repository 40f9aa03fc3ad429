"""The medium of text: its width, its notation and its characters."""

from __future__ import annotations

from attncalc.core.notations.terms import GREEK
from attncalc.core.notations.unicode import Ascii, Notation
from attncalc.core.terms.formulas import Text
from attncalc.pages import Page
from attncalc.worked.blocks import Sign

INDENT = "  "
NATURAL_WIDTH = 100
IN_ASCII = str.maketrans(
    {"−": "-", "∞": "inf", "×": "x", "·": "*", "√": "sqrt ", "≈": "~=", "…": "...", "→": "->", "ᵀ": "^T"}
    | {sign: name for name, sign in GREEK.items()}
)


class Medium:
    """A terminal, or a pipe, which has no width."""

    def __init__(self, page: Page) -> None:
        self.width, self.ascii = page.width, page.ascii
        self.room = (page.width or NATURAL_WIDTH) - len(INDENT)
        self.notation = Ascii() if page.ascii else Notation()
        self.signs = {"=": self.notation.equal, "≈": self.notation.about}

    def sign(self, sign: Sign) -> str:
        """A sign in characters that it can show."""
        return sign.ascii if self.ascii else sign.glyph

    def plain(self, text: str) -> str:
        """Text in characters that it can show."""
        return text.translate(IN_ASCII).encode("ascii", "backslashreplace").decode() if self.ascii else text

    def said(self, text: Text) -> str:
        """Words and the mathematics among them, on one line."""
        parts = (text,) if isinstance(text, str) else text
        return "".join(self.plain(self.notation.said(part)) for part in parts)
