"""Teachers: Print a JSON Schema of problem files, for editors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from attncalc.cli.options import writes

if TYPE_CHECKING:
    from attncalc.cli.output import Printer


@click.command()
@writes("data")
def command(output: Printer) -> None:
    """Print a JSON Schema of problem files, for editors that complete and check while one types."""
    from attncalc.features.authoring.schema import make_schema

    output.write(data=make_schema)
