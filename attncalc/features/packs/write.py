"""An assignment packed: its files in an archive, in a folder, or alone."""

from __future__ import annotations

import io
import os
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from attncalc.cli.output import Printer
from attncalc.cli.selection import refuse_overwriting
from attncalc.cli.streams import write_out
from attncalc.core.errors import Place, fault, reason
from attncalc.features.packs.assignment import Assignment, Files

PROGRAM, DOCUMENT = 0o755, 0o644
"""The permissions of a file: executable if it starts with #!."""


def write_pack(output: Printer, assignment: Assignment, read: str) -> None:
    """Build all files, then write them: all of them or none."""
    out = output.file
    if out is None:
        raise fault("name what to write: -o OUT")
    sources = [source.name for _, source in assignment.own] or [assignment.source.name]
    files: Files = output.format.file.pack(assignment)
    if output.format.file.FORM == "folder":
        refuse_overwriting(sources, [], out)
        write_folder(files, out)
        return
    refuse_overwriting([read, *sources], [out], None)
    write_out([zip_files(files)] if output.format.file.FORM == "zip" else files.values(), out)


def write_folder(files: Files, folder: str) -> None:
    """Write files into a folder and its subfolders."""
    for name, content in files.items():
        path = os.path.join(folder, name)
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
        except OSError as error:
            raise fault(f"cannot be made: {reason(error)}", Place(folder)) from None
        write_out([content], path)


def zip_files(files: Files) -> bytes:
    """An archive of files, with reproducible bytes."""
    made = io.BytesIO()
    with ZipFile(made, "w", ZIP_DEFLATED) as archive:
        for name, content in files.items():
            data = content.encode() if isinstance(content, str) else content
            entry = ZipInfo(name)
            entry.compress_type = ZIP_DEFLATED
            entry.external_attr = (PROGRAM if data.startswith(b"#!") else DOCUMENT) << 16
            archive.writestr(entry, data)
    return made.getvalue()
