"""What a hurried hand does to YAML, and how it is mended.

Where YAML cannot be read, the kinds of faults are tried in turn: each proposes the same text with one thing
mended, and is right if YAML can be read further then.  So whatever a sentence says to write is known to be
readable.  A mend without a sentence is not worth a word: the text can mean nothing else, and every character
keeps its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple, TypeAlias, TypeVar

from attncalc.core.errors import Fault, Place, ProblemError
from attncalc.core.record import record

LONGEST_MENDED = 20_000
"""The characters of a text up to which mends are looked for: each is tried by reading it."""
LONGEST_LINE = 1000
MOST_MENDS, LEAST_TRIES, MOST_TRIED = 10, 20, 100_000
"""How many faults are mended, and by how many tries: the more, the fewer characters each has to read."""


class Misread(Exception):
    """Where a text cannot be read as YAML, counted from 0, and why."""

    def __init__(self, message: str, line: int, column: int) -> None:
        self.message, self.line, self.column = message, line, column
        super().__init__(message)


class Broken(NamedTuple):
    """A text and where YAML cannot read it."""

    lines: tuple[str, ...]
    line: int
    column: int

    def changed(self, lines: dict[int, str]) -> str:
        """The text with some lines changed."""
        return "".join(f"{lines.get(number, line)}\n" for number, line in enumerate(self.lines))

    def before(self) -> Iterator[tuple[int, str]]:
        """The lines from the one that cannot be read to the first, backwards; none that no one types."""
        last = min(self.line, len(self.lines) - 1)
        lines = ((number, self.lines[number]) for number in range(last, -1, -1))
        return ((number, line) for number, line in lines if len(line) <= LONGEST_LINE)


@record
class Mend:
    """A text with one thing mended: where, counted from 0, and what to write there."""

    text: str
    line: int = 0
    column: int = 0
    message: str = ""
    is_sure: bool = False
    """Whether it is right even if what comes to light then cannot be read either."""


Kind: TypeAlias = Callable[[Broken], Iterable[Mend]]
"""From a text that cannot be read to what may be meant, the likeliest first."""
Result = TypeVar("Result")


def read_mended(text: str, file: str, read: Callable[[str], Result], kinds: Iterable[Kind]) -> Result:
    """What `read` makes of a text, mended where that takes no word; else raises all that is to be mended."""
    faults: list[Fault] = []
    for _ in range(MOST_MENDS):
        try:
            found = read(text)
        except ProblemError as error:
            raise ProblemError(*faults, *error.faults) from None
        except Misread as error:
            last = Fault(error.message, Place(file, error.line + 1, error.column + 1))
            mend = find_mend(Broken(tuple(text.splitlines()), error.line, error.column), read, kinds)
        else:
            if faults:
                break
            return found
        if mend is None:
            raise ProblemError(*faults or [last])
        if mend.message:
            faults.append(Fault(mend.message, Place(file, mend.line + 1, mend.column + 1)))
        if text.count("\n") != mend.text.count("\n") and text.endswith("\n"):
            break
        text = mend.text
    raise ProblemError(*sorted(dict.fromkeys(faults or [last]), key=lambda fault: fault.place or Place("")))


def find_mend(broken: Broken, read: Callable[[str], Result], kinds: Iterable[Kind]) -> Mend | None:
    """The first mend after which the text can be read further."""
    length = 1 + sum(map(len, broken.lines))
    if length > LONGEST_MENDED:
        return None
    proposed = (mend for kind in kinds for mend in kind(broken))
    tried = islice(proposed, LEAST_TRIES + MOST_TRIED // length)
    return next((mend for mend in tried if mend.is_sure or reaches_further(mend.text, broken, read)), None)


def reaches_further(text: str, broken: Broken, read: Callable[[str], Result]) -> bool:
    """Whether a text can be read beyond where a broken one could be."""
    try:
        read(text)
    except Misread as error:
        return is_further(text.splitlines(), error, broken)
    except ProblemError:
        return True
    return True


def is_further(lines: Sequence[str], error: Misread, broken: Broken) -> bool:
    """Whether a place is in a later line, or less is left of the same line, but not by being cut off."""
    if error.line != broken.line or error.line >= min(len(lines), len(broken.lines)):
        return error.line > broken.line
    left, before = lines[error.line][error.column :], broken.lines[broken.line][broken.column :]
    return len(left) < len(before) and before.endswith(left)
