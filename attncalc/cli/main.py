"""The program: a group of commands, and an exit code for every outcome.

Each command is a file that is loaded only when the command is run.  The first line of the file is its line
in `attncalc -h`: the users of the command, and what it does.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from typing import Any, NoReturn

import click

from attncalc.cli.files_and_streams import READER_LEFT, ClosedStream, complain, leave
from attncalc.core.families import first_line_of, load_member, names_in

FAMILY = "cli.commands"
USERS = ("Students", "Graders", "Engineers", "Teachers")
"""The users of commands, in the order of README."""


class Commands(click.Group):
    """Commands found by the names of their files."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """The context of a run, with the width of the help."""
        return super().make_context(info_name, args, parent, **{"terminal_width": help_width(), **extra})

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The names of all commands."""
        return [*names_in(FAMILY)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Load the command of a name."""
        if cmd_name not in names_in(FAMILY):
            return None
        found: click.Command = load_member(FAMILY, cmd_name).command
        found.name = cmd_name
        return keep_help(found)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The named command; an error says what may be meant by another word."""
        if args[0] not in names_in(FAMILY) and not ctx.resilient_parsing:
            ctx.fail(explain_unknown(args[0]))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the commands by their users."""
        lines = {name: first_line_of(FAMILY, name).split(": ", 1) for name in names_in(FAMILY)}
        width = max(map(len, lines))
        for users in USERS:
            rows = [(name.ljust(width), says) for name, (user, says) in lines.items() if user == users]
            if rows:
                with formatter.section(users):
                    formatter.write_dl(rows)


def help_width() -> int:
    """The columns of the help, as click counts them: it would import the slow `shutil` for that."""
    try:
        columns = int(os.environ.get("COLUMNS", 0)) or os.get_terminal_size().columns
    except (ValueError, OSError):
        columns = 0
    return max(min(columns or 80, 80) - 2, 50)


def explain_unknown(name: str) -> str:
    """The message for a word that is no command; for a problem, it names the command that solves it."""
    from attncalc.core.errors import inert, nearest
    from attncalc.exercise.bundled import list_bundled

    problems = list_bundled()
    if os.path.isfile(name) or name in problems:
        return f"{inert(name)} is a problem, not a command: type attncalc solve {inert(name)}"
    return f"No such command '{inert(name)}'{nearest(name, (*names_in(FAMILY), *problems))}"


def keep_help(command: click.Command) -> click.Command:
    """Give a command its help, even if Python has stripped docstrings."""
    if command.help is None and command.callback:
        from attncalc.core.docstrings import docstring

        command.help = docstring(command.callback)
    return command


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="attncalc", message="%(prog)s %(version)s")
def cli() -> None:
    """Work through attention exercises: every step, exactly or numerically.

    FILE is a problem file, '-' for standard input, or the name of a bundled problem.

    \b
    Two examples to type:
      attncalc solve dot-product-3
      echo "{Q: [[1, 2]], K: [[1, 0], [0, 1]], V: [[3], [4]]}" | attncalc solve -
    """


keep_help(cli)


def main() -> NoReturn:
    """Run a command; every failure is a message on standard error and an exit code."""
    if sys.stdout is None:
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(ClosedStream()))
    try:
        code = cli.main(prog_name="attncalc", standalone_mode=False) or 0
        sys.stdout.flush()
    except click.ClickException as error:
        with contextlib.suppress(OSError, AttributeError):
            error.show()
        code = error.exit_code
    except (KeyboardInterrupt, click.Abort):
        code = 130
    except BrokenPipeError:
        code = READER_LEFT
    except OSError as error:
        code = complain(f"the output cannot be written: {(error.strerror or str(error)).lower()}")
    except Exception as error:
        from attncalc.core.errors import AttncalcError, inert

        known = isinstance(error, AttncalcError)
        fault = f"attncalc has a fault of its own: {type(error).__name__}: {inert(str(error))}"
        code = complain(str(error) if known else fault)
    leave(code)
