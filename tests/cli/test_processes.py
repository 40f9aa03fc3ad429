"""The program in new processes: broken streams, narrow terminals, interrupts, other environments."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from attncalc.cli import main
from tests.helpers.commands import COMMAND, run_python
from tests.helpers.guarded_runs import (
    GUARD,
    PROBLEM,
    TEXTS,
    Changes,
    checked,
    guard,
    spawn,
    spelled,
    start,
    tree,
    written,
)
from tests.helpers.quick_and_slow import SLOW, each

pytestmark = SLOW


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a problem in it."""
    written(tmp_path / "problem.yaml", "title: é 中 ᵀ\n" + PROBLEM)
    return tmp_path


@each("name", ["/dev/zero", "pipe", "/proc/self/mem"], quick=["/dev/zero", "pipe"])
def test_only_regular_files_are_read(folder: Path, name: str) -> None:
    """A device, a pipe and a file that fails are refused, without a wait."""
    os.mkfifo(folder / "pipe")
    ran = spawn(f"solve {name}", folder)
    assert (ran.code, ran.out) == (2, "")
    assert re.fullmatch(rf"{name}: .+\n", ran.err)


ONE_LINE = r"[^\n]+\n"
STREAMS = [
    ("solve problem.yaml", '"$@" >&-', ONE_LINE),
    ("--help", '"$@" >/dev/full', ONE_LINE),
    ("--help", '"$@" >&-', ONE_LINE),
    ("solve missing.yaml", '"$@" 2>&-', ""),
    ("solve", '"$@" 2>/dev/full', ""),
    ("solve -", '"$@" <&-', "-(:1:1)?: " + ONE_LINE),
    ("solve -", '"$@" </dev/zero', "-(:1:1)?: " + ONE_LINE),
    # Much like those above.
    ("solve problem.yaml", '"$@" >/dev/full', ONE_LINE),
    ("solve missing.yaml", '"$@" >&-', "missing.yaml: " + ONE_LINE),
    ("solve -", '"$@" </dev/null', "-(:1:1)?: " + ONE_LINE),
]


@each(("arguments", "shell", "message"), STREAMS, quick=STREAMS[:-3])
def test_broken_streams(folder: Path, arguments: str, shell: str, message: str) -> None:
    """A stream that is closed, full, empty or endless costs one sentence and exit 2."""
    ran = spawn(arguments, folder, shell=shell)
    assert (ran.code, ran.out) == (2, "")
    assert re.fullmatch(message, ran.err)


def test_a_reader_that_leaves(folder: Path) -> None:
    """Who pipes into `head` has seen enough: nothing is said, and the exit code is that of other programs."""
    read, write = os.pipe()
    os.close(read)
    with start(
        [*COMMAND, "solve", "problem.yaml"], folder, {}, stdout=write, stderr=subprocess.PIPE
    ) as child:
        os.close(write)
        ran = checked(child.wait(timeout=GUARD), b"", child.communicate()[1])
    assert (ran.code, ran.err) == (141, "")


def test_a_file_is_written_without_a_stdout(folder: Path) -> None:
    """With -o nothing is wanted from standard output."""
    line = ["sh", "-c", '"$@" >&-', "sh", *COMMAND, "solve", "problem.yaml", "-o", "out.txt"]
    with start(line, folder, {}, stderr=subprocess.PIPE) as child:
        ran = checked(child.wait(timeout=GUARD), b"", child.communicate()[1])
    assert (ran.code, ran.err) == (0, "")
    assert (folder / "out.txt").read_text().startswith("é 中 ᵀ")


INTO_TEXT = """
import io, sys
from attncalc.cli import main
shown, sys.stdout = sys.stdout, io.StringIO()
sys.argv = ["attncalc", "list"]
try:
    main()
except SystemExit as end:
    print(end.code, sys.stdout.getvalue().splitlines()[0], file=shown)
"""
"""Runs the program with a text in place of standard output."""


def test_a_text_in_place_of_stdout() -> None:
    """Another program may collect what is printed."""
    printed = run_python("-c", INTO_TEXT)
    assert printed == "0 attncalc\n"


