"""A class as lines: one sign for each step, points, names, and a few words."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.core.notations.columns import cut_middle, flush_left, flush_right, width_of
from attncalc.pages.documents.text.lines import INDENT, Line, Medium, line_width, wrap_words
from attncalc.worked.blocks import Member, Roster, Sign

FEWEST_WORDS = 30
"""The width that words need beside the rest, in columns; with less room they stand below it."""
FEWEST_LETTERS = 12
"""The least width of names."""


def roster(block: Roster, medium: Medium) -> Iterator[Line]:
    """One line for each member, the signs below the symbols of their steps if there is room."""
    symbols = [medium.plain(medium.notation.name(symbol)) for symbol in block.steps]
    yield []
    if sum(map(width_of, symbols)) + len(symbols) <= medium.room // 2:
        table = Columns(block, medium, [width_of(symbol) + 1 for symbol in symbols])
        if symbols:
            yield [(table.margin + " ".join(symbols), "dim")]
    else:
        table = Columns(block, medium, [1] * len(symbols))
        yield [(f"{INDENT}the steps: {' '.join(symbols)}", "dim")]
    for member in block.members:
        yield from table.lines(member)
    legend = ", ".join(f"{medium.sign(sign)} {sign.word}" for sign in block.signs)
    if legend:
        yield [(f"{INDENT}{legend}", "dim")]


class Columns:
    """The widths of the columns; on a terminal the names are cut so that all lines are alike."""

    def __init__(self, block: Roster, medium: Medium, widths: list[int]) -> None:
        self.medium, self.widths, self.members = medium, widths, block.members
        self.points = max((width_of(member.points) for member in block.members), default=0)
        self.student = max((width_of(medium.plain(member.student)) for member in block.members), default=0)
        self.name = max((width_of(medium.plain(member.name)) for member in block.members), default=0)
        self.is_whole = True
        if medium.width is not None:
            self.fit(medium.width)

    def fit(self, width: int) -> None:
        """Leave room for words on a terminal: there the student stands in place of the file if need be."""
        room = width - len(self.margin) - sum(self.widths) - self.points - 5
        most = max(room - FEWEST_WORDS, FEWEST_LETTERS)
        self.is_whole = self.name + (self.student and self.student + 2) <= most
        if not self.is_whole:
            shown = max(width_of(self.medium.plain(one.student or one.name)) for one in self.members)
            self.name, self.student = min(shown, most), 0

    @property
    def margin(self) -> str:
        """The blanks before the steps."""
        return f"{INDENT}  "

    def lines(self, member: Member) -> Iterator[Line]:
        """One member of the class; words that do not fit continue on the next lines."""
        line: Line = [self.sign(member.sign, 0, INDENT), (" ", "")]
        line += [self.sign(sign, width) for sign, width in zip(member.signs, self.widths, strict=True)]
        line.append((f" {flush_right(member.points, self.points)}  {self.names(member)}  ", ""))
        words, used = self.medium.said(member.text), line_width(line)
        if self.medium.width is None:
            yield [*line, (words, "")]
            return
        if self.medium.width - used < FEWEST_WORDS:
            yield line
            line, used = [(2 * INDENT, "")], 2 * len(INDENT)
            if not words:
                return
        for text in wrap_words(words, max(self.medium.width - used, 1)) or [""]:
            yield [*line, (text, "")]
            line = [(" " * used, "")]

    def names(self, member: Member) -> str:
        """The student and the file; if there is no room for both, the file if no student is known."""
        student, name = (self.medium.plain(text) for text in (member.student, member.name))
        if not self.is_whole:
            return flush_left(cut_middle(student or name, self.name, self.medium.plain("…")), self.name)
        first = f"{flush_left(student, self.student)}  " if self.student else ""
        return f"{first}{flush_left(name, self.name)}"

    def sign(self, sign: Sign | None, width: int, before: str = "") -> tuple[str, str]:
        """A sign in its colour, or none."""
        return (
            (before + flush_left(self.medium.sign(sign), width), sign.colour) if sign else (" " * width, "")
        )
