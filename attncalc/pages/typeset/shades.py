"""How dense the shade of a weight is: the opacity of a colour, or a block of text."""

from __future__ import annotations

DENSEST = 0.7
"""The largest opacity, at which the number on it can still be read."""
BLOCKS, ASCII_BLOCKS = " ░▒▓█", " .:*#"


def share_of(weight: float) -> float:
    """A weight limited to the range from 0 to 1."""
    return min(1.0, max(0.0, weight))


def shade(weight: float) -> str:
    """The opacity of the colour of a weight, from 0 to 1."""
    return f"{DENSEST * share_of(weight):.3g}"


def write_shade(weight: float, blocks: str = BLOCKS) -> str:
    """A weight after two blocks of its shade."""
    return f"{shade_block(weight, blocks)} {int(weight) if weight in (0, 1) else f'{weight:.2f}'}"


def shade_block(weight: float, blocks: str = BLOCKS) -> str:
    """Two blocks with the shade of a weight."""
    return blocks[min(4, int(5 * share_of(weight)))] * 2


LONGEST_LABEL = 24


def shorten(text: str, most: int = LONGEST_LABEL) -> str:
    """A label cut to a length."""
    return text if len(text) <= most else text[: most - 1] + "…"
