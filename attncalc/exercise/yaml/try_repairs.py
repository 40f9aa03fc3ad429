"""Repair YAML that cannot be read: try likely changes until one lets the parser get further.

Each repair proposes the text with one change, and is accepted if YAML can then be read further.  So whatever
a message says to write is known to be readable.  A proposal without a reason is applied silently: the text
can mean nothing else, and every character keeps its place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from attncalc.core.errors import Fault, Place, ProblemError, inert
from attncalc.core.record import record, replace
from attncalc.core.repair import Proposal, Repair, choose_proposal, propose
from attncalc.exercise.yaml.reader import Misread
from attncalc.exercise.yaml.tree import LONGEST_SHOWN

LONGEST_REPAIRED = 20_000
"""The longest text that is repaired: every proposal is tried by reading the whole text."""
LONGEST_REPAIRED_LINE = 1000
MOST_REPAIRS, LEAST_TRIES, MOST_TRIED = 10, 20, 100_000
"""The number of faults that are repaired, the tries for each, and the characters read by further tries."""


class Broken(NamedTuple):
    """A text, and the line and column, counted from 0, at which YAML cannot read it."""

    lines: tuple[str, ...]
    line: int
    column: int

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(f"{line}\n" for line in self.lines)

    def propose(
        self, lines: dict[int, str], because: str = "", line: int = 0, column: int = 0, is_sure: bool = False
    ) -> Proposal:
        """Propose the text with some lines changed."""
        text = "".join(f"{lines.get(number, line)}\n" for number, line in enumerate(self.lines))
        return Proposal(text, because, line, column, is_sure)

    def before(self) -> Iterator[tuple[int, str]]:
        """Yield the lines from the one that cannot be read back to the first; none that is too long."""
        last = min(self.line, len(self.lines) - 1)
        lines = ((number, self.lines[number]) for number in range(last, -1, -1))
        return ((number, line) for number, line in lines if len(line) <= LONGEST_REPAIRED_LINE)


Scanner: TypeAlias = Callable[[Broken], Iterable[Proposal]]
"""From a text that cannot be read to proposals, the likeliest first."""


def on_lines(*repairs: Repair) -> Scanner:
    """Try repairs on whole lines, from the one that cannot be read back to the first."""

    def scan(broken: Broken) -> Iterator[Proposal]:
        for number, line in broken.before():
            for found in propose(line, repairs):
                changed = found.text.rstrip()
                message = found.because + say_what_to_write(changed)
                proposal = broken.propose({number: changed}, message, number, found.column)
                yield replace(proposal, asks=found.asks)

    return scan


def asking(scanner: Scanner) -> Scanner:
    """Mark proposals of a scanner as what only the author can decide."""
    return lambda broken: (replace(found, asks=True) for found in scanner(broken))


def everywhere(repair: Repair) -> Scanner:
    """Try a repair on every match in the text, silently."""

    def scan(broken: Broken) -> Iterator[Proposal]:
        text = broken.text
        changed = re.sub(repair.pattern, repair.rewrite, text) if re.match(repair.start, text) else text
        if changed != text:
            yield Proposal(changed, is_sure=repair.is_sure)

    return scan


def say_what_to_write(line: str) -> str:
    """Say what to write, if it is short."""
    shown = inert(line.strip())
    return f": write {shown}" if len(shown) <= LONGEST_SHOWN else ""


Result = TypeVar("Result")


@record
class Repaired(Generic[Result]):
    """What was read, the text that was read in the end, and what is to be written properly."""

    found: Result
    text: str
    faults: tuple[Fault, ...] = ()
    asks: bool = False
    """Whether something else may be meant."""


def read_repaired(
    text: str, file: str, read: Callable[[str], Result], scanners: Iterable[Scanner]
) -> Repaired[Result]:
    """Read a text with repairs; raise all faults if they are not enough."""
    faults: list[Fault] = []
    lines, asks = LineNumbers(), False
    for _ in range(MOST_REPAIRS):
        try:
            found = read(text)
        except ProblemError as error:
            raise ProblemError(*faults, *error.faults) from None
        except Misread as error:
            last = Fault(error.message, Place(file, lines.before(error.line) + 1, error.column + 1))
            broken = Broken(tuple(text.splitlines()), error.line, error.column)
            repair = find_repair(broken, read, scanners)
        else:
            return Repaired(found, text, in_order(faults), asks)
        if repair is None:
            raise ProblemError(*in_order(faults or [last]))
        if repair.because:
            place = Place(file, lines.before(repair.line) + 1, repair.column + 1)
            faults.append(Fault(repair.because, place))
        lines.note(repair.line, repair.text.count("\n") - len(broken.lines))
        asks = asks or repair.asks
        text = repair.text
    raise ProblemError(*in_order(faults or [last]))


def in_order(faults: Iterable[Fault]) -> tuple[Fault, ...]:
    """Return each fault once, in the order of their places."""
    return tuple(sorted(dict.fromkeys(faults), key=lambda fault: fault.place or Place("")))


class LineNumbers:
    """The lines of a text before its repairs added some."""

    def __init__(self) -> None:
        self.added: list[tuple[int, int]] = []

    def note(self, line: int, count: int) -> None:
        """Note that a repair of a line has added some below it."""
        self.added.append((line, count))

    def before(self, line: int) -> int:
        """Return the number that a line had in the beginning."""
        for changed, count in reversed(self.added):
            line = max(changed, line - count) if line > changed else line
        return line


def find_repair(
    broken: Broken, read: Callable[[str], Result], scanners: Iterable[Scanner]
) -> Proposal | None:
    """Return the first proposal after which the text can be read further."""
    length = 1 + sum(map(len, broken.lines))
    if length > LONGEST_REPAIRED:
        return None
    proposals = (proposal for scan in scanners for proposal in scan(broken))
    tried = islice(proposals, LEAST_TRIES + MOST_TRIED // length)
    return choose_proposal(tried, lambda text: reaches_further(text, broken, read))


def reaches_further(text: str, broken: Broken, read: Callable[[str], Result]) -> bool:
    """Whether a text can be read further than the broken one."""
    try:
        read(text)
    except Misread as error:
        return is_further(text.splitlines(), error, broken)
    except ProblemError:
        return True
    return True


def is_further(lines: Sequence[str], error: Misread, broken: Broken) -> bool:
    """Whether an error is in a later line, or nearer to the end of the same line with the same rest."""
    if error.line != broken.line or error.line >= min(len(lines), len(broken.lines)):
        return error.line > broken.line
    left, before = lines[error.line][error.column :], broken.lines[broken.line][broken.column :]
    return len(left) < len(before) and before.endswith(left)
