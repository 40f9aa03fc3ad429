"""A class of variants: each student's answers against the problem that is their own."""

from __future__ import annotations

import os
from contextlib import suppress

from attncalc.core.errors import AttncalcError, Place, fault, inert, quote, reason
from attncalc.exercise.bundled import ENDING
from attncalc.exercise.load import load
from attncalc.exercise.yaml.tree import LARGEST_FILE, read_bytes
from attncalc.features.classes.resume_file import digest
from attncalc.features.classes.work import Try, Work, mark_work
from attncalc.marking.answers.files import read_answers, read_content
from attncalc.marking.answers.headings import student_of
from attncalc.marking.checker import Checker, mark_file
from attncalc.marking.limits import TookTooLong, limited
from attncalc.marking.report.report import Report, unread
from attncalc.marking.roster import name_of_file


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


def find_own(folder: str, one: Try, names: tuple[str, ...]) -> str:
    """The problem file of some answers: by their student, else by the names of their file."""
    root = read_answers(one.name) if one.data is None else read_content(one.name, one.data)
    student = student_of(root)
    variants = {name_of_file(id_): file for id_, file in find_variants(folder).items()}
    for id_ in map(name_of_file, (student, os.path.splitext(os.path.basename(one.name))[0], *names)):
        if id_ in variants:
            return variants[id_]
    whose = quote(student) if student else "this file"
    hint = "" if student else f": say whose it is, as student: {next(iter(variants))}"
    raise fault(f"there is no variant for {whose} in {inert(folder)}{hint}", Place(inert(one.name)))


def mark_own(folder: str, work: Work, seconds: float, most: float) -> Report:
    """The report on a submission; every error becomes a sentence in it."""
    return mark_work(folder, work, most, lambda one: mark_try(folder, one, work.names, seconds, most))


def mark_try(folder: str, one: Try, names: tuple[str, ...], seconds: float, most: float) -> Report:
    """The report on one file."""
    try:
        with limited(seconds):
            checker = Checker(load(find_own(folder, one, names)))
    except TookTooLong:
        message = f"{inert(one.name)}: took longer than {seconds:g} seconds"
        return unread(folder, one.name, most, [message])
    except AttncalcError as error:
        return unread(folder, one.name, most, map(str, error.faults))
    return mark_file(checker, one.name, seconds, one.data)


def mark_variants(packed: bytes, here: str, work: list[Work], seconds: float, light: bool) -> list[Report]:
    """The reports on some submissions; their names and the folder of variants are relative to `here`."""
    with suppress(OSError):
        os.chdir(here)
    most, folder = packed.decode().split(" ", 1)
    reports = (mark_own(folder, one, seconds, float(most)) for one in work)
    return [report.light() if light else report for report in reports]
