"""Repairs of sloppy text: what may be meant is proposed only after it has been read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Generic, TypeVar

from attncalc.core.record import record

Sloppy = TypeVar("Sloppy")


@record
class Repair:
    """One slip: a text that matches `pattern` is meant as `write` has it, `because` something is wrong.

    `write` and `because` are templates over the groups of the match; `write` may also be a function of it.
    The fault is at the group `at`.  `typed` is an example, `meant` the same written properly.
    """

    pattern: str
    write: str | Callable[[re.Match[str]], str]
    because: str
    typed: str
    meant: str
    is_sure: bool = False
    """Whether it is right even if the text cannot be read to its end then."""
    start: str = ""
    """How the whole text starts in which this is a slip."""
    asks: bool = False
    """Whether something else may be meant, so that only its author can repair it."""

    def rewrite(self, match: re.Match[str]) -> str:
        """Return what to write for a match."""
        return fill(self.write, match) if isinstance(self.write, str) else self.write(match)


@record
class Proposal:
    """A text as it may be meant, why, and at which line and column the fault is, counted from 0."""

    text: str
    because: str = ""
    line: int = 0
    column: int = 0
    is_sure: bool = False
    asks: bool = False


@record
class Scan(Generic[Sloppy]):
    """A repair that one pattern cannot state: a function that yields proposals, and an example."""

    scan: Callable[[Sloppy], Iterable[Proposal]]
    typed: str
    meant: str
    asks: bool = False


def fill(template: str, match: re.Match[str]) -> str:
    """Put the groups of a match into a template: {1} by number, {at} by name; missing ones are empty."""
    return template.format(match[0], *match.groups(""), **match.groupdict(""))


def propose(text: str, repairs: Iterable[Repair]) -> Iterator[Proposal]:
    """Yield what a text may be meant for, by all repairs whose pattern matches the whole of it."""
    for repair in repairs:
        if match := re.fullmatch(repair.pattern, text, re.DOTALL):
            column = match.start("at") if "at" in match.re.groupindex else 0
            because = fill(repair.because, match)
            yield Proposal(repair.rewrite(match), because, 0, column, repair.is_sure, repair.asks)


def choose_proposal(proposals: Iterable[Proposal], is_read: Callable[[str], bool]) -> Proposal | None:
    """Return the first proposal that is sure, or that can be read."""
    return next((found for found in proposals if found.is_sure or is_read(found.text)), None)
