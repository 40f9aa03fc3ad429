"""Topics: a title, and an explanation with or without a solved problem."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from math import inf
from typing import Any, TypeVar

import numpy as np

from attncalc.core.errors import ProblemError, fault
from attncalc.core.fields import Array, Real
from attncalc.core.fields.writing import exact_term
from attncalc.core.record import record, replace
from attncalc.core.terms import Negative, Product, Sum, Term
from attncalc.core.terms.formulas import Beside, Maths, Minus, Name, Plus, Stacked, Text
from attncalc.exercise.load import problem
from attncalc.exercise.solve.solution import Solution, SolvedStep
from attncalc.exercise.solve.solve import solve
from attncalc.features.decoding.running_state import Attention, Unfit
from attncalc.worked.blocks import (
    Block,
    Display,
    Displays,
    Equation,
    Equations,
    Heading,
    Law,
    Paragraph,
    Relation,
)
from attncalc.worked.grids import Frame, fold_indices
from attncalc.worked.rounding import Shown
from attncalc.worked.view import View
from attncalc.worked.writer.matrices import LONGEST_IN_GRID
from attncalc.worked.writer.steps import Writer

TWELVE_DECIMALS = 5e-13
"""The largest distance of numbers that agree to twelve decimals."""


@record
class Topic:
    """A derivation, shown on the numbers of a problem too if there is one."""

    title: str
    explain: Callable[..., Iterator[Block]]
    """Gives the blocks of the explanation, from a solution or None, and options."""
    sections: Mapping[str, Topic] = {}
    """The sections that can be asked for alone, by name: scaling.mean."""
    options: tuple[str, ...] = ()
    """The options of the explanation, by the names of arguments."""
    answer: Text | Callable[[Solution | None], Text] = ""
    """What it shows, in one sentence."""

    def say(self, solution: Solution | None) -> Text:
        """The sentence for a problem, or without one."""
        return self.answer(solution) if callable(self.answer) else self.answer


def equal(left: str | Maths, *sides: Maths) -> Equation:
    """left = side = side …"""
    return Equation(Name(left) if isinstance(left, str) else left, tuple(("=", side) for side in sides))


def names_of_steps(solution: Solution | None, usual: Mapping[str, str]) -> dict[str, str]:
    """The problem's names of these steps, or the usual names without a problem or with several heads."""
    if not solution:
        return dict(usual)
    own = solution.problem.names
    is_own = len(solution.graph.heads) < 2 or any(step in own for step in usual)
    return {step: own.get(step, step if is_own else name) for step, name in usual.items()}


def example(**keys: Any) -> Solution:
    """A small example problem, solved."""
    return solve(problem(**keys))


def with_steps(solution: Solution | None, **keys: Any) -> Solution:
    """The given problem if it has steps, else an example."""
    return solution if solution and solution.steps else example(**keys)


def each_section(topic: Topic, solution: Solution | None, *left_out: str) -> Iterator[Block]:
    """The sections of a topic, each under its title, except those left out."""
    for name, section in topic.sections.items():
        if name not in left_out:
            yield Heading(section.title, 3)
            yield from section.explain(solution)


def laws_of(solution: Solution, steps: Iterable[SolvedStep]) -> Iterator[Block]:
    """The matrix formulas of a problem's steps, in its letters."""
    writer = Writer(solution, View())
    laws = (block for step in steps for block in writer.laws(step) if isinstance(block, Law))
    lines = tuple(Equation(law.subject, (("=", law.formula),)) for law in laws)
    if lines:
        yield Equations(lines)


def rules_of(solution: Solution, step: SolvedStep) -> Iterator[Block]:
    """Everything that is said of a step: its sentence, its laws and its matrix."""
    yield Paragraph(step.sentence)
    yield from Writer(solution, View()).laws(step)
    yield show_example(solution, step.name)


def steps_by(solution: Solution, *operations: type) -> list[SolvedStep]:
    """The steps of a problem that these operations compute, not those of a limit or a gradient."""
    return [
        step
        for step in solution.steps
        if isinstance(step.step.op.core, operations) and not step.step.label.limit and not step.step.label.of
    ]


def of_which_head(solution: Solution, step: SolvedStep) -> str:
    """this problem, or head 2"""
    return f"head {step.step.head}" if step.step.head and len(solution.graph.heads) > 1 else "this problem"


