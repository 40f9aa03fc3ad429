"""The cost of attention: the operations of every step, counted from the rule of its cells."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import add

from attncalc.core.fields import Real
from attncalc.core.fields.lazy_sympy import algebra
from attncalc.core.ops.base import Op, Operand
from attncalc.core.ops.output import Output
from attncalc.core.ops.scores import Scale, Scores
from attncalc.core.ops.weights import Exponentials, RowTotals, Shares
from attncalc.core.readings.cost import Cost, cost
from attncalc.core.terms import ONLY, Apply, Axis, Constant, Entry, Quotient
from attncalc.core.terms.formulas import Call, Equal, Maths, Name, Text, Words, sentence
from attncalc.exercise.solve.solution import Solution
from attncalc.features.topics.base import Topic, equal, in_letters, names_of_steps, refuse
from attncalc.worked.blocks import Block, Equations, Paragraph, Table
from attncalc.worked.overview import COUNTS, in_rows
from attncalc.worked.overview import cost as counted

LENGTHS, WIDTHS = Name("n_q") @ Name("n_k"), Name("d_k") + Name("d_v")
USUAL = {name: name for name in "SZETAO"}


def steps(sizes: dict[str, Real], names: dict[str, str]) -> Iterator[tuple[Maths, Cost]]:
    """Every step of scaled dot-product attention with the operations of all its cells."""
    n_q, n_k, d_k, d_v = (sizes[name] for name in ("n_q", "n_k", "d_k", "d_v"))
    shapes = {"Q": (n_q, d_k), "K": (n_k, d_k), "V": (n_k, d_v)}
    scale = Scale(Quotient(Constant(1), Apply("sqrt", Entry("d_k"))))
    chain: list[tuple[str, Op, tuple[str, ...], tuple[Real, Real]]] = [
        ("S", Scores(), ("Q", "K"), (n_q, n_k)),
        ("Z", scale, ("S",), (n_q, n_k)),
        ("E", Exponentials(), ("Z",), (n_q, n_k)),
        ("T", RowTotals(), ("E",), (n_q, 1)),
        ("A", Shares(), ("E", "T"), (n_q, n_k)),
        ("O", Output(), ("A", "V"), (n_q, d_v)),
    ]
    for name, op, inputs, (rows, columns) in chain:
        operands = [Operand(operand, shapes[operand]) for operand in inputs]
        letter = "d" if name == "O" else "j"
        at = Axis("i", rows), ONLY if columns == 1 else Axis(letter, columns)
        shapes[name] = rows, columns
        formula = op.formula(*(Name(names.get(operand, operand)) for operand in inputs))
        assert formula is not None
        yield Equal(Name(names[name]), formula), cost(op.cell(at, *operands), at)


def explain(solution: Solution | None) -> Iterator[Block]:
    """The growth, the counts in letters, and those of a problem."""
    letters = {name: algebra.letter(name) for name in ("n_q", "n_k", "d_k", "d_v")}
    found = list(counted_steps(solution, letters))
    n_q, n_k, d_k, d_v = map(Name, letters)
    growth = Call("O", n_q @ n_k @ (d_k + d_v))
    yield Paragraph(
        sentence(
            "Attention of {} queries over {} keys, with widths {} and {}, takes {} operations, so for "
            "self-attention they grow with the square of the length.",
            *(n_q, n_k, d_k, d_v, growth),
        )
    )
    if solution and solution.steps:
        yield from differences(solution)
    yield Paragraph("Exactly, by the operations of one cell times the number of cells:")
    yield Table(("step", *COUNTS), tuple((formula, *write_counts(each)) for formula, each in found))
    yield Paragraph("All steps together:")
    total = reduce(add, (each for _, each in found))
    counts = zip(("step", *COUNTS)[1:], write_counts(total), strict=True)
    yield Equations(tuple(equal(Words((word,)), count) for word, count in counts))
    if solution and solution.steps:
        yield from counted(solution)


def say_totals(solution: Solution | None) -> Text:
    """The growth, and the multiplications and additions of all steps."""
    letters = {name: algebra.letter(name) for name in ("n_q", "n_k", "d_k", "d_v")}
    total = reduce(add, (each for _, each in counted_steps(solution, letters)))
    products, sums, *_ = write_counts(total)
    growth = Call("O", LENGTHS @ WIDTHS)
    return sentence("{} operations: {} multiplications and {} additions.", growth, products, sums)


def counted_steps(solution: Solution | None, sizes: dict[str, Real]) -> Iterator[tuple[Maths, Cost]]:
    """The steps in letters; of a problem with one head only those that it has, with its formulas."""
    found = steps(sizes, names_of_steps(solution, USUAL))
    if not solution or not solution.steps or len(solution.graph.heads) > 1:
        yield from found
        return
    own = {step.name: step for step in solution.steps}
    if not own.keys() & USUAL.keys():
        raise refuse(solution, "it has no scores and no weights")
    for name, (_, cost_) in zip(USUAL, found, strict=True):
        if name in own:
            formula = in_rows(solution, own[name])
            assert not isinstance(formula, str)
            yield Equal(Name(own[name].symbol), formula), cost_


def differences(solution: Solution) -> Iterator[Block]:
    """The steps of a problem that the counts in letters leave out."""
    if len(solution.graph.heads) > 1:
        yield Paragraph("These are the steps of one head, with its own widths; every head has them.")
    others = [Name(step.symbol) for step in solution.steps if step.step.label.role not in USUAL]
    if others:
        names = [part for name in others for part in (", ", name)][1:]
        yield Paragraph(("The counts in letters leave these steps of the problem out: ", *names, "."))


def write_counts(each: Cost) -> tuple[Maths, ...]:
    """The four counts as formulas."""
    return tuple(in_letters(algebra.factor(count)) for count in each.counts().values())


topic = Topic(
    "What attention costs",
    explain,
    answer=say_totals,
)
