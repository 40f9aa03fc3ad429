"""Teachers: Print a new exercise with small numbers that show every mistake."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from attncalc.cli.options import writes

if TYPE_CHECKING:
    from attncalc.cli.output import Printer


@click.command()
@click.option("--tokens", type=click.IntRange(2, 4), default=3, show_default=True, help="Rows of X.")
@click.option(
    "--width", type=click.IntRange(1, 3), default=2, show_default=True, help="d_k and d_v of one head."
)
@click.option("--d-model", type=click.IntRange(2, 4), default=3, show_default=True, help="Columns of X.")
@click.option("--heads", type=click.IntRange(1, 2), default=1, show_default=True)
@click.option("--mask", type=click.Choice(["none", "causal"]), default="none", show_default=True)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Other numbers.")
@writes("files")
def command(output: Printer, tokens: int, width: int, d_model: int, heads: int, mask: str, seed: int) -> None:
    """Print a new exercise with small numbers that show every mistake."""
    from attncalc.features.authoring.new import Plan, write_new

    output.write(files=lambda: write_new(Plan(tokens, width, d_model, heads, mask, seed)))
