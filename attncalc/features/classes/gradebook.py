"""The points of a class, one row for each student, as gradebooks import them."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.core.record import record
from attncalc.marking.report.report import Report, Reports
from attncalc.marking.roster import Person, Roster
from attncalc.pages.reports.csv import round_points

TWO_FILES = "two submissions claim this student: no points are written"


@record
class Gradebook:
    """The title and the points of an exercise, the reports on it, and the roster of the class."""

    title: str
    most: float
    reports: Reports
    roster: Roster | None

    def rows(self) -> Iterator[Row]:
        """One row for each student, in the order of the reports."""
        found: dict[object, list[Report]] = {}
        for number, report in enumerate(self.reports):
            found.setdefault(report.person.row or report.person.ids or report.student or number, []).append(
                report
            )
        for reports in found.values():
            yield Row(reports[0].person, tuple(reports))

    @property
    def headings(self) -> tuple[str, ...]:
        """The headings of the roster."""
        return tuple(head for head, _ in self.roster.persons[0].row) if self.roster else ()


@record
class Row:
    """A student and the reports on what they handed in."""

    person: Person
    reports: tuple[Report, ...]

    @property
    def name(self) -> str:
        """The name of the student, else of the file."""
        return self.person.name or self.reports[0].student or self.reports[0].answers

    @property
    def points(self) -> str:
        """The points; none if nothing could be read, or two submissions claim the student."""
        report = self.reports[0]
        return round_points(report.score) if len(self.reports) == 1 and report.is_read else ""

    @property
    def comment(self) -> str:
        """What a student should know: why there are no points, mistakes, and lateness."""
        if len(self.reports) > 1:
            return TWO_FILES
        report = self.reports[0]
        return "; ".join((*report.errors[:1], *report.mistakes, *report.handed_in))
