"""Engineers: Draw random inputs, and show how weights and outputs spread."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from attncalc.cli.options import ProblemName, writes

if TYPE_CHECKING:
    from attncalc.cli.printer import Printer


@click.command()
@click.argument("files", type=ProblemName(), nargs=-1, required=True)
@writes("documents", "data")
def command(output: Printer, files: tuple[str, ...]) -> None:
    """Draw the random inputs of a problem, and show how weights and outputs spread.

    Of several FILES, such as one head and two, the outputs are also shown side by side.
    """
    from attncalc.exercise.load import load
    from attncalc.features.sampling.document import spread
    from attncalc.features.sampling.draw import mean_and_deviation
    from attncalc.pages.step_results import one_or_all

    problems = [load(file) for file in files]
    output.write(
        documents=lambda: spread(problems),
        data=lambda: one_or_all([mean_and_deviation(problem) for problem in problems]),
    )
