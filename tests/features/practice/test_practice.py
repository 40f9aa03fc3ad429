"""`attncalc practice`: dialogues as a student reads them, what is typed, what is kept, and where it runs."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import resource
import shutil
import signal
import subprocess
import sys
import termios
import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from syrupy.assertion import SnapshotAssertion

import attncalc
from attncalc.cli import cli
from attncalc.exercise.load import load_source
from attncalc.exercise.yaml.tree import from_python
from attncalc.features.practice.ladder import vary_problem
from attncalc.features.practice.notebook import ShownPractice
from attncalc.features.practice.practice import TRY_FIRST
from attncalc.features.practice.terminal import write_progress
from attncalc.features.practice.typed import HELP, find_commands, write_cell
from attncalc.marking.answers.precision import number_of
from attncalc.marking.verdicts import OverallVerdict
from attncalc.pages import Page
from attncalc.worked.blocks import Note
from tests.helpers.bundled import checker_of
from tests.helpers.commands import COMMAND, run, run_fault
from tests.helpers.guarded_runs import BIDIRECTIONAL, TEXTS, guard
from tests.helpers.quick_and_slow import SLOW, each

FOLDER = Path(__file__).parent / "dialogues"
EXERCISE = "attention.yaml"
DIALOGUES = sorted(file.stem for file in FOLDER.glob("*.txt"))
NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")
VARY_ONCE = cache(vary_problem)
RIGHT = (FOLDER / "right.txt").read_text("utf-8").splitlines()


@pytest.fixture(autouse=True)
def _exercise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Copy the exercise into a new folder, fail tests that hang, draw each variant once for all tests."""
    shutil.copy(FOLDER / EXERCISE, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("attncalc.features.practice.ladder.vary_problem", VARY_ONCE)
    with guard():
        yield


def lines_of(name: str) -> list[str]:
    """What is typed in a dialogue."""
    return (FOLDER / f"{name}.txt").read_text("utf-8").splitlines()


def practise(lines: list[str], *options: str) -> Result:
    """A dialogue through a pipe."""
    typed = "".join(f"{line}\n" for line in lines)
    result = CliRunner().invoke(cli, ["practice", EXERCISE, *options], input=typed)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    return result


def practice() -> ShownPractice:
    """The exercise."""
    return attncalc.practice(attncalc.load(EXERCISE))


# ── dialogues ──


@pytest.mark.parametrize("name", DIALOGUES)
def test_dialogue(name: str, golden: SnapshotAssertion) -> None:
    """As a student reads it."""
    assert practise(lines_of(name)).stdout == golden


def test_narrow_and_plain(golden: SnapshotAssertion, monkeypatch: pytest.MonkeyPatch) -> None:
    """At 40 columns, in nothing but ASCII."""
    monkeypatch.setattr("attncalc.cli.options.page_for", lambda *_: Page(width=40, ascii=True))
    told = practise(lines_of("scale")).stdout
    assert told.isascii() and told == golden


@each("name", DIALOGUES, quick=["shown"])
def test_the_same_answers_give_the_same_dialogue(name: str) -> None:
    """Every time, and in another process with another seed of hashes."""
    one = practise(lines_of(name)).stdout
    assert practise(lines_of(name)).stdout == one
    command = [*COMMAND, "practice", EXERCISE]
    environment = {**os.environ, "PYTHONHASHSEED": "7", "PYTHONIOENCODING": "utf-8"}
    typed = (FOLDER / f"{name}.txt").read_bytes()
    other = subprocess.run(command, input=typed, stdout=subprocess.PIPE, env=environment, check=False)
    assert other.stdout.decode() == one


@pytest.mark.parametrize(
    ("lines", "code"),
    [(RIGHT, 0), (RIGHT[:2], 1), ([], 1), (lines_of("shown"), 1), (lines_of("slip"), 0), (["quit"], 1)],
)
def test_exit_code(lines: list[str], code: int) -> None:
    """0 when all that is asked is found, 1 when not."""
    assert practise(lines).exit_code == code


def test_all_asks_for_every_step() -> None:
    """Also for what is only on the way."""
    told = practise(["quit"], "--all").stdout
    assert "Question 1 of 6" in told
    assert [line.split()[1] for line in told.splitlines() if "not answered" in line] == list("zZETαc")


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        ("attention-exploration-b", "design with many right answers"),
        ("roles.yaml", "derivations only"),
        ("-", "cannot come from standard input"),
    ],
)
def test_what_cannot_be_practised(problem: str, message: str) -> None:
    """Is refused in a sentence."""
    Path("roles.yaml").write_text("parts: [{part: a, explain: roles}]\n", "utf-8")
    assert message in run_fault("practice", problem)


