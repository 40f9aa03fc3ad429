"""The limits within which one file is marked: processor time, and in a worker memory."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from math import ceil
from time import process_time

try:
    import resource
except ImportError:  # some systems know no such limits
    resource = None  # type: ignore[assignment]

MOST_MEMORY = 4 << 30
"""How many bytes a worker may address."""
FOR_EVER = 10**9
"""Seconds of processor time that no worker lives to see."""
GRACE = 1
"""Seconds of processor time to put together what is known when the limit is reached."""


class TookTooLong(BaseException):
    """That a file takes more processor time than it may: not an error that anybody on the way would mend."""


def become_expendable() -> None:
    """Lets the system end this process where it takes too much memory, or hangs where no signal is heard."""
    if resource is None:
        return
    for limit, most in (
        (resource.RLIMIT_AS, MOST_MEMORY),
        (resource.RLIMIT_CPU, FOR_EVER),
        (resource.RLIMIT_CORE, 0),
    ):
        with suppress(ValueError, OSError):
            _, hard = resource.getrlimit(limit)
            resource.setrlimit(limit, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


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
    # Who has been stopped and goes on, to put together what is known, is stopped again.
    timer(signal.ITIMER_PROF, seconds, GRACE)
    try:
        with ended_after(seconds + 2 * GRACE):
            yield
    finally:
        timer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@contextmanager
def ended_after(seconds: float) -> Iterator[None]:
    """Some work at the end of whose processor time an expendable process is ended, whatever it is doing.

    A signal is heard between two lines of Python, never inside a function of a library that does not return.
    """
    limit, most = resource.getrlimit(resource.RLIMIT_CPU)
    if limit == resource.RLIM_INFINITY:
        yield
        return
    resource.setrlimit(resource.RLIMIT_CPU, (min(limit, ceil(process_time() + seconds)), most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_CPU, (limit, most))
