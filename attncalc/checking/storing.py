"""Reports on disk, a line each: who is stopped in the middle of a class goes on where it stopped."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from typing import Any

from attncalc.checking.attempts import Diagnosis
from attncalc.checking.report import FirstWrong, Report, StepReport
from attncalc.checking.verdicts import OverallVerdict, StepVerdict
from attncalc.document.prose import to_words
from attncalc.errors import Place, fault, reason

MEMORY_ONLY = ("judged", "right")
"""What a stored step does without."""


class Record:
    """The file in which the reports of one problem are kept."""

    def __init__(self, path: str, problem: str) -> None:
        self.path, self.problem = path, problem
        self.known = dict(self.read())

    def read(self) -> Iterator[tuple[str, Report]]:
        """The reports kept so far, by file and state; a line that was cut off is none."""
        if not os.path.exists(self.path):
            return
        with open(self.path, encoding="utf-8") as file:
            for number, line in enumerate(file, start=1):
                try:
                    kept = json.loads(line)
                    report = to_report(kept["report"])
                except (ValueError, KeyError, TypeError):
                    continue
                if report.problem != self.problem:
                    raise fault(f"keeps reports on {report.problem}", Place(self.path, number, 1))
                yield kept["file"], report

    def marked(self, files: Iterable[str], reports: Iterator[Report]) -> Iterator[Report]:
        """All reports in the order of the files: those that are kept, and new ones, kept at once."""
        try:
            with open(self.path, "a", encoding="utf-8") as file:
                # The end of a line that was cut off.
                file.write("\n" if file.tell() else "")
                for name in files:
                    state = state_of(name)
                    if state in self.known:
                        yield self.known[state]
                        continue
                    report = next(reports)
                    file.write(json.dumps({"file": state, "report": to_data(report)}) + "\n")
                    file.flush()
                    yield report
        except OSError as error:
            raise fault(f"cannot be written: {reason(error)}", Place(self.path)) from None

    def missing(self, files: Iterable[str]) -> list[str]:
        """The files that are not marked as they are now."""
        return [name for name in files if state_of(name) not in self.known]


def state_of(file: str) -> str:
    """A file as it is now: its name, how long it is, and when it was written."""
    try:
        found = os.lstat(file)
    except OSError:
        return f"{file} missing"
    return f"{file} {found.st_size} {found.st_mtime_ns}"


def to_data(report: Report) -> dict[str, Any]:
    """A report as JSON holds it."""
    steps = [
        {
            **{name: value for name, value in vars(step).items() if name not in MEMORY_ONLY},
            "diagnoses": [{**vars(one), "message": to_words(one.message)} for one in step.diagnoses],
        }
        for step in report.steps
    ]
    first = vars(report.first_wrong) if report.first_wrong else None
    return {**vars(report), "steps": steps, "first_wrong": first}


def to_report(data: dict[str, Any]) -> Report:
    """A report from what JSON holds."""
    first = data["first_wrong"]
    return Report(
        **{
            **as_tuples(data),
            "verdict": OverallVerdict.named(data["verdict"]),
            "steps": tuple(map(to_step, data["steps"])),
            "first_wrong": FirstWrong(**as_tuples(first)) if first else None,
        }
    )


def to_step(data: dict[str, Any]) -> StepReport:
    """A step from what JSON holds."""
    diagnoses = tuple(Diagnosis(**as_tuples(one)) for one in data["diagnoses"])
    return StepReport(
        **{**as_tuples(data), "verdict": StepVerdict.named(data["verdict"]), "diagnoses": diagnoses}
    )


def as_tuples(data: dict[str, Any]) -> dict[str, Any]:
    """A mapping whose lists are tuples."""
    return {key: tupled(value) for key, value in data.items()}


def tupled(value: Any) -> Any:
    """Lists as tuples, at every depth."""
    return tuple(map(tupled, value)) if isinstance(value, list) else value
