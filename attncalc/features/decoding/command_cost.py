"""Engineers: Count the operations that each step takes by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from attncalc.cli.commands.shapes import glance
from attncalc.cli.options import ProblemName, writes

if TYPE_CHECKING:
    from attncalc.cli.printer import Printer


@click.command()
@click.argument("file", type=ProblemName())
@click.option(
    "--decode", type=click.IntRange(1, 10**6), metavar="N",
    help="Count the tokens of the problem at once, then N more, one by one with a cache.",
)  # fmt: skip
@writes("documents", "data")
def command(output: Printer, file: str, decode: int | None) -> None:
    """Count the operations that each step takes by hand."""
    from attncalc.features.decoding import word_cache as caching
    from attncalc.worked import overview

    if decode is None:
        glance(output, file, overview.cost, lambda step: step.cost.counts())
        return
    glance(
        output, file, lambda solution: caching.decoding(solution, decode), lambda step: step.cost.counts(),
        lambda solution: caching.decoding_data(solution, decode),
    )  # fmt: skip
