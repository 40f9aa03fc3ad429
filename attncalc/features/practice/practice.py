"""The practice dialogue without input or output: it takes lines and returns documents."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from attncalc.core.errors import inert, quote
from attncalc.core.graph.references import Reference
from attncalc.core.terms.formulas import join_sentences
from attncalc.features.practice.answers import Heard, Listener, Sheet
from attncalc.features.practice.ladder import LAST, Ladder, Twin, no_twin
from attncalc.features.practice.multiple_choice import Pick, make_pick, show_number, show_values, write_pick
from attncalc.features.practice.no_spoilers import Guard, guard_cells
from attncalc.features.practice.order_of_questions import order_questions, write_question
from attncalc.features.practice.replies import summarise, verdict
from attncalc.features.practice.state import BEFORE_HINTS, Progress, State, find_secrets
from attncalc.features.practice.typed import HELP, PLACE, find_commands
from attncalc.marking.answers.files import Answer, Unreadable
from attncalc.marking.answers.questions import Question
from attncalc.marking.checker import Checker
from attncalc.marking.report.report import Report
from attncalc.worked.blocks import Block, Document, Note, Paragraph
from attncalc.worked.view import View, rounding_of
from attncalc.worked.writer.steps import Writer

TRY_FIRST = "Try it first: one number of your own is enough, with _ for each of the others."
CANNOT_BE_READ = "This cannot be read."
FOUND_ALREADY = "This is found already."
NO_MORE_HINTS = "That was the last hint: show prints the values."


class Practice:
    """One exercise in practice: the questions, the answers, and the replies."""

    def __init__(self, checker: Checker, everything: bool = False, twin: Twin = no_twin) -> None:
        self.checker, self.problem, self.twin = checker, checker.problem, twin
        self.solution = solution = checker.solution
        self.questions = order_questions(solution, everything)
        self.progress = [Progress() for _ in self.questions]
        self.sheet = Sheet(solution.graph)
        self.listener = Listener(checker)
        self.writer = Writer(solution, View(rounding=rounding_of(self.problem)))
        self.student = ""
        self.number = 0
        self.pick: Pick | None = None
        self.is_over = False
        self.mark()

    # Current state

    @property
    def opening(self) -> Document:
        """The exercise without its note, which may contain results."""
        blocks = self.writer.opening()
        return Document(tuple(block for block in blocks if not isinstance(block, Paragraph)))

    @property
    def question(self) -> Document:
        """The current question; at the end, the summary."""
        return Document(tuple(self.ask()))

    @property
    def report(self) -> Report:
        """The report on all answers so far."""
        return self.marked

    @property
    def prompt(self) -> str:
        """The text before the input."""
        if self.pick:
            return f"1-{len(self.pick.options)}> "
        return self.listener.prompt(self.asked)

    @property
    def is_found(self) -> bool:
        """Whether every question is answered correctly, and nothing was shown."""
        return not any(one.is_shown for one in self.progress) and all(state.is_found for state in self.states)

    @property
    def asked(self) -> Question:
        """The current question; at the end, the last one."""
        return self.questions[self.number]

    @property
    def now(self) -> Progress:
        """The progress of the current question."""
        return self.progress[self.number]

    @property
    def state(self) -> State:
        """The state of the current question."""
        return self.states[self.number]

    # Input

    def answer(self, text: str) -> Document:
        """Take what a student types, line by line, and reply."""
        blocks: list[Block] = []
        for line in text.splitlines() or [""]:
            if not self.is_over:
                # Control characters but tabs become text, so that an answers file can hold them.
                blocks += self.take("\t".join(map(inert, line.split("\t"))))
        return Document(tuple(blocks))

    def take(self, line: str) -> list[Block]:
        """Take one line: a command, a row, or a whole answer."""
        commands = [] if line.strip() in self.listener.reader.context.names else find_commands(line)
        if len(commands) > 1:
            return [Note(f"{quote(line.strip())} may be {' or '.join(commands)}.")]
        if self.pick and commands != ["quit"]:
            return [*self.take_pick(line, commands)]
        if commands:
            return [*self.finish(), *self.obey(commands[0])]
        if not line.strip():
            return [*self.finish()] if self.listener.lines else [Note(HELP)]
        return [*self.gather(line)]

    def gather(self, line: str) -> Iterator[Block]:
        """Take a line of numbers; judge the answer if this line completes it."""
        if remark := self.listener.add(line, self.asked):
            yield self.show_safely(remark, CANNOT_BE_READ)
        elif self.listener.is_whole(self.asked):
            yield from self.finish()

    def finish(self) -> Iterator[Block]:
        """Judge the lines typed so far, if there are any."""
        if self.listener.lines:
            heard = self.listener.hear(self.asked)
            self.listener.lines = []
            yield from self.judge(heard)

    def obey(self, command: str) -> Iterator[Block]:
        """Run a command."""
        if not self.is_over:
            yield from getattr(self, f"do_{command}")()

    # Answers

    def judge(self, heard: Heard) -> Iterator[Block]:
        """Mark an answer, and give the verdict."""
        if not heard.told:
            yield from [self.show_safely(heard.remark, CANNOT_BE_READ)] if heard.remark else []
            yield Note(HELP)
            return
        for one in heard.told:
            self.sheet.put(one, self.problem)
        self.mark()
        for one in heard.told:
            yield from self.name_unreadable(one)
        yield from self.reply({one.reference.step for one in heard.told})

    def name_unreadable(self, answer: Answer) -> Iterator[Block]:
        """The cells that cannot be read, and why."""
        for at in np.ndindex(answer.cells.shape):
            if isinstance(cell := answer.cells[at], Unreadable):
                place = (*answer.reference.at, *(n + 1 for n in at))
                name = str(Reference(self.solution[answer.reference.step].symbol, place))
                yield self.show_safely(f"{name}: {cell.fault.message}", f"{name} cannot be read.")

    def reply(self, steps: set[str]) -> Iterator[Block]:
        """The verdict on the answer; if it completes the question, the next question."""
        if self.asked.reference.step not in steps:
            answered = [Question(Reference(step.name)) for step in self.solution.steps if step.name in steps]
            yield from (verdict(State(question, self.checker, self.marked)) for question in answered)
            return
        state, now = self.state, self.now
        yield verdict(state)
        is_same = now.last == (state.wrong, state.explanations)
        now.rung = now.rung if is_same else BEFORE_HINTS
        now.last = state.wrong, state.explanations
        if len(state.explanations) == 1:
            now.mistakes[state.explanations[0][0]] = None
        if state.is_passed:
            yield from self.go_on()

    def mark(self) -> None:
        """Mark all answers."""
        self.marked = self.checker.check(self.sheet.to_answers(), PLACE)
        self.states = [State(question, self.checker, self.marked) for question in self.questions]
        self.secret_cells = find_secrets(self.states, self.progress)

    def with_waiting(self) -> Sheet:
        """The answers, with the rows typed so far of an incomplete matrix."""
        sheet = self.sheet.copy()
        for answer in self.listener.hear(self.asked).told if self.listener.lines else ():
            sheet.put(answer, self.problem)
        return sheet

    # Commands

    def do_hint(self) -> Iterator[Block]:
        """The next hint: of the rungs that follow, the first version that gives nothing away."""
        state, now = self.state, self.now
        if not state.is_tried or state.is_passed:
            yield Note(FOUND_ALREADY if state.is_passed else TRY_FIRST)
            return
        ladder, guard = Ladder(self.checker, state, self.secret_cells, self.twin), self.guard
        for rung in range(now.rung + 1, LAST + 1):
            for way in ladder.ways(rung):
                if guard.passes(way):
                    now.rung, now.hints = rung, now.hints + 1
                    yield from way
                    return
        yield Note(NO_MORE_HINTS)

    def do_show(self) -> Iterator[Block]:
        """The correct values, and the question which line gives one of them."""
        state, now = self.state, self.now
        if not state.is_tried or state.is_found:
            yield Note(FOUND_ALREADY if state.is_found else TRY_FIRST)
            return
        step, first = self.solution[self.asked.reference.step], (state.wrong or state.unfound)[0]
        yield show_values(self.asked, self.writer)
        self.pick = make_pick(self.writer, step, first, state.explanations)
        now.is_shown = True
        for at in state.unfound:
            self.sheet.show(step.name, at, show_number(step.numbers[at], self.writer))
        self.mark()
        yield from write_pick(self.pick, self.writer) if self.pick else self.go_on()

    def take_pick(self, line: str, commands: list[str]) -> Iterator[Block]:
        """Take the number of a line."""
        assert self.pick is not None
        numbers = [str(n) for n in range(1, len(self.pick.options) + 1)]
        if commands == ["skip"]:
            yield from self.go_on()
        elif line.strip() not in numbers:
            yield Note(f"Type the number of a line, {numbers[0]} to {numbers[-1]}, or skip.")
        elif int(line) == self.pick.right:
            yield Paragraph("Yes.")
            yield from self.go_on()
        else:
            picked = self.pick.options[int(line) - 1]
            yield Paragraph(join_sentences(("Not this one.", picked.sentence)))

    def do_skip(self) -> Iterator[Block]:
        """The next question."""
        yield from self.go_on()

    def do_back(self) -> Iterator[Block]:
        """The previous question."""
        if self.number == 0:
            yield Note("This is the first question.")
        self.number = max(0, self.number - 1)
        yield from self.ask()

    def do_given(self) -> Iterator[Block]:
        """What the exercise gives."""
        yield from self.writer.write_given()

    def do_help(self) -> Iterator[Block]:
        """What can be typed."""
        yield Note(f"{HELP} In a row, _ stands for a number that you leave out.")

    def do_quit(self) -> Iterator[Block]:
        """End the practice, with the summary."""
        self.pick, self.is_over = None, True
        yield from self.ask()

    # Order of the questions

    def go_on(self) -> Iterator[Block]:
        """Go to the next question that is not done yet, or to the end."""
        self.pick = None
        later = [n for n in range(self.number + 1, len(self.questions)) if not self.is_done(n)]
        self.number, self.is_over = (later or [self.number])[0], not later
        yield from self.ask()

    def is_done(self, number: int) -> bool:
        """Whether a question is passed, or its values were shown."""
        return self.states[number].is_passed or self.progress[number].is_shown

    def ask(self) -> Iterator[Block]:
        """Ask the current question; at the end, give the summary."""
        if self.is_over:
            yield from summarise(self.states, self.progress)
        else:
            yield from write_question(self.questions, self.number, self.writer)
            yield from [verdict(self.state)] if self.state.is_tried else []

    def start(self) -> None:
        """Go to the first question that is not done yet."""
        left = [n for n in range(len(self.questions)) if not self.is_done(n)]
        self.number, self.is_over = (left or [0])[0], not left

    # Values that are not shown

    @property
    def guard(self) -> Guard:
        """The guard of all values that must not be shown."""
        return guard_cells(self.solution, self.secret_cells)

    def show_safely(self, sentence: str, otherwise: str) -> Block:
        """A sentence that quotes the student, or `otherwise` if it contains a value still to be found."""
        return Note(sentence if self.guard.passes([Note(sentence)]) else otherwise)
