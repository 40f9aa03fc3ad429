"""Teachers: Print every key, step, mistake, habit, function or format."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from attncalc.cli.options import writes

if TYPE_CHECKING:
    from attncalc.cli.output import Printer


@click.command()
@click.argument("what", type=click.Choice(["keys", "steps", "mistakes", "habits", "functions", "formats"]))
@click.argument("word", required=False)
@writes("documents", "data")
def command(output: Printer, what: str, word: str | None) -> None:
    """Print what there is: every key of a problem file, every step, mistake, habit, function or format."""
    from attncalc.features.authoring.reference import find_items
    from attncalc.worked.blocks import Document, Heading, Listing

    items = find_items(what, word)
    blocks = [
        block
        for item in items
        for block in (
            Heading(item.name, 3),
            Listing(tuple((head, fact) for head, fact in item.facts.items() if fact)),
        )
    ]
    output.write(
        documents=lambda: Document(
            (Heading(f"All {what}" if word is None else what.capitalize(), 1), *blocks)
        ),
        data=lambda: [{"name": item.name, **item.facts} for item in items],
    )
