"""What students hand in: the files of a submission in the order in which they are tried, and whose it is."""

from __future__ import annotations

import os
import stat
from hashlib import sha256

from attncalc.core.record import record, replace
from attncalc.features.classes.export_names import NO_IDENTITY, Identity, identify
from attncalc.marking.answers.files import is_answers
from attncalc.marking.answers.kinds.base import name_of_step

ARRAY = ".npy"
MOST_NAMED = 3
"""The files of a student that are named although they do not count."""
MOST_READ = 1 << 24
"""The most bytes of a file that are hashed to recognise it."""

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
    beside: tuple[Found, ...] = ()
    """Further arrays of the same student, which are read with it."""

    @property
    def name(self) -> str:
        """Its path as people write it, and the names of the files that are read with it."""
        path = os.path.join(self.disk, *(name for _, name in self.inside))
        return " + ".join((path, *(one.parts[-1] for one in self.beside)))

    @property
    def files(self) -> tuple[Found, ...]:
        """The file itself, and those that are read with it."""
        return replace(self, beside=()), *self.beside

    @property
    def is_readable(self) -> bool:
        """Whether it has the ending of answers."""
        return not self.reason and is_answers(self.name)

    @property
    def step(self) -> str:
        """The name of the step whose array it is; empty if it is none."""
        stem, ending = os.path.splitext(self.parts[-1]) if self.parts else ("", "")
        return name_of_step(stem) if ending.lower() == ARRAY and not self.reason else ""


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
        return sum(each.size for one in self.tries for each in one.files if one.inside or one.beside)

    @property
    def names(self) -> tuple[str, ...]:
        """What may be the student's id or name: what the platform says, else folders and the file."""
        said = tuple(filter(None, (*self.identity.ids, self.identity.name)))
        return said or tuple(os.path.splitext(part)[0] for part in reversed(self.tries[0].parts))

    def state(self) -> str:
        """The state of the files: names and hashes of contents; for very long files size and age."""
        return " ".join(state_of(each) for one in self.tries for each in one.files)


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