def test_other_numbers() -> None:
    """The same exercise with other numbers is another one: its answers are not taken for the first one's."""
    told = practise(RIGHT, "--seed", "5", "-o", "five.yaml")
    assert told.exit_code == 1 and "attncalc practice attention.yaml --seed 6" in told.stdout
    assert "problem: attention-seed-5\n" in Path("five.yaml").read_text("utf-8")
    assert "the answers are to 'attention-seed-5'" in run_fault("practice", EXERCISE, "-o", "five.yaml")
    assert practise([], "--seed", "5", "-o", "five.yaml").exit_code == 1


def test_other_numbers_are_those_of_vary() -> None:
    """The first variant of the same seed."""
    run("vary", EXERCISE, "--count", "1", "--seed", "5", "-o", "variants")
    first, practised = load_source("variants/001.yaml"), vary_problem(load_source(EXERCISE), seed=5)
    assert first.problem.settings.keys() == practised.settings.keys()
    for name in "QKV":
        assert np.array_equal(first.problem.settings[name], practised.settings[name])


def test_no_other_numbers() -> None:
    """What cannot be varied is not offered again."""
    Path(EXERCISE).write_text("Q: [[1, 0], [0, 1]]\nK: [[1, 0], [0, 1]]\n", "utf-8")
    assert "other numbers" not in practise([]).stdout
    assert "has no numbers that may be others" in run_fault("practice", EXERCISE, "--seed", "1")


# ── what is typed ──

SIX = [["4", "3", "2"], ["7", "4", "1"]]
READINGS: list[tuple[str, list[list[str]]]] = [
    ("[[4, 3, 2], [7, 4, 1]]", SIX), ("4 3 2; 7 4 1", SIX), ("[4 3 2; 7 4 1]", SIX), ("4,3,2\n7,4,1", SIX),
    ("[4, 3, 2]\n[7, 4, 1]", SIX), ("[4,3,2],[7,4,1]", SIX), ("[[4 3 2]\n [7 4 1]]", SIX),
    ("4\t3\t2\n7\t4\t1", SIX), ("z = 4 3 2; 7 4 1", SIX), ("scores: [[4, 3, 2], [7, 4, 1]]", SIX),
    ("array([[4, 3, 2],\n       [7, 4, 1]])", SIX), ("tensor([[4, 3, 2],\n        [7, 4, 1]])", SIX),
    ("\\begin{bmatrix}4 & 3 & 2 \\\\ 7 & 4 & 1\\end{bmatrix}", SIX),
    ("\\begin{bmatrix}\n4 & 3 & 2 \\\\\n7 & 4 & 1\n\\end{bmatrix}", SIX), ("{{4, 3, 2}, {7, 4, 1}}", SIX),
    ("4 3 2\n\n", [["4", "3", "2"], ["_", "_", "_"]]), ("4 _ 2; _ ? 1", [["4", "_", "2"], ["_", "_", "1"]]),
    ("z[2] = 7 4 1", [["_", "_", "_"], ["7", "4", "1"]]), ("z_{2,3} = 1", [["_", "_", "_"], ["_", "_", "1"]]),
    ("z[1,2] = 3\nz[1,2] = 5", [["_", "5", "_"], ["_", "_", "_"]]),
    ("0,62 1,5 2; 3 4 5", [["0.62", "1.5", "2"], ["3", "4", "5"]]),
    ("4 3 2x; 7 4 1", [["4", "3", "2x"], ["7", "4", "1"]]),
    ("1/2, sqrt(2), e^2; 58%, -1, .5", [["1/2", "sqrt(2)", "e^2"], ["0.58", "-1", "0.5"]]),
    ("[[4, 3], [7, 4], [1, 1]]", [["4", "3"], ["7", "4"], ["1", "1"]]),
]  # fmt: skip


