"""Why the entry (i, j) of Q Kᵀ is the dot product of query i and key j."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.core.ops.base import Operand
from attncalc.core.ops.scores import Scores
from attncalc.core.readings.value import evaluate
from attncalc.core.terms import Axis, Entry, Term, Total, map_members
from attncalc.core.terms.formulas import Beside, Indexed, Name, SumOf, Words, sentence
from attncalc.exercise.solve.selection import all_cells
from attncalc.exercise.solve.solution import Solution, SolvedStep
from attncalc.features.topics.base import (
    Topic,
    equal,
    laws_of,
    names_of_steps,
    of_which_head,
    same,
    steps_by,
)
from attncalc.worked.blocks import Block, Equations, Paragraph
from attncalc.worked.view import View, rounding_of
from attncalc.worked.writer.steps import Writer

QUERY, KEY, D = Axis("i", 1), Axis("j", 1), Axis("d", 1)
ENTRY = Indexed(Name("Q") @ Name("K").T, "ij")


def as_vectors(term: Term) -> Term:
    """A term with the rows of Q and K called q_i and k_j."""
    match term:
        case Entry(of, (Axis(letter), column)):
            return Entry(f"{of.lower()}_{letter}", (column,))
    return map_members(term, as_vectors)


def explain(solution: Solution | None) -> Iterator[Block]:
    """From the rule of matrix products to the dot product, and on a problem's numbers."""
    rule = Scores().cell((QUERY, KEY), Operand("Q", (1, 1)), Operand("K", (1, 1)))
    assert rule == Total(D, Entry("Q", (QUERY, D)) * Entry("K", (KEY, D)))
    product = Beside((Entry("Q", (QUERY, D)), Indexed(Words((Name("K").T,)), "dj")), dotted=True)
    yield Paragraph("A product of matrices goes along row i of the first and column j of the second:")
    yield Equations((equal(ENTRY, SumOf("d", product)),))
    yield Paragraph("Transposing exchanges rows and columns:")
    yield Equations((equal(ENTRY, rule),))
    q_i, k_j = Name("q_i"), Name("k_j")
    rows = "Row i of Q is the query {} and row j of K is the key {}, so this is their dot product:"
    yield Paragraph(sentence(rows, q_i, k_j))
    symbol = names_of_steps(solution, {"S": "S"})["S"]
    yield Equations((equal(ENTRY, as_vectors(rule), q_i.T @ k_j, Entry(symbol, (QUERY, KEY))),))
    if solution:
        for step in steps_by(solution, Scores):
            yield from on_numbers(solution, step)


def on_numbers(solution: Solution, step: SolvedStep) -> Iterator[Block]:
    """One entry worked, and all of them compared."""
    last = tuple(size - 1 for size in step.shape)
    yield Paragraph(f"For one entry of {of_which_head(solution, step)}:")
    yield from laws_of(solution, [step])
    view = View(rounding=rounding_of(solution.problem))
    yield Equations((Writer(solution, view).line(step, last),))
    cells = list(all_cells(step.shape)) if len(step.shape) == 2 else []
    values, field = solution.trace.values, solution.trace.field
    alone = (evaluate(step.cell(at), values, field)[()] for at in cells)
    assert all(same(solution, step.numbers[at], x) for at, x in zip(cells, alone, strict=True))


topic = Topic(
    "Entry (i, j) of Q Kᵀ is a dot product",
    explain,
    answer=sentence(
        "Entry (i, j) of {} is row i of Q times row j of K, which is {}: the score of query i with key j.",
        Name("Q") @ Name("K").T,
        Name("q_i").T @ Name("k_j"),
    ),
)
