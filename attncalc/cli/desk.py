"""The author's commands: exercises written, looked through and varied."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from attncalc.cli.commands import cli
from attncalc.cli.options import ProblemName, writes
from attncalc.cli.streams import patience

if TYPE_CHECKING:
    from attncalc.authoring.findings import Lint
    from attncalc.cli.output import Printer
    from attncalc.errors import Fault


@cli.command()
@click.argument("file", type=ProblemName())
@writes("files")
def answers(output: Printer, file: str) -> None:
    """Print the answers file of a problem, to be filled in."""
    from attncalc.authoring.answers import write_answers
    from attncalc.loading.load import load
    from attncalc.solution.solve import solve

    with patience():
        solution = solve(load(file))
    output.write(files=lambda: write_answers(solution))


@cli.command()
@click.argument("files", type=ProblemName(), nargs=-1, required=True)
@click.option(
    "--ignore", "ignored", multiple=True, metavar="CODE", help="Leave findings of this code out; repeatable."
)
@writes("findings")
def lint(output: Printer, files: tuple[str, ...], ignored: tuple[str, ...]) -> None:
    """Look problems through: which mistakes they cannot show, and what else an author may mend."""
    from attncalc.authoring.findings import CODES, ignore
    from attncalc.authoring.lint import lint as linted
    from attncalc.errors import AttncalcError, fault, nearest, quoted
    from attncalc.loading.load import load_source

    for code in ignored:
        if code not in CODES:
            hint = nearest(code, CODES) or f"; the codes are {', '.join(CODES)}"
            raise fault(f"there is no finding {quoted(code)}{hint}")
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