@pytest.mark.parametrize(("typed", "cells"), READINGS)
def test_readings(typed: str, cells: list[list[str]]) -> None:
    """However it is typed, on one line or on several."""
    one = practice()
    one.answer(typed)
    assert {name: texts.tolist() for name, texts in one.sheet.texts()} == {"S": cells}


@pytest.mark.parametrize(
    "typed", ["what?", "i give up", "x = 3", "[", "4 3", "4 3 2 1", "((", "= 3", "z = ", "{}"]
)
def test_nonsense_is_not_taken(typed: str) -> None:
    """Nothing is kept, and something is said."""
    one = practice()
    said = [*one.answer(typed).blocks, *one.answer("").blocks]
    assert said and not one.sheet.cells


CELLS = """1 -2.50 .5 5. 1e-3 6.90e-13 3.24e3 1/2 -1/3 0.5/3 sqrt(2) √2 2sqrt(2) exp(2) e^2 ln(3) pi tanh(1) 2^3
    -inf ½ \\frac{1}{2} 58% 28.40% ≈0.86 0,62 e^(1/2)/(1+e^(1/2)) 1.10*2.0 -(3) 1x _ 2*pi/3 (1+sqrt(2))^2 -e^-2
    1e20 0.000000001 123456789.10 2*(-3) 0.50+1"""


@pytest.mark.parametrize("text", CELLS.split())
def test_what_is_written_is_read_again(text: str) -> None:
    """A cell means the same after it is saved."""
    reader = checker_of("dot-product-3").prepared[0].reader
    cell = reader.cells(from_python([[text]], ""))[0, 0]
    again = reader.cells(from_python([[write_cell(cell)]], ""))[0, 0]
    assert number_of(again) == pytest.approx(number_of(cell), rel=1e-15)
    assert write_cell(again) == write_cell(cell)


@pytest.mark.parametrize(
    ("word", "commands"),
    [
        ("hint", "hint"), ("h", "hint"), ("?", "hint"), ("sh", "show"), ("sk", "skip"), ("s", "show skip"),
        ("B", "back"), ("giv", "given"), ("q", "quit"), ("", ""), ("hints", ""), ("4", ""),
    ],
)  # fmt: skip
def test_commands(word: str, commands: str) -> None:
    """As many letters as tell them apart."""
    assert find_commands(word) == commands.split()


def test_hints_come_after_an_attempt() -> None:
    """So do values."""
    one = practice()
    for command in ("hint", "show"):
        assert one.answer(command).blocks == (Note(TRY_FIRST),)
    assert one.number == 0


@pytest.mark.parametrize(("text", "left"), TEXTS)
def test_what_would_act_on_a_terminal(text: str, left: str) -> None:
    """Is only text, on the screen and in the file; the dialogue goes on behind it."""
    del left
    result = practise([text.replace("\n", " "), *RIGHT], "-o", "mine.yaml")
    assert result.exit_code == 0
    for told in (result.output, Path("mine.yaml").read_text("utf-8")):
        for letter in {*told} - {"\n"}:
            assert unicodedata.category(letter) != "Cc" and letter not in BIDIRECTIONAL


# ── what is kept ──


@each("name", DIALOGUES, quick=["scale"])
def test_going_on(name: str) -> None:
    """Stopped after any line and gone on with, it ends as it would have."""
    lines = lines_of(name)
    whole = practise(lines, "-o", "whole.yaml")
    for cut in range(len(lines)):
        if is_between_answers(lines[:cut]):
            Path("cut.yaml").unlink(missing_ok=True)
            practise(lines[:cut], "-o", "cut.yaml")
            assert practise(lines[cut:], "-o", "cut.yaml").exit_code == whole.exit_code
            assert answers_in("cut.yaml") == answers_in("whole.yaml"), cut


