"""The other side of a worker: it calls the functions that it is sent."""

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
    """Calls the functions that are sent, one after the other, until nobody sends any more."""
    # Who stops the program stops its workers: they need not speak of it themselves.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    become_expendable()
    incoming, outgoing = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    # What anything else prints is not an answer.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    calls: SimpleQueue[tuple[Any, tuple[Any, ...]]] = SimpleQueue()
    Thread(target=listen, args=(incoming, calls), daemon=True).start()
    while True:
        function, arguments = calls.get()
        send(outgoing, answer(function, arguments))


def listen(incoming: IO[bytes], calls: SimpleQueue[tuple[Any, tuple[Any, ...]]]) -> None:
    """Takes what is sent, and ends the process as soon as the other side is gone, whatever it is doing."""
    try:
        while True:
            calls.put(receive(incoming))
    finally:
        os._exit(0)


def answer(function: Any, arguments: tuple[Any, ...]) -> tuple[bool, Any]:
    """What a function gives, or what it raises."""
    try:
        return True, function(*arguments)
    except Exception as error:
        return False, error
