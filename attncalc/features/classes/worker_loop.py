"""The loop of a worker process: it calls the functions that it receives."""

from __future__ import annotations

import os
import signal
import sys
from queue import SimpleQueue
from threading import Thread
from typing import IO, Any

from attncalc.features.classes.workers import receive, send
from attncalc.marking.limits import become_expendable


def serve() -> None:
    """Call the received functions one after the other, until the input ends."""
    # An interrupt is handled by the main process, which stops its workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    become_expendable()
    incoming, outgoing = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    # Other output must not mix with the results.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    calls: SimpleQueue[tuple[Any, tuple[Any, ...]]] = SimpleQueue()
    Thread(target=listen, args=(incoming, calls), daemon=True).start()
    while True:
        function, arguments = calls.get()
        send(outgoing, answer(function, arguments))


def listen(incoming: IO[bytes], calls: SimpleQueue[tuple[Any, tuple[Any, ...]]]) -> None:
    """Queue received calls, and end the process as soon as the main process is gone."""
    try:
        while True:
            calls.put(receive(incoming))
    finally:
        os._exit(0)


def answer(function: Any, arguments: tuple[Any, ...]) -> tuple[bool, Any]:
    """The result of a function, or the exception that it raises."""
    try:
        return True, function(*arguments)
    except Exception as error:
        return False, error