def is_between_answers(lines: list[str]) -> bool:
    """Whether the dialogue is between two answers: no row or choice is awaited, and no question was reopened."""
    one = practice()
    one.answer("\n".join(lines))
    waits = one.is_over or one.listener.lines or one.pick
    return bool(one.sheet.cells) and not waits and not one.is_done(one.number)


def answers_in(file: str) -> list[str]:
    """What a file tells, without its comments."""
    return [line for line in Path(file).read_text("utf-8").splitlines() if not line.startswith("#")]


def test_the_file_is_an_ordinary_one() -> None:
    """It is marked like any other, and tells the hints used."""
    practise(lines_of("slip"), "-o", "mine.yaml")
    report = attncalc.check(attncalc.load(EXERCISE), "mine.yaml")
    assert report.verdict is OverallVerdict.CORRECT and report.score == report.max_score
    assert Path("mine.yaml").read_text("utf-8") == (
        "# Scaled dot-product attention: practised, a _ for what is missing\n"
        "problem: attention\n"
        "student:\n"
        "\n"
        "z: [[4, 3, 2],\n"
        "    [7, 4, 1]]\n"
        "alpha: [[0.576, 0.284, 0.140],\n"
        "        [0.882, 0.106, 0.013]]\n"
        "c: [[     _,      _,      _],\n"
        "    [ 0.987,  1.882, -1.565]]\n"
        "# z: 1 hint\n"
        "# c[2]: 3 hints\n"
    )


def test_the_student_stays_in_the_file() -> None:
    """And what was shown is not found, also after a break."""
    Path("mine.yaml").write_text(
        "student: 'Ada: 1'\nz: [[4, 3, 2], [7, 4, 1]]\n# z: 2 hints, shown\n", "utf-8"
    )
    result = practise(RIGHT[1:], "-o", "mine.yaml")
    assert result.exit_code == 1 and "shown after 2 hints" in result.stdout
    assert "student: 'Ada: 1'" in Path("mine.yaml").read_text("utf-8")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("mine.yaml", "problem: another\n", "not to 'attention'"),
        ("mine.yaml", "W: [[1]]\n", "there is no step 'W'"),
        ("mine.yaml", "z: [[1, 2\n", "mine.yaml:"),
        ("mine.json", "{}", "ends in .yaml or .yml"),
        (EXERCISE, None, "is one of the files that are read"),
    ],
)
def test_other_files_are_refused_and_kept(name: str, text: str | None, message: str) -> None:
    """It is refused and not changed."""
    if text is not None:
        Path(name).write_text(text, "utf-8")
    before = Path(name).read_bytes()
    assert message in run_fault("practice", EXERCISE, "-o", name)
    assert Path(name).read_bytes() == before


def test_only_what_can_be_read_again_is_written() -> None:
    """A file that ends in anything else is not begun."""
    assert "ends in .yaml or .yml" in run_fault("practice", EXERCISE, "-o", "mine.txt")
    assert not Path("mine.txt").exists()


# ── where it runs ──


