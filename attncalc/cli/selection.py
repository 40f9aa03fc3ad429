"""What the options of commands point at: steps, rows and cells of a solution, and files of answers."""

from __future__ import annotations

import os

from attncalc.errors import Place, fault, quoted
from attncalc.graph.graph import check_reference
from attncalc.graph.references import Reference, parse_reference
from attncalc.solution.solution import Solution

ANSWERS = (".yaml", ".yml", ".json", ".npz")


def find_references(
    solution: Solution, steps: tuple[str, ...], cells: tuple[str, ...], row: int | None
) -> tuple[Reference, ...]:
    """What --step and --cell name, a step only in the row of --row; all of it must be there."""
    named = [find_reference(solution, text, "S", 0, row) for text in steps]
    return (*named, *(find_reference(solution, text, "S[3,1]", 2, row) for text in cells))


def find_reference(solution: Solution, text: str, form: str, indices: int, row: int | None) -> Reference:
    """One place in a solution, written in some form with so many indices at least."""
    reference = parse_reference(text)
    if reference is None or len(reference.at) < indices:
        raise fault(f"{quoted(text)} is not written like {form}")
    reference = solution.resolved(reference)
    if row is not None and not reference.at:
        reference = Reference(reference.step, (row,))
    check_reference(solution.graph, reference)
    return reference


def check_row_and_head(solution: Solution, row: int | None, head: int | None) -> None:
    """Stops where there is no such row or head."""
    queries, heads = solution.graph.sizes.get("n_q", 0), solution.graph.sizes.get("heads", 1)
    if row is not None and row > queries:
        raise fault(f"row {row} is outside the {queries} queries")
    if head is not None and head > heads:
        raise fault(f"there is no head {head}: the problem has {heads}")


def find_answers(names: tuple[str, ...]) -> list[str]:
    """The files named, and those in folders named."""
    found = [file for name in names for file in (files_in(name) if os.path.isdir(name) else [followed(name)])]
    if names and not found:
        raise fault("holds no answers (.yaml, .json or .npz)", Place(names[0]))
    return found


def followed(name: str) -> str:
    """A file named on the command line, where a link leads to it."""
    return os.path.realpath(name) if os.path.islink(name) else name


def files_in(folder: str) -> list[str]:
    """The answers in a folder."""
    return [
        os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.lower().endswith(ANSWERS)
    ]
