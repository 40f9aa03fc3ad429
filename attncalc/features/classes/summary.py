"""The summary of a class: one line for each student, then counts of verdicts, wrong steps and mistakes."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import takewhile

from attncalc.core.errors import count_of
from attncalc.core.families import load_members
from attncalc.core.record import record, replace
from attncalc.core.terms.formulas import Name, Text, join_sentences
from attncalc.marking.report.report import Report, Reports
from attncalc.marking.report.words import count_points, reasons
from attncalc.marking.rounding.plans import HABITS
from attncalc.marking.verdicts import OverallVerdict
from attncalc.mistakes import MISTAKES, SLIP_CODES
from attncalc.worked.blocks import SIGNS, Bars, Block, Document, Heading, Member, Note, Paragraph, Roster

NOT_HANDED_IN = replace(SIGNS["blank"], word="not handed in")
Unfold = Callable[[Report], tuple[Block, ...]]


def roster(reports: Reports, steps: Sequence[str], unfold: Unfold) -> Roster:
    """The table, with the steps that are asked for or answered by a student."""
    symbols = {step.step: step.symbol for report in reports for step in report.steps}
    shown = [step for step in steps if step in symbols]
    folder = common_folder(report.answers for report in reports if report.answers)
    members = tuple(member(report, shown, unfold(report), folder) for report in reports)
    return Roster(tuple(symbols[step] for step in shown), members)


def common_folder(names: Iterable[str]) -> str:
    """The folder or archive in which all files are, with a slash at its end.

    >>> common_folder(["a/b/x.yaml", "a/b/c/y.yaml"]), common_folder(["a.yaml", "b/c.yaml"])
    ('a/b/', '')
    """
    common: list[str] | None = None
    for name in names:
        folders = name.split(os.sep)[:-1]
        pairs = zip(folders if common is None else common, folders, strict=False)
        common = [one for one, other in takewhile(lambda pair: pair[0] == pair[1], pairs)]
    return "".join(f"{folder}{os.sep}" for folder in common or ())


def member(report: Report, steps: list[str], unfolded: tuple[Block, ...], folder: str) -> Member:
    """One line."""
    signs = {step.step: step.verdict.sign for step in report.steps}
    points = f"{count_points(report)}/{round(report.max_score, 2):g}"
    return Member(
        NOT_HANDED_IN if report.is_missing else report.verdict.sign,
        report.answers.removeprefix(folder),
        report.student,
        tuple(signs.get(step) for step in steps),
        points,
        join_sentences(said_of(report)),
        unfolded,
    )


def said_of(report: Report) -> Iterable[Text]:
    """The first error of reading, the explanation of the first explained step, and notes."""
    # Text of students is never read as mathematics.
    errors = [without_name(error, report.answers) for error in report.errors[:1]]
    yield from ((f"{error}." if report.notes else error,) for error in errors)
    explained = next((step for step in report.steps if step.diagnoses), None)
    if explained:
        yield from reasons(explained)
    if report.handed_in:
        notes = "; ".join(report.handed_in)
        yield (f"{notes[:1].upper()}{notes[1:]}.",)


def without_name(error: str, name: str) -> str:
    """An error without the name of its file, which the line shows.

    >>> without_name("a.yaml:3:4: is too large", "a.yaml"), without_name("a.yaml: is a link", "a.yaml")
    ('line 3: is too large', 'is a link')
    """
    match = re.fullmatch(rf"{re.escape(name)}(?::(?P<line>[0-9]+):[0-9]+)?: (?P<said>.*)", error, re.DOTALL)
    if match is None:
        return error
    return f"line {match['line']}: {match['said']}" if match["line"] else match["said"]


SENTENCES = {
    **{code: sentence for one in load_members("questions") for code, sentence in one.SENTENCES.items()},
    **{habit.code: habit.sentence for habit in reversed(HABITS)},
    **{mistake.code: mistake.sentence for mistake in reversed(MISTAKES)},
}
"""The sentence of every code."""
QUESTIONS = {mistake.code: mistake.question for mistake in reversed(MISTAKES)}
"""The question for every mistake."""


def fold_all(_: Report) -> tuple[Block, ...]:
    """Show nothing of a report."""
    return ()


def summary(title: str, reports: Reports, steps: Sequence[str], unfold: Unfold = fold_all) -> Document:
    """The whole class, as far as the reports show it; a page unfolds what a report says."""
    return Document((Heading(title, 1), roster(reports, steps, unfold), *Tally(reports).blocks()))


def say_percent(share: float) -> str:
    """A share in percent: neither nothing nor all, unless it is."""
    return (
        "less than 1 %"
        if 0 < share < 0.01
        else f"{100 * share if share == 1 else min(99, 100 * share):.0f} %"
    )


@record
class Example:
    """A file with a mistake, and the message about it."""

    answers: str
    message: Text


class Tally:
    """The counts of a class, in one pass."""

    def __init__(self, reports: Reports) -> None:
        self.verdicts: Counter[OverallVerdict] = Counter()
        self.first: Counter[str] = Counter()
        self.mistakes: Counter[str] = Counter()
        self.examples: dict[str, Example] = {}
        self.score = self.most = 0.0
        self.missing = self.late = 0
        for report in reports:
            self.count(report)

    def count(self, report: Report) -> None:
        """Count one report."""
        if report.is_missing:
            self.missing += 1
            return
        self.late += report.is_late
        self.verdicts[report.verdict] += 1
        self.score, self.most = self.score + report.score, max(self.most, report.max_score)
        if report.first_wrong:
            first = report.first_wrong.step
            self.first[next(step.symbol for step in report.steps if step.step == first)] += 1
        self.mistakes.update(report.mistakes)
        for step in report.steps:
            for found in step.diagnoses:
                self.examples.setdefault(found.mistake, Example(report.answers, found.text))

    def blocks(self) -> Iterator[Block]:
        """The counts, then the misunderstandings to discuss."""
        total = self.verdicts.total()
        found = ", ".join(f"{self.verdicts[one]} {one}" for one in OverallVerdict if self.verdicts[one])
        yield Heading("Class", 3)
        yield Paragraph(f"{count_of(total, 'file')}{': ' if found else ''}{found}.")
        if self.late or self.missing:
            late = f"{self.late} late" if self.late else ""
            missing = f"{count_of(self.missing, 'student')} did not hand in" if self.missing else ""
            yield Paragraph(f"{', '.join(filter(None, (late, missing)))}.")
        if self.most and total:
            yield Paragraph(f"On average {say_percent(self.score / total / self.most)} of the points.")
        if self.first:
            counts = tuple(((Name(symbol),), count) for symbol, count in self.first.most_common())
            yield Bars("First wrong step", counts)
        often = sorted(self.mistakes.items(), key=lambda item: (-item[1], item[0]))
        if often:
            yield Bars("Mistakes", tuple(often))
        # A slip concerns one student, and is not discussed.
        misunderstood = [(code, count) for code, count in often if code not in SLIP_CODES]
        if misunderstood:
            yield Heading("To talk about in class", 3)
        for code, count in misunderstood:
            yield from self.misunderstanding(code, f"{count} of {total}")

    def misunderstanding(self, code: str, how_often: str) -> Iterator[Block]:
        """One mistake: how often it was made, its question, and an example."""
        example = self.examples[code]
        yield Paragraph(f"{code}, {how_often}: {SENTENCES[code]}")
        if code in QUESTIONS:
            yield Note(f"Ask: {QUESTIONS[code]}")
        more = () if example.message == SENTENCES[code] else (example.message,)
        yield Note(join_sentences(((f"For example {example.answers}{':' if more else '.'}",), *more)))