ENCODINGS: dict[str, Changes] = {
    "ascii": {"PYTHONIOENCODING": "ascii"},
    "cp1252": {"PYTHONIOENCODING": "cp1252"},
    "C": {"PYTHONIOENCODING": None, "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
}


@each("name", ENCODINGS, quick=["C"])
def test_narrow_encodings(folder: Path, name: str) -> None:
    """A stream that cannot hold the signs gets ASCII, results and messages alike."""
    changes = ENCODINGS[name]
    ran = spawn("solve problem.yaml", folder, changes)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.isascii()
    assert "O = A V" in ran.out
    ran = spawn("solve 中.yaml", folder, changes)
    assert (ran.code, ran.out) == (2, "")
    assert re.fullmatch(ONE_LINE, ran.err)
    assert ran.err.isascii()


def numbers(text: str) -> set[str]:
    """All numbers in a text."""
    return set(re.findall(r"[0-9]+(?:\.[0-9]+)?", text))


def on_terminal(arguments: list[str], folder: Path, columns: int) -> str:
    """What the program shows on a terminal so wide, without the colours."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    changes = {"TERM": "xterm-256color", "COLUMNS": str(columns), "NO_COLOR": None}
    with start([*COMMAND, *arguments], folder, changes, stdout=theirs) as child:
        os.close(theirs)
        shown = b"".join(pieces(ours))
        os.close(ours)
        assert child.wait(timeout=GUARD) == 0
    colours = re.compile(rb"\x1b\[[0-9;]*m")
    assert colours.search(shown)
    return checked(0, colours.sub(b"", shown).replace(b"\r\n", b"\n"), b"").out


def pieces(terminal: int) -> Iterator[bytes]:
    """What comes out of a terminal until its program ends."""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            return
        if not piece:
            return
        yield piece


@SLOW
def test_a_narrow_terminal_loses_no_digit(folder: Path) -> None:
    """On twenty columns every number of the wide output is still there, and titles stay inert."""
    title = " ".join(text for text, _ in TEXTS if len(text) < 100)
    written(folder / "problem.yaml", f"title: {spelled(title)}\n{PROBLEM}digits: 17\nmode: numeric\n")
    narrow = on_terminal(["solve", "problem.yaml"], folder, 20)
    piped, wide = (spawn("solve problem.yaml", folder, {"COLUMNS": n}) for n in ("20", "500"))
    assert piped == wide
    results = numbers(wide.out[wide.out.index("Given") :])
    assert len(results) > 10
    assert results <= numbers(narrow)
    assert "PASS[/]" in narrow
    assert "[/nope]" in narrow


def is_waiting(process: int, pipe: int) -> bool:
    """Whether a process has read all that is in a pipe and sleeps until there is more."""
    unread = fcntl.ioctl(pipe, termios.FIONREAD, bytes(4))
    state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    return unread == bytes(4) and state == "S"


def test_ctrl_c(folder: Path) -> None:
    """An interrupt in the middle ends with 130 and leaves nothing behind."""
    before, pipe = tree(folder), subprocess.PIPE
    line = [*COMMAND, "solve", "-", "-o", "out.txt"]
    with start(line, folder, {}, stdin=pipe, stdout=pipe, stderr=pipe) as child:
        assert child.stdin
        child.stdin.write(b"# comment\n")
        child.stdin.flush()
        with guard():
            while not is_waiting(child.pid, child.stdin.fileno()):
                time.sleep(0.01)
        child.send_signal(signal.SIGINT)
        assert child.wait(timeout=GUARD) == 130
        assert checked(130, *child.communicate()).out == ""
    assert tree(folder) == before


EVERYWHERE: list[Changes] = [
    {"PYTHONHASHSEED": "0"},
    {"PYTHONHASHSEED": "1", "HOME": None, "LC_ALL": "tr_TR.UTF-8", "TZ": "Asia/Tokyo", "TERM": "dumb"},
    {"PYTHONHASHSEED": "2", "HOME": "/proc", "TMPDIR": "/nonexistent", "LC_ALL": "C.UTF-8", "COLUMNS": "0"},
    {"PYTHONOPTIMIZE": "2"},
]
COMMANDS = [
    "solve problem.yaml",
    "solve problem.yaml -f json",
    "check problem.yaml wrong.yaml",
    "check --help",
]
"""The last two print docstrings, which Python can leave out."""


@each("command", COMMANDS, quick=[COMMANDS[0], COMMANDS[2]])
def test_the_same_bytes_everywhere(folder: Path, command: str) -> None:
    """Hash seed, locale, home, terminal and optimization do not change a byte."""
    written(folder / "problem.yaml", PROBLEM.replace("1/7", "sqrt(2)"))
    written(folder / "wrong.yaml", "A: [[0.95, 0.05]]\nO: [[2.92]]\n")
    found = {spawn(command, folder, changes) for changes in EVERYWHERE}
    assert {ran.code for ran in found} == {int("wrong" in command)}
    assert len(found) == 1


@pytest.mark.parametrize(("line", "code", "out", "err"), [
    ("solve dot-product-3 --detail brief", 0, "⎡ 1  2 ⎤", ""),
    ("solve nöpe", 2, "", "nöpe: is neither a file nor a bundled problem: attncalc list names these\n"),
])  # fmt: skip
def test_streams_of_text(monkeypatch: pytest.MonkeyPatch, line: str, code: int, out: str, err: str) -> None:
    """Streams without bytes below them, such as StringIO, get the same text."""
    streams = io.StringIO(), io.StringIO()
    monkeypatch.setattr(sys, "argv", ["attncalc", *line.split()])
    monkeypatch.setattr(sys, "stdout", streams[0])
    monkeypatch.setattr(sys, "stderr", streams[1])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == code
    assert out in streams[0].getvalue()
    assert streams[1].getvalue() == err


INTERRUPTED = """
import sys
class Interrupt:
    def find_spec(self, name, *_):
        if name == "click":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupt())
from attncalc.__main__ import main
main()
"""


def test_interrupt_while_importing() -> None:
    """Ctrl-C before the program is loaded ends it without a traceback."""
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_a_folder_that_cannot_be_made_is_named(folder: Path) -> None:
    """`--each` names the path."""
    written(folder / "answers.yaml", "O: [[2]]")
    ran = spawn("check problem.yaml answers.yaml --each problem.yaml/reports", folder)
    assert (ran.code, ran.err) == (2, "problem.yaml/reports: cannot be made: not a directory\n")


def _run(arguments: list[str], folder: Path) -> tuple[int, bytes, bytes]:
    """What a command leaves behind."""
    done = subprocess.run([*COMMAND, *arguments], cwd=folder, capture_output=True)
    return done.returncode, done.stdout, done.stderr


def test_the_name_of_a_problem_does_nothing_to_a_terminal(folder: Path) -> None:
    """It is printed as the title of a problem that has none."""
    name = "red\x1b[31m.yaml"
    written(folder / name, PROBLEM + "answers: {O: [[1]]}\n")
    for form in ("text", "html", "markdown"):
        ran = checked(*_run(["check", name, "-f", form], folder))
        assert "red\\u001b[31m" in ran.out or "u001b" in ran.out
