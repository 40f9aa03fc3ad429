"""Students: List the bundled problems, or those about a word."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from attncalc.cli.options import writes

if TYPE_CHECKING:
    from attncalc.cli.printer import Printer


@click.command()
@click.argument("word", required=False)
@writes("documents", "data")
def command(output: Printer, word: str | None) -> None:
    """List the bundled problems by sheet, or those that have WORD in their name, title, source or keys."""
    from attncalc.core.errors import fault, quote
    from attncalc.exercise.bundled import list_bundled
    from attncalc.worked.problem_list import contents, read_listed

    found = [problem for problem in map(read_listed, list_bundled()) if problem.is_about(word or "")]
    if not found:
        raise fault(f"no bundled problem has {quote(word or '')} in its name, title, source or keys")
    output.write(
        documents=lambda: contents(found),
        data=lambda: [
            {"name": problem.name, "title": problem.title, "source": problem.source} for problem in found
        ],
    )
