"""A class as a table: one line for each student, one sign for each step, and the mistake in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from attncalc.core.terms.formulas import Text, join_sentences
from attncalc.marking.report.report import Report, Reports
from attncalc.marking.report.words import reasons
from attncalc.worked.blocks import Block, Member, Roster

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
    points = f"{round(report.score, 2):g}/{round(report.max_score, 2):g}"
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
