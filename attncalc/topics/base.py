"""What a topic is: a title, and what it tells with or without a solved problem."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from attncalc.document.blocks import Block, Displays, Equation
from attncalc.document.steps import View, Writer
from attncalc.fields import Real
from attncalc.fields.writing import exact_term
from attncalc.loading.load import problem
from attncalc.record import changed, record
from attncalc.solution.solution import Solution
from attncalc.solution.solve import solve
from attncalc.terms import Negative, Product, Sum, Term
from attncalc.terms.formulas import Beside, Maths, Minus, Name, Plus


@record
class Topic:
    """A derivation; with a problem it is shown on its numbers too."""

    title: str
    explain: Callable[[Solution | None], Iterator[Block]]
    sections: Mapping[str, Topic] = {}
    """What may be told alone, by name: scaling.mean."""


def equal(left: str | Maths, *sides: Maths) -> Equation:
    """left = side = side …"""
    return Equation(Name(left) if isinstance(left, str) else left, tuple(("=", side) for side in sides))


def called(solution: Solution | None, usual: Mapping[str, str]) -> dict[str, str]:
    """How a problem calls these steps; what is usual where there is none."""
    return {
        step: solution.problem.names.get(step, step) if solution else name for step, name in usual.items()
    }


def example(**keys: Any) -> Solution:
    """A small problem of the topic's own, solved."""
    return solve(problem(**keys))


def shown(solution: Solution, *names: str) -> Displays:
    """Matrices of an example side by side; no worked line of the document comes from them."""
    writer = Writer(solution, View())
    displays = (writer.display(name, fold=True) for name in names)
    return Displays(tuple(changed(each, of="") for each in displays))


def in_letters(x: Real) -> Maths:
    """A product of letters and sums as a table writes it: n_q n_k (d_k − 1)."""
    return without_signs(exact_term(x))


def without_signs(term: Term) -> Maths:
    """A term whose factors stand side by side."""
    match term:
        case Product(factors):
            return Beside(tuple(map(without_signs, factors)))
        case Sum(terms):
            return Plus(tuple(map(without_signs, terms)))
        case Negative(x):
            return Minus(without_signs(x))
    return term


def same(solution: Solution, x: Real, y: Real) -> bool:
    """Whether two numbers of a solution are the same, as far as its field can tell."""
    field = solution.trace.field
    if field.name == "exact":
        return bool(x == y)
    return abs(float(x) - float(y)) <= 1e-9 * max(1.0, abs(float(x)))
