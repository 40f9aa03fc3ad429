"""Verdicts and reasons in words, as much as a level of feedback tells."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from attncalc.checking.report import Report, StepReport

LEVELS = ("verdict", "step", "cells", "mistake", "full")
MOST_CELLS = 12

OVERALL = {
    "correct": "Everything is right.",
    "incorrect": "Not right yet.",
    "incomplete": "Nothing is wrong, but something is missing.",
    "unreadable": "Something cannot be read.",
}
TEXTS = {
    "correct": "right",
    "rounded": "right, as you rounded",
    "coarse": "too few digits to tell: show more",
    "blank": "missing",
    "shape": "wrong shape",
    "unreadable": "cannot be read",
}


def points(report: Report) -> str:
    """The verdict and the points."""
    return f"{OVERALL[report.verdict]}  {round(report.score, 2):g} of {round(report.max_score, 2):g} points."


def verdict_text(step: StepReport, level: str) -> str:
    """A step's verdict in words."""
    if step.verdict == "wrong":
        if LEVELS.index(level) < LEVELS.index("cells"):
            return "wrong"
        if len(step.wrong_cells) > MOST_CELLS:
            return f"wrong in {len(step.wrong_cells)} entries"
        return f"wrong in {', '.join(cell_text(step.symbol, at) for at in step.wrong_cells)}"
    if step.verdict == "follows":
        are = "which is wrong" if len(step.follows_from) == 1 else "which are wrong"
        hollow = f"; {step.remarks[-1]}" if step.remarks else ""
        return f"right, given your {' and '.join(step.given)}, {are}{hollow}"
    missing = "; some of it is missing" if step.missing and step.verdict != "blank" else ""
    return TEXTS[step.verdict] + missing


def reasons(step: StepReport) -> Iterator[str]:
    """The mistakes that explain a step, alternatives and pairs said as such, or what else can be said."""
    groups = [
        " ".join(dict.fromkeys(diagnosis.message for diagnosis in members))
        for _, members in groupby(step.diagnoses, lambda diagnosis: diagnosis.group)
    ]
    slips = all(diagnosis.mistake.endswith(("-slip", "term-missing")) for diagnosis in step.diagnoses)
    if len(step.diagnoses) > len(groups):
        yield "Two mistakes together give just these numbers:"
    elif len(groups) > 1 and not slips:
        yield "Several mistakes give just these numbers and cannot be told apart here:"
    yield from dict.fromkeys(groups)
    if step.verdict != "follows":
        yield from step.remarks


def cell_text(symbol: str, at: tuple[int, ...]) -> str:
    """A cell as it is named in answers."""
    return f"{symbol}[{','.join(map(str, at))}]"
