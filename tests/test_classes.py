"""Classes of answers: marked by workers, stopped where they hang, and told at a glance."""

from __future__ import annotations

import csv
import io
import json
from multiprocessing import Pipe
from pathlib import Path

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from attncalc.checking.classes import Plan, mark
from attncalc.checking.disclosure import disclose
from attncalc.checking.levels import Level
from attncalc.checking.summary import summary
from attncalc.formats import formats_of
from tests.bundled import checker_of
from tests.running import printed, run
from tests.samples import sizes
from tests.students import Student

PROBLEM = "dot-product-3"
RIGHT = "O: [[0.86, 1.58, -0.72], [0.99, 1.88, -1.56]]"
HOSTILE = (b"O: [[9**9**9, 1, 1], [1, 1, 1]]", b"\x00\xff" * 100, b"a: &a [*a]")


def write_class(folder: Path, size: int) -> None:
    """Answers of honest students, and last three that are hostile."""
    rng = np.random.default_rng(3)
    for n in range(size):
        answers = Student(checker_of(PROBLEM), rng).answers()
        lines = [f"{step}: {json.dumps(rows)}" for step, rows in answers.items()]
        (folder / f"{n:04}.yaml").write_text("\n".join([f"student: {n}", *lines]))
    for n, text in zip((size // 4, size // 2, size - 1), HOSTILE, strict=True):
        (folder / f"{n:04}.yaml").write_bytes(text)


@sizes(size=(12, 1000))
def test_a_class_with_three_hostile_files(size: int, tmp_path: Path) -> None:
    """All but three are marked, those are reported, and two workers write what one finds here."""
    write_class(tmp_path, size)
    found = run("check", PROBLEM, str(tmp_path), "-f", "csv", "--workers", "2", code=2)
    reports = [checker_of(PROBLEM).check_file(str(file)) for file in sorted(tmp_path.iterdir())]
    assert found.splitlines() == formats_of("reports")["csv"].render(reports).splitlines()
    rows = list(csv.DictReader(io.StringIO(found)))
    assert len(rows) == size
    assert sum(row["verdict"] in ("correct", "incomplete") for row in rows) == size - 3
    hostile = [f"{n:04}" for n in (size // 4, size // 2, size - 1)]
    assert [Path(row["answers"]).stem for row in rows if row["errors"]] == hostile


def write_answers(folder: Path, answers: dict[str, str]) -> list[str]:
    """Answers files by name."""
    for name, text in answers.items():
        (folder / f"{name}.yaml").write_text(text)
    return [str(folder / f"{name}.yaml") for name in answers]


def test_a_file_that_takes_too_long_is_stopped(tmp_path: Path) -> None:
    """A worker that has no time is ended before it answers."""
    (report,) = mark(Plan(PROBLEM, write_answers(tmp_path, {"late": RIGHT}), 1, 0.0), lambda: None)
    assert report.verdict == "unreadable"
    assert report.errors == (f"{tmp_path}/late.yaml: took longer than 0 seconds",)


class StandIn:
    """A worker without a process: it answers at once, or hangs, or dies, as the file's name says."""

    def __init__(self, problem: str) -> None:
        self.problem = problem
        self.connection, self.theirs = Pipe()
        self.process, self.alive = self, True
        self.number, self.started = -1, 0.0

    def give(self, number: int, file: str) -> None:
        """Marks a file, unless its name has another fate in it."""
        self.number = number
        if Path(file).stem == "dies":
            self.theirs.close()
        elif Path(file).stem != "hangs":
            self.theirs.send(checker_of(self.problem).check_file(file).light())

    def is_alive(self) -> bool:
        """Whether it has not been killed."""
        return self.alive

    def kill(self) -> None:
        """What is done to a process."""
        self.alive = False

    def join(self) -> None:
        """There is nothing to wait for."""

    def end(self) -> None:
        """Nothing more is sent."""
        self.connection.close()


@pytest.mark.parametrize("workers", [1, 2, 9])
def test_a_file_spoils_only_itself(workers: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files after one that hangs or kills its worker are marked all the same, and stay in order."""
    monkeypatch.setattr("attncalc.checking.classes.Worker", StandIn)
    files = write_answers(tmp_path, dict.fromkeys(["a", "hangs", "b", "dies", "c"], RIGHT))
    done: list[int] = []
    reports = mark(Plan(PROBLEM, files, workers, 1.0), lambda: done.append(1))
    assert [report.answers for report in reports] == files
    assert len(done) == len(files)
    late, dead = (f"{files[1]}: took longer than 1 seconds",), (f"{files[3]}: could not be checked",)
    assert [report.errors for report in reports] == [(), late, (), dead, ()]


STUDENTS = {
    "ada": f"student: Ada\n{RIGHT}",
    "bea": "A: [[0.67, 0.24, 0.09], [0.95, 0.05, 0.00]]\nO: [[0.91, 1.67, -0.95], [1.00, 1.95, -1.80]]",
    "cem": "A: [[0.67, 0.24, 0.09], [0.95, 0.05, 0.00]]",
    "dan": "S: [[4, 3, 2], [7, 4, 2]]",
    "eva": "S: [[_, _, _], [_, _, _]]",
    "fay": "S: [[4, 3, 2], [7, 4, 1x]]",
    "gus": "a: &a [*a]",
}
"""Right; a mistake, twice; a slip; something missing; something unreadable; nothing readable."""


@pytest.mark.parametrize("level", Level)
def test_a_class_at_a_glance(level: Level, golden: SnapshotAssertion, tmp_path: Path) -> None:
    """One line a file, then how many are right, where they first went wrong, and why, as much as is told."""
    reports = map(checker_of(PROBLEM).check_file, write_answers(tmp_path, STUDENTS))
    shown = printed(summary("The class", [disclose(report, level) for report in reports]))
    assert shown.replace(f"{tmp_path}/", "") == golden


def test_a_class_on_the_command_line(tmp_path: Path) -> None:
    """Several files get the summary, and the worst of them the exit code."""
    files = write_answers(tmp_path, {name: STUDENTS[name] for name in ("ada", "bea")})
    shown = run("check", PROBLEM, *files, code=1)
    assert "2 files: 1 correct, 1 incorrect." in shown
    assert "First wrong step" in shown
