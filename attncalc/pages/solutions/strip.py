"""The computation at a glance as one picture: small shaded matrices, from the given ones to the output.

Every head is a row; the matrices that all heads share stand before and after them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from attncalc.core.errors import fault
from attncalc.core.fields import Floats
from attncalc.core.graph.labels import Stage
from attncalc.core.record import record
from attncalc.pages import Page
from attncalc.pages.drawing import HATCH, MARGIN, Drawing, DrawingSheet, draw_at, draw_name
from attncalc.pages.typeset.shades import shade
from attncalc.worked.overview import find_hidden
from attncalc.worked.view import Excerpt

ENDING = "svg"
Column: TypeAlias = tuple[Stage, ...]
BEFORE: tuple[Column, ...] = (("tokens",),)
EACH: tuple[Column, ...] = (("queries", "keys", "values"), ("scores",), ("weights",), ("output",))
AFTER: tuple[Column, ...] = (("combined",), ("projected",))
"""The stages that are drawn, column by column: of all heads together, and of each."""
MOST_NUMBERED, WIDEST_NUMBERED, TALLEST_NUMBERED, MOST_DRAWN = 100, 9, 12, 20_000
CELL, HEIGHT, BARE = 38.0, 20.0, 8.0
NAME, GAP, ARROW, LINE, LETTER = 24.0, 16.0, 30.0, 30.0, 7.6
LEGEND = "Denser is larger; what is below 0 is brown, hatched is hidden."
STYLE = (
    "text{font:11px system-ui,sans-serif;fill:#1d1d1f;text-anchor:middle}.paper{fill:#fff}"
    ".above{fill:#1f5fbf}.below{fill:#a84a00}.line{fill:none;stroke:#8a8f98;stroke-width:.5}"
    ".hidden{fill:url(#hatch)}.hatch{stroke:#8a8f98;stroke-width:1.5}.name{font-size:15px;font-style:italic}"
    ".big{font-size:16px;font-weight:600;text-anchor:start}.soft{fill:#5b6270;font-size:13px;text-anchor:start}"
    ".arrow{font-size:15px}@media(prefers-color-scheme:dark){text{fill:#e8e8ea}.paper{fill:#15171b}"
    ".soft{fill:#a3a9b5}}"
)


class Box(Drawing, Protocol):
    """Something that can be drawn, and its size."""

    @property
    def size(self) -> tuple[float, float]:
        """Width and height."""


def render(excerpt: Excerpt, _: Page) -> str:
    """The given matrices and the steps that are asked for."""
    strip = whole_strip(excerpt)
    sheet = DrawingSheet(excerpt.solution.problem.title, "The computation at a glance", LEGEND, STYLE, HATCH)
    top = MARGIN + (LINE * 1.4 if sheet.title else 0)
    width = 2 * MARGIN + max(strip.size[0], sheet.words_width(LETTER))
    return "\n".join(sheet.markup(width, top + strip.size[1] + LINE + MARGIN, [(MARGIN, top, strip)]))


def whole_strip(excerpt: Excerpt) -> BoxRow:
    """The heads one below the other, with the shared matrices before and after them."""
    graph, chosen = excerpt.solution.graph, {step.name for step in excerpt.steps}
    weights = (s for s in excerpt.solution.steps if s.step.kind.is_weights and not s.step.kind.limit)
    numbered = {step.step.head for step in weights if np.isfinite(step.value).all()}
    heads = sorted(numbered, key=lambda head: head or 0)

    def columns(stages: tuple[Column, ...], head: int | None) -> list[Box]:
        names = ([name for stage in column for name in graph.all_at(stage, head)] for column in stages)
        shown = ([name for name in column if name in chosen or name in graph.given] for column in names)
        return [BoxColumn(tuple(to_small(excerpt, name) for name in column)) for column in shown if column]

    rows = tuple(BoxRow(tuple(found)) for head in heads if (found := columns(EACH, head)))
    if not rows:
        raise fault("there is nothing to draw: no attention weights among these steps")
    drawn = sum(np.prod(graph.shapes[name]) for name in graph.shapes)
    if drawn > MOST_DRAWN:
        raise fault(f"is too large to draw: {drawn:,} numbers, at most {MOST_DRAWN:,}")
    return BoxRow((*columns(BEFORE, None), BoxColumn(rows), *columns(AFTER, None)[-1:]))


def to_small(excerpt: Excerpt, name: str) -> Small:
    """A small matrix of a solution; the sequences of a batch stand one below the other."""
    solution = excerpt.solution
    values, step = solution.trace.field.floats(solution.trace.values[name]), solution.graph.step(name)
    weights = step if step and step.kind.is_weights else None
    hidden = find_hidden(solution, weights) if weights else np.isneginf(values)
    if solution.graph.is_turned(name):
        values, hidden = values.swapaxes(-1, -2), hidden.swapaxes(-1, -2)
    width = values.shape[-1]
    # A weight is shaded as a share of 1, not relative to its row.
    least = 1.0 if weights else 0.0
    top = float(np.abs(values[np.isfinite(values)]).max(initial=least)) or 1.0
    symbol = solution.graph.symbol(name, solution.problem.names)
    return Small(symbol, values.reshape(-1, width), hidden.reshape(-1, width), top)


@record
class Small:
    """A small matrix: its name, its numbers, the hidden ones, and the largest absolute value."""

    symbol: str
    numbers: Floats
    hidden: NDArray[np.bool_]
    top: float

    @property
    def cell(self) -> tuple[float, float]:
        """Width and height of a cell, with room for its number if there are few."""
        rows, columns = self.numbers.shape
        is_numbered = (
            self.numbers.size <= MOST_NUMBERED and columns <= WIDEST_NUMBERED and rows <= TALLEST_NUMBERED
        )
        return (CELL, HEIGHT) if is_numbered else (BARE, BARE)

    @property
    def size(self) -> tuple[float, float]:
        """Width and height, with the name above."""
        (rows, columns), (width, height) = self.numbers.shape, self.cell
        return max(CELL, width * columns), NAME + height * rows

    def draw(self) -> Iterator[str]:
        """The name, and the cells in the middle below it."""
        (width, height), across = self.cell, self.size[0]
        left = (across - width * self.numbers.shape[1]) / 2
        yield f'<text x="{across / 2:g}" y="{NAME - 8:g}" class="name">{draw_name(self.symbol)}</text>'
        for (i, j), number in np.ndenumerate(self.numbers):
            x, y = left + width * j, NAME + height * i
            place = f'x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"'
            yield f'<rect {place} {self.look(number, bool(self.hidden[i, j]))}/><rect {place} class="line"/>'
            if width == CELL:
                yield f'<text x="{x + width / 2:g}" y="{y + height / 2 + 4:g}">{write_short(number)}</text>'

    def look(self, number: float, is_hidden: bool) -> str:
        """The attributes that fill a cell."""
        if is_hidden or not np.isfinite(number):
            return 'class="hidden"'
        kind = "below" if number < 0 else "above"
        return f'class="{kind}" fill-opacity="{shade(abs(number) / self.top)}"'


@record
class BoxColumn:
    """Boxes one below the other."""

    members: tuple[Box, ...]

    @property
    def size(self) -> tuple[float, float]:
        """As wide as the widest."""
        widths, heights = zip(*(member.size for member in self.members), strict=True)
        return max(widths), sum(heights) + GAP * (len(heights) - 1)

    def draw(self) -> Iterator[str]:
        """Every box in the middle."""
        *tops, _ = accumulate((member.size[1] + GAP for member in self.members), initial=0.0)
        for top, member in zip(tops, self.members, strict=True):
            yield from draw_at((self.size[0] - member.size[0]) / 2, top, member)


@record
class BoxRow:
    """Boxes from left to right, with arrows between them."""

    members: tuple[Box, ...]

    @property
    def size(self) -> tuple[float, float]:
        """As high as the highest."""
        widths, heights = zip(*(member.size for member in self.members), strict=True)
        return sum(widths) + ARROW * (len(widths) - 1), max(heights)

    def draw(self) -> Iterator[str]:
        """Every box half way up."""
        *lefts, _ = accumulate((member.size[0] + ARROW for member in self.members), initial=0.0)
        middle = self.size[1] / 2
        for n, (left, member) in enumerate(zip(lefts, self.members, strict=True)):
            if n:
                yield f'<text x="{left - ARROW / 2:g}" y="{middle + NAME / 2:g}" class="arrow">→</text>'
            yield from draw_at(left, middle - member.size[1] / 2, member)


def write_short(number: float) -> str:
    """A number in very little room."""
    if not np.isfinite(number):
        return "−∞" if number < 0 else "–"
    # Beyond twelve digits there is only noise.
    number = float(f"{number:.12g}")
    size = abs(number)
    if number == round(number) and size < 1e4:
        return f"{number:.0f}".replace("-", "−")
    places = 2 if size < 10 else 1 if size < 100 else 0
    return (f"{number:.0e}" if size >= 1e4 else f"{number:.{places}f}").replace("-", "−").replace("e+0", "e")
