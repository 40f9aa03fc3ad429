"""The submissions of a class: the files in folders and archives, to any depth, each with its student.

One student's files are one submission, of which the newest file that can be read counts. Nothing is left out:
a file that is not marked is a submission with its reason, or is named in the note of one.
"""

from __future__ import annotations

import io
import os
import stat
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from hashlib import sha256
from itertools import takewhile
from typing import IO
from weakref import finalize

from attncalc.core.errors import AttncalcError, Place, fault, reason
from attncalc.core.record import record, replace
from attncalc.features.classes.archives import (
    DEEPEST,
    MOST_MEMBERS,
    TOO_MANY,
    Archive,
    is_archive,
    open_archive,
)
from attncalc.features.classes.export_names import (
    LARGEST_METADATA,
    METADATA,
    NO_IDENTITY,
    Identity,
    find_submitters,
    identify,
    read_metadata,
    read_note,
)
from attncalc.features.classes.work import Try, Work
from attncalc.marking.answers.files import is_answers, kind_of, no_answers
from attncalc.marking.roster import Roster

MOST_TRIES = 6
"""The most files that one student hands in: a folder with more, and no name of a platform, is of a class."""
MOST_ARCHIVES_INSIDE = 1
"""The archives around an archive: students hand in archives, and a platform packs them all."""
LARGEST_INSIDE = 1 << 26
"""The most bytes of an archive inside another: it is held in memory."""
LARGEST_NOTE = 100_000
MOST_NAMED = 3
"""The files of a student that are named although they do not count."""
MOST_READ = 1 << 24
"""The most bytes of a file that are hashed to recognise it."""
IGNORED = ("__macosx", "thumbs.db", "desktop.ini")
"""What operating systems add to folders and archives; names with a dot in front are ignored, too."""

Inside = tuple[tuple[int, str], ...]
"""The way to a file inside a file: in each archive the number of the member, and its name."""


@record
class Found:
    """A file: on which file of the disk, the way inside it, its path in parts, why it is not read, if so."""

    disk: str
    inside: Inside
    parts: tuple[str, ...]
    size: int = 0
    time: float = 0.0
    state: str = ""
    reason: str = ""

    @property
    def name(self) -> str:
        """Its path as people write it."""
        return os.path.join(self.disk, *(name for _, name in self.inside))

    @property
    def is_readable(self) -> bool:
        """Whether it has the ending of answers."""
        return not self.reason and is_answers(self.name)


@record
class Submission:
    """What one student handed in: the files in the order in which they are tried, and who the student is."""

    tries: tuple[Found, ...]
    identity: Identity = NO_IDENTITY
    files: tuple[str, ...] = ()
    """The names of all files."""

    @property
    def name(self) -> str:
        """The name of the first file."""
        return self.tries[0].name

    @property
    def size(self) -> int:
        """The bytes of the files that are sent to a worker."""
        return sum(one.size for one in self.tries if one.inside)

    @property
    def names(self) -> tuple[str, ...]:
        """What may be the student's id or name: what the platform says, else folders and the file."""
        said = tuple(filter(None, (*self.identity.ids, self.identity.name)))
        return said or tuple(os.path.splitext(part)[0] for part in reversed(self.tries[0].parts))

    def state(self) -> str:
        """The state of the files: names and hashes of contents; for very long files size and age."""
        return " ".join(state_of(one) for one in self.tries)


def submission_of(file: str) -> Submission:
    """The submission of a single file."""
    name = os.path.basename(file)
    return Submission((Found(file, (), (name,)),), identify(name) or NO_IDENTITY)


def state_of(one: Found) -> str:
    """The state of a file on disk, or of a member of an archive."""
    if one.inside:
        return f"{one.name} {one.state}"
    try:
        found = os.lstat(one.disk)
        if stat.S_ISREG(found.st_mode) and found.st_size <= MOST_READ:
            with open(one.disk, "rb") as opened:
                return f"{one.disk} {sha256(opened.read(MOST_READ)).hexdigest()}"
    except OSError:
        return f"{one.disk} missing"
    return f"{one.disk} {found.st_size} {found.st_mtime_ns}"


class Opener:
    """Reads members of archives; the last archive stays open, so that members in order are read once."""

    def __init__(self) -> None:
        self.stack = ExitStack()
        finalize(self, self.stack.close)
        self.opened: list[tuple[tuple[str, Inside], Archive]] = []

    def archive(self, disk: str, inside: Inside) -> Archive:
        """The archive in a file on disk, or inside another."""
        key = (disk, inside)
        level = len(inside)
        if len(self.opened) > level and self.opened[level][0] == key:
            return self.opened[level][1]
        if inside:
            around = self.archive(disk, inside[:-1])
            data = around.read(inside[-1][0], LARGEST_INSIDE)
            if len(data) > LARGEST_INSIDE:
                raise fault(f"is larger than {LARGEST_INSIDE:,} bytes", Place(inside[-1][1]))
            file: IO[bytes] = io.BytesIO(data)
            size = len(data)
        else:
            file, size = self.open(disk)
        found = open_archive(file, size, inside[-1][1] if inside else disk)
        self.opened = [*self.opened[:level], (key, found)]
        return found

    def open(self, disk: str) -> tuple[IO[bytes], int]:
        """Open a file on disk, and close the last one."""
        self.stack.close()
        if not stat.S_ISREG(os.stat(disk).st_mode):
            raise fault("is not a regular file", Place(disk))
        file = self.stack.enter_context(open(disk, "rb"))  # noqa: SIM115  closed by the stack
        return file, os.fstat(file.fileno()).st_size

    def read(self, one: Found, largest: int) -> bytes:
        """The content of a member; a fault if it is larger."""
        (*around, (number, name)) = one.inside
        data = self.archive(one.disk, tuple(around)).read(number, largest)
        if len(data) > largest:
            raise fault(f"is larger than {largest:,} bytes", Place(name))
        return data

    def work(self, submission: Submission) -> Work:
        """What a worker needs to mark a submission."""
        return Work(tuple(map(self.to_try, submission.tries)), submission.names)

    def to_try(self, one: Found) -> Try:
        """A file for a worker, which opens it itself if it is on disk."""
        if one.reason or not one.inside:
            return Try(one.name, None, one.reason)
        try:
            return Try(one.name, self.read(one, kind_of(one.name).largest))
        except (AttncalcError, OSError) as error:
            return Try(one.name, None, message_of(error))


