"""Classes of answers: marked by workers, stopped if they hang, and summed up at a glance."""

from __future__ import annotations

import csv
import io
import json
import os
import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from syrupy.assertion import SnapshotAssertion

import attncalc
from attncalc.cli import cli
from attncalc.core.errors import AttncalcError
from attncalc.exercise.problem import Problem
from attncalc.features.classes.mark_class import Remembering, check_many, mark_chunk
from attncalc.features.classes.summary import summary
from attncalc.features.classes.work import Try, Work
from attncalc.features.classes.workers import WorkerDied, Workers
from attncalc.marking.checker import Checker, mark_file
from attncalc.marking.report.levels import Level, disclose
from attncalc.marking.why.diagnose import Diagnostician
from attncalc.marking.why.explain import NO_TIME
from attncalc.pages import formats_of
from tests.helpers.bundled import PROBLEMS, checker_of
from tests.helpers.commands import run
from tests.helpers.guarded_runs import guard
from tests.helpers.quick_and_slow import SLOW, each, sizes
from tests.helpers.random_students import Student
from tests.helpers.solutions import printed

pytestmark = SLOW

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


def test_a_file_that_takes_too_long_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the processor's time, not by the clock."""

    def never_end(*_: object) -> None:
        while True:
            pass

    monkeypatch.setattr(Checker, "check_file", never_end)
    (file,) = write_answers(tmp_path, {"late": RIGHT})
    report = mark_file(checker_of(PROBLEM), file, 0.05)
    assert report.verdict == "unread"
    assert report.errors == (f"{file}: took longer than 0.05 seconds",)


def test_the_clock_leaves_the_marks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If only the reasons take too long, the verdicts are reported without them."""

    def never_end(*_: object) -> None:
        while True:
            pass

    monkeypatch.setattr(Diagnostician, "explanations", never_end)
    (file,) = write_answers(tmp_path, {"late": STUDENTS["bea"]})
    report = mark_file(checker_of(PROBLEM), file, 0.05)
    assert (report.verdict, report.errors, report.max_score) == ("incorrect", (), 1)
    assert [(step.step, step.verdict) for step in report.steps] == [("A", "wrong"), ("O", "follows")]
    assert report.steps[0].remarks == (NO_TIME,)


def test_setting_up_a_problem_counts_for_no_student(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock of a file starts when everything is ready for it."""
    make = Checker.__init__

    def set_up(checker: Checker, problem: Problem) -> None:
        start = process_time()
        while process_time() < start + 0.3:
            pass
        make(checker, problem)

    monkeypatch.setattr(Checker, "__init__", set_up)
    files = write_answers(tmp_path, {"a": RIGHT, "b": RIGHT})
    work = [Work((Try(file),)) for file in files]
    reports = mark_chunk(pickle.dumps(PROBLEMS[PROBLEM]), str(tmp_path), work, 0.2, light=True)
    assert [report.verdict for report in reports] == ["correct", "correct"]


class Fated(ThreadPoolExecutor):
    """An executor whose worker dies of some files."""

    def submit(self, function: Callable[..., Any], /, *args: Any, **named: Any) -> Future[Any]:
        """Fails where such a file is in a chunk."""
        _, _, work, _, _ = args
        if any(Path(one.tries[0].name).stem == "dies" for one in work):
            failed: Future[Any] = Future()
            failed.set_exception(WorkerDied())
            return failed
        return super().submit(function, *args, **named)


def test_a_file_spoils_only_itself(tmp_path: Path) -> None:
    """Those in one chunk with a file that kills its worker are marked all the same, and stay in order."""
    files = write_answers(tmp_path, {**dict.fromkeys("abcd", RIGHT), "dies": RIGHT, "e": RIGHT})
    with Fated(2) as executor:
        reports = list(check_many(PROBLEMS[PROBLEM], files, executor))
    assert [report.answers for report in reports] == files
    message = f"{files[4]}: could not be checked within time and memory"
    assert [report.errors for report in reports] == [(), (), (), (), (message,), ()]


