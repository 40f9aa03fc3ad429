"""The limits within which one file is marked: processor time, and in a worker memory."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from math import ceil
from time import process_time

try:
    import resource
except ImportError:  # some systems have no such limits
    resource = None  # type: ignore[assignment]

MOST_MEMORY = 4 << 30
"""The most bytes that a worker may address."""
FOR_EVER = 10**9
"""More seconds of processor time than any worker runs."""
GRACE = 1
"""Seconds of processor time for writing the report when the limit is reached."""


class TookTooLong(BaseException):
    """A file takes too much processor time; not an Exception, so that no code on the way catches it."""


def become_expendable() -> None:
    """Set memory and CPU limits for this worker, so that the system ends it if it hangs."""
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
    """Limit the processor time of some work: wall time would depend on other programs."""
    timer = getattr(signal, "setitimer", None)
    if timer is None:
        yield
        return

    def stop(*_: object) -> None:
        raise TookTooLong

    try:
        before = signal.signal(signal.SIGPROF, stop)
    except ValueError:  # not in the main thread: signals do not arrive here
        yield
        return
    # Code that was stopped and goes on to write a report is stopped again.
    timer(signal.ITIMER_PROF, seconds, GRACE)
    try:
        with ended_after(seconds + 2 * GRACE):
            yield
    finally:
        timer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@contextmanager
def ended_after(seconds: float) -> Iterator[None]:
    """Limit the processor time of some work, after which the system ends a worker.

    Python handles a signal between two lines, never inside a library function that does not return.
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
