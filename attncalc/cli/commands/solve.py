"""Students: Print the worked solution of a problem."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from attncalc.cli.files_and_streams import load_problem, patience
from attncalc.cli.options import ProblemName, writes

if TYPE_CHECKING:
    from attncalc.cli.printer import Printer
    from attncalc.worked.blocks import Document


@click.command()
@click.argument("file", type=ProblemName())
@click.option("--exact/--numeric", default=None, help="How to compute; by default the file decides.")
@click.option(
    "--detail", type=click.Choice(["brief", "key", "steps", "cells"]), default="cells", show_default=True,
    help="brief: results; key: one worked entry per step, to post; steps: laws; cells: every entry worked.  "
    "A brief worksheet has no laws.",
)  # fmt: skip
@click.option("--part", "parts", multiple=True, metavar="LABEL", help="Only this part of the exercise.")
@click.option("--step", "steps", multiple=True, metavar="NAME", help="Only this step, in full.")
@click.option("--row", type=click.IntRange(1), metavar="N", help="Only the row of query N.")
@click.option(
    "--cell", "cells", multiple=True, metavar="CELL",
    help='Where one entry comes from, such as "S[3,1]".',
)  # fmt: skip
@click.option("--head", type=click.IntRange(1), metavar="N", help="Only this head.")
@click.option("--places", type=click.IntRange(0, 100), metavar="N", help="Decimals shown.")
@click.option("--digits", type=click.IntRange(1, 100), metavar="N", help="Significant digits shown.")
@writes("documents", "solutions")
def command(
    output: Printer,
    file: str,
    exact: bool | None,
    detail: str,
    parts: tuple[str, ...],
    steps: tuple[str, ...],
    row: int | None,
    cells: tuple[str, ...],
    head: int | None,
    places: int | None,
    digits: int | None,
) -> None:
    """Print the worked solution of a problem."""
    from attncalc.cli.selection import check_row_and_head, find_parts, find_references
    from attncalc.exercise.solve.solve import solve as solved
    from attncalc.pages import DEFAULT_FORMAT
    from attncalc.worked.document import document
    from attncalc.worked.rounding import Rounding
    from attncalc.worked.view import Excerpt, View, rounding_of

    with patience():
        solution = solved(load_problem(file), {None: None, True: "exact", False: "numeric"}[exact])
    references = find_references(solution, steps, cells, row)
    check_row_and_head(solution, row, head)
    asked = places is not None or digits is not None
    rounding = Rounding(places, digits) if asked else rounding_of(solution.problem)
    labels = find_parts(solution.problem, parts)
    view = View(
        detail, rounding, references, labels, row, head,
        pointed=output.format.is_pointed, is_typed=output.format.name == DEFAULT_FORMAT,
    )  # fmt: skip

    def page() -> Document:
        if not view.pointed:
            return document(solution, view)
        from attncalc.pages.documents.html.interactive import interactive

        return interactive(solution, view)

    output.write(documents=page, solutions=lambda: Excerpt(solution, view))
