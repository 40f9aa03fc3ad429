"""What a key and its value are read as: the cells, the answers, and what is said of them."""

from __future__ import annotations

from attncalc.core.errors import Fault, ProblemError, inert
from attncalc.core.fields import Array
from attncalc.core.record import record
from attncalc.exercise.yaml.tree import Scalar
from attncalc.marking.answers.files import Answer, Unreadable
from attncalc.worked.blocks import BLANK


@record
class Reading:
    """The cells that a value may stand for, and how slips in it were repaired."""

    cells: Array
    notes: tuple[Fault, ...] = ()
    of_sums: bool = False
    """Whether rows were written as sums of weighted rows."""


@record
class Read:
    """What is read of one key: the answers, or why there are none, and how it was read."""

    key: Scalar
    answers: tuple[Answer, ...] = ()
    faults: tuple[Fault, ...] = ()
    notes: tuple[Fault, ...] = ()
    is_guess: bool = False
    """Whether the key is no name of a step, and can mean only one."""


def in_key(key: Scalar, error: ProblemError) -> tuple[Fault, ...]:
    """The faults of a key, which name it."""
    return tuple(Fault(f"{inert(key.text)}: {one.message}", one.place) for one in error.faults)


def as_note(slip: Fault) -> Fault:
    """What is said of a slip that was repaired."""
    because, found, meant = slip.message.partition(": write ")
    is_line = found and meant[0] not in "'\""
    return Fault(f"{because}: read as {meant}" if is_line else f"{because}; it is read so", slip.place)


def is_unread(cells: Array) -> bool:
    """Whether a whole value cannot be read."""
    return cells.ndim == 0 and isinstance(cells[()], Unreadable)


def has_unread(cells: Array) -> bool:
    """Whether a cell cannot be read."""
    return cells.dtype == object and any(isinstance(cell, Unreadable) for cell in cells.flat)


def is_void(cells: Array) -> bool:
    """Whether there is nothing to judge: an unreadable value, or only blanks."""
    return is_unread(cells) or (cells.dtype == object and all(cell == BLANK for cell in cells.flat))
