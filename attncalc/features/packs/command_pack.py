"""Teachers: Pack an exercise for Gradescope, PrairieLearn or Moodle."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from attncalc.cli.options import ProblemName, writes
from attncalc.cli.streams import patience
from attncalc.marking.report.levels import Level

if TYPE_CHECKING:
    from attncalc.cli.output import Printer


@click.command()
@writes("packs", to="OUT")
@click.argument("file", type=ProblemName())
@click.option(
    "--feedback", "level", type=click.Choice([*map(str, Level)]), default=str(Level.MISTAKE),
    show_default=True, help="How much students are told; only full shows the right values.",
)  # fmt: skip
@click.option("--seed", type=click.IntRange(0), metavar="N", help="The same exercise with other numbers.")
def command(output: Printer, file: str, level: str, seed: int | None) -> None:
    """Pack an exercise for another system, to be marked there.

    \b
    gradescope    a zip file to upload as the autograder
    prairielearn  a folder for the questions of a course, which needs attncalc in its serverFilesCourse
    moodle        Cloze questions to import (Moodle XML)

    FILE may be a folder of variants, as `attncalc vary` writes them.  Gradescope finds each student's own by
    the `student` of their answers; Moodle has a question for each, in a category to draw from at random.
    With --seed everybody has the same other numbers; PrairieLearn draws others for every student anyway.
    """
    from attncalc.features.packs.assignment import assemble
    from attncalc.features.packs.write import write_pack

    with patience():
        write_pack(output, assemble(file, Level(level), seed), file)
