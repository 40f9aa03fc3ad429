"""The program: run a command, and turn every outcome into an exit code."""

from __future__ import annotations

import contextlib
import io
import sys
from typing import NoReturn

import click

from attncalc.cli.files_and_streams import READER_LEFT, ClosedStream, complain, leave
from attncalc.cli.group import cli


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
