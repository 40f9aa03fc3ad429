"""The points of a class as Canvas imports them: its five columns and one for the assignment.

Canvas finds students by their ID and the assignment by its heading; a new heading makes a new assignment. In
an export of its gradebook as roster the heading is `Homework 3 (12345)`: it is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from attncalc.features.classes.gradebook import Gradebook, Row
from attncalc.marking.roster import fold
from attncalc.pages import Page
from attncalc.pages.reports.csv import harmless, line, round_points

ENDING = "csv"
HEADS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
POINTS = "    Points Possible"
WITH_NUMBER = r"(?P<title>.*\S)\s*\([0-9]+\)"


def pieces(book: Gradebook, _: Page) -> Iterator[str]:
    """The header, the row with the points possible, and one row for each student."""
    yield line((*HEADS, heading(book)))
    yield line((POINTS, "", "", "", "", round_points(book.most)))
    for row in book.rows():
        yield line((*map(harmless, cells(row)), row.points))


def heading(book: Gradebook) -> str:
    """The heading of the assignment: that of the roster, if it has one with this title."""
    for head in book.headings:
        match = re.fullmatch(WITH_NUMBER, head)
        if match and fold(match["title"]) == fold(book.title):
            return head
    return harmless(book.title)


def cells(row: Row) -> tuple[str, ...]:
    """What Canvas knows of a student; without a roster the name and the id of the exported file."""
    person = row.person
    if person.row:
        name = person.get("Student") or row.name
        return (name, person.get("ID"), *(person.get(head) for head in HEADS[2:]))
    return row.name, person.id, "", "", ""
