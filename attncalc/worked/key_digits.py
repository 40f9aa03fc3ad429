"""The digits of the published key: results that it tells are shown as it writes them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from attncalc.core.fields import Real
from attncalc.core.graph.references import parse_reference
from attncalc.exercise.solve.solution import Solution
from attncalc.exercise.yaml.tree import Node, Scalar, Sequence

DECIMAL = re.compile(r"[+-]?[0-9]*\.[0-9]*(?:[eE][+-]?[0-9]{1,3})?")


def key_places(solution: Solution) -> Iterator[tuple[Real, int]]:
    """The numbers of a solution that its key tells as decimals, and to how many places."""
    for key, node in solution.problem.answers.items if solution.problem.answers else ():
        reference = parse_reference(key.text)
        if reference is None or reference.step not in solution:
            continue
        step = solution[reference.step]
        for at, text in written(node, tuple(n - 1 for n in reference.at)):
            if DECIMAL.fullmatch(text) and is_inside(at, step.shape):
                yield step.numbers[at], -int(Decimal(text).as_tuple().exponent)


def written(node: Node, at: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], str]]:
    """What is written in the cells of lists in lists, each with its indices."""
    if isinstance(node, Scalar):
        yield at, node.text
    elif isinstance(node, Sequence):
        for n, item in enumerate(node.items):
            yield from written(item, (*at, n))


def is_inside(at: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    """Whether indices name a cell of a matrix."""
    return len(at) == len(shape) and all(0 <= n < size for n, size in zip(at, shape, strict=True))
