"""Several answers files, also in folders, marked by workers, with a progress bar if someone is watching."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from functools import cached_property, lru_cache
from itertools import chain, count

from attncalc.cli.files_and_streams import complain
from attncalc.cli.marking import Marking
from attncalc.cli.printer import Printer
from attncalc.cli.selection import follow_links, refuse_overwriting
from attncalc.core.errors import Place, fault, inert, reason
from attncalc.core.record import record
from attncalc.exercise.load import load
from attncalc.exercise.solve.solution import Solution
from attncalc.features.classes.mark_class import check_many
from attncalc.features.classes.sort_reports import Disclosed, Kept, key_of
from attncalc.features.classes.summary import fold_all, summary
from attncalc.features.classes.variants import find_variants, mark_own
from attncalc.marking.answers.files import NO_ANSWERS, is_answers
from attncalc.marking.checker import solution_behind
from attncalc.marking.report.feedback import feedback
from attncalc.marking.report.levels import Level, Order, disclose
from attncalc.marking.report.report import Report, Reports
from attncalc.worked.blocks import Block, Document

MOST_NAMED_FILES = 5
"""The number of left out files that are named."""


def find_problem(file: str, has_answers: bool) -> tuple[str, str | None]:
    """The problem file, and its folder of variants if a folder is given."""
    if not os.path.isdir(file):
        return file, None
    if not has_answers:
        raise fault("is a folder of variants: name answers to them", Place(file))
    return next(iter(find_variants(file).values())), file


def find_answers(names: tuple[str, ...]) -> list[str]:
    """The named files, and those in named folders; a folder without answers stays, to be reported."""
    found = [
        file for name in names for file in (files_in(name) if os.path.isdir(name) else [follow_links(name)])
    ]
    if found and all(file.endswith(os.sep) for file in found):
        raise fault(NO_ANSWERS, Place(names[0]))
    return found


def files_in(folder: str) -> list[str]:
    """The answers in a folder, or the folder itself if there are none; ignored files are reported."""
    try:
        everything = sorted(os.listdir(folder))
    except OSError as error:
        raise fault(f"cannot be read: {reason(error)}", Place(folder)) from None
    names = [name for name in everything if is_answers(name)]
    others = [inert(name) for name in everything if not is_answers(name) and not name.startswith(".")]
    if others:
        more = f" and {len(others) - MOST_NAMED_FILES} more" if len(others) > MOST_NAMED_FILES else ""
        named = ", ".join(others[:MOST_NAMED_FILES])
        left_out = f"left out, because they are not answers (.yaml, .json or .npz): {named}{more}"
        complain(f"{inert(folder)}: {left_out}")
    return [os.path.join(folder, name) for name in names or [""]]


MOST_UNFOLDED = 1000
"""The most reports on one page."""
SECONDS_TO_ANSWER = 10
VARIANTS_KEPT = 10
LONGEST_NAME = 100
"""The letters of the name of a file, which may take four bytes each."""


def start(
    file: str, answers: tuple[str, ...], output: Printer, level: Level, seconds: float, order: Order,
    workers: int | None, dask: str | None, resume: str | None, folder: str | None,
) -> Several:  # fmt: skip
    """All answers in files and folders, to a problem or to a folder of variants."""
    files = find_answers(answers)
    refuse_overwriting([file, *files], [output.file, resume], folder)
    if output.format.is_single and len(files) > 1 and folder is None:
        raise fault(f"{output.format.name} holds one student: --each FOLDER writes a file for each")
    first, variants = find_problem(file, bool(files))
    return Several(
        file, load(first), files, output, level, seconds, order, workers, dask, resume, folder, variants
    )


@record
class Several(Marking):
    """Answers of several students: the order of reports, how they are marked, and where they are written."""

    order: Order
    workers: int | None
    dask: str | None
    resume: str | None
    folder: str | None
    variants: str | None = None
    """A folder in which each student has their own problem, like this one."""

    @property
    def steps(self) -> list[str]:
        """The names of all steps, in the order of computation."""
        return [step.name for step in self.checker.solution.steps]

    @cached_property
    def reports(self) -> Reports:
        """The reports on all files, or on the problem's own answer key if there are none."""
        if not self.answers:
            return [self.checker.check_key()]
        if len(self.answers) == 1 and not self.resume:
            return [*self.write_each(self.mark(name) for name in self.answers)]
        return Kept(self.write_each(self.mark_all()), key_of(self.order, self.steps))

    def mark(self, file: str) -> Report:
        """The report on one file."""
        if self.variants:
            return mark_own(self.variants, file, self.seconds, self.checker.most)
        return super().mark(file)

    def solution_of(self, report: Report) -> Solution:
        """The problem that a report is on, solved."""
        if not self.variants or not os.path.isfile(report.problem):
            return super().solution_of(report)
        return self.solve_variant(report.problem)

    @cached_property
    def solve_variant(self) -> Callable[[str], Solution]:
        """The solution of a problem file; the last ones are kept, as a report asks for it several times."""
        return lru_cache(maxsize=VARIANTS_KEPT)(lambda file: solution_behind(load(file)))

    def mark_all(self) -> Iterator[Report]:
        """The reports on all files as they come, with a progress bar on a terminal."""
        workers = self.workers or min(os.cpu_count() or 1, 1 + len(self.answers) // 100)
        with engine(self.dask) as executor:
            reports = check_many(
                self.problem, self.answers, executor,
                workers=workers, seconds=self.seconds, resume=self.resume, light=self.folder is None,
                variants=self.variants,
            )  # fmt: skip
            yield from show_progress(reports, len(self.answers))

    def write_each(self, reports: Iterable[Report]) -> Iterator[Report]:
        """The reports as they come, each written at once to its own file if a folder is given."""
        for name, file, report in zip(self.names(), self.answers, reports, strict=True):
            if self.folder is not None:
                # Resumed reports do not hold the student's numbers.
                is_whole = not report.steps or any(step.judged for step in report.steps)
                whole = report if is_whole else self.mark(file)
                self.output.write_into(
                    self.folder, name, documents=self.feedback(whole), reports=[self.reduce_to_level(whole)]
                )
            yield report

    def names(self) -> Iterator[str]:
        """The name of the report on each file."""
        names = [os.path.splitext(os.path.basename(file))[0] for file in self.answers]
        often, taken = Counter(names), set[str]()
        for name, file in zip(names, self.answers, strict=True):
            own = inert(name if often[name] == 1 else file.replace(os.sep, "_"))[-LONGEST_NAME:]
            # Some file systems ignore case.
            choices = chain([own], (f"{own}-{n}" for n in count(2)))
            chosen = next(choice for choice in choices if choice.casefold() not in taken)
            taken.add(chosen.casefold())
            yield chosen

    def to_reports(self) -> Reports:
        """The reports on all files at the level of detail."""
        return Disclosed(self.reports, self.reduce_to_level)

    def to_document(self) -> Document:
        """The feedback on one file, or the summary of a class."""
        if len(self.reports) == 1:
            return self.feedback(next(iter(self.reports)))
        told = Disclosed(self.reports, lambda report: disclose(report, self.level))
        is_folded = not self.output.format.is_pointed or len(told) > MOST_UNFOLDED
        unfold = fold_all if is_folded else self.unfold
        return summary(self.problem.title or inert(self.file), told, self.steps, unfold)

    def unfold(self, report: Report) -> tuple[Block, ...]:
        """The feedback shown in the page of a class: without title, student and correct values."""
        level = Level.MISTAKE if self.level is Level.FULL else self.level
        found = feedback(report, self.solution_of(report), level).blocks[1:]
        return found[1:] if report.student else found


@contextmanager
def engine(address: str | None) -> Iterator[Executor | None]:
    """Dask's executor at an address, or None."""
    if address is None:
        yield None
        return
    try:
        from distributed import Client
    except ImportError:
        raise fault("--dask needs dask: pip install 'attncalc[dask]'") from None
    try:
        client = Client(address, timeout=SECONDS_TO_ANSWER)
    except (OSError, ValueError) as error:
        raise fault(f"no scheduler of dask answers at {inert(address)}: {inert(str(error))}") from None
    with client:
        yield client.get_executor()


def show_progress(reports: Iterator[Report], total: int) -> Iterator[Report]:
    """Reports as they come, with a progress bar on a terminal."""
    if not sys.stderr.isatty():
        yield from reports
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("marking", total=total)
        for report in reports:
            progress.advance(task)
            yield report
