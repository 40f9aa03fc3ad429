"""Reads the files of submissions, on disk and in archives, for the workers that mark them."""

from __future__ import annotations

import io
import os
import stat
import zipfile
from contextlib import ExitStack
from typing import IO
from weakref import finalize

from attncalc.core.errors import AttncalcError, Place, fault, reason
from attncalc.exercise.yaml.tree import read_bytes
from attncalc.features.classes.archives import Archive, open_archive
from attncalc.features.classes.submissions import Found, Inside, Submission
from attncalc.features.classes.work import Try, Work
from attncalc.marking.answers.files import kind_of

LARGEST_INSIDE = 1 << 26
"""The most bytes of an archive inside another: it is held in memory."""
LARGEST_ARRAYS = 1 << 25
"""The most bytes of the arrays of one student that are read together."""


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

    def pack(self, one: Found) -> bytes:
        """Several arrays as one file of arrays, each under the name of its step."""
        written = io.BytesIO()
        with zipfile.ZipFile(written, "w") as archive:
            for each in one.files:
                archive.writestr(f"{each.step}.npy", self.content(each, LARGEST_ARRAYS))
        return written.getvalue()

    def content(self, one: Found, largest: int) -> bytes:
        """The content of a file; a fault if it is larger, or a link."""
        if one.inside:
            return self.read(one, largest)
        if os.path.islink(one.disk):
            raise fault("is a link, which is not followed", Place(one.disk))
        return read_bytes(one.disk, largest)

    def work(self, submission: Submission) -> Work:
        """What a worker needs to mark a submission."""
        return Work(tuple(map(self.to_try, submission.tries)), submission.names)

    def to_try(self, one: Found) -> Try:
        """A file for a worker, which opens it itself if it is on disk."""
        if one.reason or not (one.inside or one.beside):
            return Try(one.name, None, one.reason)
        try:
            largest = kind_of(one.name).largest
            return Try(one.name, self.pack(one) if one.beside else self.read(one, largest))
        except (AttncalcError, OSError) as error:
            return Try(one.name, None, message_of(error))


def message_of(error: AttncalcError | OSError) -> str:
    """Why something cannot be read."""
    return error.faults[0].message if isinstance(error, AttncalcError) else f"cannot be read: {reason(error)}"
