"""The author's commands: exercises written, looked through and varied."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from attncalc.cli.commands import cli
from attncalc.cli.options import ProblemName, writes
from attncalc.cli.streams import patience

if TYPE_CHECKING:
    from attncalc.cli.output import Printer


@cli.command()
@click.argument("file", type=ProblemName())
@writes("files")
def answers(output: Printer, file: str) -> None:
    """Print the answers file of a problem, to be filled in."""
    from attncalc.authoring.answers import write_answers
    from attncalc.loading.load import load
    from attncalc.solution.solve import solve

    with patience():
        solution = solve(load(file))
    output.write(files=lambda: write_answers(solution))
