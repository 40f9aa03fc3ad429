"""Whose a submission is: by the roster, by the names of exported files, or by what the file itself says."""

from __future__ import annotations

import os

from attncalc.core.errors import inert
from attncalc.core.record import replace
from attncalc.features.classes.submissions import MOST_NAMED, Submission
from attncalc.marking.report.report import Report
from attncalc.marking.roster import NO_PERSON, Person, Roster, first_name_first


def name_student(report: Report, submission: Submission, roster: Roster | None) -> Report:
    """A report with the student's name and id, and notes on how the submission was handed in."""
    identity, written = submission.identity, report.student
    person = find_person(written, submission, roster)
    if person is None and (identity.ids or identity.name):
        person = Person(first_name_first(written or identity.name), identity.ids)
    name = (person.name or person.id) if person else ""
    return replace(
        report,
        student=inert(name) or written,
        person=person or NO_PERSON,
        is_late=identity.is_late,
        handed_in=tuple(notes_on(report, submission, roster, person)),
    )


def find_person(written: str, submission: Submission, roster: Roster | None) -> Person | None:
    """The student on the roster: whom the platform names, else whom the file or its folders name."""
    if roster is None:
        return None
    names = submission.names
    return roster.find(*names, written) if submission.identity.is_known else roster.find(written, *names)


def notes_on(
    report: Report, submission: Submission, roster: Roster | None, person: Person | None
) -> list[str]:
    """What a grader should know about a submission."""
    found = ["late"] if submission.identity.is_late else []
    if roster and person not in roster.persons:
        found.append("not on the roster")
    named = roster.find(report.student) if roster and report.student else None
    if named and named is not person:
        found.append(f"the file names {report.student}")
    counted = next((one for one in submission.tries if inert(one.name) == report.answers), None)
    read = {report.answers, *(inert(one.name) for one in counted.files)} if counted else {report.answers}
    others = [name for name in submission.files if inert(name) not in read]
    if others:
        more = f" and {len(others) - MOST_NAMED} more" if len(others) > MOST_NAMED else ""
        shown = ", ".join(inert(os.path.basename(name)) for name in others[:MOST_NAMED])
        found.append(f"also handed in: {shown}{more}")
    return found
