"""What a topic is: a title, and what it tells with or without a solved problem."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from attncalc.document import Block
from attncalc.record import record
from attncalc.solution import Solution


@record
class Topic:
    """A derivation; with a problem it is shown on its numbers too."""

    title: str
    explain: Callable[[Solution | None], Iterator[Block]]