def test_a_fault_of_our_own_spoils_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is a sentence in the report."""

    def fail(*_: object) -> None:
        raise KeyError("oops")

    monkeypatch.setattr(Checker, "check_file", fail)
    (file,) = write_answers(tmp_path, {"a": RIGHT})
    assert mark_file(checker_of(PROBLEM), file, 1.0).errors == (f"{file}: could not be checked: KeyError",)


def test_a_worker_that_dies_is_replaced() -> None:
    """Its call fails, the next ones do not."""
    with Workers(1, 60) as workers:
        with pytest.raises(WorkerDied):
            workers.submit(os._exit, 3).result()
        assert workers.submit(abs, -2).result() == 2
        with pytest.raises(ValueError, match="invalid literal"):
            workers.submit(int, "x").result()
        assert workers.submit(abs, -3).result() == 3


HANGING = {
    "held": "import collections, itertools; collections.deque(itertools.repeat(1), 0)",
    "released": "import hashlib; hashlib.pbkdf2_hmac('sha256', b'', b'', 2**31 - 1)",
}
"""What never comes back from a library, and lets no other thread run or all of them."""


@each("lock", HANGING, quick=[])
def test_a_worker_that_hangs_in_a_library_is_ended(lock: str) -> None:
    """No signal is heard there: the system ends the process by its processor time."""
    hang = f"from attncalc.marking.limits import limited\nwith limited(0.1): {HANGING[lock]}"
    with Workers(1, 60) as workers, guard():
        with pytest.raises(WorkerDied):
            workers.submit(exec, hang).result()
        assert workers.submit(abs, -2).result() == 2


def test_an_empty_folder_among_the_answers(tmp_path: Path) -> None:
    """It is reported, and the others are marked."""
    (tmp_path / "empty").mkdir()
    (file,) = write_answers(tmp_path, {"ada": STUDENTS["ada"]})
    shown = run("check", PROBLEM, str(tmp_path / "empty"), file, "-f", "csv", code=2)
    rows = list(csv.DictReader(io.StringIO(shown)))
    assert [row["verdict"] for row in rows] == ["unread", "correct"]
    assert rows[0]["errors"].partition("/empty/: ")[2].startswith("holds no answers (.yaml")


@pytest.mark.parametrize("path", ["", "."])
def test_nothing_in_the_folder_is_imported(path: str, tmp_path: Path) -> None:
    """Neither by the command nor by its workers, also if the current folder holds a stranger's files."""
    for name in (
        "struct",
        "yaml",
        "numpy",
        "typing",
        "pickle",
        "signal",
        "json",
        "decimal",
        "queue",
        "sympy",
    ):
        (tmp_path / f"{name}.py").write_text("open('RAN', 'w')")
    write_answers(tmp_path, dict.fromkeys("abc", RIGHT))
    done = subprocess.run(
        [sys.executable, "-m", "attncalc", "check", PROBLEM, ".", "-f", "csv", "--workers", "2"],
        cwd=tmp_path, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert "10 of 13 files could not be read" in done.stderr
    assert not (tmp_path / "RAN").exists()


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
def test_a_class_at_a_glance(
    level: Level, golden: SnapshotAssertion, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line a file, then how many are right, where they first went wrong, and why, as far as the level allows."""
    monkeypatch.chdir(tmp_path)
    reports = map(checker_of(PROBLEM).check_file, write_answers(Path(), STUDENTS))
    told = [disclose(report, level) for report in reports]
    shown = printed(summary("The class", told, [step.name for step in checker_of(PROBLEM).solution.steps]))
    assert shown == golden


def test_a_class_on_the_command_line(tmp_path: Path) -> None:
    """Several files get the summary, and the worst of them the exit code."""
    files = write_answers(tmp_path, {name: STUDENTS[name] for name in ("ada", "bea")})
    shown = run("check", PROBLEM, *files, code=1)
    assert "2 files: 1 correct, 1 incorrect." in shown
    assert "First wrong step" in shown


def test_a_class_hears_the_letters_of_its_course() -> None:
    """Steps are called as the exercise calls them, in the table and in the counts below it."""
    reports = [attncalc.check(PROBLEMS[PROBLEM], {"O": [[1, 1, 1], [1, 1, 1]]})]
    told = printed(summary("A class", reports, ["S", "A", "O"]), 80)
    assert re.search(r"First wrong step\n  C +1", told)


def test_slips_are_counted_and_not_talked_about() -> None:
    """A class talks about what several may have misunderstood."""
    slip = {"S": [[4, 3, 2], [7, 4, -1]]}
    reports = [
        attncalc.check(PROBLEMS[PROBLEM], answers) for answers in (slip, {"Z": [[4, 3, 2], [7, 4, 1]]})
    ]
    counted, talked = printed(summary("A class", reports, ["S", "Z"]), 80).split("To talk about in class")
    assert "sign-slip" in counted and "sign-slip" not in talked
    assert "scale-missing" in counted and "scale-missing" in talked


def test_one_report_a_student(tmp_path: Path) -> None:
    """Beside the summary, each as it would be alone."""
    files = write_answers(tmp_path, {name: STUDENTS[name] for name in ("ada", "bea")})
    folder = tmp_path / "each"
    run("check", PROBLEM, *files, "--each", str(folder), code=1)
    assert sorted(path.name for path in folder.iterdir()) == ["ada.html", "bea.html"]
    run("check", PROBLEM, *files, "--each", str(folder), "--each-format", "text", code=1)
    assert (folder / "bea.txt").read_text() == run("check", PROBLEM, files[1], code=1)


ODD_NAMES = ["a-2", "c", "C", "c-2", "b" * 200, "\x1b" * 60, "é" * 100, "-", ".."]


def test_every_report_has_another_name(tmp_path: Path) -> None:
    """However long and odd those of the answers are, also where capitals do not count."""
    write_answers(tmp_path, dict.fromkeys(ODD_NAMES, RIGHT))
    (tmp_path / "sub").mkdir()
    write_answers(tmp_path / "sub", {"a": RIGHT})
    folder = tmp_path / "each"
    run("check", PROBLEM, str(tmp_path), str(tmp_path / "sub"), "--each", str(folder))
    written = {path.name.casefold() for path in folder.iterdir()}
    assert len(written) == len(ODD_NAMES) + 1
    assert all(name.endswith(".html") for name in written)


def test_two_files_that_claim_one_student(tmp_path: Path) -> None:
    """Both say so."""
    files = write_answers(tmp_path, dict.fromkeys(("one", "two"), STUDENTS["ada"]))
    rows = list(csv.DictReader(io.StringIO(run("check", PROBLEM, *files, "-f", "csv", code=1))))
    claims = [f"{a}: the student Ada is claimed by {b} too" for a, b in (files, reversed(files))]
    assert [row["errors"] for row in rows] == claims
    assert [row["O"] for row in rows] == ["1", "1"]


def test_a_folder_with_hostile_files(tmp_path: Path) -> None:
    """Links are not followed, odd names are inert, and honest files are marked."""
    write_answers(tmp_path, {"honest": RIGHT})
    (tmp_path / "link.yaml").symlink_to(tmp_path / "honest.yaml")
    (tmp_path / "folder.yaml").mkdir()
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff\x1b[31m.yaml")).write_text(RIGHT)
    rows = list(csv.DictReader(io.StringIO(run("check", PROBLEM, str(tmp_path), "-f", "csv", code=2))))
    said = {Path(row["answers"]).name: (row["verdict"], row["errors"].rpartition(": ")[2]) for row in rows}
    assert said == {
        "honest.yaml": ("correct", ""),
        "link.yaml": ("unread", "is a link, which is not followed"),
        "folder.yaml": ("unread", "is an empty folder"),
        "\\udcff\\u001b[31m.yaml": ("correct", ""),
    }


@each("lines", range(5), quick=[2])
def test_a_stopped_class_is_continued(lines: int, tmp_path: Path) -> None:
    """However much of the record is there, the last line cut off: the bytes are the same."""
    (tmp_path / "class").mkdir()
    files = write_answers(tmp_path / "class", {name: STUDENTS[name] for name in ("ada", "bea", "dan", "gus")})
    record = tmp_path / "kept.jsonl"
    arguments = ("check", PROBLEM, *files, "--workers", "1", "-f", "json")
    whole = run(*arguments, code=2)
    assert run(*arguments, "--resume", str(record), code=2) == whole
    kept = record.read_text().splitlines(keepends=True)
    record.write_text("".join(kept[:lines]) + "".join(kept[lines : lines + 1])[:40])
    assert run(*arguments, "--resume", str(record), code=2) == whole
    (tmp_path / "class" / "ada.yaml").write_text("O: [[9, 9, 9], [9, 9, 9]]")
    assert json.loads(run(*arguments, "--resume", str(record), code=2))[0]["verdict"] == "incorrect"


def test_equal_answers_are_marked_once(tmp_path: Path) -> None:
    """Whoever gives them, and as they would be alone."""
    texts = {
        "a": f"student: A\n{RIGHT}",
        "b": f"student: B\n{RIGHT}",
        "c": STUDENTS["bea"],
        "d": STUDENTS["bea"],
    }
    files = write_answers(tmp_path, {**texts, "e": STUDENTS["fay"], "f": STUDENTS["fay"]})
    checker = Remembering(PROBLEMS[PROBLEM])
    for file in files:
        assert checker.check_file(file).light() == checker_of(PROBLEM).check_file(file).light()
    assert len(checker.reports) == 2


ORDERS = {
    "file": ["ada", "bea", "cem", "dan", "eva", "fay", "gus"],
    "student": ["ada", "bea", "cem", "dan", "eva", "fay", "gus"],
    "points": ["cem", "dan", "eva", "fay", "gus", "bea", "ada"],
    "step": ["dan", "bea", "cem", "ada", "eva", "fay", "gus"],
    "mistake": ["bea", "cem", "dan", "ada", "eva", "fay", "gus"],
}


@each("order", ORDERS, quick=["points", "step"])
def test_a_class_is_sorted_as_asked(order: str, tmp_path: Path) -> None:
    """In every format; those of whom there is nothing to sort by come last."""
    write_answers(tmp_path, STUDENTS)
    found = run("check", PROBLEM, str(tmp_path), "--sort", order, "-f", "csv", code=2)
    assert [Path(row["answers"]).stem for row in csv.DictReader(io.StringIO(found))] == ORDERS[order]
    shown = run("check", PROBLEM, str(tmp_path), "--sort", order, code=2)
    assert re.findall(r"^  \S .* (\w+)\.yaml(?: |$)", shown, re.MULTILINE) == ORDERS[order]


@each("level", ["verdict", "mistake"], quick=["verdict"])
def test_several_students_are_several_results(level: str, tmp_path: Path) -> None:
    """A result of Gradescope holds one, and the maximum is the same for everyone."""
    write_answers(tmp_path, STUDENTS)
    folder = tmp_path / "each"
    line = ("check", PROBLEM, str(tmp_path), "-f", "gradescope", "--feedback", level)
    assert "To talk about in class" in run(*line[:-2], "--each", str(folder), code=2)
    run(*line, "--each", str(folder), code=2)
    results = [json.loads(file.read_text()) for file in sorted(folder.iterdir())]
    assert [result["score"] for result in results] == [1, 0.5, 0, 0, 0, 0, 0]
    assert [sum(test["max_score"] for test in result["tests"]) for result in results] == [1] * len(STUDENTS)
    with pytest.raises(AttncalcError, match="gradescope holds one student: --each FOLDER"):
        CliRunner().invoke(cli, line, catch_exceptions=False)


def test_each_report_of_a_class_that_goes_on(tmp_path: Path) -> None:
    """What was marked before is written as if it were marked now."""
    files = write_answers(tmp_path, {name: STUDENTS[name] for name in ("ada", "bea", "dan")})
    line = ("check", PROBLEM, *files, "--resume", str(tmp_path / "kept.jsonl"))
    run(*line, code=1)
    run(*line, "--each", str(tmp_path / "late"), code=1)
    run("check", PROBLEM, *files, "--each", str(tmp_path / "first"), code=1)
    for file in (tmp_path / "first").iterdir():
        assert (tmp_path / "late" / file.name).read_text() == file.read_text()


def test_a_page_of_a_class_unfolds(tmp_path: Path) -> None:
    """The report on each, without the expected values, at every level."""
    write_answers(tmp_path, STUDENTS)
    page = run("check", PROBLEM, str(tmp_path), "-f", "html", "--feedback", "full", code=2)
    assert page.count("<details><summary class=") == len(STUDENTS)
    assert page.count("First wrong step: ") == 3
    assert "The right values" not in page


def test_nothing_is_written_over_what_is_read(tmp_path: Path) -> None:
    """Neither over an answer nor over the problem, nor into the folder of the answers, nor over notes."""
    (tmp_path / "class").mkdir()
    files = write_answers(tmp_path / "class", {"ada": RIGHT, "bea": RIGHT})
    problem = tmp_path / "p.yaml"
    problem.write_text("Q: [[1]]\nK: [[1]]\nV: [[1]]")
    (tmp_path / "notes.txt").write_text("hello")
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "victim")
    before = {file: file.read_bytes() for file in tmp_path.rglob("*.*") if file.is_file()}
    for options in (
        ("--resume", files[0]), ("--resume", str(problem)), ("-o", files[0]), ("-o", str(problem)),
        ("--each", str(tmp_path / "class")), ("--resume", str(tmp_path / "notes.txt")),
        ("--resume", str(tmp_path / "link.jsonl")),
    ):  # fmt: skip
        found = CliRunner().invoke(cli, ["check", str(problem), str(tmp_path / "class"), *options])
        assert isinstance(found.exception, AttncalcError), options
    assert {file: file.read_bytes() for file in before} == before
    assert not (tmp_path / "victim").exists()


def test_answers_that_change_places_are_marked_again(tmp_path: Path) -> None:
    """Also if they have the same length and age."""
    files = write_answers(tmp_path, {"ada": RIGHT, "bea": RIGHT.replace("0.86", "0.66")})
    for file in files:
        os.utime(file, (0, 0))
    line = ("check", PROBLEM, *files, "-f", "csv", "--resume", str(tmp_path / "kept.jsonl"))
    first = run(*line, code=1).splitlines()
    one, other = (Path(file).read_text() for file in files)
    for file, text in zip(files, (other, one), strict=True):
        Path(file).write_text(text)
        os.utime(file, (0, 0))
    second = run(*line, code=1).splitlines()
    assert [row.split(",")[4] for row in first[1:]] == ["correct", "incorrect"]
    assert [row.split(",")[4] for row in second[1:]] == ["incorrect", "correct"]


def test_names_are_no_mathematics(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The names of files and students and their answers are shown unchanged, also if one is the name of a step."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "S").mkdir()
    write_answers(tmp_path / "S", {"Q": f"student: S_1\n{STUDENTS['bea']}", "K": "O: [[1, V, 1], [1, 1, 1]]"})
    page = run("check", PROBLEM, "S", "-f", "html", code=1)
    for name in ("For example S/Q.yaml.", ">S_1<", "line 1: &#x27;V&#x27;: "):
        assert name in page, name


def test_standard_input_is_no_file_of_a_class(tmp_path: Path) -> None:
    """A worker has none to read: it is refused, not waited for."""
    files = write_answers(tmp_path, {"ada": RIGHT})
    found = CliRunner().invoke(cli, ["check", PROBLEM, "-", *files], input=RIGHT)
    assert str(found.exception) == "-: standard input is marked alone, not in a class"
