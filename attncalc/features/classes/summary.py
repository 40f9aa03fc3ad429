"""The summary of a class: one line for each student, then counts of verdicts, wrong steps and mistakes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from attncalc.core.families import load_members
from attncalc.core.record import record
from attncalc.core.terms.formulas import Name, Text, join_sentences
from attncalc.marking.report.report import Report, Reports
from attncalc.marking.report.words import count_points, reasons
from attncalc.marking.rounding.plans import HABITS
from attncalc.marking.verdicts import OverallVerdict
from attncalc.mistakes import MISTAKES, SLIP_CODES
from attncalc.worked.blocks import Bars, Block, Document, Heading, Member, Note, Paragraph, Roster

Unfold = Callable[[Report], tuple[Block, ...]]


def roster(reports: Reports, steps: Sequence[str], unfold: Unfold) -> Roster:
    """The table, with the steps that are asked for or answered by a student."""
    symbols = {step.step: step.symbol for report in reports for step in report.steps}
    told = [step for step in steps if step in symbols]
    members = tuple(member(report, told, unfold(report)) for report in reports)
    return Roster(tuple(symbols[step] for step in told), members)


def member(report: Report, steps: list[str], unfolded: tuple[Block, ...]) -> Member:
    """One line."""
    signs = {step.step: step.verdict.sign for step in report.steps}
    points = f"{count_points(report)}/{round(report.max_score, 2):g}"
    return Member(
        report.verdict.sign,
        report.answers,
        report.student,
        tuple(signs.get(step) for step in steps),
        points,
        join_sentences(said_of(report)) if report.errors or report.mistakes else "",
        unfolded,
    )


def said_of(report: Report) -> Iterable[Text]:
    """The first error of reading, and the explanation of the first explained step."""
    # Text of students is never read as mathematics.
    yield from ((error,) for error in report.errors[:1])
    explained = next((step for step in report.steps if step.diagnoses), None)
    if explained:
        yield from reasons(explained)


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
        for report in reports:
            self.count(report)

    def count(self, report: Report) -> None:
        """Count one report."""
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
        yield Paragraph(f"{total} files: {found}.")
        if self.most:
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
