"""The other side of a worker, and the limits within which one file is marked."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from attncalc.checking.workers import receive, send

try:
    import resource
except ImportError:  # some systems know no such limits
    resource = None  # type: ignore[assignment]

MOST_MEMORY = 4 << 30
"""How many bytes a worker may address."""


class TookTooLong(Exception):
    """That a file takes more processor time than it may."""


def serve() -> None:
    """Calls the functions that are sent, one after the other, until nobody sends any more."""
    # Who stops the program stops its workers: they need not speak of it themselves.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    limit_memory()
    incoming, outgoing = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    # What anything else prints is not an answer.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    with suppress(EOFError, OSError):
        while True:
            function, arguments = receive(incoming)
            send(outgoing, answer(function, arguments))


def answer(function: Any, arguments: tuple[Any, ...]) -> tuple[bool, Any]:
    """What a function gives, or what it raises."""
    try:
        return True, function(*arguments)
    except Exception as error:
        return False, error


def limit_memory() -> None:
    """Takes no more memory than a file could need, where the system knows such limits."""
    if resource is not None:
        with suppress(ValueError, OSError):
            _, most = resource.getrlimit(resource.RLIMIT_AS)
            resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, most))


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Some work within its processor time: not by the clock, which other programs take from as well."""
    timer = getattr(signal, "setitimer", None)
    if timer is None:
        yield
        return

    def stop(*_: object) -> None:
        raise TookTooLong

    try:
        before = signal.signal(signal.SIGPROF, stop)
    except ValueError:  # not in the main thread, where no signal arrives
        yield
        return
    timer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        timer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
