"""A class of answers: marked in chunks by any executor, in order, with limits for each file."""

from __future__ import annotations

import atexit
import os
import pickle
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from typing import TypeAlias

from attncalc.core.errors import Place, assert_never, fault, inert
from attncalc.core.record import record, replace
from attncalc.exercise.problem import Problem
from attncalc.exercise.yaml.tree import Given, Mapped, Node, Scalar, Sequence
from attncalc.features.classes.opener import Opener
from attncalc.features.classes.resume_file import Ledger, fingerprint
from attncalc.features.classes.submissions import Submission, submission_of
from attncalc.features.classes.variants import fingerprint_all, mark_variants
from attncalc.features.classes.work import Work, mark_work
from attncalc.features.classes.workers import WorkerDied, Workers
from attncalc.marking.answers.headings import refuse_others, student_of, unwrapped
from attncalc.marking.checker import Checker, mark_file
from attncalc.marking.report.report import Report, unread

CHUNK = 16
"""The number of files sent at once."""
WAITING = 4
"""The number of chunks queued for each worker: more would only fill the memory."""
SECONDS = 10.0
STDIN = "-"
MOST_REMEMBERED = 5000
"""The number of different answers whose reports are cached."""

MOST_BYTES = 1 << 26
"""The most bytes of answers from archives that are sent or queued at once."""

Mark: TypeAlias = Callable[[bytes, str, list[Work], float, bool], list[Report]]
"""Marks submissions: a pickled problem, the folder of relative names, the work, seconds, whether light."""


