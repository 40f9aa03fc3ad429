"""Practice on a terminal or in a pipe: a line is read, saved, and answered.

Progress is saved as an ordinary answers file, with the hints used in comments, and resumed from one.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterator

import numpy as np

from attncalc.cli.files_and_streams import complain, patience, write_out
from attncalc.cli.printer import Printer
from attncalc.core.errors import AttncalcError, Place, ProblemError, count_of, fault, inert
from attncalc.core.graph.references import Reference
from attncalc.core.record import record
from attncalc.exercise.load import load_source
from attncalc.exercise.numbers.texts import PLAIN
from attncalc.exercise.yaml.tree import LARGEST_FILE, decode, read_bytes
from attncalc.exercise.yaml.writing import to_lists, write_entry
from attncalc.features.practice.ladder import find_twin, is_varied, vary_problem
from attncalc.features.practice.practice import Practice
from attncalc.features.practice.state import Progress
from attncalc.features.practice.typed import NOTHING
from attncalc.marking.answers.files import read_answers
from attncalc.marking.answers.headings import UNNAMED, refuse_others, student_of
from attncalc.marking.answers.questions import Question, quoted_name
from attncalc.marking.checker import Checker
from attncalc.worked.blocks import Document

HELPED = re.compile(r"# (?P<name>.+?): (?:(?P<hints>[0-9]{1,6}) hints?)?(?:, )?(?P<shown>shown)?")
YAML = (".yaml", ".yml")


def write_progress(practice: Practice) -> str:
    """All typed answers as an answers file, with the rows of an incomplete matrix."""
    problem, solution = practice.problem, practice.solution
    lines = [f"# {problem.heading}: practised, a {NOTHING} for what is missing"]
    lines += [] if problem.name in UNNAMED else [f"problem: {quoted_name(problem.called)}"]
    lines += [f"student: {put_in_quotes(practice.student)}" if practice.student else "student:", ""]
    for name, texts in practice.with_waiting().texts():
        key = Question(Reference(name)).key(solution)
        lines += write_entry(
            key, to_lists(np.asarray(np.frompyfunc(put_in_quotes, 1, 1)(texts), dtype=object))
        )
    return "\n".join([*lines, *help_lines(practice)]) + "\n"


def put_in_quotes(text: str) -> str:
    """A text in quotes, so that YAML reads it as text; a plain number without."""
    return text if text == NOTHING or PLAIN.fullmatch(text) else "'" + inert(text).replace("'", "''") + "'"


def help_lines(practice: Practice) -> Iterator[str]:
    """The hints used, question by question."""
    for question, one in zip(practice.questions, practice.progress, strict=True):
        helped = [count_of(one.hints, "hint")] if one.hints else []
        helped += ["shown"] if one.is_shown else []
        if helped:
            yield f"# {question.key(practice.solution)}: {', '.join(helped)}"


def check_name(file: str) -> None:
    """Raise an error if the name of a file does not end like a YAML file."""
    if not file.lower().endswith(YAML):
        raise fault(f"answers are kept in a file that ends in {' or '.join(YAML)}", Place(file))


def check_folder(file: str) -> None:
    """Raise an error if the folder of a file does not exist or cannot be written to."""
    folder = os.path.dirname(file) or os.curdir
    if not os.path.isdir(folder):
        raise fault("cannot be written: there is no such folder", Place(file))
    if not os.access(folder, os.W_OK):
        raise fault("cannot be written: permission denied", Place(file))


def go_on_from(practice: Practice, file: str) -> None:
    """Load the answers and hints of a file, and go to the first question that is not done."""
    root = read_answers(file)
    refuse_others(root, practice.problem)
    answers = practice.listener.reader.read(root, file)
    if answers.faults:
        raise ProblemError(*answers.faults)
    for answer in answers.entries:
        practice.sheet.put(answer, practice.problem)
    practice.student = student_of(root)
    named = {one.key(practice.solution): at for at, one in enumerate(practice.questions)}
    for line in decode(read_bytes(file, LARGEST_FILE), file).splitlines():
        match = HELPED.fullmatch(line.strip())
        if match and match["name"] in named:
            recall(practice.progress[named[match["name"]]], match)
    practice.mark()
    practice.start()


def recall(one: Progress, match: re.Match[str]) -> None:
    """Restore the progress of a question from its comment."""
    one.hints, one.is_shown = int(match["hints"] or 0), bool(match["shown"])


END = "quit"
"""The line that is read at the end of the input."""


def start_practice(output: Printer, file: str, everything: bool, seed: int | None) -> Dialogue:
    """A problem, or its variant with other numbers, ready to be practised."""
    source = load_source(file)
    problem = source.problem if seed is None else vary_problem(source, seed)
    practice = Practice(Checker(problem), everything, find_twin(source, seed or 0))

    def again() -> str:
        """The command for other numbers, empty if there are none: a function, since it takes a moment."""
        later, scope = (seed or 0) + 1, " --all" * everything
        command = f"attncalc practice {shlex.quote(file)}{scope} --seed {later}"
        return command if is_varied(source, later) else ""

    return Dialogue(practice, output, again)


def ask_on_terminal(prompt: str) -> str:
    """Read the next line, with line editing if the system has it."""
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401  `input` uses it once it is imported
    with contextlib.suppress(EOFError):
        return input(prompt)
    print()
    return END


@record
class Dialogue:
    """A practice, how and where it is printed and saved, and the command for other numbers."""

    practice: Practice
    output: Printer
    again: Callable[[], str]

    def hold(self) -> int:
        """Ask until all is answered or the input ends; return the exit code."""
        if self.output.file:
            check_name(self.output.file)
            check_folder(self.output.file)
            if os.path.lexists(self.output.file):
                go_on_from(self.practice, self.output.file)
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")
        self.say(self.practice.opening)
        self.say(self.practice.question)
        is_saved = True
        try:
            while not self.practice.is_over:
                reply = self.practice.answer(self.read())
                is_saved = self.save(is_saved)
                self.say(reply)
        except KeyboardInterrupt:
            print()
            raise
        finally:
            self.say_where_saved(is_saved)
        with patience():
            again = self.again()
        if again:
            print(self.plain(f"The same with other numbers:\n  {again}"))
        return int(not self.practice.is_found)

    def say_where_saved(self, is_saved: bool) -> None:
        """Say where the answers are saved; print them if they could not be saved."""
        if not is_saved:
            print(self.plain(write_progress(self.practice)), end="")
        elif self.output.file and os.path.exists(self.output.file):
            print(self.plain(f"Saved in {self.output.file}"))

    def say(self, document: Document) -> None:
        """Print a reply and a blank line."""
        if document.blocks:
            print(self.output.format.render(document, self.output.page), end="\n\n", flush=True)

    def read(self) -> str:
        """The next line; `quit` at the end of the input."""
        prompt = self.plain(self.practice.prompt)
        if sys.stdin is None:
            return END
        if sys.stdin.isatty():
            return ask_on_terminal(prompt)
        print(prompt, end="", flush=True)
        line = sys.stdin.readline()
        # If input is not typed on a terminal, it is echoed, so that the dialogue can be read.
        print(self.plain(line.rstrip("\r\n")))
        return line.rstrip("\r\n") if line else END

    def plain(self, text: str) -> str:
        """Text without control characters, in ASCII if the page is."""
        shown = "\n".join(map(inert, text.split("\n")))
        return shown.encode("ascii", "backslashreplace").decode() if self.output.page.ascii else shown

    def save(self, was_saved: bool) -> bool:
        """Save the answers if a file is named; return whether that worked, and report the first failure."""
        if not self.output.file:
            return True
        try:
            write_out([write_progress(self.practice)], self.output.file)
        except AttncalcError as error:
            if was_saved:
                complain(str(error))
            return False
        return True
