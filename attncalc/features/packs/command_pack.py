"""Teachers: Pack an exercise for Gradescope, PrairieLearn or Moodle."""

from __future__ import annotations

import io
import os
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import click

from attncalc.cli.files_and_streams import patience, write_out
from attncalc.cli.options import ProblemName, writes
from attncalc.cli.printer import Printer
from attncalc.cli.selection import refuse_overwriting
from attncalc.core.errors import Place, fault, reason
from attncalc.features.packs.assignment import Assignment, Files, assemble
from attncalc.marking.report.levels import Level

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


@click.command()
@writes("packs", to="OUT")
@click.argument("file", type=ProblemName())
@click.option(
    "--feedback", "level", type=click.Choice([*map(str, Level)]), default=str(Level.MISTAKE),
    show_default=True, help="How much students see; only full shows the correct values.",
)  # fmt: skip
@click.option("--seed", type=click.IntRange(0), metavar="N", help="The same exercise with other numbers.")
def command(output: Printer, file: str, level: str, seed: int | None) -> None:
    """Pack an exercise for another system, to be marked there.

    \b
    gradescope    a zip file to upload as the autograder
    prairielearn  a folder for the questions of a course, which needs attncalc in its serverFilesCourse
    moodle        Cloze questions to import (Moodle XML)

    FILE may be a folder of variants, as `attncalc vary` writes them.  Gradescope finds each student's own by
    the `student` of their answers; Moodle has a question for each, in a category to draw from at random.
    With --seed everybody has the same other numbers; PrairieLearn draws others for every student anyway.
    """
    with patience():
        write_pack(output, assemble(file, Level(level), seed), file)
