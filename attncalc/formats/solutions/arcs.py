"""Who attends to whom as one picture: arcs over the tokens, thicker for more, one below the other for heads.

What lies before a token is reached above the line, what comes after below it, the token itself by a loop.
Where queries and keys are different tokens, the queries stand above the keys.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.document.blocks import Map
from attncalc.document.overview import attention_map
from attncalc.errors import fault
from attncalc.formats import Page
from attncalc.formats.shared.drawing import draw_name, inside, label
from attncalc.formats.shared.excerpt import Excerpt
from attncalc.formats.shared.labels import shortened
from attncalc.notations.columns import width_of
from attncalc.record import record

LETTER, LEAST, MARGIN, GAP, LINE = 8.5, 64.0, 28.0, 36.0, 30.0
STEP, FIRST = 18.0, 14.0
"""How much higher an arc is for every token further, and the lowest."""
MOST_DRAWN = 10_000
APART = 120.0
"""How far queries stand above keys."""
STYLE = (
    "text{font:15px system-ui,sans-serif;fill:#1d1d1f}.paper{fill:#fff}.arc{fill:none;stroke:#1f5fbf;"
    "stroke-linecap:round}.big{font-size:16px;font-weight:600}.soft{fill:#5b6270;font-size:13px}"
    "@media(prefers-color-scheme:dark){text{fill:#e8e8ea}.paper{fill:#15171b}.arc{stroke:#8ab4f8}"
    ".soft{fill:#a3a9b5}}"
)


def render(excerpt: Excerpt, _: Page) -> str:
    """The heads whose weights are among the steps, one below the other."""
    solution, chosen = excerpt.solution, {step.symbol for step in excerpt.steps}
    maps = [block for block in attention_map(solution) if isinstance(block, Map) and block.symbol in chosen]
    if not maps:
        raise fault("there is nothing to draw: no attention weights among these steps")
    drawn = sum(len(block.rows) * len(block.columns) for block in maps)
    if drawn > MOST_DRAWN:
        raise fault(f"is too large to draw: {drawn:,} weights, at most {MOST_DRAWN:,}")
    return "\n".join(picture(solution.problem.title, [Arcs.of(block) for block in maps]))


@record
class Arcs:
    """The weights of one head, and where the tokens stand."""

    block: Map
    middles: tuple[float, ...]
    is_one_line: bool

    @classmethod
    def of(cls, block: Map) -> Arcs:
        """Room for the longest of the tokens."""
        names = (*block.rows, *block.columns)
        width = max(LEAST, max(LETTER * width_of(shortened(name)) for name in names) + 20)
        count = max(len(block.rows), len(block.columns))
        return cls(block, tuple(width * (n + 0.5) for n in range(count)), block.rows == block.columns)

    @property
    def reach(self) -> float:
        """How high the highest arc is."""
        return STEP * (len(self.middles) - 1) + FIRST + 10

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the whole."""
        height = 2 * self.reach + LINE if self.is_one_line else APART + LINE
        return self.middles[-1] + self.middles[0], height + LINE

    def drawn(self) -> Iterator[str]:
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
        """The way of an arc."""
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
    """All heads under one title, and what they show."""
    legend = "An arc leads from a token to one that it attends to; thicker is more."
    words = LETTER * max(width_of(legend), 1.2 * width_of(shortened(title, 80)))
    width = 2 * MARGIN + max(words, *(head.size[0] for head in heads))
    top = MARGIN + (LINE * 1.4 if title else 0)
    height = top + sum(head.size[1] + GAP for head in heads) + MARGIN
    box = f'viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}"'
    yield f'<svg xmlns="http://www.w3.org/2000/svg" {box} role="img" aria-labelledby="title">'
    yield f'<title id="title">{inside(title or "Who attends to whom")}</title>'
    yield f'<style>{STYLE}</style><rect class="paper" width="100%" height="100%"/>'
    if title:
        yield f'<text x="{MARGIN:g}" y="{MARGIN + 12:g}" class="big">{inside(shortened(title, 80))}</text>'
    for head in heads:
        yield f'<g transform="translate({MARGIN:g} {top:g})">'
        yield from head.drawn()
        yield "</g>"
        top += head.size[1] + GAP
    yield f'<text x="{MARGIN:g}" y="{height - MARGIN:g}" class="soft">{legend}</text>'
    yield "</svg>"
