"""The program run as a user runs it, documents as they are printed, and solutions compared."""

from __future__ import annotations

import subprocess
import sys

import click
import numpy as np
from click.testing import CliRunner

from attncalc.cli import cli
from attncalc.core.families import load_members
from attncalc.core.graph.references import Reference
from attncalc.exercise.solve.solution import Solution
from attncalc.pages import Page
from attncalc.pages.documents import text
from attncalc.pages.excerpt import Excerpt
from attncalc.worked.blocks import Document
from attncalc.worked.view import View

EVERY_COMMAND: dict[str, click.Command] = {
    module.__name__.rpartition(".")[2]: module.command for module in load_members("cli.commands")
}
"""All commands, by name."""
COMMAND = [sys.executable, "-m", "attncalc"]
"""The program in a process of its own."""


def run(*arguments: str, code: int = 0) -> str:
    """What a command prints."""
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == code, result.output
    return result.stdout


def run_fault(*arguments: str) -> str:
    """Why a command cannot do it."""
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code != 0
    return f"{result.output}{result.exception}"


def run_python(*arguments: str) -> str:
    """What a Python process prints, on both streams."""
    command = [sys.executable, *arguments]
    return subprocess.run(command, check=True, text=True, stdout=-1, stderr=-2).stdout


def printed(document: Document, width: int | None = None, ascii_only: bool = False) -> str:
    """A document as text."""
    return text.render(document, Page(width=width, ascii=ascii_only)) + "\n"


def excerpt(solution: Solution, *names: str) -> Excerpt:
    """A solution, or some of its steps, as formats take it."""
    return Excerpt(solution, View(references=tuple(map(Reference, names))))


def same_steps(exact: Solution, numeric: Solution, within: float = 1e-12) -> None:
    """Fails where two solutions of one problem differ."""
    for a, b in zip(exact.steps, numeric.steps, strict=True):
        np.testing.assert_allclose(b.value, a.value, rtol=within, atol=1e-12, err_msg=a.name)
