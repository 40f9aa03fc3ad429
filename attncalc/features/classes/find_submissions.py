"""The submissions of a class: the files in folders and archives, to any depth, each with its student.

One student's files are one submission, of which the newest file that can be read counts; saved arrays, each
named after its step, count together. Nothing is left out: a file that is not marked is a submission with its
reason, or is named in the note of one.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile

from attncalc.core.errors import AttncalcError
from attncalc.core.record import record, replace
from attncalc.features.classes.export_names import (
    LARGEST_METADATA,
    METADATA,
    NO_IDENTITY,
    Identity,
    find_submitters,
    read_metadata,
    read_note,
)
from attncalc.features.classes.opener import LARGEST_ARRAYS, Opener
from attncalc.features.classes.search import Search
from attncalc.features.classes.submissions import Found, Submission
from attncalc.marking.answers.files import no_answers
from attncalc.marking.roster import Roster

MOST_TRIES = 6
"""The most files that one student hands in: a folder with more, and no name of a platform, is of a class."""
LARGEST_NOTE = 100_000


def find_submissions(
    root: str,
    opener: Opener,
    roster: Roster | None = None,
    is_ours: Callable[[str], bool] = lambda _: False,
) -> list[Submission]:
    """All submissions in a folder or an archive; files of ours are left out."""
    found = [*Search(root, opener, is_ours).find()]
    if not found:
        return [Submission((Found(os.path.join(root, ""), (), (), reason=no_answers()),))]
    return [*Grouping(found, opener, roster).submissions()]


PICTURES = (".jpg", ".jpeg", ".png", ".gif", ".heic", ".webp", ".bmp", ".tif", ".tiff", ".svg")
DOCUMENTS = (
    ".pdf", ".doc", ".docx", ".odt", ".rtf", ".pages", ".ppt", ".pptx", ".xls", ".xlsm", ".numbers",
    ".htm", ".html",
)  # fmt: skip


def explain(one: Found) -> Found:
    """A file with the reason if its ending says that it holds no answers; any other is tried as text."""
    ending = os.path.splitext(one.name)[1].lower()
    what = "picture" if ending in PICTURES else "document" if ending in DOCUMENTS else ""
    if one.reason or one.is_readable or not what:
        return one
    return replace(one, reason=f"is a {what} ({ending}), which is not read: ask for text")


def with_arrays_together(files: Sequence[Found]) -> list[Found]:
    """Files in the same order, but arrays of several steps together, in the place of the first.

    Of two arrays of one step the first counts.
    """
    arrays: dict[str, Found] = {}
    for one in files:
        if one.step:
            arrays.setdefault(one.step, one)
    if len(arrays) < 2 or sum(one.size for one in arrays.values()) > LARGEST_ARRAYS:
        return [*files]
    first, *others = arrays.values()
    rest = [one for one in files if not one.step]
    place = sum(not one.step for one in files[: files.index(first)])
    return [*rest[:place], replace(first, beside=tuple(others)), *rest[place:]]


Key = tuple[object, ...]


@record
class Part:
    """A file of a submission, and what its name says."""

    found: Found
    identity: Identity

    @property
    def rank(self) -> tuple[bool, float, float, str]:
        """Its place among the files of a student: those that can be read first, then the newest."""
        return not self.found.is_readable, -self.identity.order, -self.found.time, self.found.name


class Grouping:
    """Files by students."""

    def __init__(self, files: Sequence[Found], opener: Opener, roster: Roster | None) -> None:
        self.opener, self.roster = opener, roster
        lists = [one for one in files if one.parts[-1].lower() == METADATA and not one.reason]
        self.metadata = {one.parts[:-1]: read_metadata(self.content(one, LARGEST_METADATA)) for one in lists}
        self.files = [one for one in files if one not in lists] if lists else files
        self.depth = self.depth_of_class()
        self.notes: dict[Key, str] = {}

    def content(self, one: Found, largest: int) -> bytes:
        """The content of a file of a platform; nothing if it cannot be read."""
        try:
            return self.opener.content(one, largest)
        except (AttncalcError, OSError):
            return b""

    def depth_of_class(self) -> int:
        """The number of folders around the whole class, which say nothing about a student."""
        levels = zip(*(one.parts[:-1] for one in self.files), strict=False)
        common = tuple(parts[0] for parts in takewhile(lambda parts: len(set(parts)) == 1, levels))
        found = find_submitters(common, self.metadata)
        return found[0] if found else len(common)

    def submissions(self) -> Iterator[Submission]:
        """All submissions, in the order of their first files."""
        groups: dict[Key, list[Part]] = defaultdict(list)
        for number, one in enumerate(self.files):
            for key, identity in self.owners(one, number):
                if identity.is_note:
                    self.notes[key] = read_note(self.content(one, LARGEST_NOTE))
                groups[key].append(Part(one, identity))
        for key, parts in groups.items():
            if key[0] == "folder" and self.is_of_class(parts):
                yield from (self.submission(key, [part]) for part in parts)
            else:
                yield self.submission(key, parts)

    def owners(self, one: Found, number: int) -> Iterator[tuple[Key, Identity]]:
        """The students who handed a file in: those whom a platform names, else one for each folder."""
        found = find_submitters(one.parts, self.metadata)
        if found:
            depth, members = found
            for member in members:
                whose: Key = (
                    member.ids or (member.name,) if member.ids or member.name else one.parts[: depth + 1]
                )
                yield ("student", one.parts[:depth], *whose), member
        else:
            folder = one.parts[self.depth : -1]
            yield ("folder", folder) if folder or one.step else ("file", number), NO_IDENTITY

    def is_of_class(self, parts: Sequence[Part]) -> bool:
        """Whether a folder is of several students: it holds many answers, or files with their names."""
        readable = with_arrays_together([part.found for part in parts if part.found.is_readable])
        if len(readable) > MOST_TRIES:
            return True
        stems = (os.path.splitext(one.parts[-1])[0] for one in readable)
        whose = [self.roster.find(stem) for stem in stems] if self.roster else []
        return len({id(one) for one in whose if one}) > 1

    def submission(self, key: Key, parts: list[Part]) -> Submission:
        """The submission of some files of one student."""
        own = [part for part in parts if not part.identity.is_note]
        if not own:
            why = "is a note of the platform: no file was handed in"
            own = [replace(part, found=replace(part.found, reason=why)) for part in parts]
        own.sort(key=lambda part: part.rank)
        files = [explain(part.found) for part in own]
        tries = with_arrays_together([one for one in files if one.is_readable])
        # If the arrays cannot be read together, each is tried alone.
        tries += [one for group in tries if group.beside for one in group.files]
        tries = tries or sorted(files, key=lambda one: bool(one.reason))
        identity = own[0].identity
        if not identity.name and key in self.notes:
            identity = replace(identity, name=self.notes[key])
        names = tuple(one.name for one in files)
        return Submission(tuple(tries[:MOST_TRIES]), identity, names)
