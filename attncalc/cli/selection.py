"""Find the steps, rows, cells and parts that the options of commands name, or say that there are none."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from attncalc.core.errors import Place, fault, nearest, quote
from attncalc.core.graph.graph import check_reference
from attncalc.core.graph.references import Reference, parse_reference
from attncalc.exercise.problem import Problem
from attncalc.exercise.solve.solution import Solution


def find_references(
    solution: Solution, steps: tuple[str, ...], cells: tuple[str, ...], row: int | None
) -> tuple[Reference, ...]:
    """The steps and cells that --step and --cell name, steps only in the row of --row; all must exist."""
    named = [find_reference(solution, text, "S", 0, row) for text in steps]
    return (*named, *(find_reference(solution, text, "S[3,1]", 2, row) for text in cells))


def find_reference(solution: Solution, text: str, form: str, indices: int, row: int | None) -> Reference:
    """Read one reference, written like `form`, with at least `indices` indices; it must exist."""
    reference = parse_reference(text)
    if reference is None or len(reference.at) < indices:
        raise fault(f"{quote(text)} is not written like {form}")
    reference = solution.resolve(reference)
    if row is not None and not reference.at:
        reference = Reference(reference.step, (row,))
    check_reference(solution.graph, reference)
    return reference


def find_parts(problem: Problem, labels: tuple[str, ...]) -> tuple[str, ...]:
    """The parts that --part names, with or without brackets and blanks; all must exist."""
    known = {simplify_label(part.label): part.label for part in problem.parts}
    for label in labels:
        if simplify_label(label) not in known:
            there = f"; the parts are {', '.join(known.values())}" if known else ": the problem has no parts"
            hint = nearest(simplify_label(label), known) or there
            raise fault(f"there is no part {quote(label)}{hint}")
    return tuple(known[simplify_label(label)] for label in labels)


def simplify_label(label: str) -> str:
    """The letters and digits of a label: (c) i is ci."""
    return re.sub(r"\W", "", label.lower())


def check_row_and_head(solution: Solution, row: int | None, head: int | None) -> None:
    """Raise an error if there is no such row or head."""
    queries, heads = solution.graph.sizes.get("n_q", 0), solution.graph.sizes.get("heads", 1)
    if row is not None and row > queries:
        raise fault(f"row {row} is outside the {queries} queries")
    if head is not None and head > heads:
        raise fault(f"there is no head {head}: the problem has {heads}")


def follow_links(name: str) -> str:
    """A file named on the command line, with links followed."""
    return os.path.realpath(name) if os.path.islink(name) else name


def refuse_overwriting(inputs: Iterable[str], files: Iterable[str | None], folder: str | None) -> None:
    """Raise an error if an output file would overwrite an input file."""
    read = {os.path.realpath(name) for name in inputs}
    for file in files:
        if file is not None and os.path.realpath(file) in read:
            raise fault("is one of the files that are read: name another", Place(file))
    if folder is not None and os.path.realpath(folder) in {os.path.dirname(name) for name in read}:
        raise fault("is a folder of files that are read: name another", Place(folder))
