"""The reports of a class in order, on disk if they are many: a class may be larger than the memory."""

from __future__ import annotations

import pickle
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from tempfile import SpooledTemporaryFile
from typing import Any, TypeAlias
from weakref import finalize

from attncalc.core.errors import assert_never
from attncalc.core.record import record, replace
from attncalc.marking.report.levels import Order
from attncalc.marking.report.report import Report, Reports

IN_MEMORY = 1 << 24
"""The most bytes of reports held in memory."""
MOST_RIVALS = 3
"""The most files named that claim the same student."""
Key: TypeAlias = Callable[[Report], Any]


def key_of(order: Order, steps: Sequence[str]) -> Key:
    """The sort key of an order; reports without it come last."""
    match order:
        case Order.FILE:
            return lambda _: 0
        case Order.STUDENT:
            return lambda report: (not report.student, report.student)
        case Order.POINTS:
            return lambda report: report.score
        case Order.STEP:
            return lambda report: steps.index(report.first_wrong.step) if report.first_wrong else len(steps)
        case Order.MISTAKE:
            return lambda report: (not report.mistakes, report.mistakes)
    assert_never(order)


class Kept:
    """Sorted reports spooled to disk, iterable many times; marks duplicate students."""

    def __init__(self, reports: Iterable[Report], key: Key) -> None:
        self.file = SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115  closed by the finalizer
        finalize(self, self.file.close)
        self.starts = array("Q")
        self.claims: dict[str, list[str]] = {}
        keys = [self.keep(report, key) for report in reports]
        self.places = sorted(range(len(keys)), key=keys.__getitem__)

    def keep(self, report: Report, key: Key) -> Any:
        """Write one report; return its sort key."""
        if report.student and len(claims := self.claims.setdefault(report.student, [])) <= MOST_RIVALS:
            claims.append(report.answers)
        self.starts.append(self.file.tell())
        pickle.dump(report.light(), self.file)
        return key(report)

    def __len__(self) -> int:
        return len(self.places)

    def __iter__(self) -> Iterator[Report]:
        for place in self.places:
            self.file.seek(self.starts[place])
            report: Report = pickle.load(self.file)
            yield replace(report, errors=(*report.errors, *self.rivals(report)))

    def rivals(self, report: Report) -> Iterator[str]:
        """The message that other files claim the same student."""
        others = [name for name in self.claims.get(report.student, ()) if name != report.answers]
        if others:
            named = ", ".join(others[:MOST_RIVALS])
            yield f"{report.answers}: the student {report.student} is claimed by {named} too"


@record
class Disclosed:
    """Reports at a level of detail, converted when they are iterated."""

    reports: Reports
    tell: Callable[[Report], Report]

    def __len__(self) -> int:
        return len(self.reports)

    def __iter__(self) -> Iterator[Report]:
        return map(self.tell, self.reports)
