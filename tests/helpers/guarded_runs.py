"""Runs of the program on inputs that mean harm, and what holds for every one of them.

No traceback, nothing executed, nothing written that was not asked for, no control character on a stream, an
end, and no more than a few hundred megabytes.
"""

from __future__ import annotations

import os
import re
import resource
import signal
import socket
import subprocess
import sys
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple, NoReturn

import pytest

import attncalc
from attncalc.cli import main
from tests.helpers.commands import COMMAND

GUARD = 120
"""Seconds after which a run is taken to hang: a hundred times what the slowest needs."""
SECONDS = 15
"""Of processor time, which other programs do not take from: several times what the slowest run needs."""
MEGABYTES = 500
Changes = Mapping[str, str | None]
"""Changes to a child's environment; None removes a variable."""
BIDIRECTIONAL = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
PLACED = re.compile(r"problem\.yaml:[1-9][0-9]*:[1-9][0-9]*: \S")
PROBLEM = "Q: [[1, 2]]\nK: [[1, 1], [0, 1]]\nV: [[3], [1/7]]\n"
TEXTS = [
    ("\x1b]0;owned\x07", "owned"), ("\x1b]8;;https://evil.example\x1b\\ok\x1b]8;;\x1b\\", "https://evil.example"),
    ("ok\rFAIL", "FAIL"), ("ok\nFAIL", "FAIL"), ("\x9b31mred", "red"), ("a\x08\x08b\x7f", "b"),
    ("[bold red]PASS[/]", "[bold red]PASS[/]"), ("[/nope]", "[/nope]"),
    ("[@click=app.quit]x[/]", "[@click=app.quit]x[/]"), (":smile: {0} %s \\n", ":smile: {0} %s \\n"),
    ("\u202egnp.exe", "gnp.exe"), ("\u2066a\u2069\u200f", "a"), ("\ufeff\u2028\u2029\x85x", "x"),
    ("A" * 100_000, "A" * 50), ("a " * 50_000, "a a"), ("../../x", "../../x"), ("é 中 😀", ""), ("", ""),
]  # fmt: skip
"""What would act on a terminal, and what must be left of it."""


class Ran(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


def checked(code: int, out: bytes, err: bytes) -> Ran:
    """The outcome of a command, after what holds for every one of them."""
    ran = Ran(code, out.decode(), err.decode())
    assert "Traceback" not in ran.err, ran.err[-2000:]
    assert ran.code in (0, 1, 2, 130, 141), ran
    for c in {*ran.out, *ran.err} - {"\n"}:
        assert unicodedata.category(c) != "Cc", repr(c)
        assert c not in BIDIRECTIONAL, repr(c)
    return ran


def tree(folder: Path) -> dict[str, bytes]:
    """Every file under a folder with its content."""
    return {str(p): p.read_bytes() for p in folder.rglob("*") if p.is_file() and not p.is_symlink()}


def written(path: Path, text: str | bytes) -> Path:
    """A file with this text."""
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def peak_megabytes() -> float:
    """The most memory that this process has used."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def forbidden(*_: object) -> NoReturn:
    """Takes the place of the network."""
    raise AssertionError("the network was used")


@contextmanager
def guard() -> Iterator[None]:
    """Fails what hangs."""

    def fail(*_: object) -> NoReturn:
        raise AssertionError("this hangs")

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(GUARD)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


class Attncalc:
    """Runs the program inside this process, in a new folder."""

    def __init__(
        self, folder: Path, patch: pytest.MonkeyPatch, streams: pytest.CaptureFixture[bytes]
    ) -> None:
        self.folder, self.patch, self.streams = folder, patch, streams
        patch.chdir(folder)
        patch.setattr(socket.socket, "connect", forbidden)

    def __call__(self, *arguments: str, writes: str = "") -> Ran:
        """One call of the program; only the file `writes` may be new or changed after it."""
        self.patch.setattr(sys, "argv", ["attncalc", *arguments])
        self.streams.readouterr()
        before, peak, start = tree(self.folder), peak_megabytes(), process_time()
        with pytest.raises(SystemExit) as ended, guard():
            main()
        assert peak_megabytes() - peak < MEGABYTES
        assert process_time() - start < SECONDS
        after = tree(self.folder)
        for files in (before, after):
            files.pop(str(self.folder / writes), None)
        assert after == before
        assert isinstance(ended.value.code, int)
        return checked(ended.value.code, *self.streams.readouterr())

    def solve(self, text: str | bytes, *options: str) -> Ran:
        """`solve` on a problem file with this text."""
        written(self.folder / "problem.yaml", text)
        return self("solve", "problem.yaml", *options)

    def refuses(self, text: str | bytes, message: str = "", *options: str) -> Ran:
        """A problem that is refused: exit 2, nothing on stdout, every fault with its place."""
        ran = self.solve(text, *options)
        assert (ran.code, ran.out) == (2, ""), ran
        assert ran.err
        for line in ran.err.splitlines():
            assert PLACED.match(line), line
        assert re.search(message, ran.err), ran.err
        return ran

    def exact(self, text: str | bytes, detail: str = "cells") -> Any:
        """The exact scores, after the command line has solved the same file."""
        ran = self.solve(text, "--detail", detail)
        assert (ran.code, ran.err) == (0, "")
        return attncalc.solve(attncalc.load(self.folder / "problem.yaml"), mode="exact")["S"].exact


def short(value: object) -> str:
    """A readable name for a row."""
    return ascii(str(value))[:40]


def spelled(text: str) -> str:
    """A text as YAML in double quotes, nothing but ASCII."""
    plain = (c if " " <= c <= "~" and c not in '"\\' else f"\\U{ord(c):08x}" for c in text)
    return f'"{"".join(plain)}"'


def environment(changes: Changes) -> dict[str, str]:
    """The environment of a child; None removes a variable."""
    changed = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONIOENCODING": "utf-8", **changes}
    return {key: value for key, value in changed.items() if value is not None}


def as_from_a_shell() -> None:
    """A child with bounded memory that an interrupt reaches."""
    resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def start(arguments: list[str], folder: Path, changes: Changes, **streams: Any) -> subprocess.Popen[bytes]:
    """A process in a folder."""
    return subprocess.Popen(
        arguments, cwd=folder, env=environment(changes), preexec_fn=as_from_a_shell, **streams
    )


def spawn(arguments: str, folder: Path, changes: Mapping[str, str | None] = {}, shell: str = '"$@"') -> Ran:
    """Run the program in a new process, through a shell that sets up its streams."""
    before = tree(folder)
    line = ["sh", "-c", shell, "sh", *COMMAND, *arguments.split()]
    pipe = subprocess.PIPE
    with start(line, folder, changes, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe) as child:
        try:
            out, err = child.communicate(timeout=GUARD)
        finally:
            child.kill()
    assert tree(folder) == before
    return checked(child.returncode, out, err)
