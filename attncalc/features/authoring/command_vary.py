"""Teachers: Write variants of a problem: other numbers for every student."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from attncalc.cli.options import ProblemName, writes
from attncalc.cli.streams import complain, patience

if TYPE_CHECKING:
    from attncalc.cli.output import Printer


@click.command()
@click.argument("file", type=ProblemName())
@click.option("--count", type=click.IntRange(1, 9999), metavar="N", help="Make N variants: 001, 002, ...")
@click.option("--roster", type=click.Path(), metavar="FILE", help="Make one for each line of FILE.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Other numbers.")
@click.option("--sheets", is_flag=True, help="Write the worksheets beside them, in the format of -f.")
@click.option("--keys", is_flag=True, help="Write the solutions beside them, in the format of -f.")
@writes("documents", to="FOLDER")
def command(
    output: Printer, file: str, count: int | None, roster: str | None, seed: int, sheets: bool, keys: bool
) -> None:
    """Write variants of a problem into the folder -o: other numbers for every student, as good a test."""
    from attncalc.exercise.load import load_source
    from attncalc.features.authoring.vary.write import find_ids, write_variants

    with patience():
        written = write_variants(output, load_source(file), find_ids(count, roster), seed, sheets, keys)
    complain(
        f"{written} variants in {output.file}; attncalc check {output.file} ANSWERS marks each student's own"
    )
