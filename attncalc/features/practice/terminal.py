"""Practice on a terminal or in a pipe: a line is read, saved, and answered."""

from __future__ import annotations

import contextlib
import io
import os
import shlex
import sys
from collections.abc import Callable

from attncalc.cli.output import Printer
from attncalc.cli.streams import complain, patience, write_out
from attncalc.core.errors import AttncalcError, inert
from attncalc.core.record import record
from attncalc.exercise.load import load_source
from attncalc.features.practice.other_numbers import find_twin, is_varied, vary_problem
from attncalc.features.practice.practice import Practice
from attncalc.features.practice.saving import check_folder, check_name, go_on_from, write_progress
from attncalc.marking.checker import Checker
from attncalc.worked.blocks import Document

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
