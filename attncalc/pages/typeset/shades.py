"""How dark a weight is drawn: as a layer of colour, or as a block of text."""

from __future__ import annotations

DENSEST = 0.7
"""So that the number on it is never hard to read."""
BLOCKS = " ░▒▓█"


def share_of(weight: float) -> float:
    """A weight as a share of all there is; one that is no share is as light or as dark as can be."""
    return min(1.0, max(0.0, weight))


def shade(weight: float) -> str:
    """How dense the colour of a weight is, from 0 to 1."""
    return f"{DENSEST * share_of(weight):.3g}"


def shaded_text(weight: float, blocks: str = BLOCKS) -> str:
    """A weight behind two blocks of its shade."""
    return f"{blocks[min(4, int(5 * share_of(weight)))] * 2} {weight:.2f}"
