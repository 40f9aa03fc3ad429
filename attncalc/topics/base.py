"""What a topic is: a title, and what it tells with or without a solved problem."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from attncalc.document.blocks import Block, Display, Displays, Equation
from attncalc.document.steps import View, Writer
from attncalc.fields.exact import exact_term
from attncalc.loading.load import problem
from attncalc.notations.unicode import Ascii, write
from attncalc.record import record
from attncalc.solution.solution import Solution
from attncalc.solution.solve import solve
from attncalc.terms import Entry, Term


@record
class Topic:
    """A derivation; with a problem it is shown on its numbers too."""

    title: str
    explain: Callable[[Solution | None], Iterator[Block]]


def equal(left: str | Term, *sides: Term) -> Equation:
    """left = side = side …"""
    return Equation(Entry(left) if isinstance(left, str) else left, tuple(("=", side) for side in sides))


def example(**keys: Any) -> Solution:
    """A small problem of the topic's own, solved."""
    return solve(problem(**keys))


def shown(solution: Solution, *names: str) -> Displays:
    """Matrices of an example side by side; no worked line of the document comes from them."""
    writer = Writer(solution, View())
    displays = (writer.display(name, fold=True) for name in names)
    return Displays(tuple(Display(each.symbol, each.grids, "", each.shaded) for each in displays))


def in_letters(x: Any) -> str:
    """A product of letters and sums as a table writes it: n_q n_k (d_k - 1)."""
    return write(exact_term(x), Ascii()).replace("*", " ")


def same(solution: Solution, x: Any, y: Any) -> bool:
    """Whether two numbers of a solution are the same, as far as its field can tell."""
    field = solution.trace.field
    if field.name == "exact":
        return bool(x == y)
    return abs(float(x) - float(y)) <= 1e-9 * max(1.0, abs(float(x)))
