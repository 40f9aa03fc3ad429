"""Teachers: Look problems through: which mistakes they cannot show, and more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from attncalc.cli.files_and_streams import patience
from attncalc.cli.options import ProblemName, writes

if TYPE_CHECKING:
    from attncalc.cli.printer import Printer
    from attncalc.core.errors import Fault
    from attncalc.features.authoring.lint.findings import Lint


@click.command()
@click.argument("files", type=ProblemName(), nargs=-1, required=True)
@click.option(
    "--ignore", "ignored", multiple=True, metavar="CODE", help="Leave findings of this code out; repeatable."
)
@writes("findings")
def command(output: Printer, files: tuple[str, ...], ignored: tuple[str, ...]) -> None:
    """Look problems through: which mistakes they cannot show, and what else an author may mend."""
    from attncalc.core.errors import AttncalcError, fault, nearest, quote
    from attncalc.exercise.load import load_source
    from attncalc.features.authoring.lint.findings import CODES, ignore
    from attncalc.features.authoring.lint.lint import lint as linted

    for code in ignored:
        if code not in CODES:
            hint = nearest(code, CODES) or f"; the codes are {', '.join(CODES)}"
            raise fault(f"there is no finding {quote(code)}{hint}")
    found: list[Lint] = []
    faults: list[Fault] = []
    with patience():
        for file in files:
            try:
                found.append(ignore(linted(load_source(file)), ignored))
            except AttncalcError as error:
                faults.extend(error.faults)
    output.write(findings=lambda: found)
    if faults:
        raise AttncalcError(*faults)
    click.get_current_context().exit(int(any(one.findings for one in found)))
