"""Archives of answers: members are listed, then read one after the other in memory, within limits.

Nothing is unpacked to disk. The names and sizes in an archive are a stranger's text: a member that is a
link, leaves the archive, is encrypted or unpacks to far more than it takes is listed with the reason, and not
read.
"""

from __future__ import annotations

import io
import lzma
import os
import stat
import struct
import tarfile
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any, Protocol

from attncalc.core.errors import Place, ProblemError, fault, inert
from attncalc.core.record import record

ZIP_ENDINGS = (".zip",)
TAR_ENDINGS = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
ENDINGS = (*ZIP_ENDINGS, *TAR_ENDINGS)

MOST_MEMBERS = 100_000
MOST_DIRECTORY = 1 << 25
"""The most bytes of the directory of a zip archive, which is read at once."""
MOST_UNPACKED = 1 << 32
"""The most bytes of all members together."""
MOST_AT_ONCE = 1 << 27
"""The most bytes that are unpacked in one piece; no answers file is larger."""
MOST_RATIO = 200
"""The most bytes that one packed byte may give: text gives 3 to 20, zeros give 1000."""
UNPACKED_FREELY = 1 << 24
"""The bytes that may be unpacked whatever their ratio."""
DEEPEST = 20
"""The most folders inside each other."""

DAMAGED = "is damaged, or no archive of this kind"
TOO_MANY = f"holds more than {MOST_MEMBERS:,} files"
TOO_LARGE = f"unpacks to more than {MOST_UNPACKED:,} bytes"
PACKED_TOO_WELL = f"unpacks to more than {MOST_RATIO} times its size"
BROKEN = (
    zipfile.BadZipFile, tarfile.TarError, lzma.LZMAError, zlib.error, struct.error,
    EOFError, OSError, ValueError, NotImplementedError, RuntimeError, OverflowError, LookupError,
)  # fmt: skip
"""What the standard library raises on broken archives."""


@record
class Member:
    """A file in an archive: its name, size and time, how it is known again, and why it is not read, if so."""

    name: str
    size: int
    time: float
    state: str
    reason: str = ""


class Archive(Protocol):
    """An open archive; a stream is read from the start to the end."""

    is_stream: bool

    def members(self) -> Iterator[Member]:
        """All members, folders included with a slash at the end of their names."""

    def read(self, number: int, largest: int) -> bytes:
        """The first bytes of a member, at most one more than the largest number."""


def is_archive(name: str) -> bool:
    """Whether a name has the ending of an archive."""
    return name.lower().endswith(ENDINGS)


@contextmanager
def refusals(name: str) -> Iterator[None]:
    """Turn what the standard library raises on broken archives into one sentence."""
    try:
        yield
    except ProblemError:
        raise
    except (*BROKEN, MemoryError, RecursionError):
        raise fault(DAMAGED, Place(name)) from None


def open_archive(file: IO[bytes], size: int, name: str) -> Archive:
    """Open an archive of some size, by the ending of its name."""
    with refusals(name):
        return ZipArchive(file, name) if name.lower().endswith(ZIP_ENDINGS) else TarArchive(file, size, name)


def reason_of(name: str) -> str:
    """Why a member of this name is not read, if so."""
    parts = name.rstrip("/").split("/")
    if name.startswith("/") or ":" in parts[0] or ".." in parts:
        return "has a name that leaves the archive, and is not read"
    return f"is more than {DEEPEST} folders deep" if len(parts) > DEEPEST else ""


class ZipArchive:
    """A zip archive."""

    is_stream = False

    def __init__(self, file: IO[bytes], name: str) -> None:
        self.name = name
        if size_of_directory(file) > MOST_DIRECTORY:
            raise fault(TOO_MANY, Place(name))
        self.archive = zipfile.ZipFile(file)
        self.infos = self.archive.infolist()
        if len(self.infos) > MOST_MEMBERS:
            raise fault(TOO_MANY, Place(name))

    def members(self) -> Iterator[Member]:
        """All members."""
        total = 0
        for number, info in enumerate(self.infos):
            total += info.file_size
            mode = info.external_attr >> 16
            limits = {
                "is a link, which is not followed": stat.S_ISLNK(mode),
                "is encrypted": bool(info.flag_bits & 1),
                PACKED_TOO_WELL: is_packed_too_well(info.compress_size, info.file_size),
                f"comes after {MOST_UNPACKED:,} bytes, and is not read": total > MOST_UNPACKED,
            }
            name = info.filename.replace("\\", "/")
            reason = next((why for why, applies in limits.items() if applies), "") or reason_of(name)
            state = f"{number} {info.CRC} {info.file_size}"
            yield Member(name, info.file_size, time_of(info.date_time), state, reason)

    def read(self, number: int, largest: int) -> bytes:
        """The first bytes of a member; its size in the directory may be wrong."""
        with refusals(inert(self.infos[number].filename)), self.archive.open(self.infos[number]) as packed:
            return packed.read(largest + 1)


