"""Verdicts and reasons in words."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from math import floor

from attncalc.core.graph.references import Reference
from attncalc.core.terms.formulas import Name, Text, join_sentences, sentence
from attncalc.marking.report.report import Report, StepReport
from attncalc.marking.verdicts import OverallVerdict, StepVerdict
from attncalc.mistakes import SLIP_CODES

MOST_NAMED_CELLS = 12
TOO_FEW_DIGITS = "Nothing is wrong, but some numbers have too few digits to tell."
ALL_BUT_DIGITS = "All points, but some numbers have too few digits to tell."
ALL_BUT_RIGHT = "All points, but something is wrong or cannot be read."
NOT_ASKED = "What is asked for is missing, and something else is wrong."


def points(report: Report) -> str:
    """The verdict and the points."""
    return f"{headline(report)}  {count_points(report)} of {round(report.max_score, 2):g} points."


def headline(report: Report) -> str:
    """The verdict in words."""
    if report.is_flawed and report.verdict is OverallVerdict.CORRECT:
        return ALL_BUT_RIGHT
    if report.is_flawed and report.verdict is OverallVerdict.INCOMPLETE:
        return NOT_ASKED
    if is_only_coarse(report):
        return ALL_BUT_DIGITS if report.verdict is OverallVerdict.CORRECT else TOO_FEW_DIGITS
    return report.verdict.words


def count_points(report: Report) -> str:
    """The points to two decimals; those of a report that has not all of them are not rounded up to all."""
    shown = round(report.score, 2)
    if report.score < report.max_score <= shown:
        shown = floor(100 * report.score) / 100
    return f"{shown:g}"


def say_credit(step: StepReport) -> Text:
    """Why a step earns a share of its points, and the mistake that costs the rest."""
    named = sentence(step.credit, *map(Name, step.credited)) if step.credited else step.credit
    return join_sentences((named, *filter(None, [step.cost])))


def is_only_coarse(report: Report) -> bool:
    """Whether nothing is missing but digits."""
    coarse = any(step.verdict is StepVerdict.COARSE for step in report.steps)
    missing = any(step.missing or step.verdict is StepVerdict.BLANK for step in report.steps)
    return report.verdict is not OverallVerdict.INCORRECT and coarse and not missing


def verdict_text(step: StepReport) -> Text:
    """A step's verdict in words, with the wrong cells if the level shows them."""
    words = step.waiting or step.verdict.words
    implied = f"; its points are {step.implied}" if step.implied else ""
    if step.implied and step.verdict is StepVerdict.BLANK:
        return step.implied
    if step.verdict is StepVerdict.WRONG:
        return f"{words}{wrong_cells(step)}{implied}"
    if step.verdict is StepVerdict.FOLLOWS:
        are = "which is wrong" if len(step.follows_from) == 1 else "which are wrong"
        trivial = f"; {step.trivial}" if step.trivial else ""
        return sentence(f"{words} {write_slots(step.given)}, {are}{trivial}{implied}", *map(Name, step.given))
    if step.against:
        words = f"{words}, but it does not follow from your {write_slots(step.against)}"
    if step.reached:
        words = f"{words}: {step.reached}"
    if step.rounding:
        words = f"{words}: {step.rounding[0].lower()}{step.rounding[1:-1]}"
    partly = step.missing and step.verdict not in (StepVerdict.BLANK, StepVerdict.SHAPE)
    words = f"{words}; some of it is missing" if partly else words
    words += implied
    return sentence(words, *map(Name, step.against)) if step.against else words


def write_slots(names: tuple[str, ...]) -> str:
    """Slots in a sentence for some names."""
    return " and ".join("{}" for _ in names)


def wrong_cells(step: StepReport) -> str:
    """The wrong cells of a step, or their number."""
    if not step.wrong_cells:
        return ""
    if step.is_all_wrong:
        return " in all entries"
    if len(step.wrong_cells) > MOST_NAMED_CELLS:
        return f" in {len(step.wrong_cells)} entries"
    return f" in {', '.join(str(Reference(step.symbol, at)) for at in step.wrong_cells)}"


def reasons(step: StepReport) -> Iterator[Text]:
    """The mistakes that explain a step, introduced as alternatives or pairs, else the remarks."""
    groups = [
        join_sentences(dict.fromkeys(diagnosis.text for diagnosis in members))
        for _, members in groupby(step.diagnoses, lambda diagnosis: diagnosis.group)
    ]
    slips = all(diagnosis.mistake in SLIP_CODES for diagnosis in step.diagnoses)
    besides = dict.fromkeys(cell for diagnosis in step.diagnoses for cell in diagnosis.besides)
    how_many = "most of" if besides else "just"
    if len(step.diagnoses) > len(groups):
        yield f"Two mistakes together give {how_many} these numbers:"
    elif len(dict.fromkeys(groups)) > 1 and not slips:
        yield f"Several mistakes give {how_many} these numbers and cannot be told apart here:"
    yield from dict.fromkeys(groups)
    if besides:
        listed = ", ".join(str(Reference(step.symbol, at)) for at in besides)
        yield f"Besides that, {listed} {'is' if len(besides) == 1 else 'are'} off by a slip."
    yield from step.remarks
