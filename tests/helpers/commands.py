"""Run the program as a user does, inside this process or in a new one."""

from __future__ import annotations

import subprocess
import sys

import click
from click.testing import CliRunner

from attncalc.cli import cli
from attncalc.core.families import load_member, names_in

EVERY_COMMAND: dict[str, click.Command] = {
    name: load_member("cli.commands", name).command for name in names_in("cli.commands")
}
"""All commands, by name."""
COMMAND = [sys.executable, "-m", "attncalc"]
"""Starts the program in a new process."""


def run(*arguments: str, code: int = 0) -> str:
    """Run a command and return its output."""
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == code, result.output
    return result.stdout


def run_fault(*arguments: str) -> str:
    """Run a command that fails and return its message."""
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code != 0
    return f"{result.output}{result.exception}"


def run_python(*arguments: str) -> str:
    """Run Python in a new process and return its output and errors."""
    command = [sys.executable, *arguments]
    return subprocess.run(command, check=True, text=True, stdout=-1, stderr=-2).stdout
