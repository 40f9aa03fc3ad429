"""Students: Work through a problem, one step after the other, with hints."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from attncalc.cli.files_and_streams import patience
from attncalc.cli.options import ProblemName, writes

if TYPE_CHECKING:
    from attncalc.cli.printer import Printer


@click.command()
@click.argument("file", type=ProblemName())
@click.option("--all", "everything", is_flag=True, help="Ask for every step, also those in between.")
@click.option("--seed", type=click.IntRange(0), metavar="N", help="The same exercise with other numbers.")
@writes("documents", aside=True)
def command(output: Printer, file: str, everything: bool, seed: int | None) -> None:
    """Work through a problem: one step after the other, with hints.

    -o FILE keeps the answers (.yaml) after every line, and goes on from what it holds.
    """
    from attncalc.cli.selection import refuse_overwriting
    from attncalc.core.errors import fault
    from attncalc.features.practice.terminal import start_practice

    if file == "-":
        raise fault("answers are typed: the problem cannot come from standard input, too")
    refuse_overwriting([file], [output.file], None)
    with patience():
        dialogue = start_practice(output, file, everything, seed)
    click.get_current_context().exit(dialogue.hold())
