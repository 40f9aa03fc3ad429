"""All verdicts, one line each: the word of the contract, and the words for students."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from attncalc.core.record import replace
from attncalc.worked.blocks import SIGNS, Sign

if TYPE_CHECKING:
    from typing_extensions import Self


class Word(str, Enum):
    """A word of the contract: equal to its text, and printed so in every version of Python."""

    def __str__(self) -> str:
        return str(self.value)

    @classmethod
    def named(cls, word: str) -> Self:
        """The member of this name."""
        return next(member for member in cls if member == word)


class StepVerdict(Word):
    """The verdict on a cell or a step, lightest first; a step has the gravest verdict of its cells."""

    sign: Sign
    words: str
    gravity: int

    BLANK = "blank", "missing"
    CORRECT = "correct", "right"
    ROUNDED = "rounded", "right, as you rounded"
    FOLLOWS = "follows", "right, given your"
    COARSE = "coarse", "too few digits to tell: show more"
    UNREADABLE = "unreadable", "cannot be read"
    WRONG = "wrong", "wrong"
    SHAPE = "shape", "wrong shape"

    def __new__(cls, word: str, words: str) -> StepVerdict:
        member = str.__new__(cls, word)
        member._value_, member.words, member.sign = word, words, SIGNS[word]
        member.gravity = len(cls.__members__) + 1
        return member

    @classmethod
    def of_gravity(cls, gravity: int) -> StepVerdict:
        """The verdict of some gravity; without any, blank."""
        return next(verdict for verdict in cls if verdict.gravity >= gravity)

    @property
    def is_right(self) -> bool:
        """Whether it is right, but for rounding."""
        return self in (StepVerdict.CORRECT, StepVerdict.ROUNDED)

    @property
    def passes(self) -> bool:
        """Whether it is right, or right given what was wrong before."""
        return self.is_right or self is StepVerdict.FOLLOWS


class OverallVerdict(Word):
    """The verdict on a whole file."""

    sign: Sign
    words: str

    CORRECT = "correct", StepVerdict.CORRECT, "Everything is right."
    INCORRECT = "incorrect", StepVerdict.WRONG, "Not right yet."
    INCOMPLETE = "incomplete", StepVerdict.COARSE, "Nothing is wrong, but something is missing."
    UNREADABLE = "unreadable", StepVerdict.UNREADABLE, "Something cannot be read."
    UNREAD = "unread", StepVerdict.UNREADABLE, "Nothing could be read."

    def __new__(cls, word: str, like: StepVerdict, words: str) -> OverallVerdict:
        member = str.__new__(cls, word)
        member._value_, member.sign, member.words = word, replace(like.sign, word=word), words
        return member
