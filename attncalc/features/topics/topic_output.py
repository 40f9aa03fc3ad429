"""Why a row of the output is the sum of the values, weighted by how much its query attends to each."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.core.ops.base import Operand, vector
from attncalc.core.ops.output import Output
from attncalc.core.terms import Axis, Entry, Total, place_indices
from attncalc.core.terms.formulas import Beside, Indexed, Name, SumOf
from attncalc.exercise.solve.solution import Solution, SolvedStep
from attncalc.features.topics.base import Topic, equal, of_which_head, steps_by
from attncalc.worked.blocks import Block, Equations, Paragraph
from attncalc.worked.view import View, rounding_of
from attncalc.worked.writer.steps import Writer

MOST_SHOWN_ROWS = 6
USUAL = ("A", "V"), (3, 2)
"""The names of weights and values in an example, the number of values and their width."""


def explain(solution: Solution | None) -> Iterator[Block]:
    """The row entry by entry, then as one sum of vectors, and a row of a problem."""
    steps = steps_by(solution, Output) if solution else []
    one = steps[0] if len(steps) == 1 else None
    names, shape = of_problem(solution, one) if solution and one else USUAL
    yield from derivation(*names, *shape)
    for step in steps:
        if solution and len(step.shape) == 2:
            yield from on_numbers(solution, step)


def of_problem(solution: Solution, step: SolvedStep) -> tuple[tuple[str, str], tuple[int, int]]:
    """The problem's names of weights and values, the number of values and their width."""
    a, v = (solution.graph.symbol(name, solution.problem.names) for name in step.inputs)
    keys, width = solution.graph.shapes[step.inputs[1]][-2:]
    return (a, v), (keys, width)


def derivation(a: str, v: str, keys: int, width: int) -> Iterator[Block]:
    """From the rule of matrix products to a sum of vectors, written out if that is short."""
    i, d, j = Axis("i", 1), Axis("d", width), Axis("j", keys)
    rule = Output().cell((i, d), Operand(a, (1, keys)), Operand(v, (keys, width)))
    assert rule == Total(j, Entry(a, (i, j)) * Entry(v, (j, d)))
    # The course calls entries a_ij; the matrix of them is A.
    whole, value = Name(a.upper() if len(a) == 1 else a) @ Name(v), vector(Name(v), "j")
    yield Paragraph("By the rule of matrix products, the entries of row i are")
    if max(keys, width) <= MOST_SHOWN_ROWS:
        entries = ((f"i{n + 1}", place_indices(rule, {"d": n})) for n in range(width))
        yield Equations(tuple(equal(Indexed(whole, at), sides) for at, sides in entries))
    else:
        yield Equations((equal(Indexed(whole, "id"), rule),))
    yield Paragraph("Every entry takes the same weights, so the row as a whole is a weighted sum of vectors:")
    weighted = SumOf("j", Beside((Entry(a, (i, j)), value.T), dotted=True))
    yield Equations((equal(Indexed(whole, "i"), weighted),))


def on_numbers(solution: Solution, step: SolvedStep) -> Iterator[Block]:
    """The last row worked, and every row compared with the weighted sum of vectors."""
    writer = Writer(solution, View(rounding=rounding_of(solution.problem)))
    last = step.shape[0] - 1
    in_vectors = writer.row_line(step, last)
    yield Paragraph(f"The last row of {of_which_head(solution, step)}:")
    by_entry = (writer.line(step, (last, d)) for d in range(step.shape[1]))
    yield Equations((in_vectors,) if in_vectors else tuple(by_entry))


topic = Topic(
    "A row of the output is a weighted sum of the values",
    explain,
    answer="Row i of the product is the sum of the values, each times its weight in row i.",
)
