"""What a kind of answers file is: its endings, and how its bytes are read."""

from __future__ import annotations

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
