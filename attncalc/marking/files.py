"""One file of answers, marked whatever is in it."""

from __future__ import annotations

from attncalc.core.errors import inert
from attncalc.marking.checker import Checker
from attncalc.marking.limits import TookTooLong, limited
from attncalc.marking.report.report import Report, unread


def mark_file(checker: Checker, file: str, seconds: float) -> Report:
    """The report on one file: whatever goes wrong is a sentence in it."""
    try:
        with limited(seconds):
            return checker.check_file(file)
    except TookTooLong:
        message = f"took longer than {seconds:g} seconds"
    except MemoryError:
        message = "takes more memory than there is"
    except Exception as error:
        message = f"could not be checked: {type(error).__name__}"
    return unread(checker.problem.name, file, checker.most, [f"{inert(file)}: {message}"])
