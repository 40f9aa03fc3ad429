"""Verdicts and reasons in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from math import floor

from attncalc.core.errors import count_of
from attncalc.core.terms.formulas import Name, Place, Text, join_sentences, sentence
from attncalc.marking.report.report import Report, StepReport
from attncalc.marking.rounding.plans import ROUNDED_ON_THE_WAY
from attncalc.marking.verdicts import OverallVerdict, StepVerdict
from attncalc.mistakes import SLIP_CODES

MOST_NAMED_CELLS = 12
TOO_FEW_DIGITS = "some numbers have too few digits to tell."
WRONG = (StepVerdict.WRONG, StepVerdict.SHAPE)


def points(report: Report) -> str:
    """The verdict and the points."""
    return f"{headline(report)}  {count_points(report)} of {round(report.max_score, 2):g} points."


def headline(report: Report) -> str:
    """The verdict in words; nothing is wrong with few digits if the correct values round to them."""
    if report.words:
        return report.words
    flaw = "is wrong" if any(step.verdict in WRONG for step in report.steps) else "cannot be read"
    if report.is_flawed and report.verdict is OverallVerdict.CORRECT:
        return f"All points, but something {flaw}."
    if report.is_flawed and report.verdict is OverallVerdict.INCOMPLETE:
        return f"What is asked for is missing, and something else {flaw}."
    coarse = [step for step in report.steps if step.verdict is StepVerdict.COARSE]
    if report.verdict is OverallVerdict.INCORRECT or not coarse:
        return report.verdict.words
    if report.verdict is OverallVerdict.CORRECT:
        return f"All points, but {TOO_FEW_DIGITS}"
    if any(step.missing or step.verdict is StepVerdict.BLANK for step in report.steps):
        return f"Something is missing, and {TOO_FEW_DIGITS}"
    if any(step.is_doubtful for step in coarse):
        return TOO_FEW_DIGITS.capitalize()
    return f"Nothing is wrong, but {TOO_FEW_DIGITS}"


def count_points(report: Report) -> str:
    """The points to two decimals; those of a report that has not all of them are not rounded up to all."""
    shown = round(report.score, 2)
    if report.score < report.max_score <= shown:
        shown = floor(100 * report.score) / 100
    return f"{shown:g}"


def say_credit(step: StepReport) -> Text:
    """Why a step earns a share of its points."""
    return sentence(step.credit, *map(Name, step.credited)) if step.credited else step.credit


def verdict_text(step: StepReport) -> Text:
    """A step's verdict in words, with the wrong cells if the level shows them."""
    words = step.waiting or step.verdict.words
    implied = f"; its points are {step.implied}" if step.implied else ""
    if step.implied and step.verdict is StepVerdict.BLANK:
        return step.implied
    if step.verdict is StepVerdict.WRONG:
        return name_wrong_cells(step, implied)
    if step.verdict is StepVerdict.FOLLOWS or (step.verdict is StepVerdict.ROUNDED and step.given):
        return sentence(f"{say_given(step)}{implied}", *map(Name, step.given))
    if step.verdict is StepVerdict.COARSE:
        words = say_few_digits(step)
    if step.against:
        words = f"right, but it does not follow from your {write_slots(step.against)}"
    details = [step.reached, " and ".join(step.misshapen), say_rounding(step)]
    words = ": ".join(filter(None, (words, *details)))
    partly = step.missing and step.verdict not in (StepVerdict.BLANK, StepVerdict.SHAPE)
    words = f"{words}; some of it is missing" if partly else words
    words += implied
    return sentence(words, *map(Name, step.against)) if step.against else words


def say_given(step: StepReport) -> str:
    """From which wrong steps, or from which mistake, a step follows."""
    given = write_slots(step.given)
    given += f", {'which is' if len(step.given) == 1 else 'which are'} wrong"
    if step.shares:
        words = f"{step.shares} {write_slots(step.given)}"
    elif step.against:
        words = f"right, but not all of it follows from your {given}"
    else:
        words = f"{StepVerdict.FOLLOWS.words} {given}"
    return words + (f"; {step.trivial}" if step.trivial else "")


def say_few_digits(step: StepReport) -> str:
    """That numbers have too few digits, and how many the exercise asks for if they have fewer."""
    answer = step.judged.answer if step.judged else None
    if step.has_few_before:
        return "too few digits before it to tell"
    if answer is None or not answer.short.any() or answer.yard.places is None:
        return step.verdict.words
    return f"too few digits: the exercise asks for {count_of(answer.yard.places, 'decimal')}"


def say_rounding(step: StepReport) -> str:
    """How a step was rounded, if that is all there is to say of it and more is known than that it was."""
    is_known = step.verdict is StepVerdict.ROUNDED and step.rounding != ROUNDED_ON_THE_WAY
    said = step.rounding if is_known and not step.against else ""
    return said[:1].lower() + said[1:].removesuffix(".")


def write_slots(names: tuple[str, ...]) -> str:
    """Slots in a sentence for some names: {}, {} and {}."""
    *others, last = ("{}" for _ in names)
    return f"{', '.join(others)} and {last}" if others else last


def name_wrong_cells(step: StepReport, ending: str = "") -> Text:
    """That a step is wrong, and in which cells or in how many; of a single number, only that it is wrong."""
    words = step.verdict.words
    if step.is_all_wrong:
        return f"{words} in all entries{ending}" if len(step.wrong_cells) > 1 else f"{words}{ending}"
    if len(step.wrong_cells) > MOST_NAMED_CELLS:
        return f"{words} in {len(step.wrong_cells)} entries{ending}"
    if not step.wrong_cells:
        return f"{words}{ending}"
    return list_cells(f"{words} in {{}}{ending}", step, step.wrong_cells)


def list_cells(words: str, step: StepReport, cells: Iterable[tuple[int, ...]]) -> Text:
    """A sentence with some cells in place of its slot."""
    places = [Place(step.symbol, at) for at in cells]
    return sentence(words.format(", ".join("{}" for _ in places)), *places)


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
        yield list_cells(
            f"Besides that, {{}} {'is' if len(besides) == 1 else 'are'} off by a slip.", step, besides
        )
    # How a step that passes was rounded is part of its verdict.
    yield from () if step.rounding else step.remarks


def is_same_cause(one: StepReport, other: StepReport) -> bool:
    """Whether two wrong steps have the same known cause: the reasons are the same word for word."""
    slips = any(diagnosis.mistake in SLIP_CODES for diagnosis in one.diagnoses)
    is_advice = any(remark.startswith("Add ") for remark in one.remarks)
    said = list(reasons(one))
    return bool(said) and not slips and not is_advice and said == list(reasons(other))
