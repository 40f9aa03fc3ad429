"""Engineers: Print the shapes of all steps, and count the parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import click

from attncalc.cli.files_and_streams import load_problem
from attncalc.cli.options import ProblemName, writes

if TYPE_CHECKING:
    from attncalc.cli.printer import Printer
    from attncalc.exercise.solve.solution import Solution, SolvedStep
    from attncalc.worked.blocks import Block


def glance(
    output: Printer,
    file: str,
    blocks: Callable[[Solution], Iterable[Block]],
    datum: Callable[[SolvedStep], object],
    data: Callable[[Solution], object] | None = None,
) -> None:
    """Write an overview of a problem's steps, without their numbers."""
    from attncalc.core.errors import fault
    from attncalc.exercise.solve.solve import solve as solved
    from attncalc.worked.blocks import Document

    problem = load_problem(file)
    # A design, or a loss that floats cannot hold, has the same steps as in `solve` only in its own mode.
    is_plain = not (problem.symbols or problem.design or "targets" in problem.settings)
    solution = solved(problem, "numeric" if is_plain else None)
    if not solution.steps:
        raise fault("has no steps, only derivations: solve shows them", problem.place("parts"))
    output.write(
        documents=lambda: Document(tuple(blocks(solution)), title=problem.heading),
        data=lambda: data(solution) if data else {step.name: datum(step) for step in solution.steps},
    )


@click.command()
@click.argument("file", type=ProblemName())
@writes("documents", "data")
def command(output: Printer, file: str) -> None:
    """Print the shapes of all steps, and count the parameters."""
    from attncalc.worked import overview

    glance(output, file, overview.shapes, lambda step: step.shape)
