"""Engineers: Print the shapes of all steps, and count the parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from attncalc.cli.options import ProblemName, writes
from attncalc.cli.overview import glance

if TYPE_CHECKING:
    from attncalc.cli.output import Printer


@click.command()
@click.argument("file", type=ProblemName())
@writes("documents", "data")
def command(output: Printer, file: str) -> None:
    """Print the shapes of all steps, and count the parameters."""
    from attncalc.worked import overview

    glance(output, file, overview.shapes, lambda step: step.shape)
