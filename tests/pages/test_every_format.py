"""Every command in every format that it offers."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from attncalc.cli import cli
from attncalc.cli.options import PDF
from attncalc.core.errors import ProblemError
from attncalc.core.families import names_in
from tests.helpers.bundled import NAMES
from tests.helpers.commands import EVERY_COMMAND, run
from tests.helpers.quick_and_slow import SLOW, each, representatives

pytestmark = SLOW

PROBLEM = "dot-product-3"
WRONG = "A: [[0.67, 0.24, 0.09], [0.95, 0.05, 0.00]]\nO: [[0.91, 1.67, -0.95], [1.00, 1.95, -1.80]]"
ARGUMENTS = {
    "sample": ["attention-exploration-c"],
    "explain": ["scores", PROBLEM],
    "list": [],
    "new": [],
    "schema": [],
    "reference": ["keys", "mask"],
}
"""What commands are called with that do not take one problem."""
OTHERS = ["attention-exploration-b", "discussion-10-q2"]
"""Letters, and a derivation."""


def formats_of(command: click.Command) -> list[str]:
    """The formats that a command offers, except the printed one."""
    choices = [option.type for option in command.params if option.name == "format_"]
    return [
        str(name)
        for choice in choices
        if isinstance(choice, click.Choice)
        for name in choice.choices
        if name != PDF
    ]


OTHERWISE = ("vary", "practice", "pack")
"""Commands that write a folder or an archive, or hold a dialogue."""
OFFERED = [
    (name, format_)
    for name, command in EVERY_COMMAND.items()
    if name not in OTHERWISE
    for format_ in formats_of(command)
]


@each(("command", "format_"), OFFERED, quick=[*representatives(OFFERED, frozenset)])
def test_a_file_holds_what_is_printed(command: str, format_: str, tmp_path: Path) -> None:
    """With -o the same bytes are in a file, and nothing is printed."""
    answers, written = tmp_path / "answers.yaml", tmp_path / "written"
    answers.write_text(WRONG)
    more = [str(answers)] if command == "check" else []
    arguments = [command, *ARGUMENTS.get(command, [PROBLEM]), *more, "-f", format_]
    code = int(command in ("check", "lint"))
    printed = run(*arguments, code=code)
    assert printed
    assert run(*arguments, "-o", str(written), code=code) == ""
    assert written.read_text("utf-8") == printed


@pytest.mark.parametrize("format_", formats_of(EVERY_COMMAND["solve"]))
@pytest.mark.parametrize("name", OTHERS)
def test_problems_without_numbers_in_every_format(name: str, format_: str) -> None:
    """A problem is written in every format, or refused in a sentence if there is nothing to write."""
    done = CliRunner().invoke(cli, ["solve", name, "-f", format_])
    assert done.stdout or isinstance(done.exception, ProblemError), done.exception


@each("name", NAMES, quick=["exact-causal"])
@pytest.mark.parametrize("topic", names_in("topics"))
def test_every_topic_on_every_problem(topic: str, name: str) -> None:
    """A topic is shown on a problem, or refused in a sentence if it does not fit."""
    done = CliRunner().invoke(cli, ["explain", topic, name])
    assert done.stdout or isinstance(done.exception, ProblemError), done.exception
