"""The program run in this process, within its time, and what holds for every command."""

from __future__ import annotations

import json
import re
import signal
import time
import traceback
import unicodedata
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, NoReturn

from click.testing import CliRunner

from attncalc.cli import cli
from attncalc.core.errors import AttncalcError
from tests.helpers.guarded_runs import BIDIRECTIONAL

SECONDS = 5.0
"""The processor time that one command may take."""
OWN_FAULTS = re.compile(r"could not be checked|took longer than|fault of its own")
"""How the program reports an internal error."""


class Found(Exception):
    """Something that must not be: what kind of fault it is, and the whole story."""

    def __init__(self, kind: str, story: str = "") -> None:
        self.kind, self.story = kind, story
        super().__init__(f"{kind}\n{story}")


class Hang(BaseException):
    """A command takes more than its processor time; not an Exception, so that no handler catches it."""


class Ran(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """Its output as data."""
        try:
            return json.loads(self.out)
        except ValueError:
            raise Found("no data", self.err) from None


@contextmanager
def in_time() -> Iterator[None]:
    """Stops what takes more processor time; of another clock than the program's own."""

    def stop(*_: object) -> NoReturn:
        raise Hang

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def run(*arguments: str) -> Ran:
    """One command; raises what it found where that must not be."""
    line = " ".join(arguments)
    started = time.process_time()
    try:
        with warnings.catch_warnings(), in_time():
            warnings.simplefilter("error")
            result = CliRunner().invoke(cli, arguments)
    except Hang:
        raise Found(f"hang: {named(arguments)}", f"{line}\n{where_it_hung()}") from None
    if time.process_time() - started > SECONDS:
        raise Found(f"hang: {named(arguments)}", line)
    error = result.exception
    if isinstance(error, AttncalcError):
        return looked_at(Ran(2, result.stdout, str(error) + "\n"), line)
    if error is not None and not isinstance(error, SystemExit):
        story = "".join(traceback.format_exception(error)[-6:])
        raise Found(f"traceback: {summary(error)}", f"{line}\n{story}")
    return looked_at(Ran(result.exit_code, result.stdout, result.stderr), line)


def named(arguments: tuple[str, ...]) -> str:
    """A command by its name, and the mode that is asked for."""
    return " ".join(word for word in arguments if word in (arguments[0], "--exact", "--numeric"))


def where_it_hung() -> str:
    """The last lines of the program that were at work."""
    return "".join(traceback.format_exc().splitlines(keepends=True)[-24:])


def summary(error: BaseException) -> str:
    """An error and where it was raised, the same for every way to the same fault."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "attncalc" in frame.filename]
    frame = frames[-1] if frames else None
    place = f"{frame.filename.rpartition('attncalc/')[2]}:{frame.name}" if frame else ""
    return f"{type(error).__name__} in {place}"


def looked_at(ran: Ran, line: str) -> Ran:
    """What holds for everything that a command writes."""
    if ran.code not in (0, 1, 2):
        raise Found(f"exit code {ran.code}", line)
    if ran.code == 2 and not (ran.err or ran.out):
        raise Found("no word on what went wrong", line)
    for text in (ran.out, ran.err):
        odd = {c for c in text if c != "\n" and (unicodedata.category(c) == "Cc" or c in BIDIRECTIONAL)}
        if odd:
            raise Found(f"control character {sorted(odd)!r}", f"{line}\n{text[:2000]}")
        own = OWN_FAULTS.search(text)
        if own:
            raise Found("a fault of its own", f"{line}\n{text[own.start() :][:300]}")
    return ran
