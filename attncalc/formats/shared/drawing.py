"""Text in pictures: names, tokens, and what XML can hold."""

from __future__ import annotations

import re
from html import escape

from attncalc.formats.shared.labels import shortened
from attncalc.notations.unicode import Notation


def draw_name(name: str) -> str:
    """A letter with its head below."""
    base, _, below = Notation().name(name).partition("_")
    return inside(base) + (f'<tspan dy="4" font-size="75%">{inside(below)}</tspan>' if below else "")


def label(text: str) -> str:
    """A token, the whole of it shown when pointed at."""
    short = shortened(text)
    return inside(short) if short == text else f"{inside(short)}<title>{inside(text)}</title>"


def inside(text: str) -> str:
    """Text as XML can hold it."""
    return escape(re.sub(r"[^\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", text))