class Terminal:
    """The program on a new terminal."""

    def __init__(self, *options: str, columns: int = 80, **others: str) -> None:
        self.screen, theirs = pty.openpty()
        environment = {
            **os.environ,
            "COLUMNS": str(columns),
            "TERM": "xterm",
            "PYTHONIOENCODING": "utf-8",
            **others,
        }
        self.process = subprocess.Popen(
            [*COMMAND, "practice", EXERCISE, *options], stdin=theirs, stdout=theirs, stderr=theirs,
            env=environment, start_new_session=True, preexec_fn=take_terminal,
        )  # fmt: skip
        os.close(theirs)
        self.shown = ""

    def wait_for(self, text: str) -> None:
        """Reads until something is shown."""
        seen = len(self.shown)
        while text not in self.shown[seen:]:
            try:
                self.shown += os.read(self.screen, 65536).decode().replace("\r\n", "\n")
            except OSError:
                pytest.fail(f"it ended with {self.process.wait()}, and had shown {self.shown!r}")

    def type(self, line: str, until: str) -> None:
        """Types a line, and waits for what is shown then."""
        os.write(self.screen, f"{line}\n".encode())
        self.wait_for(until)

    def interrupt(self) -> None:
        """Type Ctrl-C, and again if it came between the prompt and the reading, when Python misses it."""
        while self.process.poll() is None:
            os.write(self.screen, b"\x03")
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(timeout=1)

    def end(self) -> int:
        """Reads to the end, and gives the exit code."""
        with suppress(OSError):
            while part := os.read(self.screen, 65536):
                self.shown += part.decode()
        os.close(self.screen)
        return self.process.wait()


def take_terminal() -> None:
    """Makes standard input the terminal that keys and hanging up come from."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def test_on_a_terminal() -> None:
    """Typed line by line, at 40 columns: nothing is wider but the student's own lines."""
    terminal = Terminal(columns=40)
    terminal.wait_for("z> ")
    for line, until in zip(RIGHT, ("alpha> ", "c[2]> ", "How it went"), strict=True):
        terminal.type(line, until)
    assert terminal.end() == 0
    shown = re.sub(r"\x1b\[[0-9;?]*[a-z]", "", terminal.shown)
    assert "found" in shown and "Traceback" not in shown
    assert max(len(line) for line in shown.splitlines() if "> " not in line and "attncalc" not in line) <= 40


def test_an_interrupt_loses_nothing() -> None:
    """Rows that wait for others are in the file."""
    terminal = Terminal("-o", "mine.yaml")
    terminal.wait_for("z> ")
    terminal.type("4 3 2", "row 2> ")
    terminal.interrupt()
    assert terminal.end() == 130
    assert "z: [[4, 3, 2],\n    [_, _, _]]" in Path("mine.yaml").read_text("utf-8")


def test_a_closed_terminal_loses_nothing() -> None:
    """Whatever becomes of the process."""
    terminal = Terminal("-o", "mine.yaml")
    terminal.wait_for("z> ")
    terminal.type(RIGHT[0], "alpha> ")
    terminal.type("0.5 _ _", "row 2> ")
    os.close(terminal.screen)
    assert terminal.process.wait() in (-signal.SIGHUP, 1, 2)
    told = Path("mine.yaml").read_text("utf-8")
    assert "[7, 4, 1]]" in told and "alpha: [[0.5, " in told


def test_the_end_of_the_input_is_the_end() -> None:
    """Ctrl-D on a terminal."""
    terminal = Terminal("-o", "mine.yaml")
    terminal.wait_for("z> ")
    terminal.type(RIGHT[0], "alpha> ")
    os.write(terminal.screen, b"\x04")
    assert terminal.end() == 1
    assert "[7, 4, 1]]" in Path("mine.yaml").read_text("utf-8")


