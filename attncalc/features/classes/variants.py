"""A class of variants: each student's answers against the problem that is their own."""

from __future__ import annotations

import os
from contextlib import suppress

from attncalc.core.errors import AttncalcError, Place, fault, inert, quote, reason
from attncalc.exercise.bundled import ENDING
from attncalc.exercise.load import load
from attncalc.exercise.yaml.tree import LARGEST_FILE, read_bytes
from attncalc.features.classes.resume_file import digest
from attncalc.marking.answers.files import read_answers
from attncalc.marking.answers.reader import student_of
from attncalc.marking.checker import Checker, mark_file
from attncalc.marking.limits import TookTooLong, limited
from attncalc.marking.report.report import Report, unread


def find_variants(folder: str) -> dict[str, str]:
    """The problem files of a folder, by student."""
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        raise fault(f"cannot be read: {reason(error)}", Place(folder)) from None
    found = {name.removesuffix(ENDING): os.path.join(folder, name) for name in names if name.endswith(ENDING)}
    if not found:
        raise fault(f"holds no problems ({ENDING}), such as `attncalc vary` writes", Place(folder))
    return found


def fingerprint_all(folder: str) -> str:
    """A hash of the variants in a folder."""
    return digest([(whose, read_bytes(file, LARGEST_FILE)) for whose, file in find_variants(folder).items()])


def find_own(folder: str, file: str) -> str:
    """The problem file of some answers: by their student, else by the name of their file."""
    student = student_of(read_answers(file))
    variants = find_variants(folder)
    for id_ in (student, os.path.splitext(os.path.basename(file))[0]):
        if id_ in variants:
            return variants[id_]
    whose = quote(student) if student else "this file"
    hint = "" if student else f": say whose it is, as student: {next(iter(variants))}"
    raise fault(f"there is no variant for {whose} in {inert(folder)}{hint}", Place(inert(file)))


def mark_own(folder: str, file: str, seconds: float, most: float) -> Report:
    """The report on one file; every error becomes a sentence in it."""
    try:
        with limited(seconds):
            checker = Checker(load(find_own(folder, file)))
    except TookTooLong:
        message = f"{inert(file)}: took longer than {seconds:g} seconds"
        return unread(folder, file, most, [message])
    except AttncalcError as error:
        return unread(folder, file, most, map(str, error.faults))
    return mark_file(checker, file, seconds)


def mark_variants(packed: bytes, here: str, files: list[str], seconds: float, light: bool) -> list[Report]:
    """The reports on some files; their names and the folder of variants are relative to `here`."""
    with suppress(OSError):
        os.chdir(here)
    most, folder = packed.decode().split(" ", 1)
    reports = (mark_own(folder, file, seconds, float(most)) for file in files)
    return [report.light() if light else report for report in reports]
