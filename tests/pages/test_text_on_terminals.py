"""Text on terminals: narrow ones, wide letters, colours."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from rich.cells import cell_len

import attncalc
from attncalc.cli.files_and_streams import shows_colour
from attncalc.core.notations.columns import NARROW, width_of
from attncalc.marking.verdicts import StepVerdict
from attncalc.pages import Page
from attncalc.pages.documents import text
from attncalc.pages.documents.text.lines import join_lines, wrap_words
from attncalc.worked.blocks import Document, Heading, Listing, Note, Paragraph, Verdict
from attncalc.worked.document import document
from attncalc.worked.overview import cost, shapes
from attncalc.worked.view import View
from tests.helpers.bundled import solved, worked
from tests.helpers.commands import run
from tests.helpers.quick_and_slow import SLOW, sizes

NARROWEST = 25
"""Columns, which are fewer than many a number needs."""
NUMBER = re.compile(r"[0-9]+(?:[.,][0-9]+)*(?:e-?[0-9]+)?")
SEVERAL = ["dot-product-3", "exact-causal", "d2l-valid-lens", "discussion-10-q1", "attention-exploration-b"]
COMMANDS = [
    "solve dot-product-3", "solve problem-set-4-q3 --ascii", "check dot-product-3", "check dot-product-3 wrong.yaml",
    "check dot-product-3 wrong.yaml wrong.yaml --workers 1", "shapes dot-product-3", "cost dot-product-3",
    "sample attention-exploration-c", "explain", "explain scores dot-product-3", "--help", "solve nothing",
]  # fmt: skip
WIDE = ["é", "e\u0301", "日本", "👩\u200d💻", "❤\ufe0f", "שלום", "a\u0308\u0323b"]
"""Combining accents, wide letters, emoji that are joined or made wide."""


@sizes(step=(8, 1))
@pytest.mark.parametrize("ascii_only", [False, True])
@pytest.mark.parametrize("name", SEVERAL)
def test_no_number_is_lost_or_cut(name: str, ascii_only: bool, step: int) -> None:
    """However narrow the terminal is, all numbers are on it, each in one piece."""
    solution = solved(name)
    for told in (worked(name), Document((*shapes(solution), *cost(solution)))):
        all_of_them = Counter(NUMBER.findall(text.render(told, Page(ascii=ascii_only))))
        for width in range(1, NARROWEST + 1, step):
            shown = Counter(NUMBER.findall(text.render(told, Page(width=width, ascii=ascii_only))))
            assert not all_of_them - shown, width


def on_a_terminal(arguments: list[str], width: int, folder: Path) -> tuple[int, str]:
    """What a command shows on a terminal of the given width."""
    ours, theirs = pty.openpty()
    environment = {
        **os.environ,
        "COLUMNS": str(width),
        "TERM": "xterm",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    environment.pop("NO_COLOR", None)
    with subprocess.Popen(arguments, cwd=folder, env=environment, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        shown = b""
        while part := read(ours):
            shown += part
    os.close(ours)
    return process.returncode, shown.decode().replace("\r\n", "\n")


def read(terminal: int) -> bytes:
    """What is written next, or nothing at the end."""
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""


EVERY_COMMAND = """
import os, sys, traceback
import click
from attncalc.cli import cli
from attncalc.core.errors import AttncalcError
if __name__ == "__main__":
    for width in map(str, {widths}):
        os.environ["COLUMNS"] = width
        for line in {commands}:
            try:
                cli.main(line.split(), standalone_mode=False)
            except (AttncalcError, click.ClickException, SystemExit):
                pass
    print("to the end")
