"""The reports of a class, kept on disk where they are many: a class may be larger than the memory."""

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
"""How many bytes of reports are held without a file."""
MOST_RIVALS = 3
"""How many files are named that claim the same student."""
Key: TypeAlias = Callable[[Report], Any]


def key_of(order: Order, steps: Sequence[str]) -> Key:
    """By what reports are sorted; who has none of it comes last."""
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
    """Reports in some order, to be gone through as often as one likes; two that claim one student say so."""

    def __init__(self, reports: Iterable[Report], key: Key) -> None:
        self.file = SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115  closed when nobody needs it any more
        finalize(self, self.file.close)
        self.starts = array("Q")
        self.claims: dict[str, list[str]] = {}
        keys = [self.keep(report, key) for report in reports]
        self.places = sorted(range(len(keys)), key=keys.__getitem__)

    def keep(self, report: Report, key: Key) -> Any:
        """Keeps one report; gives what it is sorted by."""
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
        """That others claim the same student."""
        others = [name for name in self.claims.get(report.student, ()) if name != report.answers]
        if others:
            named = ", ".join(others[:MOST_RIVALS])
            yield f"{report.answers}: the student {report.student} is claimed by {named} too"


@record
class Disclosed:
    """Reports, each as far as it is told, made when it is looked at."""

    reports: Reports
    tell: Callable[[Report], Report]

    def __len__(self) -> int:
        return len(self.reports)

    def __iter__(self) -> Iterator[Report]:
        return map(self.tell, self.reports)
