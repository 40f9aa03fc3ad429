"""Isolated worker processes: nothing of the current folder is imported, and failures stay in the worker.

The standard library's pool starts its processes with that folder on their path, and ends as a whole when one
of them dies; so these are started in isolated mode, and exchange pickles over their pipes.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread, Timer
from typing import IO, Any, ParamSpec, TypeVar

from attncalc.core.families import PACKAGE
from attncalc.marking.limits import become_expendable

P = ParamSpec("P")
T = TypeVar("T")

HOME = os.path.abspath(PACKAGE)
START = """
import sys
from importlib.util import module_from_spec, spec_from_file_location
home, *sys.path[:] = sys.argv[1:]
spec = spec_from_file_location("attncalc", home + "/__init__.py", submodule_search_locations=[home])
sys.modules["attncalc"] = package = module_from_spec(spec)
spec.loader.exec_module(package)
from attncalc.features.classes.workers import serve
serve()
"""
"""The start script of a worker: it loads this package and all others from the same places as here."""
LENGTH = 8
PATIENCE = 20
"""The wall-clock limit, as a multiple of the CPU limit.

It is for a worker that sleeps, or a system without CPU limits.
"""


class WorkerDied(Exception):
    """A process ended, or was killed, before it returned a result."""


def send(stream: IO[bytes], thing: object) -> None:
    """Write one object."""
    data = pickle.dumps(thing)
    stream.write(len(data).to_bytes(LENGTH, "big") + data)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """Read one object; raises `EOFError` if the other side is gone."""
    length = stream.read(LENGTH)
    data = stream.read(int.from_bytes(length, "big")) if len(length) == LENGTH else b""
    if not data:
        raise EOFError
    return pickle.loads(data)


def import_path() -> list[str]:
    """The import path of this process, without the working directory."""
    here = os.path.realpath(os.getcwd())
    return [path for path in sys.path if os.path.isabs(path) and os.path.realpath(path) != here]


class Worker:
    """One process."""

    def __init__(self) -> None:
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-c", START, HOME, *import_path()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
        )

    def call(self, function: Callable[..., T], arguments: tuple[Any, ...], seconds: float) -> T:
        """The result of a function called in the process."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        clock = Timer(seconds, self.process.kill)
        clock.daemon = True
        clock.start()
        try:
            send(self.process.stdin, (function, arguments))
            is_done, result = receive(self.process.stdout)
        except (EOFError, OSError):
            self.end()
            raise WorkerDied from None
        finally:
            clock.cancel()
        if not is_done:
            raise result
        found: T = result
        return found

    def end(self) -> None:
        """Kill the process."""
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()


class Workers(Executor):
    """Some isolated processes, with the interface of an executor of `concurrent.futures`."""

    def __init__(self, count: int, seconds: float) -> None:
        self.seconds = PATIENCE * seconds
        self.idle: SimpleQueue[Worker] = SimpleQueue()
        self.started: list[Worker] = []
        self.is_closed = False
        for _ in range(count):
            self.start()
        self.threads = ThreadPoolExecutor(count)

    def start(self) -> None:
        """Start one more process."""
        worker = Worker()
        self.started.append(worker)
        self.idle.put(worker)

    def submit(self, function: Callable[P, T], /, *args: P.args, **named: P.kwargs) -> Future[T]:
        """Call a function in one of the processes."""
        assert not named, "arguments are sent by their place"
        return self.threads.submit(self.call, function, args)

    def call(self, function: Callable[..., T], arguments: tuple[Any, ...]) -> T:
        """Wait for an idle process and call a function in it; a process that dies is replaced."""
        worker = self.idle.get()
        try:
            return worker.call(function, arguments, self.seconds)
        finally:
            if worker.process.poll() is None:
                self.idle.put(worker)
            elif not self.is_closed:
                self.started.remove(worker)
                self.start()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End all processes."""
        self.is_closed = True
        self.threads.shutdown(wait=False, cancel_futures=True)
        for worker in self.started:
            worker.end()
        self.threads.shutdown(wait, cancel_futures=cancel_futures)


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
