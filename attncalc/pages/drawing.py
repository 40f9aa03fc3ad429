"""Pictures: the sheet that they are drawn on, and names, tokens and text in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import escape
from typing import Protocol

from attncalc.core.errors import fault
from attncalc.core.notations.columns import width_of
from attncalc.core.notations.unicode import Notation
from attncalc.core.record import record
from attncalc.pages.typeset.shades import shorten
from attncalc.worked.blocks import Map
from attncalc.worked.overview import attention_map
from attncalc.worked.view import Excerpt

MARGIN = 28.0
LONGEST_TITLE = 80
HATCH = (
    '<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" '
    'patternTransform="rotate(45)"><path class="hatch" d="M0 0V6"/></pattern></defs>'
)
"""The pattern of a hidden key."""


class Drawing(Protocol):
    """Something that can be drawn."""

    def draw(self) -> Iterator[str]:
        """Its elements, relative to its corner."""


@record
class DrawingSheet:
    """A sheet for drawings: its title or a substitute, its legend, its style and patterns."""

    title: str
    called: str
    legend: str
    style: str
    patterns: str = ""

    def words_width(self, letter: float) -> float:
        """The room that the title and the legend take, by the width of a letter."""
        return letter * max(width_of(self.legend), 1.2 * width_of(shorten(self.title, LONGEST_TITLE)))

    def markup(
        self, width: float, height: float, placed: Iterable[tuple[float, float, Drawing]]
    ) -> Iterator[str]:
        """The whole picture: drawings, each with its corner, between the title and the legend."""
        box = f'viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}"'
        yield f'<svg xmlns="http://www.w3.org/2000/svg" {box} role="img" aria-labelledby="title">'
        yield f'<title id="title">{inside(self.title or self.called)}</title>'
        yield f'<style>{self.style}</style>{self.patterns}<rect class="paper" width="100%" height="100%"/>'
        if self.title:
            title = inside(shorten(self.title, LONGEST_TITLE))
            yield f'<text x="{MARGIN:g}" y="{MARGIN + 12:g}" class="big">{title}</text>'
        for left, top, drawing in placed:
            yield from draw_at(left, top, drawing)
        yield f'<text x="{MARGIN:g}" y="{height - MARGIN:g}" class="soft">{self.legend}</text>'
        yield "</svg>"


def draw_at(left: float, top: float, drawing: Drawing) -> Iterator[str]:
    """A drawing with its corner at some place."""
    yield f'<g transform="translate({left:g} {top:g})">'
    yield from drawing.draw()
    yield "</g>"


def maps_of(excerpt: Excerpt, most: int) -> list[Map]:
    """The attention maps of the steps asked for; an error if there are none, or too many weights."""
    chosen = {step.symbol for step in excerpt.steps}
    maps = [b for b in attention_map(excerpt.solution) if isinstance(b, Map) and b.symbol in chosen]
    weights = sum(len(block.rows) * len(block.columns) for block in maps)
    if not maps:
        raise fault("there is nothing to draw: no attention weights among these steps")
    if weights > most:
        raise fault(f"is too large to draw: {weights:,} weights, at most {most:,}")
    return maps


def draw_name(name: str) -> str:
    """A letter with its head below."""
    base, _, below = Notation().name(name).partition("_")
    return inside(base) + (f'<tspan dy="4" font-size="75%">{inside(below)}</tspan>' if below else "")


def label(text: str) -> str:
    """A token, the whole of it shown when pointed at."""
    short = shorten(text)
    return inside(short) if short == text else f"{inside(short)}<title>{inside(text)}</title>"


def inside(text: str) -> str:
    """Text as XML can hold it."""
    return escape(re.sub(r"[^\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", text))
