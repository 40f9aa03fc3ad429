"""A report as a document: how much of it is told depends on the level of feedback."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import numpy as np

from attncalc.answers import BLANK
from attncalc.checking.boxes import Box
from attncalc.checking.checker import Checker
from attncalc.checking.follow import Judged, Mark
from attncalc.checking.report import Report, StepReport
from attncalc.checking.told import State
from attncalc.document import (
    Block,
    Display,
    Displays,
    Document,
    Equation,
    Equations,
    Grid,
    Heading,
    Note,
    Paragraph,
    Relation,
    Verdict,
)
from attncalc.rounding import Rounding
from attncalc.terms import Axis, Constant, Entry, Term, mapped
from attncalc.worked import View, Writer

LEVELS = ("verdict", "step", "cells", "mistake", "full")
MOST_SHOWN = 12

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


def feedback(checker: Checker, report: Report, level: str) -> Document:
    """What a student is told."""
    return Document(tuple(Feedback(checker, report, LEVELS.index(level)).blocks()))


class Feedback:
    """Writes the blocks of one report."""

    def __init__(self, checker: Checker, report: Report, level: int) -> None:
        self.checker, self.report, self.level = checker, report, level
        problem = checker.problem
        rounding = Rounding(problem.get("places"), problem.get("digits"))
        self.writer = Writer(checker.solution, View(rounding=rounding))

    def blocks(self) -> Iterator[Block]:
        """The verdict; the first wrong step explained; every step with its verdict; the rest."""
        title = self.checker.problem.get("title") or self.report.problem
        yield Heading(title, 1)
        if self.report.student:
            yield Note(self.report.student)
        yield Paragraph(
            f"{OVERALL[self.report.verdict]}  {self.report.score:g} of {self.report.max_score:g} points."
        )
        for error in self.report.errors:
            yield Note(error)
        bad = [step for step in self.report.steps if step.verdict in ("wrong", "shape")]
        if self.level >= LEVELS.index("cells"):
            for number, step in enumerate(bad):
                yield from self.wrong_step(step, first=number == 0)
        if self.level >= LEVELS.index("step") and self.report.steps:
            yield Heading("Step by step", 3)
            for step in self.report.steps:
                yield Verdict(step.verdict, step.symbol, self.text(step))
        if self.level >= LEVELS.index("full"):
            yield from self.right_values()

    def right_values(self) -> Iterator[Block]:
        """The right matrices of all steps that are not right as they stand."""
        others = [step.step for step in self.report.steps if step.verdict not in ("correct", "rounded")]
        if others:
            yield Heading("The right values", 3)
            yield Displays(tuple(self.writer.display(name, fold=True) for name in others))

    def text(self, step: StepReport) -> str:
        """A step's verdict in words."""
        if step.verdict == "wrong":
            count = len(step.wrong_cells)
            if self.level < LEVELS.index("cells"):
                return "wrong"
            if count <= MOST_SHOWN:
                return f"wrong in {', '.join(cell_text(step.symbol, at) for at in step.wrong_cells)}"
            return f"wrong in {count} entries"
        if step.verdict == "follows":
            source = self.writer.symbol(step.follows_from)
            hollow = f"; {step.remarks[-1]}" if step.remarks else ""
            return f"right, given your {source}, which is wrong{hollow}"
        missing = "; some of it is missing" if step.missing and step.verdict != "blank" else ""
        return TEXTS[step.verdict] + missing

    def wrong_step(self, step: StepReport, first: bool) -> Iterator[Block]:
        """A wrong step: the student's matrix, one worked line, the reason, and what follows from it."""
        solved = self.checker.solution[step.step]
        where = "First wrong step" if first else "Also wrong"
        yield Heading(f"{where}: {solved.title} {step.symbol}", 3)
        judged = step.judged
        if judged is not None and judged.told.is_told.any():
            yield from self.marked(step, judged)
        if self.level >= LEVELS.index("mistake"):
            if judged is not None and step.wrong_cells:
                yield from self.worked(step, judged)
            yield from self.reasons(step)
            followers = [s.symbol for s in self.report.steps if s.follows_from == step.step]
            if followers:
                yield Note(f"What comes after it follows: {', '.join(followers)}.")

    def reasons(self, step: StepReport) -> Iterator[Block]:
        """The mistakes that explain the numbers, or what else can be said of them."""
        messages = list(dict.fromkeys(reason.message for reason in step.diagnoses))
        if len({reason.mistake for reason in step.diagnoses}) > 1 and len(messages) > 1:
            yield Paragraph("Several mistakes give just these numbers and cannot be told apart here:")
        for message in messages:
            yield Paragraph(message)
        for remark in step.remarks:
            yield Paragraph(remark)

    def marked(self, step: StepReport, judged: Judged) -> Iterator[Block]:
        """The student's own matrix, its wrong cells marked."""
        if judged.marks.ndim != 2:
            return
        rows = [n for n in range(judged.marks.shape[0]) if (judged.marks[n] != Mark.UNTOLD).any()][
            :MOST_SHOWN
        ]
        columns = range(min(judged.marks.shape[1], MOST_SHOWN))
        cells = tuple(tuple(self.own_cell(judged, (i, j)) for j in columns) for i in rows)
        wrong = frozenset(
            (n, m) for n, i in enumerate(rows) for m, j in enumerate(columns) if judged.wrong[i, j]
        )
        labels = self.writer.labels(step.step, 0, judged.marks.shape[0])
        heads = self.writer.labels(step.step, 1, judged.marks.shape[1])
        grid = Grid(cells, tuple(labels[i] for i in rows) if labels else (), heads[: len(columns)], wrong)
        yield Displays((Display(f"your {step.symbol}", (("=", grid),)),))

    def own_cell(self, judged: Judged, at: tuple[int, ...]) -> Term | None:
        """A number as the student wrote it."""
        told = judged.told
        if told.state[at] != State.TOLD:
            return Entry("?") if told.state[at] == State.UNREADABLE else BLANK
        return written(told.boxes[at], float(told.low[at]))

    def worked(self, step: StepReport, judged: Judged) -> Iterator[Block]:
        """The line of the first wrong cell with the student's own numbers, and what they got."""
        at = tuple(n - 1 for n in step.wrong_cells[0])
        solved = self.checker.solution[step.step]
        rule = solved.cell(at)
        sides: list[tuple[Relation, Term]] = [("=", self.writer.renamed(rule))]
        numbers = self.own_numbers(rule, at)
        if numbers is not None:
            sides.append(("=", numbers))
        if self.level >= LEVELS.index("full"):
            line = self.writer.line(solved, at)
            sides.append(line.sides[-1])
        own = self.own_cell(judged, at)
        assert own is not None
        yield Equations((Equation(self.writer.cell_name(solved, at), tuple(sides)),))
        yield Equation(Entry("you have"), (("=", own),))

    def own_numbers(self, rule: Term, at: tuple[int, ...]) -> Term | None:
        """A rule with numbers that the student knows: given, or told by them; else None."""
        missing = False
        judged = {step.step: step.judged for step in self.report.steps}

        def put(term: Term) -> Term:
            nonlocal missing
            if not isinstance(term, Entry):
                return mapped(term, put)
            if any(isinstance(index, Axis) and index.letter for index in term.at):
                return self.writer.renamed(term)
            place = tuple(n if isinstance(n, int) else n.start for n in term.at)
            found = judged.get(term.of)
            if term.of in self.checker.graph.given or term.of in self.checker.graph.sizes:
                return self.writer.shown.rounded_entry(self.writer.entry_value(term, at))
            full = (*at[: -len(place)], *place) if len(at) > len(place) else place
            if found is None or not found.told.is_told[full]:
                missing = True
                return term
            return written(found.told.boxes[full], float(found.told.low[full]))

        replaced = put(rule)
        return None if missing else replaced


def written(box: Any, value: float) -> Term:
    """A told number as it was written."""
    if not isinstance(box, Box):
        return Constant(Decimal(f"{value:.6g}")) if np.isfinite(value) else Constant(value)
    if isinstance(box.value, float):
        return Constant(box.value)
    return box.written


def cell_text(symbol: str, at: tuple[int, ...]) -> str:
    """A cell as it is named in answers."""
    return f"{symbol}[{','.join(map(str, at))}]"
