"""Why row i of A V is the sum of the values, weighted by how much query i attends to each."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from attncalc.document.blocks import Block, Equations, Paragraph
from attncalc.document.steps import View, Writer
from attncalc.fields import Array
from attncalc.ops.base import Operand
from attncalc.ops.output import Output
from attncalc.solution.solution import Solution, SolvedStep
from attncalc.terms import Axis, Entry, Total, placed
from attncalc.terms.formulas import Indexed, Name
from attncalc.topics.base import Topic, equal, same

MOST = 6
PRODUCT = Name("A") @ Name("V")


def explain(solution: Solution | None) -> Iterator[Block]:
    """The row entry by entry, then as one sum of vectors; and a row of a problem."""
    steps = [step for step in solution.steps if isinstance(step.step.op, Output)] if solution else []
    keys, width = 3, 2
    if solution and steps:
        keys, width = (min(size, MOST) for size in solution.graph.shapes[steps[0].inputs[1]][-2:])
    i, d, j = Axis("i", 1), Axis("d", width), Axis("j", keys)
    rule = Output().cell((i, d), Operand("A", (1, keys)), Operand("V", (keys, width)))
    yield Paragraph("By the rule of matrix products, the entries of row i are")
    yield Equations(
        tuple(equal(Indexed(PRODUCT, f"i{n + 1}"), placed(rule, {"d": n})) for n in range(width)),
    )
    yield Paragraph("Every entry takes the same weights, so the row as a whole is a weighted sum of vectors:")
    value = Total(j, Entry("A", (i, j)) * Entry("V", (j, d)))
    assert value == rule
    yield Equations((equal(Indexed(PRODUCT, "i"), Total(j, Entry("A", (i, j)) * Entry("v_j"))),))
    for step in steps:
        if solution and len(step.shape) == 2:
            yield from on_numbers(solution, step)


def on_numbers(solution: Solution, step: SolvedStep) -> Iterator[Block]:
    """The last row worked, and every row compared with the weighted sum of vectors."""
    writer = Writer(solution, View())
    last = step.shape[0] - 1
    yield Paragraph("The last row of this problem:")
    yield Equations(tuple(writer.line(step, (last, d)) for d in range(step.shape[1])))
    weights, values = (solution.trace.values[name] for name in step.inputs)
    if all(agrees(solution, step.numbers[i], weights[i], values) for i in range(step.shape[0])):
        yield Paragraph("Added up as vectors, weight times value, every row comes out the same.")


def agrees(solution: Solution, row: Array, weights: Array, values: Array) -> bool:
    """Whether Σ_j a_j·v_j, with whole vectors v_j, is the row."""
    summed = sum((weight * value for weight, value in zip(weights, values, strict=True)), np.zeros(1, int))
    return all(same(solution, x, y) for x, y in zip(row, summed, strict=True))


topic = Topic("Row i of A V is a weighted sum of the values", explain)
