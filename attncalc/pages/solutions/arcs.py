"""Who attends to whom as one picture: arcs over the tokens, thicker for more, one below the other for heads.

Arcs to earlier tokens are above the line, arcs to later ones below it, and a loop leads to the token itself.
If queries and keys are different tokens, the queries stand above the keys.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate

from attncalc.core.notations.columns import width_of
from attncalc.core.record import record
from attncalc.pages import Page
from attncalc.pages.drawing import MARGIN, DrawingSheet, draw_name, inside, label, maps_of
from attncalc.pages.typeset.shades import shorten
from attncalc.worked.blocks import Map
from attncalc.worked.view import Excerpt

LETTER, LEAST, GAP, LINE = 8.5, 64.0, 36.0, 30.0
STEP, FIRST = 18.0, 14.0
"""The height of an arc for each further token, and of the lowest arc."""
MOST_DRAWN = 10_000
ENDING = "svg"
LEGEND = "An arc leads from a token to one that it attends to; thicker is more."
APART = 120.0
"""The distance between queries and keys."""
STYLE = (
    "text{font:15px system-ui,sans-serif;fill:#1d1d1f}.paper{fill:#fff}.arc{fill:none;stroke:#1f5fbf;"
    "stroke-linecap:round}.big{font-size:16px;font-weight:600}.soft{fill:#5b6270;font-size:13px}"
    "@media(prefers-color-scheme:dark){text{fill:#e8e8ea}.paper{fill:#15171b}.arc{stroke:#8ab4f8}"
    ".soft{fill:#a3a9b5}}"
)


def render(excerpt: Excerpt, _: Page) -> str:
    """The heads whose weights are among the steps, one below the other."""
    heads = [Arcs.of(block) for block in maps_of(excerpt, MOST_DRAWN)]
    return "\n".join(picture(excerpt.solution.problem.title, heads))


@record
class Arcs:
    """The weights of one head, and the positions of the tokens."""

    block: Map
    middles: tuple[float, ...]
    is_one_line: bool

    @classmethod
    def of(cls, block: Map) -> Arcs:
        """The arcs of a map, with room for the longest token."""
        names = (*block.rows, *block.columns)
        width = max(LEAST, max(LETTER * width_of(shorten(name)) for name in names) + 20)
        count = max(len(block.rows), len(block.columns))
        return cls(block, tuple(width * (n + 0.5) for n in range(count)), block.rows == block.columns)

    @property
    def reach(self) -> float:
        """The height of the highest arc."""
        return STEP * (len(self.middles) - 1) + FIRST + 10

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the whole."""
        height = 2 * self.reach + LINE if self.is_one_line else APART + LINE
        return self.middles[-1] + self.middles[0], height + LINE

    def draw(self) -> Iterator[str]:
        """The name, the arcs, then the tokens."""
        yield f'<text x="0" y="16" class="big">{draw_name(self.block.symbol)}</text>'
        for i, row in enumerate(self.block.weights):
            for j, weight in enumerate(row):
                if weight > 0:
                    yield self.arc(i, j, weight)
        top = LINE + (self.reach if self.is_one_line else 0) + LINE / 2
        lines = [(self.block.columns, top if self.is_one_line else top + APART)]
        for names, y in lines if self.is_one_line else [(self.block.rows, top), *lines]:
            for x, name in zip(self.middles, names, strict=False):
                yield f'<text x="{x:g}" y="{y + 5:g}" text-anchor="middle">{label(name)}</text>'

    def arc(self, i: int, j: int, weight: float) -> str:
        """One weight, from its query to its key."""
        width, dense = 0.4 + 5 * min(1.0, weight), 0.12 + 0.8 * min(1.0, weight)
        look = f'stroke-width="{width:.2f}" stroke-opacity="{dense:.2f}"'
        said = f"{self.block.rows[i]} attends to {self.block.columns[j]}: {weight:.2f}"
        return f'<path class="arc" d="{self.path(i, j)}" {look}><title>{inside(said)}</title></path>'

    def path(self, i: int, j: int) -> str:
        """The path of an arc."""
        x, to = self.middles[i], self.middles[j]
        if not self.is_one_line:
            top, bottom, middle = LINE * 2 - 4, LINE + APART, LINE * 1.5 + APART / 2
            return f"M{x:g} {top:g}C{x:g} {middle:g} {to:g} {middle:g} {to:g} {bottom:g}"
        line = LINE + self.reach + LINE / 2
        if i == j:
            return f"M{x - 7:g} {line - LINE / 2:g}a9 9 0 1 1 14 0"
        way = -1 if j < i else 1
        edge = line + way * LINE / 2
        height = edge + way * (STEP * abs(i - j) + FIRST)
        return f"M{x:g} {edge:g}C{x:g} {height:g} {to:g} {height:g} {to:g} {edge:g}"


def picture(title: str, heads: list[Arcs]) -> Iterator[str]:
    """All heads under one title, with a legend."""
    sheet = DrawingSheet(title, "Who attends to whom", LEGEND, STYLE)
    width = 2 * MARGIN + max(sheet.words_width(LETTER), *(head.size[0] for head in heads))
    top = MARGIN + (LINE * 1.4 if title else 0)
    *tops, bottom = accumulate((head.size[1] + GAP for head in heads), initial=top)
    placed = ((MARGIN, y, head) for y, head in zip(tops, heads, strict=True))
    yield from sheet.markup(width, bottom + MARGIN, placed)
