"""What a kind of answers file is: its endings, and how its bytes are read."""

from __future__ import annotations

import re
from collections.abc import Callable

from attncalc.core.record import record
from attncalc.exercise.yaml.tree import LARGEST_FILE, Mapped


@record
class Kind:
    """The endings of some files, how to read the answers in their bytes, and the most bytes of one.

    The reader also takes the name of the file, for the places of faults; it opens and executes nothing.
    """

    endings: tuple[str, ...]
    read: Callable[[bytes, str], Mapped]
    largest: int = LARGEST_FILE
    is_text: bool = True
    """Whether its bytes are characters, which may be saved in an older encoding."""


EXPORTED = r"(?:.*_[0-9-]{3,}_)?(?P<name>.+?)(?:-[0-9]+| ?\([0-9]+\))?"
"""The name of a file, behind what a learning platform puts before it, and the number of a later try."""


def name_of_step(stem: str) -> str:
    """The name of a step in the name of a file.

    >>> [*map(name_of_step, ("A", "smithann_123_456_A", "A-2", "A (1)", "A_1", "weights"))]
    ['A', 'A', 'A', 'A', 'A_1', 'weights']
    """
    match = re.fullmatch(EXPORTED, stem)
    return match["name"] if match else stem
