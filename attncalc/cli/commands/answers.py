"""Graders: Print the answers file of a problem, to be filled in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from attncalc.cli.files_and_streams import load_problem, patience
from attncalc.cli.options import ProblemName, writes

if TYPE_CHECKING:
    from attncalc.cli.printer import Printer


@click.command()
@click.argument("file", type=ProblemName())
@writes("files")
def command(output: Printer, file: str) -> None:
    """Print the answers file of a problem, to be filled in."""
    from attncalc.exercise.solve.solve import solve
    from attncalc.marking.answers.questions import write_answers

    with patience():
        solution = solve(load_problem(file))
    output.write(files=lambda: write_answers(solution))