def no_room() -> None:
    """No file may be longer than a few bytes, as on a full disk."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))


def test_a_full_disk_loses_nothing() -> None:
    """It is said once, the dialogue goes on, the old file stays, and the answers are printed at the end."""
    Path("mine.yaml").write_text("z: [[4, 3, 2], [7, 4, 1]]\n", "utf-8")
    before = Path("mine.yaml").read_bytes()
    typed = "".join(f"{line}\n" for line in RIGHT[1:]).encode()
    command = [sys.executable, "-B", *COMMAND[1:], "practice", EXERCISE, "-o", "mine.yaml"]
    ran = subprocess.run(command, input=typed, capture_output=True, preexec_fn=no_room, check=False)
    assert ran.returncode == 0 and ran.stderr.decode().count("cannot be written") == 1
    assert Path("mine.yaml").read_bytes() == before and sorted(os.listdir()) == [EXERCISE, "mine.yaml"]
    assert "alpha: [[0.5760, 0.2840, 0.1400],\n" in ran.stdout.decode()


UNDECODABLE = b"\xff\xfe\n" + "\n".join(["½ ≈ √2", *RIGHT]).encode() + b"\n"


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_in_a_pipe(encoding: str) -> None:
    """Bytes that the encoding does not have are read as unknown text, and the dialogue goes on."""
    result = CliRunner(charset=encoding).invoke(cli, ["practice", EXERCISE], input=UNDECODABLE)
    assert (result.exit_code, result.stderr_bytes) == (0, b"")
    assert "found" in result.stdout_bytes.decode(encoding)


@SLOW
@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_in_a_pipe_of_another_process(encoding: str) -> None:
    """The same with the streams that Python opens."""
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    command = [*COMMAND, "practice", EXERCISE]
    ran = subprocess.run(command, input=UNDECODABLE, capture_output=True, env=environment, check=False)
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert "found" in ran.stdout.decode(encoding)


@SLOW
@pytest.mark.parametrize("width", [1, 2, 5, 12, 25])
def test_very_narrow(width: int) -> None:
    """All numbers of the exercise are there."""
    terminal = Terminal(columns=width)
    terminal.wait_for("z> ")
    os.write(terminal.screen, b"q\n")
    assert terminal.end() == 1 and "Traceback" not in terminal.shown


# ── in Python ──


def test_in_python() -> None:
    """What is asked, answered and found, without a terminal."""
    one = attncalc.practice(attncalc.load(EXERCISE))
    assert "Scores z" in str(one.question) and "is asked" in repr(one)
    assert "wrong in 1 of 6" in str(one.answer("4 3 2; 7 4 2"))
    assert str(one.hint()).strip() == "Look at z[2,3]."
    assert one.report.first_wrong is not None and one.report.first_wrong.cells == ((2, 3),)
    for line in RIGHT:
        one.answer(line)
    assert one.is_over and one.is_found and "How it went" in str(one.question)
    assert write_progress(one).count("hint") == 1


def test_in_a_notebook() -> None:
    """Everything shows itself."""
    one = attncalc.practice(attncalc.load(EXERCISE))
    for thing in (one, one.question, one.answer("1 2 3; 4 5 6"), one.hint(), one.report):
        assert thing._repr_html_().endswith("</iframe>") and thing._repr_markdown_() and thing._repr_latex_()


def test_a_line_that_says_nothing() -> None:
    """What can be typed is said."""
    assert practice().answer("").blocks == (Note(HELP),)


@pytest.mark.parametrize("problem", ["dot-product-3", EXERCISE, Path(EXERCISE)])
def test_practice_takes_a_name(problem: str | Path) -> None:
    """Of a bundled problem or of a file, as `solve` and `check` do."""
    found = attncalc.practice(problem)
    assert found.prompt
    assert repr(found) == repr(attncalc.practice(attncalc.load(problem)))


def test_help_and_a_row_that_is_not_whole() -> None:
    """The reply says what can be typed, and how to leave a number out."""
    found = attncalc.practice("dot-product-3")
    assert HELP in str(found.answer("help"))
    assert "write _ for one you leave out" in str(found.answer("1"))
    assert "This line" not in str(found.answer("1 _ _"))


def test_answers_that_cannot_be_kept_are_refused_at_once() -> None:
    """The path is named before anything is asked."""
    said = run_fault("practice", EXERCISE, "-o", "nowhere/answers.yaml")
    assert said == "nowhere/answers.yaml: cannot be written: there is no such folder"


def test_a_folder_without_permission_is_named_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """With exit code 2."""
    monkeypatch.setattr("os.access", lambda *_: False)
    assert run_fault("practice", EXERCISE, "-o", "a.yaml") == "a.yaml: cannot be written: permission denied"


def test_control_characters_are_kept_as_text() -> None:
    """What is typed can be read again, whatever it is."""
    found = attncalc.practice("dot-product-1")
    found.answer("hint 1 \x1b")
    kept = write_progress(found)
    assert "\x1b" not in kept
    assert "u001b" in kept