"""


@SLOW
def test_every_command_on_the_narrowest_terminals(tmp_path: Path) -> None:
    """All of them end as they should."""
    (tmp_path / "wrong.yaml").write_text("A: [[0.67, 0.24, 0.09], [0.95, 0.05, 0.00]]\n")
    program = tmp_path / "every_command.py"
    program.write_text(EVERY_COMMAND.format(widths=[1, 2, 3, 4, 5, 12, 20, 25], commands=COMMANDS))
    code, shown = on_a_terminal([sys.executable, str(program)], 80, tmp_path)
    assert code == 0 and shown.endswith("to the end\n"), shown[-2000:]


@SLOW
def test_a_terminal_that_says_itself_how_wide_it_is(tmp_path: Path) -> None:
    """A whole process, as a person starts it."""
    code, shown = on_a_terminal([sys.executable, "-m", "attncalc", "list"], 1, tmp_path)
    assert code == 0 and "dot-product-3" in shown and "Traceback" not in shown


# Columns


def test_narrow_letters_are_narrow() -> None:
    """What is measured without a table takes one column each."""
    letters = [chr(n) for n in range(0x11000) if NARROW.fullmatch(chr(n))]
    assert {cell_len(letter) for letter in letters} == {1}


@pytest.mark.parametrize("label", WIDE)
def test_columns_stand_under_each_other(label: str) -> None:
    """Whatever the tokens are called: brackets and shades stand in line."""
    problem = attncalc.problem(
        Q=[[1, 0], [0, 1]], K=[[1, 0], [0, 1]], tokens=[label, "b"], key_tokens=["c", label * 3],
        names={"A": "alpha"}, parts=[{"part": "a", "show": ["A", "map"]}],
    )  # fmt: skip
    lines = run_text(document(attncalc.solve(problem), View()))
    for left, right in zip("⎡⎤", "⎣⎦", strict=True):
        above, below = (
            [cell_len(line[: line.rindex(sign)]) for line in lines if sign in line] for sign in (left, right)
        )
        assert above == below != []
    shaded = [line for line in lines if re.search(r"[░▒▓█] \d", line)]
    assert len({cell_len(line) for line in shaded}) == 1


def run_text(told: Document) -> list[str]:
    """The lines of a document."""
    return text.render(told, Page()).splitlines()


@pytest.mark.parametrize("label", WIDE)
def test_names_stand_in_line(label: str) -> None:
    """In lists and verdicts as well."""
    sign = StepVerdict.CORRECT.sign
    told = (
        Verdict(sign, label, "|"),
        Verdict(sign, "b", "|"),
        Listing(((label, "|"), ("long name", "|"))),
    )
    places = [cell_len(line.partition("|")[0]) for line in run_text(Document(told)) if "|" in line]
    assert places[2] == places[3] and (places[0] == places[1] or cell_len(label) > 4)


@pytest.mark.parametrize("word", [*WIDE, "plain", "12345.678"])
@pytest.mark.parametrize("width", [1, 2, 5, 7])
def test_wrapped_words(word: str, width: int) -> None:
    """Nothing is lost, no number is cut, and what can be kept within the width is."""
    lines = wrap_words(f"  {word * 4}  and {word} ", width)
    assert "".join(lines).replace(" ", "") == f"{word * 4}and{word}"
    number = word[0].isdigit()
    assert all(width_of(line) <= max(width, 2) for line in lines if not number or line == "and")
    assert not number or [line for line in lines if "1" in line] == [word * 4, word]


# Colours


def test_colours_are_those_of_the_styles() -> None:
    """A span starts its style and ends it; blanks at the end of a line are not printed."""
    line = [("plain ", ""), ("red", "bold red"), ("  ", "dim")]
    assert join_lines([line, []], colour=True) == "plain \x1b[1;31mred\x1b[0m\n"
    assert join_lines([line, []], colour=False) == "plain red\n"


def test_without_colours_the_text_is_the_same() -> None:
    """Colour adds nothing but codes."""
    told = Document((Heading("Title", 1), Paragraph("Said."), Note("Aside.")))
    coloured = text.render(told, Page(colour=True))
    assert coloured != text.render(told, Page()) == re.sub(r"\x1b\[[0-9;]*m", "", coloured)


@pytest.mark.parametrize(
    ("changes", "welcome"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)]
)
def test_colour_only_if_it_is_wanted(
    changes: dict[str, str], welcome: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless the terminal cannot, or the user declines."""
    monkeypatch.setattr(os, "environ", {"TERM": "xterm", "WT_SESSION": "1", **changes})
    assert shows_colour() == welcome


def test_a_terminal_is_coloured_and_a_pipe_is_not(tmp_path: Path) -> None:
    """The same command in both."""
    command = [sys.executable, "-m", "attncalc", "shapes", "dot-product-3"]
    _, shown = on_a_terminal(command, 80, tmp_path)
    assert "\x1b[1mShapes\x1b[0m" in shown and "\x1b" not in run(*command[3:])
