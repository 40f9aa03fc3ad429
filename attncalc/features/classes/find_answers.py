"""The answers that `check` is asked to mark: files, folders of them, and folders of variants."""

from __future__ import annotations

import os

from attncalc.cli.selection import follow_links
from attncalc.cli.streams import complain
from attncalc.core.errors import Place, fault, inert, reason
from attncalc.features.classes.variants import find_variants
from attncalc.marking.answers.files import ENDINGS, NO_ANSWERS

MOST_NAMED_FILES = 5
"""The number of left out files that are named."""


def find_problem(file: str, has_answers: bool) -> tuple[str, str | None]:
    """The problem file, and its folder of variants if a folder is given."""
    if not os.path.isdir(file):
        return file, None
    if not has_answers:
        raise fault("is a folder of variants: name answers to them", Place(file))
    return next(iter(find_variants(file).values())), file


def find_answers(names: tuple[str, ...]) -> list[str]:
    """The named files, and those in named folders; a folder without answers stays, to be reported."""
    found = [
        file for name in names for file in (files_in(name) if os.path.isdir(name) else [follow_links(name)])
    ]
    if found and all(file.endswith(os.sep) for file in found):
        raise fault(NO_ANSWERS, Place(names[0]))
    return found


def is_answers(name: str) -> bool:
    """Whether a file has the extension of answers."""
    return name.lower().endswith(ENDINGS)


def files_in(folder: str) -> list[str]:
    """The answers in a folder, or the folder itself if there are none; ignored files are reported."""
    try:
        everything = sorted(os.listdir(folder))
    except OSError as error:
        raise fault(f"cannot be read: {reason(error)}", Place(folder)) from None
    names = [name for name in everything if is_answers(name)]
    others = [inert(name) for name in everything if not is_answers(name) and not name.startswith(".")]
    if others:
        more = f" and {len(others) - MOST_NAMED_FILES} more" if len(others) > MOST_NAMED_FILES else ""
        named = ", ".join(others[:MOST_NAMED_FILES])
        left_out = f"left out, because they are not answers (.yaml, .json or .npz): {named}{more}"
        complain(f"{inert(folder)}: {left_out}")
    return [os.path.join(folder, name) for name in names or [""]]
