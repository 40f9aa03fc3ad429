"""The attention maps of a solution as one picture: a coloured square with its number for every weight.

A weight is a layer of one colour over the paper, never so dense that the number on it is hard to read.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate

from attncalc.core.graph.references import count_from_one
from attncalc.core.notations.columns import width_of
from attncalc.core.record import record
from attncalc.pages import Page
from attncalc.pages.drawing import HATCH, MARGIN, DrawingSheet, draw_name, label, maps_of
from attncalc.pages.typeset.shades import shade, shorten
from attncalc.worked.blocks import Map
from attncalc.worked.view import Excerpt

LEGEND = "Each row shows how much one query attends to every key; denser is more"
HATCHED = ", hatched is hidden."
MOST_NUMBERED, MOST_DRAWN = 24, 100_000
CELL, SMALL_CELL, HEIGHT = 54, 14, 38
LETTER, GAP, LINE = 7.6, 48, 22
STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#1d1d1f}.paper{fill:#fff}.cell{fill:#1f5fbf}.line{fill:none;"
    "stroke:#8a8f98;stroke-width:.5}.hidden{fill:url(#hatch)}.hatch{stroke:#8a8f98;stroke-width:1.5}.big{font-size:16px;font-weight:600}.soft{fill:#5b6270}"
    "@media(prefers-color-scheme:dark){text{fill:#e8e8ea}.paper{fill:#15171b}.soft{fill:#a3a9b5}}"
)


def render(excerpt: Excerpt, _: Page) -> str:
    """The maps of the steps that are attention weights, side by side."""
    frames = [Picture.of(block) for block in maps_of(excerpt, MOST_DRAWN)]
    return "\n".join(picture(excerpt.solution.problem.title, frames))


@record
class Picture:
    """A map and the room it takes."""

    block: Map
    cell: int
    height: int
    left: float
    top: float
    turned: bool

    @classmethod
    def of(cls, block: Map) -> Picture:
        """The picture of a map, with room for the labels; those of columns are turned if they do not fit."""
        numbered = len(block.columns) <= MOST_NUMBERED
        cell, height = (CELL, HEIGHT) if numbered else (SMALL_CELL, SMALL_CELL)
        rows, columns = (
            max(LETTER * width_of(shorten(label)) for label in labels)
            for labels in (block.rows, block.columns)
        )
        turned = columns > cell - 4
        return cls(block, cell, height, rows + 34, (0.72 * columns if turned else 0) + 44, turned)

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the whole."""
        slanted = self.top - 44 if self.turned else 0
        return (
            self.left + self.cell * len(self.block.columns) + max(0, slanted - self.cell / 2),
            self.top + self.height * len(self.block.rows),
        )

    def draw(self) -> Iterator[str]:
        """The symbol, the labels and the cells, relative to the corner of the frame."""
        block, x, y = self.block, self.left, self.top
        middle = x + self.cell * len(block.columns) / 2
        number = f" [{count_from_one(block.batch)}]" if block.batch else ""
        yield f'<text x="0" y="14" class="big">{draw_name(block.symbol)}{number}</text>'
        yield f'<text x="{middle:g}" y="14" text-anchor="middle" class="soft">keys</text>'
        side = y + self.height * len(block.rows) / 2
        turn = f'transform="translate(12 {side:g}) rotate(-90)"'
        yield f'<text {turn} text-anchor="middle" class="soft">queries</text>'
        for j, name in enumerate(block.columns):
            at = f"{x + self.cell * (j + 0.5):.1f} {y - 9:.1f}"
            turn, anchor = (" rotate(-45)", "start") if self.turned else ("", "middle")
            yield f'<text transform="translate({at}){turn}" text-anchor="{anchor}">{label(name)}</text>'
        for i, (name, weights) in enumerate(zip(block.rows, block.weights, strict=True)):
            top = y + self.height * i
            place = f'x="{x - 9:g}" y="{top + self.height / 2 + 4.5:g}"'
            yield f'<text {place} text-anchor="end">{label(name)}</text>'
            for j, weight in enumerate(weights):
                yield self.square(x + self.cell * j, top, weight, (i, j) in block.hidden)

    def square(self, x: float, y: float, weight: float, is_hidden: bool) -> str:
        """One weight; a key that a mask hides is hatched."""
        place = f'x="{x:g}" y="{y:g}" width="{self.cell}" height="{self.height}"'
        box = f'<rect {place} class="cell" fill-opacity="{shade(weight)}"/><rect {place} class="line"/>'
        if is_hidden:
            return f'{box}<rect {place} class="hidden"/>'
        if self.cell == SMALL_CELL:
            return box
        at = f'x="{x + self.cell / 2:g}" y="{y + self.height / 2 + 4.5:g}"'
        return f'{box}<text {at} text-anchor="middle">{weight:.2f}</text>'.replace("-0.00", "0.00")


def picture(title: str, frames: list[Picture]) -> Iterator[str]:
    """All maps under one title, with a legend."""
    hatch = HATCH if any(frame.block.hidden for frame in frames) else ""
    sheet = DrawingSheet(title, "Attention weights", LEGEND + (HATCHED if hatch else "."), STYLE, hatch)
    width = sum(frame.size[0] for frame in frames) + GAP * (len(frames) - 1)
    width = MARGIN * 2 + max(width, sheet.words_width(LETTER))
    top = MARGIN + (LINE * 1.8 if title else 0)
    height = top + max(frame.size[1] for frame in frames) + LINE * 1.6 + MARGIN
    *lefts, _ = accumulate((frame.size[0] + GAP for frame in frames), initial=MARGIN)
    placed = ((x, top, frame) for x, frame in zip(lefts, frames, strict=True))
    yield from sheet.markup(width, height, placed)