def size_of_directory(file: IO[bytes]) -> int:
    """The size of the directory of a zip archive, as its end states it: `zipfile` reads as many bytes."""
    length = file.seek(0, os.SEEK_END)
    file.seek(max(0, length - (1 << 16) - 42))
    end = file.read()
    start = end.rfind(b"PK\5\6")
    if start < 0 or start + 22 > len(end):
        raise zipfile.BadZipFile
    size = int(struct.unpack_from("<L", end, start + 12)[0])
    if start >= 20 and end[start - 20 : start - 16] == b"PK\6\7":
        file.seek(struct.unpack_from("<Q", end, start - 12)[0])
        record_ = file.read(56)
        size = int(struct.unpack_from("<Q", record_, 40)[0]) if record_[:4] == b"PK\6\6" else size
    file.seek(0)
    return size


def time_of(date: tuple[int, int, int, int, int, int]) -> float:
    """The time of a member of a zip archive; 0 if it has none."""
    try:
        return time.mktime((*date, 0, 0, -1))
    except (ValueError, OverflowError):
        return 0.0


def is_packed_too_well(packed: int, unpacked: int) -> bool:
    """Whether unpacking gives far more bytes than text that was packed.

    >>> is_packed_too_well(1000, 20_000), is_packed_too_well(100_000, 100_000_000)
    (False, True)
    """
    return unpacked > max(UNPACKED_FREELY, MOST_RATIO * packed)


class TarArchive:
    """A tar archive, packed or not: a stream, which is read from the start to the end."""

    is_stream = True

    def __init__(self, file: IO[bytes], size: int, name: str) -> None:
        self.file, self.size, self.name = file, size, name
        self.rewind()

    def rewind(self) -> None:
        """Start again."""
        self.file.seek(0)
        unpacked = Bounded(unpack(self.file, self.name.lower()), self.size, self.name)
        self.archive: Any = tarfile.open(fileobj=unpacked, mode="r:", errorlevel=1)  # noqa: SIM115
        self.number, self.stream = -1, self.infos()

    def infos(self) -> Iterator[tarfile.TarInfo]:
        """The members from the start; the library would keep all of them in memory."""
        while (info := self.archive.next()) is not None:
            self.archive.members.clear()
            yield info

    def members(self) -> Iterator[Member]:
        """All members."""
        with refusals(self.name):
            for number, info in enumerate(self.infos()):
                if number >= MOST_MEMBERS:
                    raise fault(TOO_MANY, Place(self.name))
                name = info.name + ("/" if info.isdir() else "")
                is_file = info.isfile() or info.isdir()
                is_link = info.issym() or info.islnk()
                reason = "is a link, which is not followed" if is_link else "is not a regular file"
                state = f"{number} {info.size} {info.mtime}"
                reason = reason_of(name) if is_file else reason
                yield Member(name, info.size, float(info.mtime), state, reason)
        self.rewind()

    def read(self, number: int, largest: int) -> bytes:
        """The first bytes of a member; those before it are unpacked, too, unless they are behind."""
        with refusals(self.name):
            if number <= self.number:
                self.rewind()
            for info in self.stream:
                self.number += 1
                if self.number == number:
                    found = self.archive.extractfile(info)
                    return found.read(largest + 1) if found else b""
        raise fault(DAMAGED, Place(self.name))


def unpack(file: IO[bytes], name: str) -> IO[bytes]:
    """The unpacked bytes of a tar archive."""
    import bz2
    import gzip

    packers: dict[tuple[str, ...], Callable[[IO[bytes]], Any]] = {
        ("gz", "tgz"): lambda file: gzip.GzipFile(fileobj=file),
        ("bz2", "tbz2"): bz2.BZ2File,
        ("xz", "txz"): lzma.LZMAFile,
    }
    found: IO[bytes] = next((open_(file) for ends, open_ in packers.items() if name.endswith(ends)), file)
    return found


class Bounded(io.RawIOBase):
    """A stream whose size and pieces are bounded, whatever its content claims."""

    def __init__(self, stream: IO[bytes], packed: int, name: str) -> None:
        self.stream, self.name, self.packed = stream, name, packed

    def read(self, size: int = -1) -> bytes:
        """Some bytes; a header that claims an absurd length is refused before they are read."""
        if not 0 <= size <= MOST_AT_ONCE:
            raise fault(DAMAGED, Place(self.name))
        data = self.stream.read(size)
        self.check(self.stream.tell())
        return data

    def seek(self, place: int, whence: int = os.SEEK_SET) -> int:
        """Go to a place, in steps, so that a bomb is noticed on the way."""
        assert whence == os.SEEK_SET
        here = self.stream.tell()
        while here < place:
            ahead = self.stream.seek(min(place, here + UNPACKED_FREELY))
            self.check(ahead)
            if ahead == here:
                break
            here = ahead
        return here if here <= place else self.stream.seek(place)

    def tell(self) -> int:
        """The place."""
        return self.stream.tell()

    def check(self, unpacked: int) -> None:
        """Raise a fault if this is a bomb."""
        if unpacked > MOST_UNPACKED:
            raise fault(TOO_LARGE, Place(self.name))
        if is_packed_too_well(self.packed, unpacked):
            raise fault(PACKED_TOO_WELL, Place(self.name))
