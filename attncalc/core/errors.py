"""Faults that a user can correct, each with its place; text from files is made inert before it is printed."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from attncalc.core.record import record

if TYPE_CHECKING:
    from typing_extensions import assert_never as assert_never
else:

    def assert_never(thing):
        """Mark a branch that the type checker has proved to be unreachable."""
        raise AssertionError(f"unexpected: {thing!r}")


def inert(text: str) -> str:
    """Text with every control, bidirectional and unpaired character shown as an escape."""
    return "".join(
        f"\\u{ord(c):04x}" if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") else c for c in text
    )


def quote(text: str, most: int = 60) -> str:
    """Quote text of a file for a message: inert and not too long."""
    return f"'{inert(text if len(text) <= most else text[: most - 1] + '…')}'"


def count_of(count: int, noun: str) -> str:
    """A number with its noun.

    >>> count_of(1, "row"), count_of(3, "row"), count_of(0, "row")
    ('1 row', '3 rows', 'no rows')
    """
    return f"{count or 'no'} {noun}{'s' * (count != 1)}"


def reason(error: Exception) -> str:
    """The operating system's message of an error, without its number."""
    return inert(getattr(error, "strerror", None) or str(error)).lower()


def nearest(word: str, known: Iterable[str], fits: Callable[[str], bool] | None = None) -> str:
    """The hint "did you mean" with the known word that is meant or nearest; empty if there is none.

    The second nearest is preferred if it fits and the nearest does not.
    """
    # Loaded only here: it is slow to import, and --help should not wait for it.
    from difflib import get_close_matches

    from attncalc.core.spellings import find_meant

    words = list(known)
    meant = find_meant(word[:60], words)
    found = [meant] if meant else get_close_matches(word[:60], words, n=2, cutoff=0.6)
    found = list(filter(fits, found)) or found if fits else found
    return f"; did you mean '{found[0]}'?" if found else ""


class Place(NamedTuple):
    """A place in a file, counted from 1; a value from Python has only the name of its key."""

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"{inert(self.file)}:{self.line}:{self.column}" if self.line else inert(self.file)


@record
class Fault:
    """One error in a file, as one sentence."""

    message: str
    place: Place | None = None

    def __str__(self) -> str:
        return f"{self.place}: {self.message}" if self.place else self.message


class AttncalcError(Exception):
    """An error that stops a command: one or more faults."""

    def __init__(self, *faults: Fault) -> None:
        self.faults = faults
        super().__init__("\n".join(map(str, faults)))


class ProblemError(AttncalcError):
    """Faults of the author: the problem cannot be solved."""


MOST_FAULTS = 100
"""More faults than this are not collected."""


class Faults:
    """Collects faults, so that all of a file are reported at once."""

    def __init__(self) -> None:
        self.found: list[Fault] = []

    @contextmanager
    def collect(self) -> Iterator[None]:
        """Collect the faults raised inside, and go on."""
        try:
            yield
        except AttncalcError as error:
            self.found.extend(error.faults)
            if len(self.found) > MOST_FAULTS:
                self.raise_if_any()

    def raise_if_any(self) -> None:
        """Raise the collected faults, in the order of their places."""
        if self.found:
            in_order = sorted(self.found, key=lambda f: (f.place.line, f.place.column) if f.place else (0, 0))
            raise ProblemError(*in_order)


def fault(message: str, place: Place | None = None) -> ProblemError:
    """An error with a single fault, to be raised."""
    return ProblemError(Fault(message, place))
