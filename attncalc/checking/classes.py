"""A class of answers, marked by worker processes: a file that takes too long spoils only itself."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import Any

from attncalc.checking.checker import Checker
from attncalc.checking.report import Report, unread
from attncalc.loading.load import load
from attncalc.record import record


@record
class Plan:
    """What is to be marked: the problem's file, the answers' files, and by how much help."""

    problem: str
    files: Sequence[str]
    workers: int
    seconds: float


def serve(problem: str, connection: Connection) -> None:
    """A worker: marks the files whose names it is sent."""
    checker = Checker(load(problem))
    while True:
        try:
            file = connection.recv()
        except EOFError:
            return
        connection.send(checker.check_file(file).light())


class Worker:
    """A process that marks one file at a time."""

    def __init__(self, problem: str) -> None:
        # Started afresh rather than forked: a fork of threaded libraries can hang.
        context = get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=serve, args=(problem, theirs), daemon=True)
        self.process.start()
        theirs.close()
        self.number = -1
        self.started = 0.0

    def give(self, number: int, file: str) -> None:
        """Sends a file to be marked."""
        self.number, self.started = number, time.monotonic()
        self.connection.send(file)

    def end(self) -> None:
        """Stops the process."""
        self.connection.close()
        self.process.kill()
        self.process.join()


def mark(plan: Plan, done: Callable[[], Any]) -> list[Report]:
    """The reports on all files, in their order; `done` is called after each."""
    reports: dict[int, Report] = {}
    waiting = iter(enumerate(plan.files))
    workers = [Worker(plan.problem) for _ in range(min(plan.workers, len(plan.files)))]
    busy: list[Worker] = []
    try:
        for worker in workers:
            start(worker, waiting, busy)
        while busy:
            wait([worker.connection for worker in busy], timeout=0.1)
            for worker in list(busy):
                report = outcome(worker, plan)
                if report is None:
                    continue
                reports[worker.number] = report
                done()
                busy.remove(worker)
                if not worker.process.is_alive():
                    worker.end()
                    workers.remove(worker)
                    worker = Worker(plan.problem)
                    workers.append(worker)
                start(worker, waiting, busy)
    finally:
        for worker in workers:
            worker.end()
    return [reports[number] for number in range(len(plan.files))]


def start(worker: Worker, waiting: Iterator[tuple[int, str]], busy: list[Worker]) -> None:
    """Gives a worker the next file, if there is one."""
    following = next(waiting, None)
    if following is not None:
        worker.give(*following)
        busy.append(worker)


def outcome(worker: Worker, plan: Plan) -> Report | None:
    """What has become of a worker's file; None while it is at work."""
    file = plan.files[worker.number]
    try:
        if worker.connection.poll():
            report: Report = worker.connection.recv()
            return report
    except (EOFError, OSError):
        return stopped(worker, plan, f"{file}: could not be checked")
    if time.monotonic() - worker.started > plan.seconds:
        return stopped(worker, plan, f"{file}: took longer than {plan.seconds:g} seconds")
    return None


def stopped(worker: Worker, plan: Plan, message: str) -> Report:
    """Ends a worker whose file went wrong."""
    worker.process.kill()
    worker.process.join()
    return unread(plan.problem, plan.files[worker.number], [message])