def message_of(error: AttncalcError | OSError) -> str:
    """Why something cannot be read."""
    return error.faults[0].message if isinstance(error, AttncalcError) else f"cannot be read: {reason(error)}"


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


@record
class Search:
    """The search for all files in a folder or an archive."""

    root: str
    opener: Opener
    is_ours: Callable[[str], bool]

    def find(self) -> Iterator[Found]:
        """All files."""
        files = (
            self.in_folder(self.root, ()) if os.path.isdir(self.root) else self.in_archive(self.root, (), ())
        )
        for count, one in enumerate(files):
            if count >= MOST_MEMBERS:
                raise fault(TOO_MANY, Place(self.root))
            yield one

    def in_folder(self, folder: str, parts: tuple[str, ...]) -> Iterator[Found]:
        """The files in a folder and in those inside it; links are not followed."""
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            message = f"cannot be read: {reason(error)}"
            if not parts:
                raise fault(message, Place(folder)) from None
            yield Found(folder, (), parts, reason=message)
            return
        if parts and not entries:
            yield Found(os.path.join(folder, ""), (), (*parts, ""), reason="is an empty folder")
        for entry in entries:
            if is_ignored(entry.name):
                continue
            path, below = os.path.join(folder, entry.name), (*parts, entry.name)
            if self.is_ours(path):
                continue
            if entry.is_dir(follow_symlinks=False):
                if len(below) > DEEPEST:
                    yield Found(path, (), below, reason=f"is more than {DEEPEST} folders deep")
                else:
                    yield from self.in_folder(path, below)
            elif is_archive(entry.name) and entry.is_file(follow_symlinks=False):
                yield from self.in_archive(path, (), below)
            else:
                yield from found_on_disk(entry, path, below)

    def in_archive(self, disk: str, inside: Inside, parts: tuple[str, ...]) -> Iterator[Found]:
        """The files in an archive; one that cannot be read is a row with a reason, unless it is the class."""
        try:
            archive = self.opener.archive(disk, inside)
            members = [*enumerate(archive.members())]
        except (AttncalcError, OSError) as error:
            if not parts:
                raise fault(message_of(error), Place(disk)) from None
            yield Found(disk, inside, parts, reason=message_of(error))
            return
        if not archive.is_stream:
            members.sort(key=lambda item: item[1].name.split("/"))
        for number, member in members:
            components = [part for part in member.name.split("/") if part not in ("", ".")]
            if member.name.endswith("/") or any(map(is_ignored, components)):
                continue
            below, way = (*parts, *components), (*inside, (number, member.name))
            if is_archive(member.name) and not member.reason and len(inside) < MOST_ARCHIVES_INSIDE:
                yield from self.in_archive(disk, way, below)
            else:
                deep = "is an archive in an archive in an archive" if is_archive(member.name) else ""
                why = member.reason or deep
                yield Found(disk, way, below, member.size, member.time, member.state, why)


def found_on_disk(entry: os.DirEntry[str], path: str, parts: tuple[str, ...]) -> Iterator[Found]:
    """A file on disk, or what is no file."""
    try:
        state = entry.stat(follow_symlinks=False)
    except OSError as error:
        yield Found(path, (), parts, reason=f"cannot be read: {reason(error)}")
        return
    yield Found(path, (), parts, state.st_size, state.st_mtime)


def is_ignored(name: str) -> bool:
    """Whether a file or folder is made by the operating system."""
    return (name.startswith(".") and name != "..") or name.lower() in IGNORED


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
            if one.inside:
                return self.opener.read(one, largest)
            with open(one.disk, "rb") as file:
                return file.read(largest)
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
            yield ("folder", folder) if folder else ("file", number), NO_IDENTITY

    def is_of_class(self, parts: Sequence[Part]) -> bool:
        """Whether a folder is of several students: it holds many answers, or files with their names."""
        readable = [part.found for part in parts if part.found.is_readable]
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
        tries = [one for one in files if one.is_readable] or sorted(files, key=lambda one: bool(one.reason))
        identity = own[0].identity
        if not identity.name and key in self.notes:
            identity = replace(identity, name=self.notes[key])
        names = tuple(one.name for one in files)
        return Submission(tuple(tries[:MOST_TRIES]), identity, names)
