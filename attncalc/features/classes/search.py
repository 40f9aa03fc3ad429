"""The files in folders and archives, to any depth; links are not followed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from attncalc.core.errors import AttncalcError, Place, fault, reason
from attncalc.core.record import record
from attncalc.features.classes.archives import DEEPEST, MOST_MEMBERS, TOO_MANY, is_archive
from attncalc.features.classes.opener import Opener, message_of
from attncalc.features.classes.submissions import Found, Inside

MOST_ARCHIVES_INSIDE = 1
"""The archives around an archive: students hand in archives, and a platform packs them all."""
IGNORED = ("__macosx", "thumbs.db", "desktop.ini")
"""What operating systems add to folders and archives; names with a dot in front are ignored, too."""


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
