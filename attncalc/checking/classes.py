"""A class of answers: marked in chunks by any executor, in order, each file within limits of its own."""

from __future__ import annotations

import os
import pickle
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor, Future
from functools import lru_cache
from itertools import islice

from attncalc.checking.checker import Checker
from attncalc.checking.reading import refuse_others, student_of, unwrapped
from attncalc.checking.report import Report, unread
from attncalc.checking.serving import TookTooLong, limited
from attncalc.checking.workers import WorkerDied, Workers
from attncalc.errors import assert_never, inert
from attncalc.inputs.nodes import Given, Mapped, Node, Scalar, Sequence
from attncalc.inputs.problem import Problem
from attncalc.record import changed

CHUNK = 16
"""How many files are sent at once."""
WAITING = 4
"""How many chunks for each worker are on their way: more would only fill the memory."""
SECONDS = 10.0
MOST_REMEMBERED = 5000
"""How many different answers are kept in mind."""


def check_many(
    problem: Problem,
    files: Iterable[str],
    executor: Executor | None = None,
    *,
    workers: int | None = None,
    seconds: float = SECONDS,
) -> Iterator[Report]:
    """Marks files one after the other: by an executor of `concurrent.futures`, or by processes of its own."""
    files = list(files)
    count = min(workers or os.cpu_count() or 1, 1 + len(files) // CHUNK)
    if executor is not None:
        yield from marked(problem, files, executor, count, seconds)
        return
    with Workers(count, seconds * CHUNK) as own:
        yield from marked(problem, files, own, count, seconds)


def marked(
    problem: Problem, files: Iterable[str], executor: Executor, count: int, seconds: float
) -> Iterator[Report]:
    """The reports in the order of the files, a few chunks ahead."""
    packed = pickle.dumps(problem)
    remaining = iter(files)
    waiting: deque[tuple[list[str], Future[list[Report]]]] = deque()
    while True:
        while len(waiting) < WAITING * count and (chunk := list(islice(remaining, CHUNK))):
            waiting.append((chunk, executor.submit(mark_chunk, packed, chunk, seconds)))
        if not waiting:
            return
        chunk, future = waiting.popleft()
        try:
            yield from future.result()
        except WorkerDied:
            # One of them did it: each alone spoils only itself.
            for file in chunk:
                yield alone(problem, packed, file, executor, seconds)


def alone(problem: Problem, packed: bytes, file: str, executor: Executor, seconds: float) -> Report:
    """The report on one file of a chunk that went wrong."""
    try:
        (report,) = executor.submit(mark_chunk, packed, [file], seconds).result()
    except WorkerDied:
        return unread(problem.name, file, [f"{inert(file)}: could not be checked within time and memory"])
    return report


def mark_chunk(packed: bytes, files: list[str], seconds: float) -> list[Report]:
    """The reports on some files."""
    checker = checker_of(packed)
    return [mark_file(checker, file, seconds).light() for file in files]


@lru_cache(maxsize=1)
def checker_of(packed: bytes) -> Checker:
    """The checker of a problem, made once in every process; what that takes is nobody's time."""
    return Remembering(pickle.loads(packed))


class Remembering(Checker):
    """A checker that marks equal answers once, whoever gives them."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.known: dict[tuple[object, ...], Report] = {}

    def check(self, root: Mapped, name: str) -> Report:
        refuse_others(root, self.problem)
        told = tuple((key.text, content(node)) for key, node in unwrapped(root))
        if told not in self.known:
            report = super().check(root, name).light()
            # What cannot be read is said with its place, which is another in every file.
            if report.errors or len(self.known) >= MOST_REMEMBERED:
                return report
            self.known[told] = report
        return changed(self.known[told], answers=name, student=student_of(root))


def content(node: Node) -> object:
    """What a value is, wherever it stands."""
    match node:
        case Scalar():
            return node.text, node.quoted
        case Sequence():
            return node.source or tuple(map(content, node.items))
        case Mapped():
            return tuple((key.text, content(value)) for key, value in node.items)
        case Given():
            return node.array.dtype.str, node.array.shape, node.array.tobytes()
    assert_never(node)


def mark_file(checker: Checker, file: str, seconds: float) -> Report:
    """The report on one file: whatever goes wrong is a sentence in it."""
    try:
        with limited(seconds):
            return checker.check_file(file)
    except TookTooLong:
        message = f"took longer than {seconds:g} seconds"
    except MemoryError:
        message = "takes more memory than there is"
    except Exception as error:
        message = f"could not be checked: {type(error).__name__}"
    return unread(checker.problem.name, file, [f"{inert(file)}: {message}"])
