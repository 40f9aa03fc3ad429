"""Who handed a file in, and when: read off the names that learning platforms give to exported files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime

import yaml

from attncalc.core.record import record
from attncalc.exercise.yaml.tree import LARGEST_FILE

METADATA = "submission_metadata.yml"
"""The file of Gradescope that says who handed in which folder."""
LARGEST_METADATA = 40 * LARGEST_FILE

CANVAS = r"(?P<name>[^\W\d_][^_/]*)_(?:(?P<late>LATE)_)?(?P<id>[0-9]{2,})_(?P<number>[0-9]{2,})_(?P<file>.+)"
CANVAS_TEXT = r"(?P<name>[^\W\d_][^_/]*)_(?:(?P<late>LATE)_)?(?P<id>[0-9]{2,})_text\.html"
MOODLE = r"(?P<name>.+?)_(?P<id>[0-9]+)_assignsubmission_(?:file|onlinetext)(?:_.*)?"
GRADESCOPE = r"submission_(?P<id>[0-9]+)"
BLACKBOARD = r".+?_(?P<id>[^_]+)_attempt_(?P<date>[0-9]{4}(?:-[0-9]{2}){5})(?:_(?P<file>.+)|\.txt)"
BLACKBOARD_NOTE = r"^Name:\s*(?P<name>.*\S)\s*\((?P<id>[^()\s]+)\)\s*$"
"""The first line of the note that Blackboard adds to every attempt."""
DATE = "%Y-%m-%d-%H-%M-%S"
NO_NAMES = ("participant", "anon", "anonymous")
"""What stands for the name where marking is blind."""


@record
class Identity:
    """Who handed a file in, as far as its name says; a larger order is later."""

    name: str = ""
    ids: tuple[str, ...] = ()
    is_late: bool = False
    order: float = 0
    is_note: bool = False
    """Whether the file is a note of the platform, not of the student."""

    @property
    def is_known(self) -> bool:
        """Whether anything is said about the student."""
        return bool(self.name or self.ids)

    @property
    def name_and_id(self) -> tuple[str, ...]:
        """The name and the first id."""
        return tuple(filter(None, (self.name, *self.ids[:1])))


NO_IDENTITY = Identity()


def identify(component: str) -> Identity | None:
    """What the name of a file or folder says; None if no platform wrote it.

    >>> identify("jonesamy_LATE_123_7890_answers.yaml")
    Identity(name='jonesamy', ids=('123',), is_late=True, order=7890.0, is_note=False)
    >>> identify("Brown Bob_4007_assignsubmission_file_").ids
    ('4007', 'Participant 4007')
    >>> identify("ada.yaml")
    """
    for pattern in (MOODLE, CANVAS_TEXT, CANVAS):
        if match := re.fullmatch(pattern, component):
            said = match.groupdict()
            name = "" if said["name"].lower() in NO_NAMES else said["name"]
            ids = (said["id"], f"Participant {said['id']}") if pattern is MOODLE else (said["id"],)
            return Identity(name, ids, bool(said.get("late")), float((said.get("number") or "0")[:300]))
    if match := re.fullmatch(BLACKBOARD, component):
        return Identity("", (match["id"],), False, seconds_of(match["date"]), match["file"] is None)
    return Identity() if re.fullmatch(GRADESCOPE, component) else None


def seconds_of(date: str) -> float:
    """The time of an attempt; 0 if there is no such date."""
    try:
        return datetime.strptime(date, DATE).timestamp()
    except (ValueError, OverflowError):
        return 0.0


def read_note(data: bytes) -> str:
    """The name of the student in a note of Blackboard."""
    match = re.search(BLACKBOARD_NOTE, data.decode("utf-8", "replace"), re.MULTILINE)
    return match["name"] if match else ""


def read_metadata(data: bytes) -> dict[str, tuple[Identity, ...]]:
    """Who handed in each folder of an export of Gradescope; a group has several members.

    Only lines are read that the export has: a folder, its submitters, and their names, ids and addresses.

    >>> read_metadata(b"submission_1:\\n  :submitters:\\n  - :name: Amy Jones\\n    :sid: '12'\\n")
    {'submission_1': (Identity(name='Amy Jones', ids=('12',), is_late=False, order=0, is_note=False),)}
    """
    found: dict[str, list[dict[str, str]]] = {}
    people: list[dict[str, str]] = []
    is_submitters = False
    for line in data.decode("utf-8-sig", "replace").splitlines():
        indent = len(line) - len(line.lstrip(" "))
        if match := re.fullmatch(r"(?P<quote>['\"]?)(?P<folder>[^\s'\":][^'\"]*?)(?P=quote):\s*", line):
            people = found.setdefault(match["folder"], [])
            is_submitters = False
        elif indent == 2 and not line.startswith("  -"):
            is_submitters = line.strip() == ":submitters:"
        elif is_submitters and (
            match := re.fullmatch(r"\s+(?P<new>- )?:(?P<key>name|sid|email):\s*(?P<text>.*)", line)
        ):
            if match["new"]:
                people.append({})
            if people:
                people[-1][match["key"]] = scalar(match["text"])
    return {folder: tuple(members_of(people)) for folder, people in found.items()}


def members_of(people: list[dict[str, str]]) -> Iterator[Identity]:
    """The members of a group."""
    for person in people:
        ids = (person.get("sid", ""), person.get("email", ""))
        yield Identity(person.get("name", ""), tuple(filter(None, ids)))


def scalar(text: str) -> str:
    """A text as YAML writes it on one line: plain or in quotes."""
    if text[:1] not in ("'", '"'):
        return text.strip()
    try:
        return str(yaml.safe_load(text[:1000]))
    except yaml.YAMLError:
        return text


def find_submitters(
    parts: tuple[str, ...], metadata: Mapping[tuple[str, ...], Mapping[str, tuple[Identity, ...]]]
) -> tuple[int, tuple[Identity, ...]] | None:
    """The first component of a path that says who handed in, and who did; None if no component does."""
    for depth, component in enumerate(parts):
        members = metadata.get(parts[:depth], {}).get(component)
        if members:
            return depth, members
        if (said := identify(component)) is not None:
            return depth, (said,)
    return None
