"""The points of a class as the grading worksheet of a Moodle assignment, which Moodle imports again."""

from __future__ import annotations

import re
from collections.abc import Iterator

from attncalc.features.classes.gradebook import Gradebook
from attncalc.marking.roster import Person
from attncalc.pages import Page
from attncalc.pages.reports.csv import harmless, line, round_points

ENDING = "csv"
HEADS = (
    "Identifier", "Full name", "Email address", "Status", "Grade", "Maximum Grade", "Grade can be changed",
    "Last modified (submission)", "Last modified (grade)", "Feedback comments",
)  # fmt: skip
PARTICIPANT = r"(?:Participant )?([0-9]+)"


def pieces(book: Gradebook, _: Page) -> Iterator[str]:
    """The header, and one row for each student."""
    yield line(HEADS)
    for row in book.rows():
        known = row.person.get
        yield line(
            (
                identifier(row.person),
                harmless(row.name),
                harmless(row.person.email),
                harmless(known("Status")),
                row.points,
                known("Maximum Grade") or round_points(book.most),
                known("Grade can be changed") or "Yes",
                known("Last modified (submission)"),
                known("Last modified (grade)"),
                harmless(row.comment),
            )
        )


def identifier(person: Person) -> str:
    """The number of a participant, of the worksheet or of the exported folder."""
    given = person.get("Identifier")
    found = (re.fullmatch(PARTICIPANT, text) for text in ((given,) if given else person.ids))
    return next((f"Participant {match[1]}" for match in found if match), given)