def check_many(
    problem: Problem,
    files: Iterable[str | os.PathLike[str] | Submission],
    executor: Executor | None = None,
    *,
    workers: int | None = None,
    seconds: float = SECONDS,
    resume: str | None = None,
    light: bool = True,
    variants: str | None = None,
) -> Iterator[Report]:
    """Mark files: by an executor of `concurrent.futures`, or by worker processes.

    Reports come in the order of the files; files with a report in the file `resume` are not marked again.
    Light reports are without the student's numbers.  In a folder of `variants` each student has a problem of
    their own.
    """
    submissions = [one if isinstance(one, Submission) else submission_of(os.fspath(one)) for one in files]
    if any(one.name == STDIN for one in submissions):
        raise fault("standard input is marked alone, not in a class", Place(STDIN))
    ledger = None
    if resume:
        ledger = Ledger(resume, fingerprint_all(variants) if variants else fingerprint(problem))
    known = ledger.find_known(submissions) if ledger else [None] * len(submissions)
    missing = [one for one, start in zip(submissions, known, strict=True) if start is None]
    count = min(workers or os.cpu_count() or 1, 1 + len(missing) // CHUNK)
    with ExitStack() as stack:
        engine = executor or stack.enter_context(Workers(count, seconds * CHUNK))
        mark = mark_variants if variants else mark_chunk
        mark = partial(mark_apart, mark) if executor else mark
        class_ = Class(problem, engine, mark, seconds, light, ledger, variants)
        reports = class_.mark_all(missing, WAITING * count)
        for start in known:
            yield next(reports) if ledger is None or start is None else ledger.report(start)


@dataclass
class Chunk:
    """Some files being marked, and the reports on them when they are done."""

    submissions: list[Submission]
    future: Future[list[Report]]
    reports: list[Report] = field(default_factory=list)

    @property
    def size(self) -> int:
        """The bytes that were sent with it."""
        return sum(one.size for one in self.submissions)


@record
class Class:
    """A problem, the executor and function that mark answers to it, and the CPU time for each."""

    problem: Problem
    engine: Executor
    mark: Mark
    seconds: float
    light: bool
    ledger: Ledger | None = None
    variants: str | None = None

    @cached_property
    def opener(self) -> Opener:
        """Reads the members of archives."""
        return Opener()

    @cached_property
    def most(self) -> float:
        """The points of the whole exercise."""
        return Checker(self.problem).most

    @cached_property
    def packed(self) -> bytes:
        """The pickled problem, or for variants the points of one and their folder."""
        return f"{self.most} {self.variants}".encode() if self.variants else pickle.dumps(self.problem)

    def submit(self, submissions: list[Submission]) -> Future[list[Report]]:
        """Submit some submissions, with the folder of their relative names."""
        work = [*map(self.opener.work, submissions)]
        return self.engine.submit(self.mark, self.packed, os.getcwd(), work, self.seconds, self.light)

    def mark_all(self, submissions: Iterable[Submission], ahead: int) -> Iterator[Report]:
        """The reports in order, with n chunks submitted ahead, fewer if they are large."""
        remaining = chunks_of(submissions)
        waiting: deque[Chunk] = deque()
        while True:
            while len(waiting) < ahead and sum(chunk.size for chunk in waiting) < MOST_BYTES:
                if (some := next(remaining, None)) is None:
                    break
                waiting.append(Chunk(some, self.submit(some)))
            if not waiting:
                return
            wait([chunk.future for chunk in waiting if not chunk.reports], return_when=FIRST_COMPLETED)
            self.collect(waiting)
            while waiting and waiting[0].reports:
                for report in waiting.popleft().reports:
                    yield report
                    # A consumer that is slow does not delay writing the finished reports.
                    self.collect(waiting)

    def collect(self, waiting: Iterable[Chunk]) -> None:
        """Collect finished chunks, and write their reports to the ledger."""
        for chunk in waiting:
            if not chunk.reports and chunk.future.done():
                chunk.reports = self.take_results(chunk.submissions, chunk.future)
                if self.ledger:
                    self.ledger.keep(chunk.submissions, chunk.reports)

    def take_results(self, submissions: list[Submission], future: Future[list[Report]]) -> list[Report]:
        """The reports on a chunk."""
        try:
            return future.result()
        except WorkerDied:
            # One of the files made the worker fail: marked alone, each affects only itself.
            return [self.mark_alone(one) for one in submissions]

    def mark_alone(self, submission: Submission) -> Report:
        """The report on one submission of a failed chunk."""
        try:
            (report,) = self.submit([submission]).result()
        except WorkerDied:
            message = f"{inert(submission.name)}: could not be checked within time and memory"
            return unread(self.problem.name, submission.name, self.most, [message])
        return report


def chunks_of(submissions: Iterable[Submission]) -> Iterator[list[Submission]]:
    """Submissions in lists of a limited length, and of a limited size if more than one."""
    chunk: list[Submission] = []
    size = 0
    for one in submissions:
        if chunk and (len(chunk) == CHUNK or size + one.size > MOST_BYTES // CHUNK):
            yield chunk
            chunk, size = [], 0
        chunk.append(one)
        size += one.size
    if chunk:
        yield chunk


def mark_chunk(packed: bytes, folder: str, work: list[Work], seconds: float, light: bool) -> list[Report]:
    """The reports on some submissions, relative to a folder, which becomes the working directory."""
    with suppress(OSError):
        os.chdir(folder)
    checker = checker_of(packed, light)
    reports = (mark_all_tries(checker, one, seconds) for one in work)
    return [report.light() if light else report for report in reports]


def mark_all_tries(checker: Checker, work: Work, seconds: float) -> Report:
    """The report on a submission."""
    name, most = checker.problem.name, checker.most
    return mark_work(name, work, most, lambda one: mark_file(checker, one.name, seconds, one.data))


def mark_apart(
    mark: Mark, packed: bytes, folder: str, work: list[Work], seconds: float, light: bool
) -> list[Report]:
    """Mark a chunk in our own worker processes: limits do not hold in the threads of another engine."""
    workers = own_workers(os.getpid(), seconds)
    return workers.submit(mark, packed, folder, work, seconds, light).result()


@lru_cache(maxsize=1)
def own_workers(_: int, seconds: float) -> Workers:
    """The worker processes for an engine in this process; a forked process gets its own."""
    workers = Workers(os.cpu_count() or 1, seconds * CHUNK)
    atexit.register(workers.shutdown)
    return workers


@lru_cache(maxsize=1)
def checker_of(packed: bytes, light: bool) -> Checker:
    """The checker of a problem, built once in every process, outside the time limits of answers."""
    problem: Problem = pickle.loads(packed)
    return Remembering(problem) if light else Checker(problem)


class Remembering(Checker):
    """A checker that marks equal answers once."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.reports: dict[tuple[object, ...], Report] = {}

    def check(self, root: Mapped, name: str) -> Report:
        refuse_others(root, self.problem)
        answers = tuple((key.text, content(node)) for key, node in unwrapped(root))
        if answers not in self.reports:
            report = super().check(root, name).light()
            # Errors of reading name a place, which differs between files.
            if report.errors or len(self.reports) >= MOST_REMEMBERED:
                return report
            self.reports[answers] = report
        return replace(self.reports[answers], answers=name, student=student_of(root))


def content(node: Node) -> object:
    """The content of a value, without its place."""
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
