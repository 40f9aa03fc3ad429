"""A report as a document, as far as the level of feedback shows it."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from attncalc.core.terms import Constant, Entry, Term, Valued, letters_of, map_members
from attncalc.core.terms.formulas import Maths, Name, Text, Words, join_sentences, sentence
from attncalc.exercise.questions import question_of
from attncalc.exercise.solve.letters import restore_letters
from attncalc.exercise.solve.solution import Solution
from attncalc.marking.answers.answer import State
from attncalc.marking.follow.judge import Judged, Mark
from attncalc.marking.report.levels import Level, disclose
from attncalc.marking.report.report import GIVEN_MISTAKE, SAME_MISTAKE, Report, StepReport
from attncalc.marking.report.words import is_same_cause, points, reasons, say_credit, verdict_text
from attncalc.marking.verdicts import StepVerdict
from attncalc.worked.blocks import (
    BLANK,
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
from attncalc.worked.grids import pick_labels
from attncalc.worked.rounding import count_characters
from attncalc.worked.view import View, rounding_of
from attncalc.worked.writer.steps import MOST_POINTED, Writer

MOST_SHOWN = 12
LONGEST_RULE = 160


def feedback(report: Report, solution: Solution, level: Level, pointed: bool = False) -> Document:
    """The document that a student reads; `pointed` adds the line of every wrong cell."""
    return Document(tuple(Feedback(disclose(report, level), solution, level, pointed).blocks()))


class Feedback:
    """Write the blocks of one report, reduced to a level."""

    def __init__(self, report: Report, solution: Solution, level: Level, pointed: bool) -> None:
        self.report, self.level, self.pointed = report, level, pointed
        self.key, self.solution = solution, report.own or solution
        self.problem = solution.problem
        self.writer = Writer(self.solution, View(rounding=rounding_of(self.problem)))

    def blocks(self) -> Iterator[Block]:
        """The verdict; the first wrong step explained; every step with its verdict; the rest."""
        yield Heading(self.problem.heading, 1)
        if self.report.student:
            yield Note((self.report.student,))
        bad = [step for step in self.report.steps if step.is_bad and self.level.includes(Level.CELLS)]
        yield Paragraph(points(self.report))
        for error in self.report.errors:
            yield Note((error,))
        for note in self.report.notes:
            yield Note((note,))
        for number, (step, *others) in enumerate(group_by_cause(bad)):
            yield from self.wrong_step(step, others, first=number == 0)
        if self.report.steps:
            yield Heading("Step by step", 3)
        for step in self.report.steps:
            yield Verdict(step.verdict.sign, step.symbol, verdict_text(step))
        for step in self.report.steps:
            if step.credit:
                yield Note(join_sentences((sentence("{}:", Name(step.symbol)), say_credit(step))))
        if self.level.includes(Level.FULL):
            yield from self.correct_values()
        if self.pointed and bad:
            yield from self.writer.write_given()

    def correct_values(self) -> Iterator[Block]:
        """The correct matrices of all steps that are not right."""
        others = [step.step for step in self.report.steps if not step.verdict.is_right]
        question = question_of(self.problem)
        if others and question:
            yield from question.show(Writer(self.key, self.writer.view))
        elif others:
            yield Heading("The right values", 3)
            yield Displays(tuple(self.writer.display(name, fold=True) for name in others))

    def wrong_step(self, step: StepReport, others: list[StepReport], first: bool) -> Iterator[Block]:
        """A wrong step: the reason, the student's matrix, one worked line, and what follows from it.

        `others` are wrong for the same reason, and only named.
        """
        solved = self.solution[step.step]
        where = "First wrong step" if first else "Also wrong"
        yield Heading(f"{where}: {solved.title}", 3, step.symbol)
        judged, is_explained = step.judged, self.level.includes(Level.MISTAKE)
        if is_explained:
            yield from self.reasons(step)
        if judged is not None and judged.answer.is_answered.any():
            yield from self.show_matrix(step, judged)
        if is_explained:
            if judged is not None and step.wrong_cells:
                yield from self.worked(step, judged)
            alike = [other.symbol for other in (*others, *self.after([step, *others], SAME_MISTAKE))]
            if alike:
                yield Note(list_names("The same mistake in" if step.diagnoses else "The same in", alike))
            for other in others if self.pointed else ():
                yield from self.show_matrix(other, other.judged) if other.judged else ()
            yield from self.followers([step, *others])

    def reasons(self, step: StepReport) -> Iterator[Block]:
        """Why a step is wrong, in the colour of its verdict."""
        return (Paragraph(reason, step.verdict.sign) for reason in reasons(step))

    def followers(self, steps: list[StepReport]) -> Iterator[Block]:
        """The steps that follow from the numbers of wrong ones, or from the mistake made there."""
        given = "this step" if len(steps) == 1 else "these steps"
        for shares, what in (("", given), (GIVEN_MISTAKE, "this mistake")):
            follow = [later.symbol for later in self.after(steps, shares) if not later.against]
            if follow:
                yield Note(list_names(f"Right, given {what}", follow))

    def after(self, steps: list[StepReport], shares: str) -> list[StepReport]:
        """The steps that follow from some wrong ones, or share their mistake in some way."""
        wrong = {step.step for step in steps}
        passed = (StepVerdict.FOLLOWS, StepVerdict.ROUNDED)
        return [
            later
            for later in self.report.steps
            if later.verdict in passed and later.shares == shares and not wrong.isdisjoint(later.follows_from)
        ]

    def show_matrix(self, step: StepReport, judged: Judged) -> Iterator[Block]:
        """The student's matrix with its wrong cells marked; only these rows and columns of a large one."""
        if judged.marks.ndim != 2:
            return
        turned = self.solution.graph.is_turned(step.step)
        marks, is_wrong = (x.T if turned else x for x in (judged.marks, judged.wrong))
        is_answered = np.asarray(judged.marks != Mark.UNANSWERED).any(axis=1)
        given = [list(map(int, np.flatnonzero(is_answered))), list(range(judged.marks.shape[1]))]
        rows, columns = (
            choose_shown(indices, np.asarray(is_wrong.any(axis=1 - axis)))
            for axis, indices in enumerate(given[::-1] if turned else given)
        )

        def stored(i: int, j: int) -> tuple[int, int]:
            return (j, i) if turned else (i, j)

        cells = tuple(
            tuple(None if i is None or j is None else self.own_cell(judged, stored(i, j)) for j in columns)
            for i in rows
        )
        wrong = frozenset(
            (n, m)
            for n, i in enumerate(rows)
            for m, j in enumerate(columns)
            if i is not None and j is not None and is_wrong[i, j]
        )
        labels, heads = (
            self.writer.labels(step.step, 1 - axis if turned else axis, size)
            for axis, size in enumerate(marks.shape)
        )
        places = tuple(tuple(None if i is None or j is None else (i, j) for j in columns) for i in rows)
        said = tuple(
            ((n, m), self.remark(step, stored(*place)))
            for n, m in sorted(wrong)
            if self.pointed and (place := places[n][m]) is not None
        )
        grid = Grid(cells, pick_labels(rows, labels), pick_labels(columns, heads), wrong, places, said)
        yield Displays((Display(step.symbol, (("=", grid),), step.symbol, whose="your"),))

    def remark(self, step: StepReport, at: tuple[int, ...]) -> Text:
        """What the named mistake gives in a wrong cell; and the correct method, if the level shows it."""
        said: list[Text] = []
        if step.mistaken is not None and np.isfinite(step.mistaken[at]):
            said.append(("This gives ", self.decimal(step.mistaken[at]), " here."))
        if step.carried is not None and np.isfinite(step.carried[at]):
            own, correct = (self.decimal(x[at]) for x in (step.carried, self.solution[step.step].value))
            said.append(("With your numbers, the right method gives ", own, "."))
            said += [] if own == correct else [("With the right numbers, it gives ", correct, ".")]
        return join_sentences(said)

    def decimal(self, number: float) -> Constant:
        """A float, rounded for display."""
        return Constant(self.writer.view.rounding.round_decimal(Decimal(f"{number:.12g}"), in_full=True))

    def own_cell(self, judged: Judged, at: tuple[int, ...]) -> Term | None:
        """A number as the student wrote it."""
        answer = judged.answer
        if answer.state[at] != State.ANSWERED:
            return Entry("?") if answer.state[at] == State.UNREADABLE else BLANK
        return restore_letters(answer.number(at), self.problem)

    def worked(self, step: StepReport, judged: Judged) -> Iterator[Block]:
        """The line of the first wrong cell, what the student got, and the lines of some more wrong cells."""
        shown = step.wrong_cells[: MOST_POINTED if self.pointed else 1]
        first, *others = (tuple(n - 1 for n in cell) for cell in shown)
        own = self.own_cell(judged, first)
        assert own is not None
        yield Equations((self.own_line(step, first),))
        name = self.writer.cell_name(self.solution[step.step], first)
        yield Equation(Words(("your ", name)), (("=", own),))
        if others:
            yield Equations(tuple(self.own_line(step, at) for at in others))

    def own_line(self, step: StepReport, at: tuple[int, ...]) -> Equation:
        """The line of a cell with the student's own numbers."""
        solved = self.solution[step.step]
        rule = self.writer.in_batch(self.expand(self.writer.rule(solved, at), at), at)
        named, numbers = self.writer.rename_term(rule), self.own_numbers(rule, at)
        sides: list[tuple[Relation, Maths]] = [("=", named)]
        if numbers is not None and numbers != named:
            sides.append(("=", numbers))
        if self.level.includes(Level.FULL):
            sides.append(self.own_ending(step, at, numbers is not None))
        return Equation(self.writer.cell_name(solved, at), tuple(sides))

    def own_ending(self, step: StepReport, at: tuple[int, ...], is_own: bool) -> tuple[Relation, Maths]:
        """The end of a line: the correct value, or the value that the student's own numbers give."""
        correct = self.writer.line(self.solution[step.step], at).sides[-1]
        if not is_own or step.carried is None or not np.isfinite(step.carried[at]):
            return correct
        own = self.decimal(step.carried[at])
        if own == self.decimal(self.solution[step.step].value[at]):
            return correct
        return "=" if own.value == Decimal(f"{step.carried[at]:.12g}") else "≈", own

    def expand(self, rule: Term, at: tuple[int, ...]) -> Term:
        """A rule with unanswered steps written out down to answered ones, as far as a line has room."""
        answer = {step.step for step in self.report.steps if step.verdict is not StepVerdict.BLANK}
        found = rule
        for only_inner in (True, False):
            written = self.write_out(rule, at, answer, only_inner)
            found = written if count_characters(written) <= LONGEST_RULE else found
        return found

    def write_out(self, rule: Term, at: tuple[int, ...], answer: set[str], only_inner: bool) -> Term:
        """A rule with the rules of unanswered steps, or of those inside a softmax or a norm, written out.

        A rule with more entries than a line has room for is cut off.
        """
        room = LONGEST_RULE

        def put(term: Term) -> Term:
            nonlocal room
            if not isinstance(term, Entry):
                return map_members(term, put)
            room -= 1
            unanswered = term.of in self.solution and term.of not in answer and not letters_of(term)
            if room < 0 or not unanswered or (only_inner and not self.solution[term.of].step.kind.inner):
                return term
            return put(self.writer.rule(self.solution[term.of], self.writer.place(term, at)))

        return put(rule)

    def own_numbers(self, rule: Term, at: tuple[int, ...]) -> Term | None:
        """A rule with given and answered numbers; None if a number is missing."""
        missing = False
        judged = {step.step: step.judged for step in self.report.steps}

        def put(term: Term) -> Term:
            nonlocal missing
            if not isinstance(term, Entry):
                return map_members(term, put)
            if letters_of(term) or term.of not in self.solution.trace.values:
                return self.writer.rename_term(term)
            found = judged.get(term.of)
            named = self.writer.rename_entry(term)
            if term.of in self.solution.graph.given or term.of in self.solution.graph.sizes:
                number = self.writer.shown.round_entry(self.writer.entry_value(term, at))
                return Valued(named, number) if number else term
            place = self.writer.place(term, at)
            if found is None or not found.answer.is_answered[place]:
                missing = True
                return term
            return Valued(named, found.answer.number(place))

        replaced = put(rule)
        return None if missing else restore_letters(replaced, self.problem)


def group_by_cause(steps: list[StepReport]) -> list[list[StepReport]]:
    """Wrong steps in order, those with the same known cause together."""
    groups: list[list[StepReport]] = []
    for step in steps:
        same = next((group for group in groups if is_same_cause(group[0], step)), None)
        if same is None:
            groups.append([step])
        else:
            same.append(step)
    return groups


def list_names(words: str, symbols: list[str]) -> Text:
    """A sentence that ends with some names, or with the first of many."""
    shown = symbols if len(symbols) <= MOST_SHOWN else symbols[: MOST_SHOWN - 2]
    more = f" and {len(symbols) - len(shown)} more" if len(shown) < len(symbols) else ""
    return sentence(f"{words}: {', '.join('{}' for _ in shown)}{more}.", *map(Name, shown))


def choose_shown(indices: list[int], wrong: NDArray[np.bool_]) -> list[int | None]:
    """The indices of a matrix that are shown: all of a small one, else the wrong ones."""
    if len(indices) <= MOST_SHOWN:
        return list(indices)
    chosen = [n for n in indices if wrong[n]][: MOST_SHOWN - 2] or indices[: MOST_SHOWN - 2]
    return [*chosen, None]
