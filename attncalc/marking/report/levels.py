"""How much of a report is told, and in what order reports are."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import Self


class Word(str, Enum):
    """A word of the contract: equal to its text, and written as it in every version of Python."""

    def __str__(self) -> str:
        return str(self.value)

    @classmethod
    def named(cls, word: str) -> Self:
        """The member that is this word."""
        return next(member for member in cls if member == word)


class Level(Word):
    """A level of feedback, which tells all that those before it tell."""

    VERDICT = "verdict"
    """The verdict and the points."""
    STEP = "step"
    """The verdicts and points of the steps."""
    CELLS = "cells"
    """Which cells are wrong."""
    MISTAKE = "mistake"
    """Why: mistakes and remarks."""
    FULL = "full"
    """The right values."""

    def tells(self, other: Level) -> bool:
        """Whether what another level adds is told at this one."""
        return LEVELS.index(self) >= LEVELS.index(other)


LEVELS = tuple(Level)
"""All levels, the first of which tells least."""


class Order(Word):
    """By what a class is sorted."""

    FILE = "file"
    """As the files are named."""
    STUDENT = "student"
    POINTS = "points"
    """The fewest first."""
    STEP = "step"
    """The earliest wrong one first."""
    MISTAKE = "mistake"