def refuse(solution: Solution, why: str) -> ProblemError:
    """The error of a topic that is not about a problem."""
    return fault(f"does not apply to this problem: {why}", solution.problem.place("parts"))


def show_example(solution: Solution, *names: str) -> Displays:
    """Matrices of an example side by side, without a link to worked lines."""
    writer = Writer(solution, View())
    displays = (writer.display(name, fold=True) for name in names)
    return Displays(tuple(replace(each, of="") for each in displays))


def one_matrix(shown: Shown, symbol: str, numbers: Array) -> Display:
    """A matrix that is no step of the problem: exact if that is short, else rounded."""
    matrix = np.atleast_2d(numbers)
    rows, columns = (fold_indices(size, fold=True) for size in matrix.shape)
    frame = Frame(rows, columns, (), (), lambda *at: at)
    exact = frame.grid(matrix, lambda x: shown.exact(x, LONGEST_IN_GRID))
    if exact is not None:
        return Display(symbol, (("=", exact),))
    rounded = frame.grid(matrix, shown.decimal)
    assert rounded is not None
    return Display(symbol, (("≈", rounded),))


def as_tuple(shown: Shown, numbers: Iterable[Real]) -> Stacked:
    """Numbers as a tuple inside a formula."""
    return Stacked(tuple(as_number(shown, x) for x in numbers), round=True)


def as_number(shown: Shown, x: Real) -> Term:
    """A number inside a formula: a fraction exactly, any other rounded."""
    return shown.round_entry(x) or shown.decimal(x)


def relation(shown: Shown, numbers: Iterable[Real]) -> Relation:
    """The relation of numbers to their written form: = if it is exact, else ≈."""
    return "=" if all(shown.is_exact(x, as_number(shown, x)) for x in numbers) else "≈"


Head = TypeVar("Head", bound=Attention)


def each_head(solution: Solution, made: Callable[[int | None], Head]) -> list[Head]:
    """All heads of a solution, prepared; raises a fault if one cannot be explained."""
    count = len(solution.graph.heads)
    try:
        return [made(n if count > 1 else None) for n in range(1, count + 1)]
    except Unfit as error:
        raise refuse(solution, str(error)) from None


def nothing_changed(found: Iterable[tuple[Attention, int, Array]], how: str) -> Paragraph:
    """Compare outputs computed in another way with those of the problem, and say that they agree."""
    rows = list(found)
    apart = max(head.distance(output, row) for head, row, output in rows)
    outputs = dict.fromkeys(head.symbol for head, _, _ in rows)
    names = [part for symbol in outputs for part in (", ", Name(symbol))][1:]
    return Paragraph((f"Worked {how}, every row agrees with ", *names, f" {agreement(apart)} has changed."))


def agreement(apart: float) -> str:
    """The agreement of results with this largest distance, in words."""
    if apart == inf:
        raise ArithmeticError("the same outputs, found exactly in two ways, differ")
    if apart < TWELVE_DECIMALS:
        return f"{'to twelve decimals' if apart else 'exactly'}: nothing"
    return f"within {apart:.0e}, which floats lose on the way: nothing else"


def sink_note(solution: Solution | None) -> Iterator[Block]:
    """A note for a problem with a sink: its weights add up to less than 1."""
    if solution and "sink" in solution.graph.given:
        yield Paragraph(
            "In this problem a sink takes a part of every row: the weights of the keys are the rest."
        )


def in_letters(x: Real) -> Maths:
    """A product of letters and sums as tables show it: n_q n_k (d_k − 1)."""
    return without_signs(exact_term(x))


def without_signs(term: Term) -> Maths:
    """A term with its factors side by side, without a sign of multiplication."""
    match term:
        case Product(factors):
            return Beside(tuple(map(without_signs, factors)))
        case Sum(terms):
            return Plus(tuple(map(without_signs, terms)))
        case Negative(x):
            return Minus(without_signs(x))
    return term


def same(solution: Solution, x: Real, y: Real) -> bool:
    """Whether two numbers of a solution are equal, as far as its field can decide."""
    field = solution.trace.field
    if field.name == "exact":
        return bool(x == y)
    return abs(float(x) - float(y)) <= 1e-9 * max(1.0, abs(float(x)))
