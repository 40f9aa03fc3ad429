"""Teachers: Print the key of a variant again, from the code on its sheet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from attncalc.cli.files_and_streams import patience
from attncalc.cli.options import ProblemName, writes

if TYPE_CHECKING:
    from attncalc.cli.printer import Printer


@click.command()
@click.argument("code")
@click.argument("file", type=ProblemName())
@click.option("--sheet", is_flag=True, help="The worksheet, not the key.")
@writes("documents")
def command(output: Printer, code: str, file: str, sheet: bool) -> None:
    """Print the key of a variant of FILE again, from the CODE on its sheet."""
    from attncalc.exercise.load import load_source
    from attncalc.features.authoring.code_variant import remake
    from attncalc.features.authoring.vary.codes import with_code
    from attncalc.features.authoring.vary.pages import key_of, sheet_of

    with patience():
        variant = remake(load_source(file), code)
    page = sheet_of if sheet else key_of
    output.write(documents=lambda: with_code(page(variant, output.format.is_pointed), code.strip()))
