"""Several answers files, also in folders and archives, marked by workers, with a progress bar."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from functools import cached_property, lru_cache
from itertools import chain, count

from attncalc.cli.marking import Marking
from attncalc.cli.printer import Printer
from attncalc.cli.selection import follow_links, refuse_overwriting
from attncalc.core.errors import Place, count_of, fault, inert
from attncalc.core.record import record, replace
from attncalc.exercise.load import load
from attncalc.exercise.solve.solution import Solution
from attncalc.features.classes.archives import is_archive
from attncalc.features.classes.find_submissions import find_submissions
from attncalc.features.classes.gradebook import Gradebook
from attncalc.features.classes.mark_class import check_many, mark_all_tries
from attncalc.features.classes.opener import Opener
from attncalc.features.classes.sort_reports import Disclosed, Kept, key_of
from attncalc.features.classes.students import name_student
from attncalc.features.classes.submissions import Submission, submission_of
from attncalc.features.classes.summary import fold_all, summary
from attncalc.features.classes.variants import find_variants, mark_own
from attncalc.marking.answers.files import no_answers
from attncalc.marking.checker import solution_behind
from attncalc.marking.report.feedback import feedback
from attncalc.marking.report.levels import Level, Order, disclose
from attncalc.marking.report.report import Report, Reports, not_handed_in
from attncalc.marking.roster import Person, Roster, name_of_file, read_roster
from attncalc.pages import Format, formats_of
from attncalc.worked.blocks import Block, Document


def find_problem(file: str, has_answers: bool) -> tuple[str, str | None]:
    """The problem file, and its folder of variants if a folder is given."""
    if not os.path.isdir(file):
        return file, None
    if not has_answers:
        raise fault("is a folder of variants: name answers to them", Place(file))
    return next(iter(find_variants(file).values())), file


def find_answers(
    names: tuple[str, ...], opener: Opener, roster: Roster | None, is_ours: Callable[[str], bool]
) -> list[Submission]:
    """The named files, and those in named folders and archives; an empty folder stays, to be reported."""
    found = [
        one
        for name in names
        for one in (
            find_submissions(name, opener, roster, is_ours)
            if os.path.isdir(name) or is_archive(name)
            else [submission_of(follow_links(name))]
        )
    ]
    if found and all(one.name.endswith(os.sep) for one in found):
        raise fault(no_answers(), Place(names[0]))
    return found


MOST_UNFOLDED = 1000
"""The most reports on one page."""
SECONDS_TO_ANSWER = 10
VARIANTS_KEPT = 10
MOST_NAMED = 3
"""The unread files that are named at the end."""
EACH_FORMAT = "html"
"""The format of the reports for students, unless another is named."""
LONGEST_NAME = 100
"""The letters of the name of a file, which may take four bytes each."""


def start(
    file: str, answers: tuple[str, ...], output: Printer, level: Level, seconds: float, order: Order,
    workers: int | None, dask: str | None, resume: str | None, folder: str | None, each_format: str | None,
    roster_file: str | None,
) -> Several:  # fmt: skip
    """All answers in files, folders and archives, to a problem or to a folder of variants."""
    roster = read_roster(roster_file) if roster_file else None
    each = format_of_each(output, each_format)
    ours = {os.path.realpath(name) for name in (file, roster_file, resume) if name}

    def is_ours(path: str) -> bool:
        is_report = folder is not None and path.endswith(f".{each.ending}")
        is_report = is_report and os.path.realpath(os.path.dirname(path)) == os.path.realpath(str(folder))
        return is_report or (not os.path.islink(path) and os.path.realpath(path) in ours)

    submissions = find_answers(answers, Opener(), roster, is_ours)
    disk = dict.fromkeys(found.disk for one in submissions for found in one.tries)
    read = [file, *answers, *disk, *([roster_file] if roster_file else [])]
    refuse_overwriting(read, [output.file, resume], folder)
    if output.format.is_single and len(submissions) > 1 and folder is None:
        raise fault(f"{output.format.name} holds one student: --each FOLDER writes a file for each")
    first, variants = find_problem(file, bool(submissions))
    return Several(
        file, load(first), [one.name for one in submissions], output, level, seconds, submissions, order,
        workers, dask, resume, folder, each, roster, variants,
    )  # fmt: skip


def format_of_each(output: Printer, name: str | None) -> Format:
    """The format of the reports for students: the named one, that of a single report, or a page to read."""
    if name:
        return formats_of("documents", "reports")[name]
    return output.format if output.format.is_single else formats_of("documents")[EACH_FORMAT]


@record
class Several(Marking):
    """Answers of several students: the order of reports, how they are marked, and where they are written."""

    submissions: list[Submission]
    order: Order
    workers: int | None
    dask: str | None
    resume: str | None
    folder: str | None
    each_format: Format
    roster: Roster | None = None
    variants: str | None = None
    """A folder in which each student has their own problem, like this one."""

    @property
    def steps(self) -> list[str]:
        """The names of all steps, in the order of computation."""
        return [step.name for step in self.checker.solution.steps]

    @cached_property
    def reports(self) -> Reports:
        """The reports on all files, or on the problem's own answer key if there are none."""
        if not self.submissions:
            return [self.checker.check_key()]
        if len(self.submissions) == 1 and not self.resume and not self.roster:
            return [*self.write_each(map(self.mark_submission, self.submissions))]
        return Kept(self.with_missing(self.write_each(self.mark_all())), key_of(self.order, self.steps))

    def mark_submission(self, submission: Submission) -> Report:
        """The report on one submission."""
        work = Opener().work(submission)
        if self.variants:
            return mark_own(self.variants, work, self.seconds, self.checker.most)
        return mark_all_tries(self.checker, work, self.seconds)

    def with_missing(self, reports: Iterable[Report]) -> Iterator[Report]:
        """All reports, and one on every student of the roster who handed nothing in."""
        handed_in: set[Person] = set()
        for report in reports:
            handed_in.add(report.person)
            yield report
        for person in self.roster.persons if self.roster else ():
            if person not in handed_in:
                yield not_handed_in(self.problem.name, self.checker.most, person)

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
        workers = self.workers or min(os.cpu_count() or 1, 1 + len(self.submissions) // 100)
        with engine(self.dask) as executor:
            reports = check_many(
                self.problem, self.submissions, executor,
                workers=workers, seconds=self.seconds, resume=self.resume, light=self.folder is None,
                variants=self.variants,
            )  # fmt: skip
            yield from show_progress(reports, len(self.submissions))

    def write_each(self, reports: Iterable[Report]) -> Iterator[Report]:
        """The reports with their students as they come, each written at once if a folder is given."""
        each = replace(self.output, format=self.each_format)
        for name, submission, report in zip(self.names(), self.submissions, reports, strict=True):
            if self.folder is not None:
                # Resumed reports do not hold the student's numbers.
                is_whole = not report.steps or any(step.judged for step in report.steps)
                whole = name_student(
                    report if is_whole else self.mark_submission(submission), submission, self.roster
                )
                page = feedback(whole, self.solution_of(whole), self.level, each.format.is_pointed)
                each.write_into(self.folder, name, documents=page, reports=[self.reduce_to_level(whole)])
            yield name_student(report, submission, self.roster)

    def names(self) -> Iterator[str]:
        """The name of the report on each submission: the student's, else the name of the file."""
        names = [*map(self.name_of_report, self.submissions)]
        often, taken = Counter(names), set[str]()
        for name, submission in zip(names, self.submissions, strict=True):
            own = inert(name if often[name] == 1 else submission.name.replace(os.sep, "_"))[-LONGEST_NAME:]
            # Some file systems ignore case.
            choices = chain([own], (f"{own}-{n}" for n in count(2)))
            chosen = next(choice for choice in choices if choice.casefold() not in taken)
            taken.add(chosen.casefold())
            yield chosen

    def name_of_report(self, submission: Submission) -> str:
        """The name and the id of a known student, else the name of the file."""
        person = self.roster.find(*submission.names) if self.roster else None
        said = (person.name, person.id) if person else submission.identity.name_and_id
        stem = os.path.splitext(os.path.basename(submission.name))[0]
        return name_of_file(" ".join(filter(None, said))) or stem

    def to_reports(self) -> Reports:
        """The reports on all files at the level of detail."""
        return Disclosed(self.reports, self.reduce_to_level)

    def to_document(self) -> Document:
        """The feedback on one file, or the summary of a class."""
        if len(self.reports) == 1:
            return self.feedback(next(iter(self.reports)))
        reports = Disclosed(self.reports, lambda report: disclose(report, self.level))
        is_folded = not self.output.format.is_pointed or len(reports) > MOST_UNFOLDED
        unfold = fold_all if is_folded else self.unfold
        return summary(self.problem.title or inert(self.file), reports, self.steps, unfold)

    def to_gradebook(self) -> Gradebook:
        """The points for a gradebook, under the title of the exercise."""
        title = self.problem.title or os.path.splitext(os.path.basename(self.file.rstrip(os.sep)))[0]
        return Gradebook(title, self.checker.most, self.reports, self.roster)

    @property
    def last_words(self) -> str:
        """The number of files that could not be read, and some of their names."""
        unread = [report.answers for report in self.reports if not report.is_read]
        if not unread or len(self.reports) == 1:
            return ""
        more = f" and {len(unread) - MOST_NAMED:,} more" if len(unread) > MOST_NAMED else ""
        of = sum(not report.is_missing for report in self.reports)
        names = ", ".join(unread[:MOST_NAMED])
        return f"{len(unread):,} of {count_of(of, 'file')} could not be read: {names}{more}"

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
