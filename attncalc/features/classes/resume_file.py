"""The JSON-lines file behind `--resume`: one report on each line, so that an interrupted run can continue."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from hashlib import sha256
from types import FunctionType
from typing import Any, Protocol

import numpy as np

from attncalc import __version__
from attncalc.core.errors import Place, fault, reason
from attncalc.core.record import field_values, replace
from attncalc.exercise.problem import Problem
from attncalc.marking.report.report import ARRAYS, FirstWrong, Report, StepReport
from attncalc.marking.verdicts import OverallVerdict, StepVerdict
from attncalc.marking.why.attempts import Diagnosis

FORMER_NAMES = {"hollow": "trivial", "message": "text"}
"""Fields of steps and diagnoses under the names of earlier versions."""
ABOUT_STUDENTS = ("person", "is_late", "handed_in")
"""Fields of reports that are found anew each time: the roster may change."""
BEGINNING = b'{"problem": "'
"""The start of every line."""


class Stateful(Protocol):
    """What is marked: its state changes with its content."""

    def state(self) -> str:
        """The state."""


class Ledger:
    """The file with the reports on one problem, one on each line, in the order of marking.

    The problem, or the folder of its variants, is identified by its fingerprint.
    """

    def __init__(self, path: str, fingerprint: str) -> None:
        self.path, self.mark, self.end = path, fingerprint, "\n"
        self.starts = dict(self.read())
        """Where the line on a file stands, by the file's name and state."""
        self.keep((), ())

    def read(self) -> Iterator[tuple[str, int]]:
        """The complete lines, each with its position."""
        if os.path.islink(self.path):
            raise fault("is a link, which is not followed", Place(self.path))
        if not os.path.exists(self.path):
            return
        with open(self.path, "rb") as file:
            start = 0
            for number, line in enumerate(file, start=1):
                if number == 1 and line[: len(BEGINNING)] != BEGINNING[: len(line)]:
                    raise fault("is there, and keeps no reports: name another file", Place(self.path))
                kept = parse_line(line)
                if kept and kept["problem"] != self.mark:
                    raise fault(
                        "keeps reports on another problem, or on this one as it was: name another file",
                        Place(self.path, number, 1),
                    )
                if kept:
                    yield kept["file"], start
                start, self.end = start + len(line), line.decode("latin-1")[-1]

    def find_known(self, submissions: Iterable[Stateful]) -> list[int | None]:
        """The position of the report on each unchanged submission; None if there is none."""
        return [self.starts.get(one.state()) for one in submissions]

    def report(self, start: int) -> Report:
        """The report of one line."""
        with open(self.path, "rb") as file:
            file.seek(start)
            return to_report(json.loads(file.readline())["report"])

    def keep(self, submissions: Iterable[Stateful], reports: Iterable[Report]) -> None:
        """Append reports."""
        lines = [
            json.dumps({"problem": self.mark, "file": one.state(), "report": to_data(report)}) + "\n"
            for one, report in zip(submissions, reports, strict=True)
        ]
        # What was cut off ends here.
        lines = lines if self.end == "\n" else ["\n", *lines]
        try:
            append("".join(lines).encode(), self.path)
        except OSError as error:
            raise fault(f"cannot be written: {reason(error)}", Place(self.path)) from None
        self.end = "\n"


def append(data: bytes, path: str) -> None:
    """Append data to a file, all of it or none."""
    with open(path, "ab", buffering=0) as file:
        start = file.seek(0, os.SEEK_END)
        try:
            while data:
                data = data[file.write(data) :]
        except OSError:
            with suppress(OSError):
                file.truncate(start)
            raise


def parse_line(line: bytes) -> dict[str, Any] | None:
    """Parse a line; None if it is incomplete."""
    try:
        kept: dict[str, Any] = json.loads(line)
        to_report(kept["report"])
        return kept if isinstance(kept["file"], str) and "problem" in kept else None
    except (ValueError, KeyError, TypeError, AttributeError, StopIteration, RecursionError):
        return None


def fingerprint(problem: Problem) -> str:
    """A hash of a problem's content, independent of the place of its file."""
    return digest(facts(replace(problem, name="", origins={})))


def digest(said: object) -> str:
    """A short hash of data, different for every version of the program."""
    return sha256(repr((__version__, said)).encode()).hexdigest()[:16]


def facts(thing: object) -> object:
    """The content of a thing as plain data, equal in every process."""
    match thing:
        case Place():
            return ""
        case np.ndarray():
            return thing.dtype.str, thing.shape, facts(thing.tolist())
        case Mapping():
            return [(facts(key), facts(value)) for key, value in thing.items()]
        case set() | frozenset():
            return sorted(map(repr, map(facts, thing)))
        case list() | tuple():
            return [*map(facts, thing)]
        case partial():
            return facts((thing.func, *thing.args))
        case FunctionType():
            return thing.__qualname__
    held = getattr(thing, "__match_args__", None)
    return [type(thing).__name__, *map(facts, field_values(thing))] if held else repr(thing)


def to_data(report: Report) -> dict[str, Any]:
    """A report as JSON data."""
    steps = [
        {
            **{name: value for name, value in vars(step).items() if name not in ARRAYS},
            "diagnoses": [{**vars(one), "text": one.message} for one in step.diagnoses],
        }
        for step in report.steps
    ]
    first = vars(report.first_wrong) if report.first_wrong else None
    found = {name: value for name, value in vars(report).items() if name not in ABOUT_STUDENTS}
    return {**found, "steps": steps, "first_wrong": first}


def to_report(data: dict[str, Any]) -> Report:
    """A report from JSON data."""
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
    """A step from JSON data."""
    diagnoses = tuple(Diagnosis(**to_new_names(one)) for one in data["diagnoses"])
    return StepReport(
        **{**to_new_names(data), "verdict": StepVerdict.named(data["verdict"]), "diagnoses": diagnoses}
    )


def to_new_names(data: dict[str, Any]) -> dict[str, Any]:
    """A mapping under the names of today, its lists as tuples."""
    return {FORMER_NAMES.get(name, name): value for name, value in as_tuples(data).items()}


def as_tuples(data: dict[str, Any]) -> dict[str, Any]:
    """A mapping whose lists are tuples."""
    return {key: to_tuples(value) for key, value in data.items()}


def to_tuples(value: Any) -> Any:
    """Lists as tuples, at every depth."""
    return tuple(map(to_tuples, value)) if isinstance(value, list) else value
